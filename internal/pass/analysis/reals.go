package analysis

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
)

// This file bounds floats, since indices may be computed from them: i32(clamp(x, 0, 62.9)) is in [0, 62].

// A reach bounds a float: lo ≤ v ≤ hi, unless v is NaN.
type reach struct{ lo, hi float64 }

var anywhere = reach{math.Inf(-1), math.Inf(1)}

// deepest limits the depth of ops that reach visits.
const deepest = 10

// reach returns the bounds of v from the ops that compute it, to some depth. They are not stored, since conditions hold only in a
// region.
func (r *RangeInfo) reach(v *ir.Value, depth int) reach {
	x := r.reachOf(v, depth)
	if y, ok := r.reals[v]; ok {
		x = x.meet(y)
	}
	return x
}

func (r *RangeInfo) reachOf(v *ir.Value, depth int) reach {
	o := v.Def
	kind := v.Type.Kind
	if o == nil || depth == 0 || !kind.IsFloat() || len(o.Results) != 1 {
		return anywhere
	}
	arg := func(i int) reach { return r.reach(o.Args[i], depth-1) }
	switch o.Code {
	case ir.OpConst:
		if c := ir.FloatValue(kind, o.Bits); !math.IsNaN(c) {
			return reach{c, c}
		}
	case ir.OpConvert:
		if from := o.Args[0].Type.Kind; from.IsFloat() {
			return arg(0).rounded(kind)
		}
		if x := r.Get(o.Args[0]); !x.Any {
			return reach{float64(x.Lo), float64(x.Hi)}.rounded(kind)
		}
	case ir.OpMin:
		a, b := arg(0), arg(1)
		return reach{min(a.lo, b.lo), min(a.hi, b.hi)}
	case ir.OpMax:
		a, b := arg(0), arg(1)
		return reach{max(a.lo, b.lo), max(a.hi, b.hi)}
	case ir.OpSelect:
		a, b := arg(1), arg(2)
		return reach{min(a.lo, b.lo), max(a.hi, b.hi)}
	case ir.OpFloor:
		return arg(0).each(math.Floor)
	case ir.OpCeil:
		return arg(0).each(math.Ceil)
	case ir.OpRound:
		return arg(0).each(math.Round)
	case ir.OpTrunc:
		return arg(0).each(math.Trunc)
	case ir.OpNeg:
		a := arg(0)
		return reach{-a.hi, -a.lo}
	case ir.OpAbs:
		a := arg(0)
		return reach{max(0, a.lo, -a.hi), max(-a.lo, a.hi)}
	case ir.OpAdd:
		a, b := arg(0), arg(1)
		return reach{a.lo + b.lo, a.hi + b.hi}.widened(kind, a, b)
	case ir.OpSub:
		a, b := arg(0), arg(1)
		return reach{a.lo - b.hi, a.hi - b.lo}.widened(kind, a, b)
	case ir.OpMul:
		a, b := arg(0), arg(1)
		p := []float64{a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi}
		x := reach{min(p[0], p[1], p[2], p[3]), max(p[0], p[1], p[2], p[3])}
		return x.widened(kind, x, x)
	}
	return anywhere
}

// each applies a monotonic function.
func (x reach) each(f func(float64) float64) reach { return reach{f(x.lo), f(x.hi)} }

// rounded rounds the bounds to a kind; rounding is monotonic.
func (x reach) rounded(kind ir.Kind) reach {
	return x.each(func(v float64) float64 { return ir.FloatValue(kind, ir.FloatBits(kind, v)) })
}

// widened adds the rounding errors of sums and products of a and b, also if fast maths reorders them: many units in the last place of
// the largest. A bound that is NaN gives no bounds.
func (x reach) widened(kind ir.Kind, a, b reach) reach {
	digits, normal := 48, -1022 // five digits less than the kind has, and the exponent of its smallest normal number
	switch kind {
	case ir.F32:
		digits, normal = 19, -126
	case ir.F16:
		digits, normal = 6, -14
	}
	size := max(math.Abs(a.lo), math.Abs(a.hi)) + max(math.Abs(b.lo), math.Abs(b.hi)) + math.Ldexp(1, normal)
	x.lo -= math.Ldexp(size, -digits)
	x.hi += math.Ldexp(size, -digits)
	if math.IsNaN(x.lo) || math.IsNaN(x.hi) {
		return anywhere
	}
	return x.rounded(kind) // a number beyond the largest is infinity
}

// meet returns the intersection; x if that is empty.
func (x reach) meet(y reach) reach {
	z := reach{max(x.lo, y.lo), min(x.hi, y.hi)}
	if z.lo > z.hi {
		return x
	}
	return z
}

// whole returns the interval of the floats in x after conversion to an integer kind: truncated and clamped, with 0 for NaN.
func (x reach) whole(kind ir.Kind) Interval {
	lo, hi := KindRange(kind)
	if kind == ir.U64 {
		hi = math.MaxInt64
		if x.hi >= 1<<63 {
			return KindInterval(kind)
		}
	}
	at := func(v float64) int64 {
		switch v = math.Trunc(v); {
		case v >= float64(hi):
			return hi
		case v <= float64(lo):
			return lo
		}
		return int64(v)
	}
	return Interval{Lo: min(0, at(x.lo)), Hi: max(0, at(x.hi))}
}

// compareReals derives the bounds of float a from its comparison with b. b is a constant or, if the comparison is known to hold, any
// value.
func (r *RangeInfo) compareReals(code ir.Code, holds bool, a, b *ir.Value, set func(*ir.Value, reach)) {
	y := r.reach(b, deepest)
	if _, constant := ir.ConstOf(b); !holds && !constant {
		return // b may be NaN
	}
	switch code {
	case ir.OpLt, ir.OpLe:
		set(a, reach{math.Inf(-1), y.hi})
	case ir.OpGt, ir.OpGe:
		set(a, reach{y.lo, math.Inf(1)})
	case ir.OpEq:
		set(a, y)
	}
}
