package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// strided marks tasks whose neighbouring iterations access memory far apart.
//
// Input: a task with addresses. Output: the same, Strided if more of its accesses
// lie apart than together. LLVM's loop vectoriser would gather and scatter such
// elements one by one; without it, its other vectoriser finds the vectors within
// an element, as in products of 4×4 matrices. Loads whose places follow from data do not
// count: whether the arithmetic around is worth a gather is LLVM's to weigh.
func strided(k *ir.Kernel, t *ir.Task, opts *Options) {
	if len(t.Dims) == 0 {
		return
	}
	index := t.Body.Params[len(t.Dims)-1]
	r := analysis.RangesOf(t, opts.Without)
	ir.NumberBlock(t.Body, ir.NumberBlock(t.Prologue, 0))
	depends := map[*ir.Value]bool{index: true}
	near, far, inner := 0, 0, false
	var apart []distance
	rows := map[*ir.Op]bool{} // ops of loops over rows, whose iterations are neighbours
	ir.Visit(t.Body, func(o *ir.Op) bool {
		inner = inner || o.Code.Is(ir.Loop)
		if o.Code == ir.OpFor && o.Flags.Has(ir.Independent) {
			ir.Visit(o.Regions[0], func(o *ir.Op) bool {
				rows[o] = true
				return true
			})
		}
		for _, v := range o.Args {
			if depends[v] {
				for _, res := range o.Results {
					depends[res] = true
				}
			}
		}
		var kind ir.Kind
		switch o.Code {
		case ir.OpLoad:
			kind = o.Results[0].Type.Kind
		case ir.OpStore:
			kind = o.Args[1].Type.Kind
		default:
			return true
		}
		// Up to four components side by side are taken apart by shuffles.
		if lanesOf(o) > 1 {
			return true // a vector already
		}
		switch stride, linear := r.Stride(o.Args[0], index, depends); {
		case linear && stride == 0:
		case linear && max(stride, -stride) <= 4*int64(kind.Size()):
			near++
		case !linear && o.Code == ir.OpLoad:
			apart = append(apart, distance{o.Alias, 0, false})
		default:
			far++
			if !rows[o] {
				apart = append(apart, distance{o.Alias, max(stride, -stride), linear})
			}
		}
		return true
	})
	t.Strided = far > near && !inner
	if len(t.Lists) == 0 { // else neighbouring iterations are those of the loops inside
		gathers(opts.Notes, k, t, apart)
	}
}

// lanesOf is how many numbers a load or store accesses.
func lanesOf(o *ir.Op) uint32 {
	if o.Code == ir.OpStore {
		return o.Args[1].Type.Lanes
	}
	return o.Results[0].Type.Lanes
}
