package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// strided marks tasks whose neighbouring iterations access memory with large strides.
//
// Input: a task with addresses. Output: the same, with Strided set if most of its accesses have large strides. LLVM's loop vectoriser
// would gather and scatter such elements one by one. If it is switched off, LLVM's SLP vectoriser finds the vectors within an element,
// as in products of 4×4 matrices. Loads at data-dependent places do not count: LLVM's cost model decides whether the arithmetic is
// worth a gather.
func strided(k *ir.Kernel, t *ir.Task, opts *Options) {
	if len(t.Dims) == 0 {
		return
	}
	index := t.Body.Params[len(t.Dims)-1]
	r := analysis.RangesOf(t, opts.Without)
	ir.NumberBlock(t.Body, ir.NumberBlock(t.Prologue, 0))
	depends := map[*ir.Value]bool{index: true}
	near, far, inner := 0, 0, false
	var distances []distance
	rows := map[*ir.Op]bool{} // ops of loops over rows, whose iterations are contiguous
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
		// Up to four contiguous components are separated by shuffles.
		if lanesOf(o) > 1 {
			return true // a vector already
		}
		switch stride, linear := r.Stride(o.Args[0], index, depends); {
		case linear && stride == 0:
		case linear && max(stride, -stride) <= 4*int64(kind.Size()):
			near++
		case !linear && o.Code == ir.OpLoad:
			distances = append(distances, distance{o.Alias, 0, false})
		default:
			far++
			if !rows[o] {
				distances = append(distances, distance{o.Alias, max(stride, -stride), linear})
			}
		}
		return true
	})
	t.Strided = far > near && !inner
	if len(t.Lists) == 0 { // otherwise the iterations of inner loops are neighbours
		gathers(opts.Notes, k, t, distances)
	}
}

// lanesOf is the number of lanes that a load or store accesses.
func lanesOf(o *ir.Op) uint32 {
	if o.Code == ir.OpStore {
		return o.Args[1].Type.Lanes
	}
	return o.Results[0].Type.Lanes
}
