package analysis

import (
	"maps"
	"math"

	"github.com/gotaichi/ti/internal/ir"
)

// This file derives intervals from conditions, and decides conditions from intervals.

// branch analyses a region of an if, in which its condition is true or false.
func (r *RangeInfo) branch(o *ir.Op, region int, truth bool) {
	type saved struct {
		v  *ir.Value
		x  Interval
		ok bool
	}
	var undo []saved
	r.refine(o.Args[0], truth, func(v *ir.Value, x Interval) {
		old, ok := r.Of[v]
		undo = append(undo, saved{v, old, ok})
		r.Of[v] = r.Get(v).meet(x)
	})
	reals := r.reals
	r.reals = maps.Clone(reals)
	r.refineReals(o.Args[0], truth, func(v *ir.Value, x reach) { r.reals[v] = r.reach(v, deepest).meet(x) })
	r.Block(o.Regions[region])
	r.reals = reals
	for i := len(undo) - 1; i >= 0; i-- {
		if u := undo[i]; u.ok {
			r.Of[u.v] = u.x
		} else {
			delete(r.Of, u.v)
		}
	}
}

// refine calls set with the intervals that follow if cond is true, or false.
func (r *RangeInfo) refine(cond *ir.Value, truth bool, set func(*ir.Value, Interval)) {
	comparisons(cond, truth, func(d *ir.Op, truth bool) {
		if !d.Args[0].Type.Kind.IsInt() {
			return
		}
		code := d.Code
		if !truth {
			code = Comparisons[code].Inverse
		}
		a, b := d.Args[0], d.Args[1]
		x, y := r.Get(a), r.Get(b)
		r.compare(code, a, x, y, set)
		r.compare(Comparisons[code].Mirror, b, y, x, set)
		if z, of, ok := r.remainderTest(d, truth); ok { // under i%2 == 0, i is at most the last even number
			set(z, of.narrow(r.Get(z)))
		}
	})
}

// refineReals does the same for floats. A float that is not less than another need not be greater or equal: it may be NaN.
func (r *RangeInfo) refineReals(cond *ir.Value, truth bool, set func(*ir.Value, reach)) {
	comparisons(cond, truth, func(d *ir.Op, truth bool) {
		if !d.Args[0].Type.Kind.IsFloat() {
			return
		}
		code := d.Code
		if !truth {
			code = Comparisons[code].Inverse
		}
		r.compareReals(code, truth, d.Args[0], d.Args[1], set)
		r.compareReals(Comparisons[code].Mirror, truth, d.Args[1], d.Args[0], set)
	})
}

// comparisons calls f for the comparisons whose truth follows from that of cond.
func comparisons(cond *ir.Value, truth bool, f func(d *ir.Op, truth bool)) {
	d := cond.Def
	if d == nil {
		return
	}
	switch {
	case d.Code == ir.OpNot:
		comparisons(d.Args[0], !truth, f)
	case d.Code == ir.OpAnd || d.Code == ir.OpOr:
		if truth == (d.Code == ir.OpAnd) {
			comparisons(d.Args[0], truth, f)
			comparisons(d.Args[1], truth, f)
		}
	case d.Code == ir.OpIf: // a && b, a || b with a guarded right side
		shortCircuit(d, truth, f)
	case d.Code.Is(ir.Comparison):
		f(d, truth)
	}
}

// shortCircuit handles if a { yield b } else { yield false } and its like.
func shortCircuit(d *ir.Op, truth bool, f func(d *ir.Op, truth bool)) {
	if len(d.Results) != 1 {
		return
	}
	for i, other := range []int{1, 0} {
		y := d.Regions[other].Terminator()
		if y == nil || y.Code != ir.OpYield {
			continue
		}
		if c, ok := ir.ConstOf(y.Args[0]); ok && (c != 0) != truth {
			// The other region gives the opposite result, so this one was taken.
			comparisons(d.Args[0], i == 0, f)
			if z := d.Regions[i].Terminator(); z != nil && z.Code == ir.OpYield {
				comparisons(z.Args[0], truth, f)
			}
			return
		}
	}
}

// compare derives an interval of a from its interval x, if it compares by code with a number in y.
func (r *RangeInfo) compare(code ir.Code, a *ir.Value, x, y Interval, set func(*ir.Value, Interval)) {
	if y.Any || x.Any {
		return
	}
	z := Interval{Lo: x.Lo, Hi: x.Hi, Len: x.Len, Off: x.Off}
	switch code {
	case ir.OpEq:
		z = y
	case ir.OpLt:
		if y.Hi > math.MinInt64 {
			z.Hi = min(z.Hi, y.Hi-1)
		}
		if y.Len != nil {
			z.Len, z.Off = y.Len, y.Off-1
		}
	case ir.OpLe:
		z.Hi = min(z.Hi, y.Hi)
		if y.Len != nil {
			z.Len, z.Off = y.Len, y.Off
		}
	case ir.OpGt:
		if y.Lo < math.MaxInt64 {
			z.Lo = max(z.Lo, y.Lo+1)
		}
	case ir.OpGe:
		z.Lo = max(z.Lo, y.Lo)
	case ir.OpNe:
		if y.Lo == y.Hi && y.Lo == x.Lo && x.Lo < x.Hi {
			z.Lo++
		}
		if y.Lo == y.Hi && y.Hi == x.Hi && x.Lo < x.Hi {
			z.Hi--
		}
	default:
		return
	}
	set(a, z)
}

// Comparisons has, for each comparison, the one that holds for integers if it does not, and the one with swapped operands.
var Comparisons = [...]struct{ Inverse, Mirror ir.Code }{
	ir.OpEq: {ir.OpNe, ir.OpEq},
	ir.OpNe: {ir.OpEq, ir.OpNe},
	ir.OpLt: {ir.OpGe, ir.OpGt},
	ir.OpLe: {ir.OpGt, ir.OpGe},
	ir.OpGt: {ir.OpLe, ir.OpLt},
	ir.OpGe: {ir.OpLt, ir.OpLe},
}

// evalCondition handles ops with a bool as result: 0 for false, 1 for true.
func (r *RangeInfo) evalCondition(o *ir.Op) Interval {
	unknown := Interval{Hi: 1}
	if IsComparison(o) {
		a, b := r.Get(o.Args[0]), r.Get(o.Args[1])
		if a.Any || b.Any {
			return unknown
		}
		never := func(code ir.Code) bool { // no number in a compares so with one in b
			switch code {
			case ir.OpLt:
				return a.Lo >= b.Hi
			case ir.OpLe:
				return a.Lo > b.Hi
			case ir.OpGt:
				return a.Hi <= b.Lo
			case ir.OpGe:
				return a.Hi < b.Lo
			case ir.OpEq:
				return a.Hi < b.Lo || a.Lo > b.Hi
			}
			return a.Lo == a.Hi && b == Point(a.Lo) // OpNe
		}
		switch {
		case never(o.Code):
			return Point(0)
		case never(Comparisons[o.Code].Inverse):
			return Point(1)
		}
		return unknown
	}
	switch o.Code {
	case ir.OpAnd:
		a, b := r.Get(o.Args[0]), r.Get(o.Args[1])
		return Interval{Lo: min(a.Lo, b.Lo), Hi: min(a.Hi, b.Hi)}
	case ir.OpOr:
		a, b := r.Get(o.Args[0]), r.Get(o.Args[1])
		return Interval{Lo: max(a.Lo, b.Lo), Hi: max(a.Hi, b.Hi)}
	case ir.OpNot:
		a := r.Get(o.Args[0])
		return Interval{Lo: 1 - a.Hi, Hi: 1 - a.Lo}
	}
	return unknown
}
