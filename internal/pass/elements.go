package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// elements sees to components that lie apart from their elements: in another node than the first
// component, by which an element is active, so that they do not come and go with it.
//
// Input: a kernel's body as it is lowered. Output: the same, in which
//
//   - a store to such a component that is packed in a word activates the element, since the word
//     does not tell whose it is (access lowering does that for others);
//   - the components of the elements of a list that lie apart are set to zero before the list
//     becomes empty. The host does so with cells that are deactivated. The kernel has them all
//     among its fields, since package driver adds those that the source does not name.
func elements(s *state) {
	e := &elementary{lay: s.opts.Layout}
	for _, f := range s.k.Fields {
		for c := range f.Comps {
			if f.Sparse && f.View == nil && unit.Apart(e.lay, f, c) {
				e.apart = append(e.apart, distant{f, c})
			}
		}
	}
	if len(e.apart) > 0 {
		e.block(s.k.Body)
	}
}

// A distant is a component that lies apart.
type distant struct {
	field *ir.Field
	comp  int
}

// elementary is the state of the pass.
type elementary struct {
	lay   unit.Layout
	apart []distant
}

// block rewrites b and its regions.
func (e *elementary) block(b *ir.Block) {
	ops := b.Ops
	b.Ops = make([]*ir.Op, 0, len(ops))
	to := ir.NewBuilder(b)
	joined := false // the store before is one with the next
	for _, o := range ops {
		to.Pos = o.Pos
		switch o.Code {
		case ir.OpStore, ir.OpAtomic:
			if o.IsPacked() && !joined {
				e.activate(to, o.Args[0].Def)
			}
			joined = o.Flags.Has(ir.More)
		case ir.OpEmpty:
			e.zero(to, o)
		}
		for _, r := range o.Regions {
			e.block(r)
		}
		to.Emit(o)
	}
}

// activate appends the activation of the element of a place, if a component that it may name lies apart.
func (e *elementary) activate(b *ir.Builder, place *ir.Op) {
	if !place.Field.Sparse || !unit.ReachesApart(e.lay, place) {
		return
	}
	o := ir.NewOp(ir.OpActivate, b.Pos, nil, analysis.Indices(place)...)
	o.Field, o.Flags = place.Field, ir.Guess
	b.Emit(o)
}

// zero appends a loop over the elements of a list that is about to become empty.
func (e *elementary) zero(b *ir.Builder, empty *ir.Op) {
	if !empty.Field.Sparse {
		return
	}
	node := e.lay.Cells(empty.Field).Node
	var all []distant
	for _, c := range e.apart {
		if e.lay.Cells(c.field).Node == node {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return
	}
	kind := empty.Args[0].Type
	length := ir.NewOp(ir.OpCount, b.Pos, []ir.Type{kind}, empty.Args...)
	length.Field, length.Flags = empty.Field, ir.Guess
	n := b.Emit(length)
	loop := ir.NewOp(ir.OpFor, b.Pos, nil, b.Int(kind, 0), n)
	k := loop.Regions[0].AddParam(kind, "")
	b.Emit(loop)
	b.In(loop.Regions[0], func() {
		for _, c := range all {
			p := b.Ptr(c.field, c.comp, append(empty.Args[:len(empty.Args):len(empty.Args)], k)...)
			p.Def.Flags |= ir.InBounds
			e.reset(b, p, c.field.Comps[c.comp])
		}
		b.Jump(ir.OpContinue, loop)
	})
}

// reset appends a store of zero where that changes something: what is inactive stays so.
func (e *elementary) reset(b *ir.Builder, p *ir.Value, kind ir.Kind) {
	bits := b.Load(ir.Scalar(kind), p)
	if kind.IsFloat() { // also a negative zero is to go
		bits = b.Bitcast(bits, map[int]ir.Kind{16: ir.U16, 32: ir.U32, 64: ir.U64}[kind.Bits()])
	}
	some := b.Op(ir.OpNe, bits, b.Const(bits.Type, 0))
	b.If(some, nil, func() {
		b.Store(p, b.Const(ir.Scalar(kind), 0))
		b.Yield()
	}, func() { b.Yield() })
}
