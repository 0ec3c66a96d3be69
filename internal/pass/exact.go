package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// exactSums marks sums that cannot wrap, since each iteration accesses an element that is known to exist at
// an index beside them: where X[t] and X[t-2] exist, t-1 is a small number.
//
// Input: a kernel's body with the indices of the source, in which no index was proven to be in range by a
// check that stands before it. Output: the same, with NoWrap on sums of such an index and a constant in
// the bodies of parallel loops. Places one after the other along an axis are then known to be apart.
func exactSums(k *ir.Kernel) {
	for _, o := range k.Body.Ops {
		if !o.IsParallel() {
			continue
		}
		known := certainIndices(o)
		ir.Visit(o.Regions[0], func(q *ir.Op) bool {
			if base, c, ok := plusConstant(q); ok {
				x, found := known[base]
				if found && inKind(x.Lo+c, q) && inKind(x.Hi+c, q) {
					q.Flags |= ir.NoWrap
				}
			}
			return true
		})
	}
}

// certainIndices returns what is known of values by the elements that each iteration of a loop accesses.
func certainIndices(loop *ir.Op) map[*ir.Value]analysis.Interval {
	known := map[*ir.Value]analysis.Interval{}
	for _, o := range loop.Regions[0].Ops {
		if goesOn(o, loop) || len(o.Regions) > 0 && analysis.MayJump(o) {
			break
		}
		if o.Code != ir.OpLoad && o.Code != ir.OpStore && o.Code != ir.OpAtomic {
			continue
		}
		at := o.Args[0].Def
		if at == nil || at.Code != ir.OpPtr || !at.Flags.Has(ir.InBounds) {
			continue
		}
		for i, v := range analysis.Indices(at) {
			if n := at.Field.Shape[i]; n > 0 {
				low := int64(0)
				if at.Field.Origin != nil {
					low = at.Field.Origin[i]
				}
				narrow(known, v, low, low+n-1)
			}
		}
	}
	return known
}

// narrow notes that v lies from lo to hi, or what it is the sum of and a constant. A sum that has wrapped
// lies there as well, so only the range of the kind tells which number was added to.
func narrow(known map[*ir.Value]analysis.Interval, v *ir.Value, lo, hi int64) {
	if v.Def != nil {
		if base, c, ok := plusConstant(v.Def); ok && inKind(lo-c, v.Def) && inKind(hi-c, v.Def) {
			v, lo, hi = base, lo-c, hi-c
		}
	}
	if x, found := known[v]; found {
		lo, hi = max(lo, x.Lo), min(hi, x.Hi)
	}
	known[v] = analysis.Interval{Lo: lo, Hi: hi}
}

// plusConstant takes o for the sum of a value and a constant.
func plusConstant(o *ir.Op) (base *ir.Value, c int64, ok bool) {
	if o.Code != ir.OpAdd && o.Code != ir.OpSub || !o.Result().Type.Kind.IsSigned() || o.Result().Type.Lanes != 1 {
		return nil, 0, false
	}
	c, ok = ir.IntOf(o.Args[1])
	if o.Code == ir.OpSub {
		c = -c
	}
	return o.Args[0], c, ok && -1<<31 < c && c < 1<<31
}

// inKind reports whether n is a number of the kind of o's result.
func inKind(n int64, o *ir.Op) bool {
	lo, hi := analysis.KindRange(o.Result().Type.Kind)
	return lo <= n && n <= hi
}
