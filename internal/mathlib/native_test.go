package mathlib

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	codegen "github.com/gotaichi/ti/internal/codegen/llvm"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/llvm/llvmtest"
	"github.com/gotaichi/ti/internal/loader"
	"github.com/gotaichi/ti/internal/native"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/target"
)

var long = randtest.Long("long", "run the tests that take minutes: every f32")

// A loop is compiled code that applies one function to arrays.
type loop struct {
	code  *loader.Code
	entry uintptr
	slots []ir.Slot // what the task is given
}

// newLoop compiles out[i] = code(x[i], y[i], z[i]) on kind k for vectors of 512 bits.
// The arrays are slices: argument slots 0, 2, 4 and 6.
func newLoop(tb testing.TB, code ir.Code, k ir.Kind, o target.Traits) loop {
	tb.Helper()
	return expandLoop(tb, loopKernel(code, k), o, true)
}

// newQuickLoop is newLoop without strict maths.
func newQuickLoop(tb testing.TB, code ir.Code, k ir.Kind, o target.Traits) loop {
	tb.Helper()
	return expandLoop(tb, loopKernel(code, k), o, false)
}

// expandLoop compiles a kernel made by loopKernel.
func expandLoop(tb testing.TB, kernel *ir.Kernel, o target.Traits, strict bool) loop {
	tb.Helper()
	lib := llvmtest.Library(tb)
	Expand(kernel, o, strict)
	return compileLoop(tb, lib, kernel, o)
}

// compileLoop compiles the only task of a kernel made by loopKernel.
func compileLoop(tb testing.TB, lib *llvm.Lib, kernel *ir.Kernel, o target.Traits) loop {
	tb.Helper()
	if err := ir.VerifyLowered(kernel); err != nil {
		tb.Fatal(err)
	}
	text, err := codegen.Generate(kernel, kernel.Tasks[0], codegen.Options{Traits: target.Traits{Version: lib.Version().Major, VectorBits: o.VectorBits}})
	if err != nil {
		tb.Fatal(err)
	}
	object, err := lib.Compile(codegen.Pipeline(3), llvm.Source{Text: text, Name: target.Symbol(kernel.Tasks[0])})
	if err != nil {
		tb.Fatal(err)
	}
	c, err := loader.Load(object)
	if err != nil {
		tb.Fatal(err)
	}
	entry, ok := c.Symbol(target.Symbol(kernel.Tasks[0]))
	if !ok {
		tb.Fatal("the object lacks the task")
	}
	return loop{c, entry, ir.SignatureOf(kernel.Tasks[0]).Slots}
}

func loopKernel(code ir.Code, k ir.Kind) *ir.Kernel {
	body := &ir.Block{}
	i := body.AddParam(ir.Scalar(ir.I64), "i")
	b := ir.NewBuilder(body)
	bytes := b.Op(ir.OpMul, i, b.Int(i.Type, int64(k.Size())))
	at := func(slot int64, alias int32) *ir.Op {
		base := ir.NewOp(ir.OpArgPtr, ir.Pos{}, []ir.Type{ir.Scalar(ir.Ptr)})
		base.Aux = slot
		return ir.NewOp(ir.OpOffset, ir.Pos{}, []ir.Type{ir.Scalar(ir.Ptr)}, b.Emit(base), bytes)
	}
	var args []*ir.Value
	for n := range code.Info().Min {
		load := ir.NewOp(ir.OpLoad, ir.Pos{}, []ir.Type{ir.Scalar(k)}, b.Emit(at(int64(2*n), 0)))
		load.Alias = int32(n + 1)
		args = append(args, b.Emit(load))
	}
	v := b.Op(code, args...)
	store := ir.NewOp(ir.OpStore, ir.Pos{}, nil, b.Emit(at(6, 0)), v)
	store.Alias = 4
	b.Emit(store)
	b.Emit(ir.NewOp(ir.OpContinue, ir.Pos{}, nil))
	dim := ir.Dim{Kind: ir.I64, Hi: ir.Bound{Const: 1 << 40}}
	kernel := &ir.Kernel{Name: "K", Int: ir.I32, DoneSlot: -1, Tasks: []*ir.Task{{Name: "loop", Loop: 1, Dims: []ir.Dim{dim}, Body: body}}}
	for n, name := range []string{"x", "y", "z", "out"} {
		kernel.Params = append(kernel.Params, &ir.Param{Name: name, Content: ir.ParamSlice, Kind: k, Comps: 1, Slot: 2 * n})
	}
	return kernel
}

// run applies the loop to n elements.
func (l loop) run(n int, x, y, z, out unsafe.Pointer) {
	args := [8]uint64{0: uint64(uintptr(x)), 2: uint64(uintptr(y)), 4: uint64(uintptr(z)), 6: uint64(uintptr(out))}
	var ctx [launch.CtxSize / 8]uint64
	var pin runtime.Pinner
	defer pin.Unpin()
	for _, p := range []unsafe.Pointer{x, y, z, out, unsafe.Pointer(&args), unsafe.Pointer(&ctx)} {
		if p != nil {
			pin.Pin(p)
		}
	}
	var slots [8]uint64
	for i, s := range l.slots {
		slots[i] = args[s.At]
	}
	pin.Pin(&slots)
	ctx[launch.CtxSlots/8] = uint64(uintptr(unsafe.Pointer(&slots)))
	native.Call(l.entry, uintptr(unsafe.Pointer(&ctx)), 0, uintptr(n))
}

func (l loop) run32(x, y, out []float32) { apply(l, x, y, nil, out) }
func (l loop) run64(x, y, out []float64) { apply(l, x, y, nil, out) }

// apply runs the loop over slices, of which those that it has no argument for may be nil.
func apply[T any](l loop, x, y, z, out []T) {
	at := func(s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }
	l.run(len(x), at(x), at(y), at(z), at(out))
}

// provided returns those of the descriptions that code for the processor that tests run on, or that TI_PROCESSOR names, may have.
func provided(t *testing.T, all ...target.Traits) (can []target.Traits) {
	lib := llvmtest.Library(t)
	machine := codegen.New(lib).Traits()
	for _, o := range all {
		if machine.Provides(o.Has) {
			can = append(can, o)
		}
	}
	return can
}

// scaling describes the processor that the test runs on, if it can scale vectors.
func scaling(t *testing.T) []target.Traits {
	lib := llvmtest.Library(t)
	if traits := codegen.New(lib).Traits(); !traits.Provides(target.Scales) || traits.VectorBits < 512 {
		return nil
	}
	return []target.Traits{{VectorBits: 512, Has: target.FMA | target.Scales}}
}

// TestScale compares exponentials of vectors, which are scaled by one instruction, with those that are scaled by
// arithmetic, bit for bit: with -long for every f32, else for some of each exponent.
func TestScale(t *testing.T) {
	all := scaling(t)
	if all == nil {
		t.Skip("this processor does not scale vectors")
	}
	step := uint64(9973)
	if *long {
		step = 1
	}
	for _, code := range []ir.Code{ir.OpExp, ir.OpExp2, ir.OpSinh, ir.OpCosh, ir.OpTanh} {
		scaled, other := newLoop(t, code, ir.F32, all[0]), newLoop(t, code, ir.F32, target.Traits{VectorBits: 512, Has: target.FMA})
		x, got, want := make([]float32, 1<<16), make([]float32, 1<<16), make([]float32, 1<<16)
		for next := uint64(0); next <= math.MaxUint32; {
			for i := range x {
				x[i] = math.Float32frombits(uint32(next))
				next += step
			}
			copy(x, []float32{0, float32(negZero), float32(inf), float32(-inf), float32(nan), -87.5, -103.9, -104.1, 88.7, 88.8, 128, -126.5, -149, -149.5, -150.5})
			scaled.run32(x, nil, got)
			other.run32(x, nil, want)
			for i, v := range got {
				if v != want[i] && (v == v || want[i] == want[i]) {
					t.Fatalf("%v(%x): got %x, want %x", code, x[i], v, want[i])
				}
			}
		}
	}
}

// TestNative holds compiled code, vectorised, against the test machine, bit for
// bit: nothing may be reassociated or contracted.
func TestNative(t *testing.T) {
	for _, f := range functions() {
		for _, o := range append([]target.Traits{{VectorBits: 256, Has: target.FMA}, {VectorBits: 256}}, scaling(t)...) {
			lib := Library{Target: o}

			l := newLoop(t, f.code, ir.F32, o)
			var x32 []float32
			for _, v := range samples(f, ir.F32, 100) {
				x32 = append(x32, float32(v))
			}
			out32 := make([]float32, len(x32))
			l.run32(x32, nil, out32)
			m := newMachine(lib.Func(f.code, ir.Scalar(ir.F32)))
			for i, x := range x32 {
				bits := uint64(math.Float32bits(x))
				if want := math.Float32frombits(uint32(m.call([]uint64{bits})[0])); out32[i] != want {
					t.Fatalf("%v(%x), f32, %+v: got %x, want %x", f.code, x, o, out32[i], want)
				}
				if got := math.Float32frombits(uint32(Eval(f.code, ir.F32, bits))); o.Provides(target.FMA) && got != out32[i] {
					t.Fatalf("%v(%x), f32: Eval gives %x, and compiled code %x", f.code, x, got, out32[i])
				}
			}

			l = newLoop(t, f.code, ir.F64, o)
			x64 := samples(f, ir.F64, 100)
			out64 := make([]float64, len(x64))
			l.run64(x64, nil, out64)
			m = newMachine(lib.Func(f.code, ir.Scalar(ir.F64)))
			for i, x := range x64 {
				bits := math.Float64bits(x)
				if want := math.Float64frombits(m.call([]uint64{bits})[0]); out64[i] != want {
					t.Fatalf("%v(%x), f64, %+v: got %x, want %x", f.code, x, o, out64[i], want)
				}
				if got := math.Float64frombits(Eval(f.code, ir.F64, bits)); o.Provides(target.FMA) && got != out64[i] {
					t.Fatalf("%v(%x), f64: Eval gives %x, and compiled code %x", f.code, x, got, out64[i])
				}
			}
		}
	}
}

// powPairs returns arguments of pow: n with powers of all sizes, of which few are zero or
// infinite, and all pairs of special numbers.
func powPairs(n int) (x, y []float32) {
	rng := rand.New(rand.NewPCG(11, 3))
	for range n {
		v := float32(math.Exp2((rng.Float64() - 0.5) * math.Pow(2, rng.Float64()*24-16)))
		x, y = append(x, v), append(y, float32((rng.Float64()-0.5)*310/math.Log2(float64(v))))
	}
	vs := []float64{0, 1, 2, 3, 0.5, 1.5, 1e-30, 1e30, 0x1p-126, 0x1p-149, 0x1.fffffep127, 0x1p23 + 1, 0x1p24, 1.2, 0.81649655, 0.8164966, inf, nan}
	for _, a := range vs {
		for _, b := range vs {
			for s := range 4 {
				x = append(x, float32(math.Copysign(a, float64(1-s%2*2))))
				y = append(y, float32(math.Copysign(b, float64(1-s/2*2))))
			}
		}
	}
	return x, y
}

// TestQuickPow holds compiled code of the quick pow, vectorised, against the test machine, bit
// for bit, and against pow of f64: with -long for 26 million pairs.
func TestQuickPow(t *testing.T) {
	for _, o := range append([]target.Traits{{VectorBits: 256, Has: target.FMA}}, scaling(t)...) {
		testQuickPow(t, o)
	}
}

func testQuickPow(t *testing.T, o target.Traits) {
	n, rounds := 20_000, 1
	if *long {
		n, rounds = 26_000_000, 0
	}
	quick, wide := newQuickLoop(t, ir.OpPow, ir.F32, o), newLoop(t, ir.OpPow, ir.F64, o)
	x, y := powPairs(n)
	out, x64, y64, out64 := make([]float32, len(x)), make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
	for i := range x {
		x64[i], y64[i] = float64(x[i]), float64(y[i])
	}
	quick.run32(x, y, out)
	wide.run64(x64, y64, out64)
	most, at := 0.0, 0
	for i, v := range out {
		u := ulps32(v, out64[i])
		if u > most {
			most, at = u, i
		}
		if v == 0 && math.Signbit(float64(v)) != math.Signbit(out64[i]) {
			t.Errorf("the sign of pow(%x, %x) is wrong", x[i], y[i])
		}
	}
	t.Logf("vectors of %d bits, %d pairs: %.3f ulp at (%x, %x)", o.VectorBits, len(x), most, x[at], y[at])
	if most > maxULP {
		t.Errorf("the error is %.3f ulp at (%x, %x), at most %d are allowed", most, x[at], y[at], maxULP)
	}
	lib := Library{Target: o, Quick: true}
	m := newMachine(lib.Func(ir.OpPow, ir.Scalar(ir.F32)))
	for i := range x[:rounds*len(x)] {
		want := math.Float32frombits(uint32(m.call([]uint64{uint64(math.Float32bits(x[i]))}, []uint64{uint64(math.Float32bits(y[i]))})[0]))
		if out[i] != want && (out[i] == out[i] || want == want) {
			t.Fatalf("pow(%x, %x): got %x, want %x", x[i], y[i], out[i], want)
		}
	}
}

// TestQuickLog holds the quick logarithms, vectorised, against the others, bit for bit: with -long
// for every f32, else for some of each exponent.
func TestQuickLog(t *testing.T) {
	o := target.Traits{VectorBits: 256, Has: target.FMA}
	step := uint64(9973)
	if *long {
		step = 1
	}
	for _, code := range []ir.Code{ir.OpLog, ir.OpLog2} {
		quick, other := newQuickLoop(t, code, ir.F32, o), newLoop(t, code, ir.F32, o)
		x, got, want := make([]float32, 1<<16), make([]float32, 1<<16), make([]float32, 1<<16)
		for next := uint64(0); next <= math.MaxUint32; {
			for i := range x {
				x[i] = math.Float32frombits(uint32(next))
				next += step
			}
			copy(x, []float32{0, float32(negZero), float32(inf), float32(-inf), float32(nan), 0x1p-126, 0x1.fffffcp-127, 0x1p-149, math.MaxFloat32, -1, 1})
			quick.run32(x, nil, got)
			other.run32(x, nil, want)
			for i, v := range got {
				if v != want[i] && (v == v || want[i] == want[i]) {
					t.Fatalf("%v(%x): got %x, want %x", code, x[i], v, want[i])
				}
			}
		}
	}
}

// TestEveryF32 compares each function of all f32 with its f64 version, which
// TestAccuracy compares with math/big.
func TestEveryF32(t *testing.T) {
	if !*long {
		t.Skip("-long runs it")
	}
	for _, o := range []target.Traits{{VectorBits: 256, Has: target.FMA}, {VectorBits: 256}} {
		for _, f := range functions() {
			narrow, wide := newLoop(t, f.code, ir.F32, o), newLoop(t, f.code, ir.F64, o)
			most, at := everyF32(narrow, wide)
			t.Logf("%v %+v: %.3f ulp at %x", f.code, o, most, at)
			if most > maxULP {
				t.Errorf("%v, %+v: the error is %.3f ulp at %x, at most %d are allowed", f.code, o, most, at, maxULP)
			}
		}
	}
}

// everyF32 returns the greatest difference of narrow from wide, and where it is.
func everyF32(narrow, wide loop) (most float64, at float32) {
	const chunk = 1 << 16
	var mu sync.Mutex
	var wg sync.WaitGroup
	next := uint64(0)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			x, out := make([]float32, chunk), make([]float32, chunk)
			x64, out64 := make([]float64, chunk), make([]float64, chunk)
			for {
				mu.Lock()
				first := next
				next += chunk
				mu.Unlock()
				if first > math.MaxUint32 {
					return
				}
				for i := range x {
					x[i] = math.Float32frombits(uint32(first) + uint32(i))
					x64[i] = float64(x[i])
				}
				narrow.run32(x, nil, out)
				wide.run64(x64, nil, out64)
				for i := range out {
					if u := ulps32(out[i], out64[i]); u > most {
						mu.Lock()
						if u > most {
							most, at = u, x[i]
						}
						mu.Unlock()
					}
				}
			}
		})
	}
	wg.Wait()
	return most, at
}

// ulps32 is ulps for f32, fast, with an f64 for the exact result. A result that
// is rounded correctly counts as no error.
func ulps32(got float32, want float64) float64 {
	if float32(want) == got {
		return 0
	}
	g := float64(got)
	if math.IsInf(g, 0) {
		g = math.Copysign(0x1p128, g)
	}
	if math.Abs(want) > 0x1p128 {
		want = math.Copysign(0x1p128, want)
	}
	if g != g || want != want {
		if g != g && want != want {
			return 0
		}
		return math.Inf(1)
	}
	exp := int(math.Float64bits(want)>>52&0x7ff) - 1023
	if exp == 128 {
		exp = 127
	}
	return math.Abs(g-want) * math.Float64frombits(uint64(1023+23-max(exp, -126))<<52)
}

// TestPow32 compares x to the y in f32 with pow of f64, which TestPairAccuracy judges, for results of all sizes: of x from all f32,
// of x between two powers of 2 and near 1, where the logarithm needs its digits most.
func TestPow32(t *testing.T) {
	rounds := 12
	if *long {
		rounds = 3000
	}
	const n = 1 << 16
	for _, o := range []target.Traits{{VectorBits: 256, Has: target.FMA}, {VectorBits: 256}} {
		l, wide := newLoop(t, ir.OpPow, ir.F32, o), newLoop(t, ir.OpPow, ir.F64, o)
		most, atX, atY := 0.0, float32(0), float32(0)
		x, y, out := make([]float32, n), make([]float32, n), make([]float32, n)
		x64, y64, out64 := make([]float64, n), make([]float64, n), make([]float64, n)
		for seed := range rounds {
			r := rand.New(rand.NewPCG(1, uint64(seed)))
			for i := range x {
				switch seed % 3 {
				case 0:
					x[i] = math.Float32frombits(r.Uint32() & math.MaxInt32)
				case 1:
					x[i] = float32(0.5 + 1.5*r.Float64())
				default:
					x[i] = float32(1 + (r.Float64()-0.5)*math.Pow(2, -20*r.Float64()))
				}
				y[i] = float32((r.Float64() - 0.5) * 300 / math.Log2(float64(x[i])))
			}
			l.run32(x, y, out)
			for i := range x {
				x64[i], y64[i] = float64(x[i]), float64(y[i])
			}
			wide.run64(x64, y64, out64)
			for i, v := range out {
				if u := ulps32(v, out64[i]); u > most {
					most, atX, atY = u, x[i], y[i]
				}
			}
		}
		t.Logf("%+v: %.3f ulp at %x, %x", o, most, atX, atY)
		if most > maxULP {
			t.Errorf("%+v: the error is %.3f ulp at %x, %x, at most %d are allowed", o, most, atX, atY, maxULP)
		}
	}
}

func BenchmarkFunctions(b *testing.B) {
	const n = 4096
	o := target.Traits{VectorBits: 512, Has: target.FMA}
	for _, f := range append(functions(), function{code: ir.OpPow, lo: 0.1, hi: 10}, function{code: ir.OpAtan2, lo: -3, hi: 3},
		function{code: ir.OpMod, lo: -9, hi: 9}, function{code: ir.OpFloorDiv, lo: -9, hi: 9}) {
		if f.code == ir.OpExp || f.code == ir.OpExp2 {
			f.lo, f.hi = -10, 10 // denormal results are slow on many processors
		}
		for _, k := range []ir.Kind{ir.F32, ir.F64} {
			b.Run(fmt.Sprint(f.code, "/", k), func(b *testing.B) {
				l := newLoop(b, f.code, k, o)
				x, y, out := make([]float64, n), make([]float64, n), make([]float64, n)
				x32, y32, out32 := make([]float32, n), make([]float32, n), make([]float32, n)
				for i := range x {
					u := float64(i*7919%n) / n
					x[i], y[i] = f.lo+(f.hi-f.lo)*u, 3*u-1.5
					x32[i], y32[i] = float32(x[i]), float32(y[i])
				}
				for b.Loop() {
					if k == ir.F32 {
						l.run32(x32, y32, out32)
					} else {
						l.run64(x, y, out)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/element")
			})
		}
	}
}

// BenchmarkCompile compiles a loop over each function for the processor that code is made for.
func BenchmarkCompile(b *testing.B) {
	lib := llvmtest.Library(b)
	compiler := codegen.New(lib)
	for _, code := range []ir.Code{ir.OpSin, ir.OpPow, ir.OpExp, ir.OpMod, ir.OpFloorDiv} {
		for _, k := range []ir.Kind{ir.F32, ir.F64} {
			b.Run(fmt.Sprint(code, "/", k), func(b *testing.B) {
				for b.Loop() {
					kernel := loopKernel(code, k)
					Expand(kernel, compiler.Traits(), false)
					task := kernel.Tasks[0]
					text, err := codegen.Generate(kernel, task, codegen.Options{Traits: compiler.Traits()})
					if err != nil {
						b.Fatal(err)
					}
					if _, err := lib.Compile(codegen.Pipeline(3), llvm.Source{Text: text, Name: target.Symbol(task)}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
