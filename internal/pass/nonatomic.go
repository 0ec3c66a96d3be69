package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// nonAtomic replaces atomics by plain loads and stores where no other thread accesses the same place (Hu, Taichi, chapter 2,
// section 4.3).
//
// Input: a kernel's body with the indices of the source. Output: the same, with load, operation and store instead of an atomic if
//
//   - the code is serial, or the place is in an array local to the iteration; or
//   - every write to that field in the loop goes to an element that belongs to the iteration: each loop index, or its negative, plus
//     a loop-invariant offset, is one of the element's indices, on the same axis and with the same offset in all writes. The other
//     indices may differ, as the steps of a simulation do; or
//   - every write to that field in the loop has the same number as an index, on the same axis, and the source promises that this
//     number is distinct in each iteration.
//
// An append gets a flag if it is, by the same rules, to a list that belongs to the iteration.
//
// It runs before loops are put in memory order, which hides the indices.
func nonAtomic(k *ir.Kernel, lay unit.Layout, notes *note.Notes) {
	serial := func(o *ir.Op) bool {
		notes.Say(o.Pos, note.SerialCode)
		return true
	}
	serialAppend := func(o *ir.Op) bool {
		if o.Code == ir.OpAppend {
			plainAppend(o, notes, note.SerialCode)
		}
		return true
	}
	for _, o := range k.Body.Ops {
		if o.IsParallel() {
			nonAtomicLoop(o, notes)
			nonAtomicAppends(o, lay, notes)
			continue
		}
		serialAppend(o)
		for _, r := range o.Regions {
			plainAtomics(r, serial)
			ir.Visit(r, serialAppend)
		}
	}
	// The body's own ops come last: its loops are done, and must not be visited.
	plainAtomicsFlat(k.Body, serial)
}

func nonAtomicLoop(loop *ir.Op, notes *note.Notes) {
	body := analysis.LoopBodyOf(loop.Regions[0])
	allocs := map[*ir.Value]bool{}
	fields := map[*ir.Field]*analysis.WriteSet{}
	params := map[*ir.Param]*analysis.WriteSet{}
	kept := promises{}
	views := 0 // written views, and slices
	ir.Visit(body.Block, func(o *ir.Op) bool {
		if o.Code == ir.OpAlloc {
			allocs[o.Results[0]] = true
		}
		if o.Code != ir.OpStore && o.Code != ir.OpAtomic {
			return true
		}
		switch place := o.Args[0].Def; {
		case place == nil:
		case place.Code == ir.OpPtr:
			if place.Field.View != nil && fields[place.Field] == nil {
				views++
			}
			fields[place.Field] = fields[place.Field].Add(body, analysis.Indices(place))
			kept.add(body, place)
		case place.Code == ir.OpElem:
			kept.add(body, place)
			params[place.Param] = params[place.Param].Add(body, place.Args[:1])
		}
		return true
	})
	plain := func(o *ir.Op) bool {
		switch place := o.Args[0].Def; {
		case place == nil:
			return false
		case place.Code == ir.OpCell:
			return allocs[place.Args[0]]
		case place.Code == ir.OpPtr:
			// Two views or slices may be the same memory.
			return (fields[place.Field].Unique || kept.promise(place)) && (place.Field.View == nil || len(params)+views == 1)
		case place.Code == ir.OpElem:
			return len(params)+views == 1 && (params[place.Param].Unique || kept.promise(place))
		}
		return false
	}
	if notes != nil {
		kept.tell(body, notes, plain)
	}
	quiet := seldomRun(body.Block)
	plainAtomics(body.Block, func(o *ir.Op) bool {
		ok := plain(o)
		if ok && !quiet[o] {
			notes.Say(o.Pos, note.OwnElement)
		}
		return ok
	})
}

// seldomRun returns the ops that rarely run, for which there are no remarks.
func seldomRun(b *ir.Block) map[*ir.Op]bool {
	var all map[*ir.Op]bool
	ir.Visit(b, func(o *ir.Op) bool {
		if o.Code == ir.OpIf && o.Flags.Has(ir.Seldom) {
			if all == nil {
				all = map[*ir.Op]bool{}
			}
			ir.Visit(o.Regions[0], func(p *ir.Op) bool { all[p] = true; return true })
		}
		return true
	})
	return all
}

// nonAtomicAppends flags the appends of a loop to lists that belong to the iteration.
func nonAtomicAppends(loop *ir.Op, lay unit.Layout, notes *note.Notes) {
	body := analysis.LoopBodyOf(loop.Regions[0])
	lists := map[*layout.Node]*analysis.WriteSet{} // fields that are placed together share a list
	write := func(f *ir.Field, index []*ir.Value) {
		if f.Sparse && f.List {
			node := lay.Cells(f).Node
			lists[node] = lists[node].Add(body, index[:f.Rank()-1])
		}
	}
	var appends []*ir.Op
	ir.Visit(body.Block, func(o *ir.Op) bool {
		switch o.Code {
		case ir.OpAppend:
			appends = append(appends, o)
			write(o.Field, o.Args)
		case ir.OpShrink, ir.OpActivate:
			write(o.Field, o.Args)
		case ir.OpStore, ir.OpAtomic: // a write beyond the end makes a list longer
			if place := o.Args[0].Def; place != nil && place.Code == ir.OpPtr {
				write(place.Field, analysis.Indices(place))
			}
		}
		return true
	})
	for _, o := range appends {
		if o.Field.Sparse && lists[lay.Cells(o.Field).Node].Unique {
			plainAppend(o, notes, note.OwnList)
		}
	}
}

// plainAppend notes that no other thread appends to the list of an append.
func plainAppend(o *ir.Op, notes *note.Notes, why note.Reason) {
	if o.Field.Sparse {
		o.Flags |= ir.NonAtomic
		notes.Say(o.Pos, why)
	}
}

// plainAtomics replaces the atomics of b and its regions for which ok returns true.
func plainAtomics(b *ir.Block, ok func(*ir.Op) bool) {
	for _, o := range b.Ops {
		for _, r := range o.Regions {
			plainAtomics(r, ok)
		}
	}
	plainAtomicsFlat(b, ok)
}

// plainAtomicsFlat replaces such atomics among the ops of b itself.
func plainAtomicsFlat(b *ir.Block, ok func(*ir.Op) bool) {
	var subst map[*ir.Value]*ir.Value
	ops := b.Ops
	b.Ops = make([]*ir.Op, 0, len(ops))
	build := ir.NewBuilder(b)
	for _, o := range ops {
		if o.Code != ir.OpAtomic || !ok(o) {
			b.Ops = append(b.Ops, o)
			continue
		}
		build.Pos = o.Pos
		if subst == nil {
			subst = map[*ir.Value]*ir.Value{}
		}
		subst[o.Results[0]] = plainUpdate(build, o, o.Args[0])
	}
	ir.Substitute(b, subst)
}
