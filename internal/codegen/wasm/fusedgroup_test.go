package wasm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/mathlib"
)

// fusedChains are groups of fused products, of x, y and z.
var fusedChains = []struct {
	name  string
	build func(c fusedCalls, x, y, z any) any
}{
	{"what is left of a rotation", func(c fusedCalls, x, y, z any) any {
		rest := c.fma(c.neg(y), y, c.fma(c.neg(x), x, c.num(1)))
		e := c.mul(rest, c.num(0.5))
		return c.add(c.fma(y, e, y), c.fma(x, e, x))
	}},
	{"sums of which each is the next addend", func(c fusedCalls, x, y, z any) any {
		return c.fma(y, z, c.fma(x, c.neg(y), c.fma(z, x, z)))
	}},
	{"a polynomial", func(c fusedCalls, x, y, z any) any {
		return c.fma(c.fma(c.fma(x, y, c.num(0x1p-140)), x, z), x, c.neg(y))
	}},
	{"both signs of addends and factors", func(c fusedCalls, x, y, z any) any {
		return c.mul(c.fma(c.neg(x), c.neg(y), c.neg(z)), c.fma(c.neg(x), z, c.neg(y)))
	}},
	{"a square that is wanted elsewhere", func(c fusedCalls, x, y, z any) any {
		q := c.fma(x, x, y)
		return c.add(c.fma(q, q, q), q)
	}},
}

// fusedCalls are the operations of a chain, on values or on bits.
type fusedCalls struct {
	fma func(a, b, c any) any
	mul func(a, b any) any
	add func(a, b any) any
	neg func(a any) any
	num func(x float64) any
}

// onValues makes vectors of n lanes.
func onValues(b *bench, n int) fusedCalls {
	op := func(code ir.Code, vs ...any) any {
		var args []*ir.Value
		for _, v := range vs {
			args = append(args, v.(*ir.Value))
		}
		return b.OpOf(code, ir.Vec(ir.F32, n), args...)
	}
	return fusedCalls{
		fma: func(x, y, z any) any { return op(ir.OpFma, x, y, z) },
		mul: func(x, y any) any { return op(ir.OpMul, x, y) },
		add: func(x, y any) any { return op(ir.OpAdd, x, y) },
		neg: func(x any) any { return op(ir.OpNeg, x) },
		num: func(x float64) any { return b.all(n, ir.F32, ir.FloatBits(ir.F32, x)) },
	}
}

// onBits computes one lane.
var onBits = fusedCalls{
	fma: func(x, y, z any) any { return mathlib.Eval(ir.OpFma, ir.F32, x.(uint64), y.(uint64), z.(uint64)) },
	mul: func(x, y any) any { return single(float32Of(x) * float32Of(y)) },
	add: func(x, y any) any { return single(float32Of(x) + float32Of(y)) },
	neg: func(x any) any { return x.(uint64) ^ 1<<31 },
	num: func(x float64) any { return ir.FloatBits(ir.F32, x) },
}

func float32Of(x any) float32 { return math.Float32frombits(uint32(x.(uint64))) }
func single(x float32) uint64 { return uint64(math.Float32bits(x)) }

// chainOperand is a number with few digits, or many, of a size at which sums cancel, are exact, or denormal.
func chainOperand(random *rand.Rand) uint64 {
	digits := uint64(random.Uint32() >> 9)
	switch random.IntN(4) {
	case 0:
		digits = 0
	case 1:
		some, few := random.Uint32(), random.Uint32()
		digits &= uint64(some & few)
	}
	exponent := 127 - random.IntN(30)
	switch random.IntN(8) {
	case 0:
		exponent = random.IntN(70)
	case 1:
		exponent = 0
	case 2:
		exponent = random.IntN(256)
	}
	return uint64(random.IntN(2))<<31 | uint64(exponent)<<23 | digits
}

// TestFusedGroups computes chains of fused products, also of operands that are one number in all lanes.
func TestFusedGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var rows [][]uint64
	for len(rows) < 1<<14 {
		r := []uint64{chainOperand(random), chainOperand(random), chainOperand(random)}
		if random.IntN(2) == 0 { // a sine and its cosine
			angle := math.Ldexp(random.Float64(), -random.IntN(26))
			r[0], r[1] = single(float32(math.Sin(angle))), single(float32(math.Cos(angle)))
		}
		rows = append(rows, r)
	}
	m := newMachine(t, false)
	start := m.next
	for _, chain := range fusedChains {
		t.Run(chain.name, func(t *testing.T) {
			for _, n := range []int{2, 3, 4, 8, 16} {
				m.next = start
				b := newBench()
				var vs []any
				for arg := range 3 {
					vs = append(vs, b.Load(ir.Vec(ir.F32, n), b.row(int64(arg), ir.F32, n)))
				}
				b.Store(b.row(3, ir.F32, n), chain.build(onValues(b, n), vs[0], vs[1], vs[2]).(*ir.Value))
				b.end()
				got := b.runVectors(t, m, opCase{args: []ir.Kind{ir.F32, ir.F32, ir.F32}, result: ir.F32}, rows, n)
				for i, r := range rows {
					if want := chain.build(onBits, r[0], r[1], r[2]).(uint64); !same(ir.F32, got[i], want) {
						t.Fatalf("%d lanes: of %x it is %x, want %x", n, r, got[i], want)
					}
				}
			}
		})
	}
}

// TestFusedUniform fuses products with a factor that is one number in all lanes.
func TestFusedUniform(t *testing.T) {
	m := newMachine(t, false)
	start := m.next
	random := rand.New(rand.NewPCG(7, 8))
	for range 64 {
		m.next = start
		k, numbers := chainOperand(random), [][]uint64{}
		for range 8 {
			numbers = append(numbers, []uint64{chainOperand(random), k})
		}
		b := newBench()
		const n = 8
		x := b.Load(ir.Vec(ir.F32, n), b.row(0, ir.F32, n))
		u := b.OpOf(ir.OpSplat, ir.Vec(ir.F32, n), b.Load(ir.Scalar(ir.F32), b.row(1, ir.F32, n)))
		b.Store(b.row(2, ir.F32, n), b.Op(ir.OpFma, u, x, b.Op(ir.OpFma, x, x, u)))
		b.end()
		for i, got := range b.runVectors(t, m, opCase{args: []ir.Kind{ir.F32, ir.F32}, result: ir.F32}, numbers, n) {
			want := onBits.fma(k, numbers[i][0], onBits.fma(numbers[i][0], numbers[i][0], k)).(uint64)
			if !same(ir.F32, got, want) {
				t.Fatalf("of %x it is %x, want %x", numbers[i], got, want)
			}
		}
	}
}
