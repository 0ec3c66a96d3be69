package llvm

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unsafe"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/llvm/llvmtest"
	"github.com/gotaichi/ti/internal/loader"
	"github.com/gotaichi/ti/internal/native"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/target"
)

// libraries opens one usable libLLVM of each major version.
func libraries(t testing.TB) []*llvm.Lib {
	t.Helper()
	var libs []*llvm.Lib
	visited := map[int]bool{}
	for _, c := range llvm.Find() {
		l, err := llvm.Open(c.Path)
		if err == nil && !visited[l.Version().Major] {
			visited[l.Version().Major] = true
			libs = append(libs, l)
		}
	}
	if len(libs) == 0 {
		libs = append(libs, llvmtest.Library(t))
	}
	return libs
}

func parse(t testing.TB, text string) *ir.Kernel {
	t.Helper()
	k, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func generate(t testing.TB, k *ir.Kernel, o Options) string {
	t.Helper()
	text := ""
	for _, s := range sources(t, k, o) {
		text += strings.ReplaceAll(s.Text, llvm.EntryName, s.Name)
	}
	return text
}

// sources translates the tasks of k.
func sources(t testing.TB, k *ir.Kernel, o Options) (all []llvm.Source) {
	t.Helper()
	for _, task := range k.Tasks {
		text, err := Generate(k, task, o)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, llvm.Source{Text: text, Name: target.Symbol(task)})
	}
	return all
}

// A machine is a kernel in executable memory and what its tasks work on.
type machine struct {
	t     *testing.T
	k     *ir.Kernel
	code  *loader.Code
	args  []uint64
	bases []uint64
	frame []uint64
	errs  []uint64
	key   uint64
}

func build(t *testing.T, l *llvm.Lib, k *ir.Kernel, level int, strict bool) *machine {
	t.Helper()
	text := sources(t, k, Options{Options: option.Options{Strict: strict}, Traits: target.Traits{Version: l.Version().Major}})
	o := Pipeline(level)
	obj, err := l.Compile(o, text...)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	code, err := loader.Load(obj)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	t.Cleanup(func() { code.Close() })
	return &machine{t: t, k: k, code: code, args: make([]uint64, 16), bases: make([]uint64, 16),
		frame: make([]uint64, k.FrameSize/8+8), errs: make([]uint64, launch.ErrSize/8)}
}

// run calls a task for the iterations from begin to end.
func (m *machine) run(task int, begin, end int64) {
	m.t.Helper()
	fn, ok := m.code.Symbol(target.Symbol(m.k.Tasks[task]))
	if !ok {
		m.t.Fatalf("no function for task %d among %v", task, m.code.Symbols())
	}
	at := func(s []uint64) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(s)))) }
	var slots []uint64
	for _, s := range ir.SignatureOf(m.k.Tasks[task]).Slots {
		slots = append(slots, map[ir.SlotSource]func() uint64{
			ir.SlotArg:   func() uint64 { return m.args[s.At] },
			ir.SlotBase:  func() uint64 { return m.bases[s.At] },
			ir.SlotFrame: func() uint64 { return at(m.frame) + uint64(s.At) },
		}[s.From]())
	}
	ctx := []uint64{launch.CtxSlots / 8: at(slots), launch.CtxErrs / 8: at(m.errs), launch.CtxKey / 8: m.key, launch.CtxLoop / 8: uint64(m.k.Tasks[task].Loop)}
	native.Call(fn, uintptr(at(ctx)), uintptr(begin), uintptr(end))
}

// memory makes n elements of T that start at a multiple of launch.BaseAlign.
func memory[T any](n int) []T {
	var zero T
	raw := make([]byte, n*int(unsafe.Sizeof(zero))+launch.BaseAlign)
	pad := -int(uintptr(unsafe.Pointer(&raw[0]))) & (launch.BaseAlign - 1)
	return unsafe.Slice((*T)(unsafe.Pointer(&raw[pad])), n)
}

func addr[T any](s []T) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(s)))) }

// everywhere runs f with each libLLVM, unoptimised and optimised.
func everywhere(t *testing.T, f func(t *testing.T, l *llvm.Lib, level int)) {
	for _, l := range libraries(t) {
		for _, level := range []int{0, 3} {
			t.Run(fmt.Sprintf("%d-O%d", l.Version().Major, level), func(t *testing.T) { f(t, l, level) })
		}
	}
}

const saxpy = `
kernel Saxpy(a: f32) {
	int i32
	field @X [f32] [1000] 
	field @Y [f32] [1000]
	bases [0 1]
	frame 0 done -1
	task 0 "for i := range X" loop 1 i32 [0, 1000) independent {
		prologue {
			%0 = base 0 : ptr
			%1 = base 1 : ptr
			%2 = param 0 : f32
			yield
		}
		body(%3: i32) {
			%4 = convert %3 : i64
			%5 = const 4 : i64
			%6 = mul.nowrap %4, %5 : i64
			%7 = offset %0, %6 : ptr
			%8 = load %7 : f32 alias 1
			%9 = offset %1, %6 : ptr
			%10 = load %9 : f32 alias 2
			%11 = mul %8, %2 : f32
			%12 = add %11, %10 : f32
			store %9, %12 alias 2
			continue
		}
		epilogue {
			yield
		}
	}
}
`

func TestSaxpy(t *testing.T) {
	everywhere(t, func(t *testing.T, l *llvm.Lib, level int) {
		m := build(t, l, parse(t, saxpy), level, false)
		x, y := memory[float32](1000), memory[float32](1000)
		for i := range x {
			x[i], y[i] = float32(i), 1
		}
		m.bases[0], m.bases[1] = addr(x), addr(y)
		m.args[0] = uint64(math.Float32bits(2))
		m.run(0, 0, 10)
		m.run(0, 10, 999)
		m.run(0, 999, 999)
		for i, v := range y {
			want := 2*float32(i) + 1
			if i == 999 {
				want = 1 // was in no range
			}
			if v != want {
				t.Fatalf("y[%d] = %g, want %g", i, v, want)
			}
		}
	})
	text := generate(t, parse(t, saxpy), Options{Traits: target.Traits{Version: 19, VectorBits: 512}})
	for _, want := range []string{
		"define void @task0(ptr noundef nonnull align 8 %ctx, i64 noundef %begin, i64 noundef %end) #0",
		"fmul reassoc contract float", "!alias.scope", "!llvm.access.group", "llvm.loop.parallel_accesses",
		`"prefer-vector-width"="512"`, "add nsw i32",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strict := generate(t, parse(t, saxpy), Options{Options: option.Options{Strict: true}}); strings.Contains(strict, "reassoc") {
		t.Error("strict code may be reassociated")
	}
}
