package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// elements handles distant components, which lie in another node than the first component of their element. An element is active
// if its first component is, so that activation and deactivation do not reach distant components by themselves.
//
// Input: a kernel's body as it is lowered. Output: the same, in which
//
//   - a store to a distant component that is packed in a word activates the element, since an access to a word does not name
//     its element (for other components access lowering does that);
//   - before a list becomes shorter, the distant components of the elements that it loses are set to zero. The host does so for
//     deactivated cells. All distant components are among the fields of the kernel, since package driver adds those that the
//     source does not name.
func elements(s *state) {
	e := &elementary{lay: s.opts.Layout, int: ir.Scalar(s.k.Int)}
	for _, f := range s.k.Fields {
		for c := range f.Comps {
			if f.Sparse && f.View == nil && unit.Distant(e.lay, f, c) {
				e.distants = append(e.distants, distant{f, c})
			}
		}
	}
	if len(e.distants) > 0 {
		e.block(s.k.Body)
	}
}

// A distant is a component in another node than the first component of its element.
type distant struct {
	field *ir.Field
	comp  int
}

// elementary is the state of the pass.
type elementary struct {
	lay      unit.Layout
	int      ir.Type // of lengths
	distants []distant
}

// block rewrites b and its regions.
func (e *elementary) block(b *ir.Block) {
	ops := b.Ops
	b.Ops = make([]*ir.Op, 0, len(ops))
	to := ir.NewBuilder(b)
	joined := false // the previous store and this one are parts of one assignment
	for _, o := range ops {
		to.Pos = o.Pos
		switch o.Code {
		case ir.OpStore, ir.OpAtomic:
			if o.IsPacked() && !joined {
				e.activate(to, o.Args[0].Def)
			}
			joined = o.Flags.Has(ir.More)
		case ir.OpShrink:
			e.zero(to, o)
		}
		for _, r := range o.Regions {
			e.block(r)
		}
		to.Emit(o)
	}
}

// activate appends the activation of the element of a place, if the place may be a distant component.
func (e *elementary) activate(b *ir.Builder, place *ir.Op) {
	if !place.Field.Sparse || !unit.MayBeDistant(e.lay, place) {
		return
	}
	o := ir.NewOp(ir.OpActivate, b.Pos, nil, analysis.Indices(place)...)
	o.Field, o.Flags = place.Field, ir.Guess
	b.Emit(o)
}

// zero appends a loop over the elements that a list is about to lose.
func (e *elementary) zero(b *ir.Builder, shrink *ir.Op) {
	if !shrink.Field.Sparse {
		return
	}
	node := e.lay.Cells(shrink.Field).Node
	var all []distant
	for _, c := range e.distants {
		if e.lay.Cells(c.field).Node == node {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return
	}
	i64 := ir.Scalar(ir.I64)
	list, to := shrink.List()
	length := ir.NewOp(ir.OpCount, b.Pos, []ir.Type{e.int}, list...)
	length.Field, length.Flags = shrink.Field, ir.Guess
	n := b.Convert(b.Emit(length), ir.I64)
	to = b.Convert(to, ir.I64)
	from := b.Op(ir.OpSelect, b.Op(ir.OpLt, to, b.Int(i64, 0)), n, to) // a negative length changes nothing
	loop := ir.NewOp(ir.OpFor, b.Pos, nil, from, n)
	k := loop.Regions[0].AddParam(i64, "")
	b.Emit(loop)
	b.In(loop.Regions[0], func() {
		for _, c := range all {
			p := b.Ptr(c.field, c.comp, append(slices.Clip(list), k)...)
			p.Def.Flags |= ir.InBounds
			e.reset(b, p, c.field.Comps[c.comp])
		}
		b.Jump(ir.OpContinue, loop)
	})
}

// reset appends a store of zero unless the number is zero already: inactive elements stay inactive.
func (e *elementary) reset(b *ir.Builder, p *ir.Value, kind ir.Kind) {
	bits := b.Load(ir.Scalar(kind), p)
	if kind.IsFloat() { // a negative zero is replaced, too
		bits = b.Bitcast(bits, map[int]ir.Kind{16: ir.U16, 32: ir.U32, 64: ir.U64}[kind.Bits()])
	}
	some := b.Op(ir.OpNe, bits, b.Const(bits.Type, 0))
	b.If(some, nil, func() {
		b.Store(p, b.Const(ir.Scalar(kind), 0))
		b.Yield()
	}, func() { b.Yield() })
}
