package llvm

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/llvm"
)

// mapTask makes a task out[i] = f(in0[i], in1[i], …) whose arrays are the bases
// 0, 1, … and, for the result, the last.
func mapTask(k *ir.Kernel, n int64, kinds []ir.Kind, f func(b *ir.Builder, v []*ir.Value) *ir.Value) {
	t := &ir.Task{Name: "map", Index: len(k.Tasks), Loop: 1, Dims: []ir.Dim{{Kind: ir.I32, Hi: ir.Bound{Const: n}}},
		Prologue: &ir.Block{}, Body: &ir.Block{}, Epilogue: &ir.Block{}}
	ir.NewBuilder(t.Prologue).Yield()
	ir.NewBuilder(t.Epilogue).Yield()
	i := t.Body.AddParam(ir.Scalar(ir.I32), "i")
	b := ir.NewBuilder(t.Body)
	place := func(base int, kind ir.Kind) *ir.Value {
		o := ir.NewOp(ir.OpBase, ir.Pos{}, []ir.Type{ir.Scalar(ir.Ptr)})
		o.Aux = int64(base)
		off := b.Op(ir.OpMul, b.Convert(i, ir.I64), b.Int(ir.Scalar(ir.I64), int64(kind.Size())))
		return b.Op(ir.OpOffset, b.Emit(o), off)
	}
	var in []*ir.Value
	for j, kind := range kinds {
		in = append(in, b.Load(ir.Scalar(kind), place(j, kind)))
	}
	v := f(b, in)
	b.Store(place(len(kinds), v.Type.Kind), v)
	b.Jump(ir.OpContinue, nil)
	k.Tasks = append(k.Tasks, t)
	k.Bases = make([]int, max(len(k.Bases), len(kinds)+1))
}

func newKernel() *ir.Kernel {
	return &ir.Kernel{Name: "Test", Int: ir.I32, DoneSlot: -1, FrameSize: 64}
}

type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// pairs is the product of vs with itself.
func pairs[T any](vs []T) (a, b []T) {
	a, b = memory[T](len(vs)*len(vs)), memory[T](len(vs)*len(vs))
	for i := range a {
		a[i], b[i] = vs[i/len(vs)], vs[i%len(vs)]
	}
	return a, b
}

func intValues[T integer](lo, hi T) []T {
	vs := []T{0, 1, 2, 3, 5, 7, 8, 31, 32, 63, 64, 100, lo, lo + 1, lo + 7, hi, hi - 1, hi / 2, hi/2 + 1}
	if lo < 0 {
		m := ^T(0) // -1
		vs = append(vs, m, m*2, m*3, m*7, m*31, m*64)
	}
	return vs
}

// floorDiv and floorMod by the definition, independent of the code under test.
func floorDiv[T integer](a, b T) T {
	switch q := quo(a, b); {
	case b == 0:
		return 0
	case q*b != a && (a < 0) != (b < 0):
		return q - 1
	default:
		return q
	}
}

func quo[T integer](a, b T) T {
	if b == 0 {
		return 0
	}
	return a / b
}

func rem[T integer](a, b T) T {
	if b == 0 {
		return 0
	}
	return a % b
}

func floorMod[T integer](a, b T) T {
	if b == 0 {
		return 0
	}
	return a - b*floorDiv(a, b)
}

func shl[T integer](a, n T) T {
	if n < 0 {
		return 0
	}
	return a << n
}

func shr[T integer](a, n T) T {
	count := uint64(n)
	if n < 0 {
		count = 64
	}
	return a >> count
}

func testInts[T integer](t *testing.T, l *llvm.Lib, level int, kind ir.Kind, lo, hi T) {
	width := kind.Bits()
	low := func(v T) uint64 { return uint64(v) & (1<<width - 1) }
	abs := func(a, _ T) T {
		if a < 0 {
			return -a
		}
		return a
	}
	sign := func(a, _ T) T {
		switch {
		case a < 0:
			return ^T(0)
		case a > 0:
			return 1
		}
		return 0
	}
	tests := []struct {
		code ir.Code
		want func(a, b T) T
	}{
		{ir.OpAdd, func(a, b T) T { return a + b }},
		{ir.OpSub, func(a, b T) T { return a - b }},
		{ir.OpMul, func(a, b T) T { return a * b }},
		{ir.OpDiv, quo[T]}, {ir.OpRem, rem[T]}, {ir.OpFloorDiv, floorDiv[T]}, {ir.OpMod, floorMod[T]},
		{ir.OpAnd, func(a, b T) T { return a & b }},
		{ir.OpOr, func(a, b T) T { return a | b }},
		{ir.OpXor, func(a, b T) T { return a ^ b }},
		{ir.OpShl, shl[T]}, {ir.OpShr, shr[T]},
		{ir.OpMin, func(a, b T) T { return min(a, b) }},
		{ir.OpMax, func(a, b T) T { return max(a, b) }},
		{ir.OpNeg, func(a, _ T) T { return -a }},
		{ir.OpNot, func(a, _ T) T { return ^a }},
		{ir.OpAbs, abs}, {ir.OpSign, sign},
		{ir.OpPopcount, func(a, _ T) T { return T(bits.OnesCount64(low(a))) }},
		{ir.OpClz, func(a, _ T) T { return T(bits.LeadingZeros64(low(a)) - 64 + width) }},
	}
	k := newKernel()
	a, b := pairs(intValues(lo, hi))
	for _, test := range tests {
		mapTask(k, int64(len(a)), []ir.Kind{kind, kind}, func(bl *ir.Builder, v []*ir.Value) *ir.Value {
			return bl.Op(test.code, v[:test.code.Info().Min]...)
		})
	}
	m := build(t, l, k, level, false)
	out := memory[T](len(a))
	m.bases[0], m.bases[1], m.bases[2] = addr(a), addr(b), addr(out)
	for n, test := range tests {
		m.run(n, 0, int64(len(a)))
		for i, got := range out {
			if want := test.want(a[i], b[i]); got != want {
				t.Errorf("%s %s %d, %d = %d, want %d", kind, test.code, a[i], b[i], got, want)
				break
			}
		}
	}
}

func TestIntegers(t *testing.T) {
	everywhere(t, func(t *testing.T, l *llvm.Lib, level int) {
		testInts[int8](t, l, level, ir.I8, math.MinInt8, math.MaxInt8)
		testInts[int32](t, l, level, ir.I32, math.MinInt32, math.MaxInt32)
		testInts[uint16](t, l, level, ir.U16, 0, math.MaxUint16)
		testInts[uint64](t, l, level, ir.U64, 0, math.MaxUint64)
	})
}

type floating interface{ ~float32 | ~float64 }

// sameFloat compares bits but for NaNs, and for the sign of zero where that is
// free.
func sameFloat[T floating](a, b T, signs bool) bool {
	if a != a || b != b {
		return a != a && b != b
	}
	return a == b && (!signs || math.Signbit(float64(a)) == math.Signbit(float64(b)))
}

func testFloats[T floating](t *testing.T, l *llvm.Lib, level int, kind ir.Kind, smallest, largest T) {
	inf, nan := T(math.Inf(1)), T(math.NaN())
	vs := []T{0, T(math.Copysign(0, -1)), 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, 0.1, -7.3, 1e10, smallest, -smallest, 3 * smallest, largest, -largest, inf, -inf, nan}
	wide := func(f func(a, b float64) float64) func(a, b T) T {
		return func(a, b T) T { return T(f(float64(a), float64(b))) }
	}
	one := func(f func(float64) float64) func(a, b T) T {
		return func(a, _ T) T { return T(f(float64(a))) }
	}
	// In f32, x/y in double and rounded again is x/y: the double has enough bits.
	tests := []struct {
		code  ir.Code
		want  func(a, b T) T
		signs bool
	}{
		{ir.OpAdd, func(a, b T) T { return a + b }, true},
		{ir.OpSub, func(a, b T) T { return a - b }, true},
		{ir.OpMul, func(a, b T) T { return a * b }, true},
		{ir.OpDiv, func(a, b T) T { return a / b }, true},
		{ir.OpRem, wide(math.Mod), true},
		{ir.OpMin, wide(math.Min), false},
		{ir.OpMax, wide(math.Max), false},
		{ir.OpNeg, func(a, _ T) T { return -a }, true},
		{ir.OpAbs, one(math.Abs), true},
		{ir.OpSqrt, one(math.Sqrt), true},
		{ir.OpFloor, one(math.Floor), true},
		{ir.OpCeil, one(math.Ceil), true},
		{ir.OpRound, one(math.Round), true},
		{ir.OpTrunc, one(math.Trunc), true},
		{ir.OpSign, func(a, _ T) T {
			switch {
			case a > 0:
				return 1
			case a < 0:
				return -1
			}
			return a
		}, true},
	}
	k := newKernel()
	a, b := pairs(vs)
	for _, test := range tests {
		mapTask(k, int64(len(a)), []ir.Kind{kind, kind}, func(bl *ir.Builder, v []*ir.Value) *ir.Value {
			return bl.Op(test.code, v[:test.code.Info().Min]...)
		})
	}
	m := build(t, l, k, level, false)
	out := memory[T](len(a))
	m.bases[0], m.bases[1], m.bases[2] = addr(a), addr(b), addr(out)
	for n, test := range tests {
		m.run(n, 0, int64(len(a)))
		for i, got := range out {
			want := test.want(a[i], b[i])
			if test.code == ir.OpMin || test.code == ir.OpMax {
				if a[i] != a[i] || b[i] != b[i] { // math.Min(-Inf, NaN) is -Inf
					want = nan
				}
			}
			if !sameFloat(got, want, test.signs) {
				t.Errorf("%s %s %g, %g = %g, want %g", kind, test.code, a[i], b[i], got, want)
				break
			}
		}
	}
}

func TestFloats(t *testing.T) {
	everywhere(t, func(t *testing.T, l *llvm.Lib, level int) {
		testFloats[float32](t, l, level, ir.F32, math.SmallestNonzeroFloat32, math.MaxFloat32)
		testFloats[float64](t, l, level, ir.F64, math.SmallestNonzeroFloat64, math.MaxFloat64)
	})
}

func TestComparisons(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		code ir.Code
		want func(a, b float64) bool
	}{
		{ir.OpEq, func(a, b float64) bool { return a == b }},
		{ir.OpNe, func(a, b float64) bool { return a != b }},
		{ir.OpLt, func(a, b float64) bool { return a < b }},
		{ir.OpLe, func(a, b float64) bool { return a <= b }},
		{ir.OpGt, func(a, b float64) bool { return a > b }},
		{ir.OpGe, func(a, b float64) bool { return a >= b }},
		{ir.OpIsNaN, func(a, _ float64) bool { return math.IsNaN(a) }},
		{ir.OpIsInf, func(a, _ float64) bool { return math.IsInf(a, 0) }},
	}
	a, b := pairs([]float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), nan})
	k := newKernel()
	for _, test := range tests {
		mapTask(k, int64(len(a)), []ir.Kind{ir.F64, ir.F64}, func(bl *ir.Builder, v []*ir.Value) *ir.Value {
			return bl.Op(test.code, v[:test.code.Info().Min]...)
		})
	}
	everywhere(t, func(t *testing.T, l *llvm.Lib, level int) {
		m := build(t, l, k, level, false)
		out := memory[bool](len(a))
		m.bases[0], m.bases[1], m.bases[2] = addr(a), addr(b), addr(out)
		for n, test := range tests {
			m.run(n, 0, int64(len(a)))
			for i := range a {
				if out[i] != test.want(a[i], b[i]) {
					t.Errorf("%s %g, %g = %v", test.code, a[i], b[i], out[i])
				}
			}
		}
	})
}

// TestRemainder compares with math.Mod over all magnitudes.
func TestRemainder(t *testing.T) {
	var vs []float64
	for e := -1074; e <= 1023; e += 61 {
		vs = append(vs, math.Ldexp(1.2345678901234, e), -math.Ldexp(1.9876, e), math.Ldexp(3, e-1))
	}
	a, b := pairs(vs)
	k := newKernel()
	mapTask(k, int64(len(a)), []ir.Kind{ir.F64, ir.F64}, func(bl *ir.Builder, v []*ir.Value) *ir.Value { return bl.Op(ir.OpRem, v...) })
	everywhere(t, func(t *testing.T, l *llvm.Lib, level int) {
		m := build(t, l, k, level, false)
		out := memory[float64](len(a))
		m.bases[0], m.bases[1], m.bases[2] = addr(a), addr(b), addr(out)
		m.run(0, 0, int64(len(a)))
		for i, got := range out {
			if want := math.Mod(a[i], b[i]); !sameFloat(got, want, true) {
				t.Fatalf("%g %% %g = %g, want %g", a[i], b[i], got, want)
			}
		}
	})
}

// saturate is the conversion from float to integer as the language defines it.
func saturate[T integer](v float64, lo, hi T) T {
	switch {
	case v != v:
		return 0
	case v <= float64(lo):
		return lo
	case v >= float64(hi):
		return hi
	}
	return T(v)
}

func testToInt[T integer](t *testing.T, l *llvm.Lib, level int, kind ir.Kind, lo, hi T) {
	in := memory[float64](0)
	in = append(in, 0, 0.9, -0.9, 1.5, -1.5, 200.7, -200.7, 1e5, 3e9, -3e9, 1e19, 1.9e19, -1e19, 1e300, math.Inf(1), math.Inf(-1), math.NaN(), float64(lo), float64(hi))
	k := newKernel()
	mapTask(k, int64(len(in)), []ir.Kind{ir.F64}, func(b *ir.Builder, v []*ir.Value) *ir.Value { return b.Convert(v[0], kind) })
	m := build(t, l, k, level, false)
	src := memory[float64](len(in))
	copy(src, in)
	out := memory[T](len(in))
	m.bases[0], m.bases[1] = addr(src), addr(out)
	m.run(0, 0, int64(len(in)))
	for i, got := range out {
		if want := saturate(src[i], lo, hi); got != want {
			t.Errorf("%s(%g) = %d, want %d", kind, src[i], got, want)
		}
	}
}

func TestFloatToInteger(t *testing.T) {
	everywhere(t, func(t *testing.T, l *llvm.Lib, level int) {
		testToInt[int8](t, l, level, ir.I8, math.MinInt8, math.MaxInt8)
		testToInt[int32](t, l, level, ir.I32, math.MinInt32, math.MaxInt32)
		testToInt[uint32](t, l, level, ir.U32, 0, math.MaxUint32)
		testToInt[uint64](t, l, level, ir.U64, 0, math.MaxUint64)
	})
}

// TestConvert goes through all pairs of kinds with a value that all of them have.
func TestConvert(t *testing.T) {
	kinds := []ir.Kind{ir.Bool, ir.I8, ir.I32, ir.U16, ir.U64, ir.F32, ir.F64}
	k := newKernel()
	for _, from := range kinds {
		for _, to := range kinds {
			mapTask(k, 2, []ir.Kind{from}, func(b *ir.Builder, v []*ir.Value) *ir.Value { return b.Convert(v[0], to) })
		}
	}
	bits := func(kind ir.Kind, v int64) uint64 {
		if kind.IsFloat() {
			return ir.FloatBits(kind, float64(v))
		}
		return ir.IntBits(kind, v)
	}
	put := func(mem []byte, kind ir.Kind, i int, b uint64) {
		for j := range kind.Size() {
			mem[i*kind.Size()+j] = byte(b >> (8 * j))
		}
	}
	everywhere(t, func(t *testing.T, l *llvm.Lib, level int) {
		m := build(t, l, k, level, false)
		in, out, want := memory[byte](16), memory[byte](16), make([]byte, 16)
		m.bases[0], m.bases[1] = addr(in), addr(out)
		n := 0
		for _, from := range kinds {
			for _, to := range kinds {
				clear(in)
				clear(out)
				clear(want)
				for i := range 2 {
					put(in, from, i, bits(from, int64(i)))
					put(want, to, i, bits(to, int64(i)))
				}
				m.run(n, 0, 2)
				if !slices.Equal(out, want) {
					t.Errorf("%s to %s gives %v, want %v", from, to, out, want)
				}
				n++
			}
		}
	})
}

// TestLanes does the arithmetic of four lanes at once, and gathers.
func TestLanes(t *testing.T) {
	k := newKernel()
	f4, i4 := ir.Vec(ir.F32, 4), ir.Vec(ir.I32, 4)
	table := &ir.Table{Name: "T", Kind: ir.I32, Data: []uint64{10, 20, 30, 40}}
	k.Tables = append(k.Tables, table)
	fn := &ir.Func{Name: "lane test", Params: []ir.Type{ir.Scalar(ir.F32)}, Results: []ir.Type{ir.Scalar(ir.F32), ir.Scalar(ir.I32)}, Body: &ir.Block{}}
	b := ir.NewBuilder(fn.Body)
	x := fn.Body.AddParam(ir.Scalar(ir.F32), "x")
	v := b.OpOf(ir.OpSplat, f4, x)
	w := b.Op(ir.OpRem, v, b.Float(f4, 3))
	sum := b.Op(ir.OpDiv, b.Op(ir.OpAdd, v, w), b.Float(f4, 2))
	index := b.Op(ir.OpAnd, b.Convert(v, ir.I32), b.Int(i4, 7))
	got := b.Emit(func() *ir.Op {
		o := ir.NewOp(ir.OpLookup, ir.Pos{}, []ir.Type{i4}, index)
		o.Table = table
		return o
	}())
	anyBig := b.OpOf(ir.OpAny, ir.Scalar(ir.Bool), b.Op(ir.OpGt, sum, b.Float(f4, 4)))
	all := b.OpOf(ir.OpAll, ir.Scalar(ir.Bool), b.Op(ir.OpEq, got, b.Int(i4, 0)))
	r := b.Op(ir.OpSelect, anyBig, b.Float(ir.Scalar(ir.F32), 1), b.Float(ir.Scalar(ir.F32), 0))
	b.Return(r, b.Convert(all, ir.I32))
	k.Funcs = append(k.Funcs, fn)
	mapTask(k, 8, []ir.Kind{ir.F32}, func(b *ir.Builder, v []*ir.Value) *ir.Value {
		rs := b.Call(fn, v[0])
		return b.Op(ir.OpAdd, b.Convert(rs[0], ir.I32), b.Op(ir.OpMul, rs[1], b.Int(ir.Scalar(ir.I32), 10)))
	})
	everywhere(t, func(t *testing.T, l *llvm.Lib, level int) {
		m := build(t, l, k, level, false)
		in, out := memory[float32](8), memory[int32](8)
		for i := range in {
			in[i] = float32(i + 1)
		}
		m.bases[0], m.bases[1] = addr(in), addr(out)
		m.run(0, 0, 8)
		want := make([]int32, 8)
		for i, x := range in {
			if (float64(x)+math.Mod(float64(x), 3))/2 > 4 {
				want[i] = 1
			}
			if j := int(x) & 7; j >= len(table.Data) {
				want[i] += 10
			}
		}
		if !slices.Equal(out, want) {
			t.Errorf("got %v, want %v", out, want)
		}
	})
}

// TestTotal adds up the lanes x, 2x, 3x, 4x of vectors of each kind of number.
func TestTotal(t *testing.T) {
	kinds := []ir.Kind{ir.F32, ir.F64, ir.I32, ir.U64, ir.U8}
	k := newKernel()
	mapTask(k, 8, []ir.Kind{ir.F32}, func(b *ir.Builder, v []*ir.Value) *ir.Value {
		sum := b.Float(ir.Scalar(ir.F32), 0)
		for _, kind := range kinds {
			lanes := make([]*ir.Value, 4)
			for i := range lanes {
				lanes[i] = b.Convert(b.Op(ir.OpMul, v[0], b.Float(ir.Scalar(ir.F32), float64(i+1))), kind)
			}
			total := b.OpOf(ir.OpTotal, ir.Scalar(kind), b.OpOf(ir.OpPack, ir.Vec(kind, 4), lanes...))
			sum = b.Op(ir.OpAdd, sum, b.Convert(total, ir.F32))
		}
		return sum
	})
	everywhere(t, func(t *testing.T, l *llvm.Lib, level int) {
		m := build(t, l, k, level, false)
		in, out := memory[float32](8), memory[float32](8)
		for i := range in {
			in[i] = float32(i + 1)
		}
		m.bases[0], m.bases[1] = addr(in), addr(out)
		m.run(0, 0, 8)
		for i, x := range in {
			if want := 10 * x * float32(len(kinds)); out[i] != want {
				t.Errorf("the totals of %v add up to %v, not %v", x, out[i], want)
			}
		}
	})
}

func TestConstants(t *testing.T) {
	for _, test := range []struct {
		t    ir.Type
		bits uint64
		want string
	}{
		{ir.Scalar(ir.F32), ir.FloatBits(ir.F32, 0.1), fmt.Sprintf("0x%016X", math.Float64bits(float64(float32(0.1))))},
		{ir.Scalar(ir.F32), 0x7fa00001, "0x7FF4000020000000"}, // a NaN keeps its bits
		{ir.Scalar(ir.F64), ir.FloatBits(ir.F64, -2), "0xC000000000000000"},
		{ir.Scalar(ir.I8), ir.IntBits(ir.I8, -3), "-3"},
		{ir.Scalar(ir.U8), 255, "255"},
		{ir.Scalar(ir.Bool), 1, "true"},
		{ir.Vec(ir.I32, 2), 7, "<i32 7, i32 7>"},
		{ir.Vec(ir.F32, 16), 0, "zeroinitializer"},
	} {
		if got := constant(test.t, test.bits); got != test.want {
			t.Errorf("%s %#x is written %s, want %s", test.t, test.bits, got, test.want)
		}
	}
}

// TestSlide moves the lanes of two vectors along rows of 4 that lie side by side, and along those across.
func TestSlide(t *testing.T) {
	for _, c := range []struct {
		by    int64
		apart int32
		want  string
	}{
		{1, 1, "1 2 3 8 5 6 7 12"},
		{3, 1, "3 8 9 10 7 12 13 14"},
		{1, 2, "2 3 4 5 6 7 8 9"},
		{3, 2, "6 7 8 9 10 11 12 13"},
	} {
		o := ir.NewOp(ir.OpSlide, ir.Pos{}, []ir.Type{ir.Vec(ir.F32, 8)})
		o.Aux, o.Bits, o.Stride = c.by, 4, c.apart
		want := "<8 x i32> <i32 " + strings.ReplaceAll(c.want, " ", ", i32 ") + ">"
		if got := slide(o); got != want {
			t.Errorf("by %d of lanes %d apart: %s, want %s", c.by, c.apart, got, want)
		}
	}
}
