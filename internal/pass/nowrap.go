package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// inferNoWrap marks sums that cannot wrap. An iteration that accesses X[t] and X[t-2], which exist, proves a range of t in which t-1
// is exact.
//
// Input: a kernel's body with the indices of the source. The flag InBounds must not depend on checks of the kernel yet: with the
// facts found here, inbounds would remove the very checks that prove them. Output: the same, with NoWrap on sums of such a value and a
// constant, in parallel loops. X[t-1] and X[t-2] are then proved to be different elements.
func inferNoWrap(k *ir.Kernel) {
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

// certainIndices returns ranges of the values by which each iteration of a loop indexes.
func certainIndices(loop *ir.Op) map[*ir.Value]analysis.Interval {
	known := map[*ir.Value]analysis.Interval{}
	for _, o := range loop.Regions[0].Ops {
		if ir.Jumps(o, ir.OpContinue, loop) || len(o.Regions) > 0 && analysis.MayJump(o) {
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
				low := at.Field.Low(i)
				narrow(known, v, low, low+n-1)
			}
		}
	}
	return known
}

// narrow records that v lies in [lo, hi]. If v is a value plus a constant, it records the range of that value: each sum, wrapped or
// not, comes from exactly one value.
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

// plusConstant splits o into a value and a constant, if o is their sum.
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

// inKind reports whether the type of o's result has the number n.
func inKind(n int64, o *ir.Op) bool {
	lo, hi := analysis.KindRange(o.Result().Type.Kind)
	return lo <= n && n <= hi
}
