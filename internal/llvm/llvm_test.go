package llvm

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/gotaichi/ti/internal/llvm/absent"
)

// libraries opens every usable libLLVM of the machine, one of each major
// version. A machine without any cannot run these tests.
func libraries(t testing.TB) []*Lib {
	t.Helper()
	var libs []*Lib
	visited := map[int]bool{}
	for _, c := range Find() {
		l, err := Open(c.Path)
		if errors.Is(err, ErrTooOld) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if !visited[l.Version().Major] {
			visited[l.Version().Major] = true
			libs = append(libs, l)
		}
	}
	if len(libs) == 0 {
		absent.Leave(t, ErrMissing)
	}
	return libs
}

// each runs f with every libLLVM.
func each(t *testing.T, f func(*testing.T, *Lib)) {
	for _, l := range libraries(t) {
		t.Run(l.Version().String(), func(t *testing.T) { f(t, l) })
	}
}

const saxpy = `
define void @saxpy(ptr noalias %x, ptr noalias %y, float %a, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %px = getelementptr inbounds float, ptr %x, i64 %i
  %py = getelementptr inbounds float, ptr %y, i64 %i
  %vx = load float, ptr %px
  %vy = load float, ptr %py
  %m = fmul contract float %vx, %a
  %s = fadd contract float %m, %vy
  store float %s, ptr %py
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
`

func TestCompile(t *testing.T) {
	each(t, func(t *testing.T, l *Lib) {
		o := Options{OptLevel: 3, Passes: []string{"default<O3>"}}
		first, err := l.Compile(o, Source{Text: saxpy})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(first), "\x7fELF") {
			t.Fatalf("the object does not start as ELF does: %q", first[:4])
		}
		second, err := l.Compile(o, Source{Text: saxpy})
		if err != nil || string(first) != string(second) {
			t.Errorf("compiling twice gives different objects (error %v)", err)
		}
	})
}

func TestVectorWidth(t *testing.T) {
	each(t, func(t *testing.T, l *Lib) {
		for _, test := range []struct{ arch, triple, cpu, want string }{
			{"amd64", "x86_64-unknown-linux-gnu", "skylake-avx512", "zmm"},
			{"amd64", "x86_64-unknown-linux-gnu", "haswell", "ymm"},
			{"arm64", "aarch64-unknown-linux-gnu", "cortex-a76", ".4s"},
		} {
			if !l.Makes(test.arch) {
				continue
			}
			o := Options{Triple: test.triple, CPU: test.cpu, OptLevel: 3, Passes: []string{"default<O3>"}}
			text, err := l.Assembly(o, Source{Text: saxpy})
			if err != nil {
				t.Errorf("%s: %v", test.cpu, err)
			} else if !strings.Contains(text, test.want) {
				t.Errorf("%s: no %q in the assembly", test.cpu, test.want)
			}
		}
	})
}

func TestOptimize(t *testing.T) {
	each(t, func(t *testing.T, l *Lib) {
		text, err := l.Optimize(Options{Passes: []string{"default<O2>"}}, Source{Text: "define i32 @f() {\n %a = add i32 40, 2\n ret i32 %a\n}\n"})
		if err != nil || !strings.Contains(text, "ret i32 42") {
			t.Errorf("got %v and\n%s", err, text)
		}
	})
}

// TestBadText hands libLLVM what would crash it or end the process.
func TestBadText(t *testing.T) {
	tests := []struct {
		name, text, stage, message string
		options                    Options
	}{
		{name: "garbage", text: "\x01\x02 not LLVM IR", stage: "parse", message: "expected"},
		{name: "zero byte", text: "define void @f() {\x00}", stage: "parse", message: "zero byte"},
		{name: "types", text: "define i32 @f(float %x) {\n ret i32 %x\n}", stage: "parse", message: "%x"},
		{name: "verifier", text: "define void @f() {\na:\n br label %b\nb:\n %p = phi i32 [1, %b]\n ret void\n}", stage: "verify", message: "PHI"},
		{name: "pipeline", text: "define void @f() {\n ret void\n}", stage: "optimise", message: "nonsense", options: Options{Passes: []string{"nonsense"}}},
		{name: "target", text: "", stage: "target", message: "pdp11", options: Options{Triple: "pdp11-unknown-linux-gnu"}},
		{name: "no instruction for it", stage: "emit", message: "select",
			text: "declare i32 @llvm.aarch64.crc32b(i32, i32)\ndefine i32 @f(i32 %a) {\n %r = call i32 @llvm.aarch64.crc32b(i32 %a, i32 %a)\n ret i32 %r\n}"},
		{name: "inline assembly", stage: "emit", message: "",
			text: "define void @f() {\n call void asm sideeffect \"bogus\", \"\"()\n ret void\n}"},
	}
	each(t, func(t *testing.T, l *Lib) {
		for _, test := range tests {
			_, err := l.Compile(test.options, Source{Text: test.text})
			var ce *CompileError
			if !errors.As(err, &ce) {
				t.Errorf("%s: error %v, want a CompileError", test.name, err)
				continue
			}
			if ce.Stage != test.stage || !strings.Contains(ce.Message, test.message) {
				t.Errorf("%s: stage %q, message %q; want %q with %q", test.name, ce.Stage, ce.Message, test.stage, test.message)
			}
		}
		if _, err := l.Compile(Options{}, Source{Text: saxpy}); err != nil {
			t.Errorf("after all these errors a good text fails: %v", err)
		}
	})
}

func TestConcurrent(t *testing.T) {
	each(t, func(t *testing.T, l *Lib) {
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if _, err := l.Compile(Options{OptLevel: 2, Passes: []string{"default<O2>"}}, Source{Text: saxpy}); err != nil {
					t.Error(err)
				}
				if _, err := l.Compile(Options{}, Source{Text: "broken"}); err == nil {
					t.Error("a broken text compiles")
				}
			})
		}
		all.Wait()
	})
}

func TestUnusable(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	type test struct {
		name, path string
		want       error
	}
	tests := []test{
		{"missing", filepath.Join(dir, "libLLVM.so.99"), ErrMissing},
		{"directory", dir, ErrDamaged},
		{"empty", write("libLLVM-1.so", nil), ErrDamaged},
		{"text", write("libLLVM-2.so", []byte("a stray download")), ErrDamaged},
	}
	if self, err := os.Executable(); err == nil && runtime.GOOS == "linux" {
		data, err := os.ReadFile(self)
		if err != nil {
			t.Fatal(err)
		}
		tests = append(tests, test{"a program", write("libLLVM-3.so", data), ErrDamaged})
	}
	for _, c := range Find() {
		if c.Major < MinMajor {
			tests = append(tests, test{"an old version", c.Path, ErrTooOld})
		} else if runtime.GOOS == "linux" {
			data := make([]byte, 1<<20)
			f, err := os.Open(c.Path)
			if err == nil {
				_, err = f.Read(data)
				f.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
			tests = append(tests, test{"cut short", write("libLLVM-4.so", data), ErrDamaged})
		}
	}
	for _, test := range tests {
		_, err := Open(test.path)
		if !errors.Is(err, test.want) || !strings.Contains(err.Error(), EnvPath) {
			t.Errorf("%s: error %v, want %v with a remedy", test.name, err, test.want)
		}
	}
}

func TestDefaultObeysTheEnvironment(t *testing.T) {
	for _, l := range libraries(t) {
		t.Setenv(EnvPath, l.Path())
		got, err := Default()
		if err != nil || got != l {
			t.Errorf("with %s=%s Default gives %v and error %v", EnvPath, l.Path(), got, err)
		}
	}
	t.Setenv(EnvPath, filepath.Join(t.TempDir(), "none.so"))
	if _, err := Default(); !errors.Is(err, ErrMissing) {
		t.Errorf("a missing file gives error %v", err)
	}
	t.Setenv(EnvPath, t.TempDir())
	if _, err := Default(); !errors.Is(err, ErrMissing) {
		t.Errorf("an empty directory gives error %v", err)
	}
}

func TestMajorOf(t *testing.T) {
	for path, want := range map[string]int{
		"/usr/lib/x86_64-linux-gnu/libLLVM.so.19.1":   19,
		"/usr/lib/x86_64-linux-gnu/libLLVM-15.so.1":   15,
		"/usr/lib/x86_64-linux-gnu/libLLVM-14.0.6.so": 14,
		"/opt/homebrew/opt/llvm@18/lib/libLLVM.dylib": 18,
		"/usr/lib/llvm-16/lib/libLLVM.so":             16,
		"/usr/lib/libLLVM.so":                         0,
	} {
		if got := majorOf(path); got != want {
			t.Errorf("majorOf(%s) = %d, want %d", path, got, want)
		}
		if !fileName.MatchString(filepath.Base(path)) {
			t.Errorf("%s is not taken for a libLLVM", path)
		}
	}
	for _, name := range []string{"libclang-cpp.so.14", "libLLVMCore.a", "LLVMgold.so", "libLLVMSupport.so.19"} {
		if fileName.MatchString(name) {
			t.Errorf("%s is taken for a libLLVM", name)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, l := range libraries(b) {
		b.Run(l.Version().String(), func(b *testing.B) {
			for b.Loop() {
				if _, err := l.Compile(Options{OptLevel: 3, Passes: []string{"default<O3>"}}, Source{Text: saxpy}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestUnverified(t *testing.T) {
	for _, test := range []struct {
		pipeline string
		major    int
		want     string
	}{
		{"instcombine", 17, "instcombine"},
		{"instcombine", 18, "instcombine<no-verify-fixpoint>"},
		{"function(instcombine,instcombine,gvn),default<O3>", 19,
			"function(instcombine<no-verify-fixpoint>,instcombine<no-verify-fixpoint>,gvn),default<O3>"},
		{"function(aggressive-instcombine,instcombine<max-iterations=2>)", 19, "function(aggressive-instcombine,instcombine<max-iterations=2>)"},
	} {
		if got := unverified(test.pipeline, test.major); got != test.want {
			t.Errorf("%s for version %d: %s, want %s", test.pipeline, test.major, got, test.want)
		}
	}
}

// TestFrames compiles a function that needs 80,000 bytes of stack.
func TestFrames(t *testing.T) {
	const text = `
define i8 @Deep(i64 %i) {
  %a = alloca [80000 x i8], align 16
  %p = getelementptr i8, ptr %a, i64 %i
  store volatile i8 1, ptr %a
  %v = load volatile i8, ptr %p
  ret i8 %v
}
define i8 @Flat(i8 %i) { ret i8 %i }
`
	each(t, func(t *testing.T, l *Lib) {
		for most, want := range map[int]bool{0: false, 40000: true, 100000: false} {
			_, err := l.Compile(Options{OptLevel: 2, Passes: []string{"default<O2>"}, MaxFrame: most}, Source{Text: text})
			e, large := errors.AsType[*FrameError](err)
			if large != want || err != nil && !large {
				t.Errorf("with at most %d bytes: error %v", most, err)
			}
			if large && (e.Function != "Deep" || e.Bytes < 79800 || e.Bytes > 81000 || e.Max != 40000) {
				t.Errorf("the error is %+v", *e)
			}
		}
	})
}
