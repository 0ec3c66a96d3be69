package analysis

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/fold"
)

// TestReach computes random expressions of random numbers, and checks that the results are within their bounds, as floats and as integers
// computed from them. They are also computed with more digits than their kind has, and so as if sums were reassociated.
func TestReach(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	bounded := 0
	for range 20000 {
		kind := []ir.Kind{ir.F16, ir.F32, ir.F64}[rng.IntN(3)]
		g := &expressions{rng: rng, kind: kind, of: map[*ir.Value]float64{}}
		v := g.make(1 + rng.IntN(5))
		r := NewRangeInfo()
		x := r.reach(v, deepest)
		if x != anywhere {
			bounded++
		}
		for range 8 {
			g.of = map[*ir.Value]float64{}
			got, fine := g.value(v, true), g.value(v, false)
			for _, y := range []float64{got, fine} {
				if y < x.lo || y > x.hi {
					t.Fatalf("%v gives %g, and should be in %g to %g", v.Def, y, x.lo, x.hi)
				}
			}
			for _, to := range []ir.Kind{ir.I8, ir.U8, ir.I32, ir.U32, ir.I64, ir.U64} {
				n, ok := fold.Op(ir.NewOp(ir.OpConvert, ir.Pos{}, []ir.Type{ir.Scalar(to)}, g.constant(got)))
				if w := x.whole(to); ok && !w.Any && (int64(n) < w.Lo || int64(n) > w.Hi) {
					t.Fatalf("%g as %v is %d, and should be in %d to %d", got, to, int64(n), w.Lo, w.Hi)
				}
			}
		}
	}
	if bounded < 10000 {
		t.Errorf("of %d expressions only something is known", bounded)
	}
}

// expressions generates random expressions.
type expressions struct {
	rng  *rand.Rand
	kind ir.Kind
	of   map[*ir.Value]float64 // numbers for values without bounds
}

func (g *expressions) number() float64 {
	switch g.rng.IntN(12) {
	case 0:
		return math.Inf(1 - 2*g.rng.IntN(2))
	case 1:
		return math.Ldexp(g.rng.NormFloat64(), g.rng.IntN(300)-150)
	case 2:
		return 0
	}
	return math.Round(g.rng.NormFloat64()*400) / 16
}

func (g *expressions) constant(v float64) *ir.Value {
	o := ir.NewOp(ir.OpConst, ir.Pos{}, []ir.Type{ir.Scalar(g.kind)})
	o.Bits = ir.FloatBits(g.kind, v)
	return o.Results[0]
}

func (g *expressions) make(depth int) *ir.Value {
	if depth == 0 || g.rng.IntN(6) == 0 {
		if g.rng.IntN(3) == 0 {
			return &ir.Value{Type: ir.Scalar(g.kind)}
		}
		return g.constant(g.number())
	}
	if g.rng.IntN(3) == 0 { // a clamped expression
		low, high := g.number(), g.number()
		v := g.op(ir.OpMax, g.make(depth-1), g.constant(min(low, high)))
		return g.op(ir.OpMin, v, g.constant(max(low, high)))
	}
	one := []ir.Code{ir.OpFloor, ir.OpCeil, ir.OpRound, ir.OpTrunc, ir.OpNeg, ir.OpAbs}
	two := []ir.Code{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpMin, ir.OpMax}
	if g.rng.IntN(3) == 0 {
		return g.op(one[g.rng.IntN(len(one))], g.make(depth-1))
	}
	return g.op(two[g.rng.IntN(len(two))], g.make(depth-1), g.make(depth-1))
}

func (g *expressions) op(code ir.Code, args ...*ir.Value) *ir.Value {
	return ir.NewOp(code, ir.Pos{}, []ir.Type{ir.Scalar(g.kind)}, args...).Results[0]
}

// value computes v, rounded to its kind after each op or with double precision.
func (g *expressions) value(v *ir.Value, rounded bool) float64 {
	o := v.Def
	if o == nil {
		x, ok := g.of[v]
		if !ok {
			if x = g.number(); g.rng.IntN(10) == 0 {
				x = math.NaN()
			}
			x = ir.FloatValue(g.kind, ir.FloatBits(g.kind, x))
			g.of[v] = x
		}
		return x
	}
	if o.Code == ir.OpConst {
		return ir.FloatValue(g.kind, o.Bits)
	}
	kind := g.kind
	if !rounded {
		kind = ir.F64
	}
	c := ir.NewOp(o.Code, ir.Pos{}, []ir.Type{ir.Scalar(kind)})
	for _, a := range o.Args {
		arg := ir.NewOp(ir.OpConst, ir.Pos{}, []ir.Type{ir.Scalar(kind)})
		arg.Bits = ir.FloatBits(kind, g.value(a, rounded))
		c.Args = append(c.Args, arg.Results[0])
	}
	bits, ok := fold.Op(c)
	if !ok {
		panic("an op that cannot be computed")
	}
	x := ir.FloatValue(kind, bits)
	if y := ir.FloatValue(g.kind, ir.FloatBits(g.kind, x)); math.IsInf(y, 0) { // in any order
		return y
	}
	return x
}
