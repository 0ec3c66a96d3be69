package access

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// This file lowers writes to sparse fields, which make cells active.

// write lowers a store or atomic to a sparse field, which activates the cell. It reports whether o is one.
func (a *accessor) write(b *ir.Builder, o *ir.Op) bool {
	place := o.Args[0].Def
	// If the cell became active only after the place was made, no address for writing exists yet.
	if place == nil || place.Code != ir.OpPtr || !place.Field.Sparse {
		return false
	}
	a.way.reset()
	if a.settled[place] {
		a.noteSettled(place)
		return false
	}
	o.Alias = int32(place.Field.Index + 1)
	g := a.guards[place]
	if g.cond != nil && a.visited(b, place) { // a write under the same check has activated it
		w := a.way
		o.Args[0] = a.readAddress(b, place)
		a.way.steps, a.way.proven, a.way.visits = w.steps, w.proven, w.visits
		a.guards[o] = g
		b.Emit(o)
		a.noteWrite(place, note.Written)
		return true
	}
	if comps := a.components(place); sameCell(comps) {
		a.writeOne(b, place, o, comps[0])
	} else {
		a.underGuard(b, g, o, nil, func() []*ir.Value {
			if e := a.element(b, place); e != nil {
				a.enter(b, e)
			}
			a.writeChosen(b, place, o)
			return nil
		})
	}
	a.noteWrite(place, note.Written)
	return true
}

// sameCell reports whether all components lie in one block and behind the same masks, so that one descent finds and activates the
// cell.
func sameCell(comps []*layout.Access) bool {
	first := comps[0]
	return !slices.ContainsFunc(comps, func(c *layout.Access) bool {
		return !layout.SameBlock(first, c) || !slices.EqualFunc(first.Steps, c.Steps, func(s, t layout.Step) bool { return s.Node == t.Node })
	})
}

// writeOne lowers a write to a place whose components all lie in the block at the end of acc. Later accesses under the same range
// check reuse the block.
func (a *accessor) writeOne(b *ir.Builder, place, o *ir.Op, acc *layout.Access) {
	w := a.descend(b, acc.Tree, acc.Steps, place.Args, acc.Origin)
	g := a.guards[place]
	var zero []*ir.Value
	if g.cond != nil && len(w.steps) == 0 { // a component in a dense tree
		zero = []*ir.Value{a.base(w.tree)}
	} else if g.cond != nil {
		zero = []*ir.Value{a.zero(w.tree)}
	}
	element := a.element(b, place)
	if element != nil && g.cond != nil {
		zero = append(zero, a.zero(element.tree))
	}
	block := a.underGuard(b, g, o, zero, func() []*ir.Value {
		var blocks []*ir.Value
		if element != nil {
			blocks = append(blocks, a.enter(b, element))
		}
		block := a.enter(b, w)
		o.Args[0] = a.componentAddress(b, place, func(*layout.Access) *ir.Value { return block })
		b.Emit(o)
		return append([]*ir.Value{block}, blocks...)
	})
	if g.cond != nil {
		a.shareUnder(b.Pos, w, g.cond, block[0])
		if element != nil {
			a.shareUnder(b.Pos, element, g.cond, block[1])
		}
	}
}

// element returns the descent to the cell by which the element of a place is active; nil if the descents to all components that the
// place may name pass through its last step.
func (a *accessor) element(b *ir.Builder, place *ir.Op) *descent {
	if place.Field.Word != nil || !unit.MayBeDistant(a.lay, place) { // the pass elements activates elements of words
		return nil
	}
	cells := a.lay.Cells(place.Field)
	return a.descend(b, cells.Tree, cells.Steps, place.Args, place.Field.Origin)
}

// entered activates the cell of a place and returns the address of a component.
func (a *accessor) entered(b *ir.Builder, place *ir.Op, acc *layout.Access) *ir.Value {
	block := a.enter(b, a.descend(b, acc.Tree, acc.Steps, place.Args, acc.Origin))
	return a.address(b, block, a.offset(b, place, acc))
}

// writeChosen lowers a write to a component that is chosen at run time, if the components lie in different blocks.
func (a *accessor) writeChosen(b *ir.Builder, place, o *ir.Op) {
	dyn := place.Args[len(place.Args)-1]
	var types []ir.Type
	for _, r := range o.Results {
		types = append(types, r.Type)
	}
	var choose func(i int64) []*ir.Value
	choose = func(i int64) []*ir.Value {
		if i == int64(place.Bits) {
			var zeros []*ir.Value
			for _, t := range types {
				zeros = append(zeros, b.Const(t, 0))
			}
			return zeros
		}
		this := a.own(b.Op(ir.OpEq, dyn, a.own(b.Int(dyn.Type, i))))
		return b.If(this, types, func() {
			a.scoped(func() {
				c := ir.NewOp(o.Code, o.Pos, types, append([]*ir.Value{}, o.Args...)...)
				c.Flags, c.Atomic, c.Kind, c.Alias = o.Flags, o.Atomic, o.Kind, o.Alias
				c.Args[0] = a.entered(b, place, a.lay.Access(place.Field, int(place.Aux)+int(i)*int(place.Stride)))
				b.Emit(c)
				b.Yield(c.Results...)
			})
		}, func() { b.Yield(choose(i + 1)...) })
	}
	for i, v := range choose(0) {
		a.own(v)
		a.subst[o.Results[i]] = v
		o.Results[i] = v
	}
}
