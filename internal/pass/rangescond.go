package pass

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
)

// What conditions tell about integers, and what integers tell about conditions.

// branch analyses a region of an if knowing the outcome of its condition.
func (r *rangeInfo) branch(o *ir.Op, region int, truth bool) {
	type saved struct {
		v  *ir.Value
		x  interval
		ok bool
	}
	var undo []saved
	r.refine(o.Args[0], truth, func(v *ir.Value, x interval) {
		old, ok := r.of[v]
		undo = append(undo, saved{v, old, ok})
		r.of[v] = r.get(v).meet(x)
	})
	r.block(o.Regions[region])
	for i := len(undo) - 1; i >= 0; i-- {
		if u := undo[i]; u.ok {
			r.of[u.v] = u.x
		} else {
			delete(r.of, u.v)
		}
	}
}

// refine calls set for what the truth of cond says about integers.
func (r *rangeInfo) refine(cond *ir.Value, truth bool, set func(*ir.Value, interval)) {
	d := cond.Def
	if d == nil {
		return
	}
	switch d.Code {
	case ir.OpNot:
		r.refine(d.Args[0], !truth, set)
		return
	case ir.OpAnd, ir.OpOr:
		if truth == (d.Code == ir.OpAnd) {
			r.refine(d.Args[0], truth, set)
			r.refine(d.Args[1], truth, set)
		}
		return
	case ir.OpIf: // a && b, a || b with a guarded right side
		r.refineShortCircuit(d, truth, set)
		return
	}
	if !d.Code.Is(ir.Comparison) || !d.Args[0].Type.Kind.IsInt() {
		return
	}
	code := d.Code
	if !truth {
		code = comparisons[code].inverse
	}
	a, b := d.Args[0], d.Args[1]
	x, y := r.get(a), r.get(b)
	r.compare(code, a, x, y, set)
	r.compare(comparisons[code].mirror, b, y, x, set)
}

// refineShortCircuit handles if a { yield b } else { yield false } and its like.
func (r *rangeInfo) refineShortCircuit(d *ir.Op, truth bool, set func(*ir.Value, interval)) {
	if len(d.Results) != 1 {
		return
	}
	for i, other := range []int{1, 0} {
		y := d.Regions[other].Terminator()
		if y == nil || y.Code != ir.OpYield {
			continue
		}
		if c, ok := ir.ConstOf(y.Args[0]); ok && (c != 0) != truth {
			// The other region gives the opposite, so this one was taken.
			r.refine(d.Args[0], i == 0, set)
			if z := d.Regions[i].Terminator(); z != nil && z.Code == ir.OpYield {
				r.refine(z.Args[0], truth, set)
			}
			return
		}
	}
}

// compare tells what a code b says about a, of interval x, when b is in y.
func (r *rangeInfo) compare(code ir.Code, a *ir.Value, x, y interval, set func(*ir.Value, interval)) {
	if y.any || x.any {
		return
	}
	z := interval{lo: x.lo, hi: x.hi, len: x.len, off: x.off}
	switch code {
	case ir.OpEq:
		z = y
	case ir.OpLt:
		if y.hi > math.MinInt64 {
			z.hi = min(z.hi, y.hi-1)
		}
		if y.len != nil {
			z.len, z.off = y.len, y.off-1
		}
	case ir.OpLe:
		z.hi = min(z.hi, y.hi)
		if y.len != nil {
			z.len, z.off = y.len, y.off
		}
	case ir.OpGt:
		if y.lo < math.MaxInt64 {
			z.lo = max(z.lo, y.lo+1)
		}
	case ir.OpGe:
		z.lo = max(z.lo, y.lo)
	case ir.OpNe:
		if y.lo == y.hi && y.lo == x.lo && x.lo < x.hi {
			z.lo++
		}
		if y.lo == y.hi && y.hi == x.hi && x.lo < x.hi {
			z.hi--
		}
	default:
		return
	}
	set(a, z)
}

// comparisons are, of each comparison, the one that holds of integers when it does not,
// and the one that says the same with the operands swapped.
var comparisons = [...]struct{ inverse, mirror ir.Code }{
	ir.OpEq: {ir.OpNe, ir.OpEq},
	ir.OpNe: {ir.OpEq, ir.OpNe},
	ir.OpLt: {ir.OpGe, ir.OpGt},
	ir.OpLe: {ir.OpGt, ir.OpGe},
	ir.OpGt: {ir.OpLe, ir.OpLt},
	ir.OpGe: {ir.OpLt, ir.OpLe},
}

// evalCondition handles what gives a truth value: 0 for false, 1 for true.
func (r *rangeInfo) evalCondition(o *ir.Op) interval {
	unknown := interval{hi: 1}
	if isComparison(o) {
		a, b := r.get(o.Args[0]), r.get(o.Args[1])
		if a.any || b.any {
			return unknown
		}
		never := func(code ir.Code) bool { // no number in a compares so to one in b
			switch code {
			case ir.OpLt:
				return a.lo >= b.hi
			case ir.OpLe:
				return a.lo > b.hi
			case ir.OpGt:
				return a.hi <= b.lo
			case ir.OpGe:
				return a.hi < b.lo
			case ir.OpEq:
				return a.hi < b.lo || a.lo > b.hi
			}
			return a.lo == a.hi && b == point(a.lo) // OpNe
		}
		switch {
		case never(o.Code):
			return point(0)
		case never(comparisons[o.Code].inverse):
			return point(1)
		}
		return unknown
	}
	switch o.Code {
	case ir.OpAnd:
		a, b := r.get(o.Args[0]), r.get(o.Args[1])
		return interval{lo: min(a.lo, b.lo), hi: min(a.hi, b.hi)}
	case ir.OpOr:
		a, b := r.get(o.Args[0]), r.get(o.Args[1])
		return interval{lo: max(a.lo, b.lo), hi: max(a.hi, b.hi)}
	case ir.OpNot:
		a := r.get(o.Args[0])
		return interval{lo: 1 - a.hi, hi: 1 - a.lo}
	}
	return unknown
}
