package loader

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/llvm/llvmtest"
	"github.com/gotaichi/ti/internal/native"
)

// program has what objects can have: a call between functions, a constant
// table, a constant of the machine's vector width, a switch that becomes a
// table of offsets, a pointer in constant data.
const program = `
@table = private unnamed_addr constant [4 x i64] [i64 10, i64 20, i64 30, i64 40]
@indirect = private unnamed_addr constant [2 x ptr] [ptr @double, ptr @triple]

define i64 @lookup(i64 %i) {
  %p = getelementptr inbounds [4 x i64], ptr @table, i64 0, i64 %i
  %v = load i64, ptr %p
  %r = call i64 @double(i64 %v)
  ret i64 %r
}
define internal i64 @double(i64 %x) noinline {
  %r = shl i64 %x, 1
  ret i64 %r
}
define i64 @triple(i64 %x) noinline {
  %r = mul i64 %x, 3
  ret i64 %r
}
define i64 @through(i64 %i, i64 %x) {
  %p = getelementptr inbounds [2 x ptr], ptr @indirect, i64 0, i64 %i
  %f = load ptr, ptr %p
  %r = call i64 %f(i64 %x)
  ret i64 %r
}
define i64 @pick(i64 %i) {
entry:
  switch i64 %i, label %other [ i64 0, label %a
    i64 1, label %b
    i64 2, label %c
    i64 3, label %d
    i64 4, label %e ]
a:
  %ra = call i64 @triple(i64 5)
  ret i64 %ra
b:
  %rb = call i64 @double(i64 9)
  ret i64 %rb
c:
  %rc = call i64 @lookup(i64 3)
  ret i64 %rc
d:
  %rd = call i64 @lookup(i64 1)
  ret i64 %rd
e:
  ret i64 -7
other:
  ret i64 0
}
define void @scale(ptr %p) {
  %v = load <4 x double>, ptr %p, align 8
  %s = fmul <4 x double> %v, <double 1.5, double 2.5, double 3.5, double 4.5>
  store <4 x double> %s, ptr %p, align 8
  ret void
}
`

func library(t testing.TB) *llvm.Lib {
	t.Helper()
	l := llvmtest.Library(t)
	return l
}

func object(t testing.TB, o llvm.Options, text string) []byte {
	t.Helper()
	obj, err := library(t).Compile(o, llvm.Source{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return obj
}

func TestLoadAndCall(t *testing.T) {
	for _, level := range []int{0, 3} {
		c, err := Load(object(t, llvm.Options{OptLevel: level}, program))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		call := func(name string, args ...uintptr) int64 {
			fn, ok := c.Symbol(name)
			if !ok {
				t.Fatalf("no function %s among %v", name, c.Symbols())
			}
			return int64(native.Call(fn, args...))
		}
		for _, test := range []struct {
			name string
			args []uintptr
			want int64
		}{
			{"lookup", []uintptr{2}, 60},
			{"through", []uintptr{0, 21}, 42},
			{"through", []uintptr{1, 7}, 21},
			{"pick", []uintptr{0}, 15},
			{"pick", []uintptr{1}, 18},
			{"pick", []uintptr{2}, 80},
			{"pick", []uintptr{3}, 40},
			{"pick", []uintptr{4}, -7},
			{"pick", []uintptr{99}, 0},
		} {
			if got := call(test.name, test.args...); got != test.want {
				t.Errorf("-O%d: %s(%v) = %d, want %d", level, test.name, test.args, got, test.want)
			}
		}
		v := []float64{1, 2, 3, 4}
		call("scale", uintptr(unsafe.Pointer(&v[0])))
		if !slices.Equal(v, []float64{1.5, 5, 10.5, 18}) {
			t.Errorf("-O%d: scale gives %v", level, v)
		}
		if _, ok := c.Symbol("double"); ok {
			t.Error("an internal function is visible")
		}
	}
}

// TestOtherArchitecture takes objects of both architectures through everything
// but execution.
func TestOtherArchitecture(t *testing.T) {
	for _, arch := range []string{"x86_64", "aarch64"} {
		if !makes(t, arch) {
			continue
		}
		for _, level := range []int{0, 3} {
			obj := object(t, llvm.Options{Triple: arch + "-unknown-linux-gnu", CPU: "generic", OptLevel: level}, program)
			im, err := parse(obj)
			if err != nil {
				t.Fatalf("%s: %v", arch, err)
			}
			if len(im.relocs) == 0 {
				t.Errorf("%s: no relocations", arch)
			}
			if _, err := im.link(0x7f0000001000); err != nil {
				t.Errorf("%s: %v", arch, err)
			}
			if _, err := Load(obj); (err == nil) != (im.arch == runtime.GOARCH) {
				t.Errorf("%s: Load gives error %v", arch, err)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"undefined", "declare i64 @labs(i64)\ndefine i64 @f(i64 %x) {\n %r = call i64 @labs(i64 %x)\n ret i64 %r\n}", `"labs", which is defined nowhere`},
		{"writable data", "@n = global i64 7\ndefine i64 @f() {\n %r = load i64, ptr @n\n ret i64 %r\n}", "writable data"},
		{"no code", "@n = external global i64", "no code"},
	} {
		_, err := Load(object(t, llvm.Options{}, test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.want)
		}
	}
	for _, bytes := range [][]byte{nil, []byte("text"), []byte("\x7fELF\x02\x01\x01 and nothing more of it; not even a whole header of sixty-four bytes")} {
		if _, err := Load(bytes); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("%q gives error %v", bytes, err)
		}
	}
}

func TestCloseTwice(t *testing.T) {
	c, err := Load(object(t, llvm.Options{}, program))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestARMRelocations compares with encodings written down from the manual.
func TestARMRelocations(t *testing.T) {
	const (
		adrp = 0x90000000 // adrp x0, .
		add  = 0x91000000 // add x0, x0, #0
		ldrq = 0x3dc00000 // ldr q0, [x0]
		bl   = 0x94000000 // bl .
	)
	for _, test := range []struct {
		kind          uint32
		word          uint32
		target, place uint64
		want          uint32
		reach         bool
	}{
		{275, adrp, 0x12345678, 0x12340ffc, 0xb0000020, true}, // 5 pages up: immlo 1, immhi 1
		{275, adrp, 0x1000, 0x2000, 0xf0ffffe0, true},         // one page down
		{275, adrp, 1 << 40, 0, 0x90000000, false},
		{277, add, 0x12345678, 0, 0x9119e000, true}, // #0x678
		{299, ldrq, 0x12345670, 0, 0x3dc19c00, true},
		{299, ldrq, 0x12345678, 0, 0x3dc19c00, false}, // not a multiple of 16
		{283, bl, 0x2000, 0x1000, 0x94000400, true},
		{283, bl, 0x1000, 0x2000, 0x97fffc00, true},
		{283, bl, 1 << 30, 0, 0x94000000, false},
	} {
		var b [8]byte
		binary.LittleEndian.PutUint32(b[:], test.word)
		reach := applyARM(test.kind, b[:], test.target, test.place)
		if got := binary.LittleEndian.Uint32(b[:]); reach != test.reach || reach && got != test.want {
			t.Errorf("kind %d, %#x at %#x: %#x %v, want %#x %v", test.kind, test.target, test.place, got, reach, test.want, test.reach)
		}
	}
}

// FuzzParse damages objects. Nothing is executed.
func FuzzParse(f *testing.F) {
	seeds, err := filepath.Glob("testdata/*.o")
	if err != nil || len(seeds) < 2 {
		f.Fatalf("seeds %v, error %v", seeds, err)
	}
	for _, name := range seeds {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		im, err := parse(data)
		if err != nil {
			return
		}
		out, err := im.link(0x7f0000001000)
		if err == nil && len(out) != im.size {
			t.Errorf("an image of %d bytes links to %d", im.size, len(out))
		}
		for _, name := range im.names {
			if at := im.symbols[name]; at > im.size {
				t.Errorf("function %s lies at %d of %d bytes", name, at, im.size)
			}
		}
	})
}

// TestSeeds writes the objects that the fuzzer starts from, if they are absent.
func TestSeeds(t *testing.T) {
	for _, arch := range []string{"x86_64", "aarch64"} {
		name := filepath.Join("testdata", arch+".o")
		data, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			data = object(t, llvm.Options{Triple: arch + "-unknown-linux-gnu", CPU: "generic", OptLevel: 1}, program)
			err = os.WriteFile(name, data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		im, err := parse(data)
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"lookup", "triple", "through", "pick", "scale"}; !slices.Equal(im.names, want) {
			t.Errorf("%s: functions %v, want %v", name, im.names, want)
		}
	}
}
