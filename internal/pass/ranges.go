package pass

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
)

// ranges marks integer arithmetic that cannot wrap, and decides comparisons.
//
// Input: a task with accesses not yet lowered. Output: the same, with NoWrap on
// every add, sub, mul and neg whose exact result is proven to fit, and a constant in
// the place of each comparison of integers whose outcome is known. Access
// lowering asks the same analysis which index checks are needless.
func ranges(t *ir.Task) {
	r := analyse(t)
	for _, b := range t.Blocks() {
		ir.Visit(b, func(o *ir.Op) bool {
			if r.exact[o] {
				o.Flags |= ir.NoWrap
			}
			if isComparison(o) {
				if x := r.get(o.Results[0]); x.lo == x.hi {
					o.Code, o.Args, o.Flags, o.Bits = ir.OpConst, nil, 0, uint64(x.lo)
				}
			}
			return true
		})
	}
}

// isComparison reports whether o compares integers.
func isComparison(o *ir.Op) bool {
	return o.Code.Is(ir.Comparison) && o.Args[0].Type.Kind.IsInt() && o.Args[0].Type == ir.Scalar(o.Args[0].Type.Kind)
}

// rangeInfo is what analyse finds out about a task.
type rangeInfo struct {
	of    map[*ir.Value]interval
	exact map[*ir.Op]bool // integer ops that cannot wrap
	// at holds, for ops whose operands are known more narrowly where the op
	// stands than in general (under a condition), those intervals.
	at map[*ir.Op][]interval
}

// rangesOf is what is known about the integers of t: nothing but their kinds where the
// analysis is left out.
func rangesOf(t *ir.Task, opts *Options) *rangeInfo {
	if opts.Without.Has(option.Ranges) {
		return &rangeInfo{map[*ir.Value]interval{}, map[*ir.Op]bool{}, map[*ir.Op][]interval{}}
	}
	return analyse(t)
}

// analyse computes an interval for every integer of t in one walk. Conditions
// refine what is known inside the regions of an if; carried values of loops are
// not followed.
func analyse(t *ir.Task) *rangeInfo {
	r := &rangeInfo{map[*ir.Value]interval{}, map[*ir.Op]bool{}, map[*ir.Op][]interval{}}
	r.block(t.Prologue)
	for i, p := range t.Body.Params {
		r.of[p] = dimInterval(t.Dims[i])
	}
	r.block(t.Body)
	r.block(t.Epilogue)
	return r
}

// dimInterval returns what the index of d can be.
func dimInterval(d ir.Dim) interval {
	x := kindInterval(d.Kind)
	if d.Kind == ir.U64 && !natural(d) {
		return x
	}
	if d.Lo.From == ir.FromConst {
		x.lo, x.any = d.Lo.Const, false
	} else if d.Lo.From == ir.FromLen {
		x.lo, x.any = d.Lo.Const+d.Lo.Param.Least()/d.Lo.Shrink(), false
	}
	switch d.Hi.From {
	case ir.FromConst:
		x.hi = max(x.lo, d.Hi.Const-1)
	case ir.FromLen:
		if d.Hi.Div > 1 {
			x.hi = max(x.lo, math.MaxInt32/d.Hi.Div+d.Hi.Const-1) // an extent is an int32
			break
		}
		x.len, x.off = d.Hi.Param, d.Hi.Const-1
	default:
		x.hi = max(x.lo, x.hi-1) // less than some number of the kind
	}
	return x
}

// natural reports whether the index of d, read as an i64, is known not to be negative. A
// u64 beyond the largest i64 reads as negative.
func natural(d ir.Dim) bool {
	if d.Lo.From != ir.FromConst || d.Lo.Const < 0 {
		return false
	}
	return d.Kind != ir.U64 || d.Hi.From == ir.FromLen || d.Hi.From == ir.FromConst && d.Hi.Const >= d.Lo.Const
}

// get returns the interval of v.
func (r *rangeInfo) get(v *ir.Value) interval {
	if x, ok := r.of[v]; ok {
		return x
	}
	return kindInterval(v.Type.Kind)
}

// at an op, operand i.
func (r *rangeInfo) operand(o *ir.Op, i int) interval {
	if xs := r.at[o]; xs != nil {
		return xs[i]
	}
	return r.get(o.Args[i])
}

func (r *rangeInfo) block(b *ir.Block) {
	if b == nil {
		return
	}
	for _, o := range b.Ops {
		r.op(o)
	}
}

func (r *rangeInfo) op(o *ir.Op) {
	switch o.Code {
	case ir.OpIf:
		r.branch(o, 0, true)
		r.branch(o, 1, false)
		r.join(o)
		return
	case ir.OpFor:
		lo, hi := r.get(o.Args[0]), r.get(o.Args[1])
		x := kindInterval(o.Args[0].Type.Kind)
		if !lo.any && !hi.any {
			x = interval{lo: lo.lo, hi: max(lo.lo, hi.hi-1), len: hi.len, off: hi.off - 1}
		}
		r.of[o.Regions[0].Params[0]] = x
	}
	for _, b := range o.Regions {
		r.block(b)
	}
	if o.Code == ir.OpPtr || o.Code == ir.OpElem || o.Code == ir.OpCell || o.Code == ir.OpLookup {
		// Remember what is known here: refinements are gone later.
		xs := make([]interval, len(o.Args))
		for i, a := range o.Args {
			xs[i] = r.get(a)
		}
		r.at[o] = xs
	}
	if len(o.Results) == 1 {
		v := o.Results[0]
		if k := v.Type.Kind; k.IsInt() || k == ir.Bool {
			x, exact := r.eval(o)
			full := kindInterval(k)
			if !x.any && x.fits(k) {
				r.of[v] = x
				r.exact[o] = exact
			} else {
				r.of[v] = full
			}
		}
	}
}

// join gives the results of an if what its two regions yield.
func (r *rangeInfo) join(o *ir.Op) {
	for i, v := range o.Results {
		if !v.Type.Kind.IsInt() {
			continue
		}
		var x interval
		visited := false
		for _, b := range o.Regions {
			if y := b.Terminator(); y != nil && y.Code == ir.OpYield {
				if yx := r.get(y.Args[i]); visited {
					x = x.join(yx)
				} else {
					x, visited = yx, true
				}
			}
		}
		if visited {
			r.of[v] = x
		}
	}
}

// eval returns the interval of o's result, as the exact result has it, and
// whether the op is one that NoWrap applies to.
func (r *rangeInfo) eval(o *ir.Op) (x interval, exact bool) {
	kind := o.Results[0].Type.Kind
	unknown := kindInterval(kind)
	arg := func(i int) interval { return r.get(o.Args[i]) }
	known := func(x interval, ok bool) (interval, bool) {
		if !ok {
			return interval{any: true}, false
		}
		return x, true
	}
	switch o.Code {
	case ir.OpConst:
		if kind == ir.U64 && int64(o.Bits) < 0 {
			return unknown, false
		}
		return point(int64(o.Bits)), false
	case ir.OpEntry:
		return interval{hi: int64(o.Bits)}, false
	case ir.OpLen:
		return interval{lo: o.Param.Least(), hi: min(unknown.hi, math.MaxInt64), len: o.Param}, false
	case ir.OpAdd:
		return known(arg(0).add(arg(1)))
	case ir.OpSub:
		y, ok := arg(1).neg()
		if !ok {
			return interval{any: true}, false
		}
		return known(arg(0).add(y))
	case ir.OpMul:
		return known(arg(0).mul(arg(1)))
	case ir.OpNeg:
		return known(arg(0).neg())
	case ir.OpSelect:
		switch c := arg(0); {
		case c.lo > 0:
			return arg(1), false
		case c.hi == 0:
			return arg(2), false
		}
		return arg(1).join(arg(2)), false
	case ir.OpConvert:
		if o.Args[0].Type.Kind.IsInt() || o.Args[0].Type.Kind == ir.Bool {
			return arg(0), false // kept where it fits
		}
	case ir.OpPopcount, ir.OpClz:
		return interval{lo: 0, hi: int64(kind.Bits())}, false
	case ir.OpMin:
		a, b := arg(0), arg(1)
		if a.any || b.any {
			return unknown, false
		}
		z := interval{lo: min(a.lo, b.lo), hi: min(a.hi, b.hi), len: a.len, off: a.off}
		if z.len == nil {
			z.len, z.off = b.len, b.off
		}
		return z, false
	case ir.OpMax:
		a, b := arg(0), arg(1)
		if a.any || b.any {
			return unknown, false
		}
		z := interval{lo: max(a.lo, b.lo), hi: max(a.hi, b.hi)}
		z.len, z.off = joinLengths(a, b)
		return z, false
	}
	if kind == ir.Bool {
		return r.evalCondition(o), false
	}
	return r.evalDivision(o, unknown), false
}

// belowDivisor adds to x, what a remainder of b can be, that it is less than b.
func belowDivisor(x, b interval) interval {
	if b.len != nil && b.lo > 0 {
		x.len, x.off = b.len, b.off-1
	}
	return x
}

// evalDivision handles division, shifts and masks.
func (r *rangeInfo) evalDivision(o *ir.Op, unknown interval) interval {
	if len(o.Args) != 2 || !o.Args[0].Type.Kind.IsInt() || !o.Args[1].Type.Kind.IsInt() {
		return unknown
	}
	a, b := r.get(o.Args[0]), r.get(o.Args[1])
	c, isConst := ir.IntOf(o.Args[1])
	positive := isConst && c > 0
	switch o.Code {
	case ir.OpMod:
		if positive && !a.any {
			if a.lo >= 0 && a.hi < c {
				return a
			}
			return interval{lo: 0, hi: c - 1}
		}
		if !b.any && b.lo >= 0 { // a run-time divisor, or 0, which gives 0
			return belowDivisor(interval{lo: 0, hi: max(0, b.hi-1)}, b)
		}
	case ir.OpRem:
		if !positive && !a.any && !b.any && a.lo >= 0 && b.lo >= 0 {
			return belowDivisor(interval{lo: 0, hi: min(a.hi, max(0, b.hi-1))}, b)
		}
		if positive && !a.any {
			if a.lo >= 0 {
				return interval{lo: 0, hi: min(a.hi, c-1)}
			}
			return interval{lo: max(a.lo, 1-c), hi: max(0, min(a.hi, c-1))}
		}
	case ir.OpDiv:
		if positive && !a.any {
			return interval{lo: a.lo / c, hi: a.hi / c}
		}
	case ir.OpFloorDiv:
		if positive && !a.any {
			return interval{lo: floorDiv(a.lo, c), hi: floorDiv(a.hi, c)}
		}
	case ir.OpAnd:
		if isConst && c >= 0 {
			hi := c
			if !a.any && a.lo >= 0 {
				hi = min(hi, a.hi)
			}
			return interval{lo: 0, hi: hi}
		}
		if !a.any && !b.any && a.lo >= 0 && b.lo >= 0 {
			return interval{lo: 0, hi: min(a.hi, b.hi)}
		}
	case ir.OpShr:
		if isConst && c >= 0 && c < 63 && !a.any {
			return interval{lo: a.lo >> c, hi: a.hi >> c}
		}
		if !a.any && a.lo >= 0 {
			return interval{lo: 0, hi: a.hi}
		}
	case ir.OpShl:
		if isConst && c >= 0 && c < 62 {
			if z, ok := a.mul(point(1 << c)); ok {
				return z
			}
		}
	}
	return unknown
}
