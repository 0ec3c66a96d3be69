package quantise

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/adapter"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/quant"
)

// single appends an update of a member as one atomic instruction on its word, and returns the old word. It returns nil if the update needs
// a compare-and-swap. One instruction is enough if the operation on the codes never changes a bit of another member:
//
//   - and, if the form is unsigned or wraps, whatever the operand;
//   - or and xor, if the form wraps, or if it is unsigned and the operand fits;
//   - sums, if the form wraps and the code is in the highest bits of the word, so that nothing is carried out of it.
func (q *quantiser) single(m *member, o *ir.Op, args []*ir.Value) *ir.Value {
	c := m.Of().Coder
	if c.Class != quant.Int || m.Of().Group != nil || m.field.Comps[0].Bits() < 32 {
		return nil
	}
	e := q.adapters(m.word)
	s := m.span()
	code := func() *ir.Value { // the lowest bits of the operand, as of a form that wraps
		v := args[0]
		if v.Type.Kind != ir.Bool {
			v = e.Op(ir.OpAnd, e.Convert(v, e.Word), e.Const(ir.Scalar(e.Word), c.Mask))
		}
		return e.Place(e.Convert(v, e.Word), s)
	}
	switch o.Atomic {
	case ir.AtomicAnd, ir.AtomicLAnd:
		if !c.Unsigned && !c.Wrap {
			return nil
		}
		ones := e.Op(ir.OpNot, e.Place(e.Const(ir.Scalar(e.Word), c.Mask), s))
		return q.instruction(m, ir.AtomicAnd, e.Op(ir.OpOr, code(), ones))
	case ir.AtomicOr, ir.AtomicLOr:
		if c.Wrap || c.Unsigned && fits(args[0], c.Mask) {
			return q.instruction(m, ir.AtomicOr, code())
		}
	case ir.AtomicXor:
		if c.Wrap || c.Unsigned && fits(args[0], c.Mask) {
			return q.instruction(m, ir.AtomicXor, code())
		}
	case ir.AtomicAdd, ir.AtomicSub:
		if c.Wrap && !m.word.Array() && isHighest(s, e) {
			return q.instruction(m, o.Atomic, code())
		}
	}
	return nil
}

// isHighest reports whether a code has the highest bits of its word.
func isHighest(s adapter.Span, e *adapter.Emitter) bool {
	return s.Shift+s.Bits == int64(e.Word.Bits())
}

// fetch appends a load of a member's word, which is atomic unless the word belongs to the iteration.
func (q *quantiser) fetch(m *member, owned bool) *ir.Value {
	t := ir.Scalar(m.field.Comps[0])
	if owned {
		word := q.b.Load(t, m.place(q.b))
		q.hush()
		return word
	}
	return q.instruction(m, ir.AtomicLoad, q.b.Int(t, 0))
}

// instruction appends an atomic on a member's word.
func (q *quantiser) instruction(m *member, kind ir.AtomicKind, by *ir.Value) *ir.Value {
	if !q.quiet {
		q.notes.Say(q.b.Pos, note.SingleAtomic)
	}
	old := q.b.Atomic(kind, m.place(q.b), by)
	q.hush()
	return old
}

// fits reports whether an integer is known to be from 0 to mask, which is a power of two minus 1.
func fits(v *ir.Value, mask uint64) bool {
	if v.Type.Kind == ir.Bool {
		return true
	}
	if n, ok := ir.IntOf(v); ok {
		return n >= 0 && uint64(n) <= mask
	}
	d := v.Def
	if d == nil {
		return false
	}
	switch d.Code {
	case ir.OpConvert:
		from := d.Args[0].Type.Kind
		return from == ir.Bool || from.IsInt() && fits(d.Args[0], mask)
	case ir.OpAnd:
		return fits(d.Args[0], mask) || fits(d.Args[1], mask)
	case ir.OpOr, ir.OpXor:
		return fits(d.Args[0], mask) && fits(d.Args[1], mask)
	case ir.OpSelect:
		return fits(d.Args[1], mask) && fits(d.Args[2], mask)
	}
	return false
}
