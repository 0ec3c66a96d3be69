package quantise

import (
	"math/bits"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/adapter"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
)

// This file describes members of words, decodes and encodes them, and fuses stores to one word.

// A member is a component of an element as a part of its word.
type member struct {
	*layout.Packed
	q     *quantiser
	word  *layout.Word
	field *ir.Field   // of the words
	index []*ir.Value // of the word
	args  []*ir.Value // of the element
	bit   *ir.Value   // of a bit array: the offset of the element in the word, a u32; nil for 0
	name  string      // of the field that is accessed
	of    *ir.Field   // the field that is accessed
	comp  int         // the component of that field
	flags ir.Flags    // of the place
	at    ir.Pos      // position of the place in the source
}

// memberOf returns the member for a component of the element at a place.
func (q *quantiser) memberOf(place *ir.Op, c int) *member {
	m := &member{Packed: q.lay.Access(place.Field, c).Packed, q: q, name: place.Field.Name, of: place.Field, comp: c, flags: place.Flags & ir.InBounds, at: place.Pos}
	m.word = m.Packed.Word
	m.field = q.words.Of(place.Field, c, m.word)
	for _, v := range analysis.Indices(place) {
		m.args = append(m.args, q.value(v))
	}
	if m.index = m.args; m.word.Array() {
		m.locate(place.Field)
	}
	return m
}

// locate computes the index of the word of an element of a bit array, and the offset of the element in the word.
func (m *member) locate(f *ir.Field) {
	b, cells := m.q.b, m.field.Word.Cells
	m.index = make([]*ir.Value, len(m.args))
	within := make([]*ir.Value, len(m.args)) // nil where a word has one element along the axis
	for a, v := range m.args {
		if low := f.Low(a); low != 0 {
			v = b.Op(ir.OpSub, v, b.Int(v.Type, low))
		}
		if n := cells[a]; n == 1 {
			m.index[a] = v
		} else if n&(n-1) == 0 {
			m.index[a] = b.Op(ir.OpShr, v, b.Int(v.Type, int64(bits.TrailingZeros64(uint64(n)))))
			within[a] = b.Op(ir.OpAnd, v, b.Int(v.Type, n-1))
		} else {
			m.index[a] = b.Op(ir.OpFloorDiv, v, b.Int(v.Type, n))
			within[a] = b.Op(ir.OpMod, v, b.Int(v.Type, n))
		}
	}
	for _, t := range m.Terms {
		v := b.Convert(within[t.Axis], ir.U32)
		if t.Stride != 1 {
			v = b.Op(ir.OpMul, v, b.Int(v.Type, t.Stride))
		}
		if m.bit != nil {
			v = b.Op(ir.OpAdd, m.bit, v)
		}
		m.bit = v
	}
}

// place appends the place of the word.
func (m *member) place(b *ir.Builder) *ir.Value {
	p := b.Ptr(m.field, 0, m.index...)
	p.Name, p.Def.Pos = m.name, m.at
	p.Def.Flags |= m.flags
	return p
}

// span returns the bits of a member's code in the word.
func (m *member) span() adapter.Span {
	return adapter.Span{Shift: m.Of().Shift, Bits: m.Of().Bits, Dynamic: m.bit}
}

// spanOf returns the bits of the code of another member of a bit struct.
func (m *member) spanOf(n int) adapter.Span {
	o := m.word.Members[n]
	return adapter.Span{Shift: o.Shift, Bits: o.Bits}
}

// exponent returns the bits of the exponent of a group.
func exponent(g *layout.Group) adapter.Span {
	return adapter.Span{Shift: g.Shift, Bits: int64(g.Coder.Exp)}
}

// decode appends the decoding of the member's number in a word.
func (m *member) decode(w *ir.Value, k ir.Kind) *ir.Value {
	e := m.q.adapters(m.word)
	w = e.Convert(w, e.Word)
	if g := m.Of().Group; g != nil {
		return e.DecodeShared(g.Coder, w, m.span(), exponent(g), k)
	}
	return e.Decode(m.Of().Coder, w, m.span(), k)
}

// inserted appends a word with codes inserted at their spans.
func (m *member) inserted(e *adapter.Emitter, w *ir.Value, codes []*ir.Value, spans []adapter.Span) *ir.Value {
	for i, s := range spans {
		w = e.Op(ir.OpOr, e.Cleared(w, s), e.Place(codes[i], s))
	}
	return w
}

// updated appends the word into which an atomic on a number without a shared exponent turns a word.
func (m *member) updated(w *ir.Value, p *part) *ir.Value {
	e, c := m.q.adapters(m.word), m.Of().Coder
	t := w.Type.Kind
	w = e.Convert(w, e.Word)
	var code *ir.Value
	switch how := p.op.Atomic; {
	case (how == ir.AtomicAdd || how == ir.AtomicSub) && !isFloat(m):
		code = e.Add(c, w, m.span(), p.args[0], p.draw, how == ir.AtomicSub)
	case how == ir.AtomicCAS: // if the number differs, no bit of the word changes
		next := m.inserted(e, w, []*ir.Value{e.Encode(c, p.args[1], p.draw)}, []adapter.Span{m.span()})
		return e.Convert(e.Op(ir.OpSelect, m.equal(m.decode(w, p.kind()), p.args[0]), next, w), t)
	default:
		code = e.Encode(c, m.computed(m.decode(w, p.kind()), p.op, p.args), p.draw)
	}
	return e.Convert(m.inserted(e, w, []*ir.Value{code}, []adapter.Span{m.span()}), t)
}

// computed appends the number that an atomic stores.
func (m *member) computed(old *ir.Value, o *ir.Op, args []*ir.Value) *ir.Value {
	v := m.q.b.Updated(o.Atomic, old, args)
	if v.Def != nil && v != args[0] && v.Type.Kind.IsFloat() {
		v.Def.Flags |= o.Flags & ir.Strict
	}
	return v
}

// equal appends the test whether two numbers have the same bits, as other compare-and-swaps do.
func (m *member) equal(x, y *ir.Value) *ir.Value { return adapter.SameBits(m.q.b, x, y) }

// isFloat reports whether a member has an exponent of its own.
func isFloat(m *member) bool { return m.Of().Coder.IsFloat() }

// regrouped appends a word in which numbers of a group are replaced. All numbers of the group are encoded again, with a new exponent.
func (m *member) regrouped(e *adapter.Emitter, w *ir.Value, g *layout.Group, by map[int]*ir.Value) *ir.Value {
	var vs []*ir.Value
	for _, n := range g.Members {
		v := by[n]
		if v == nil {
			v = e.DecodeShared(g.Coder, w, m.spanOf(n), exponent(g), g.Coder.Kind)
		}
		vs = append(vs, v)
	}
	codes, exp := e.EncodeShared(g.Coder, vs)
	var spans []adapter.Span
	for _, n := range g.Members {
		spans = append(spans, m.spanOf(n))
	}
	return m.inserted(e, w, append(codes, exp), append(spans, exponent(g)))
}

// A batch is a list of stores to one word that are fused.
type batch struct {
	*member
	pos    ir.Pos
	codes  map[int]*ir.Value // by number of the member
	groups map[*layout.Group]map[int]*ir.Value
	stores int

	measured []measured // stores that are counted
}

// add adds the store of a member that shares no exponent to the open batch of its word, or to a new one.
func (q *quantiser) add(m *member, v, draw *ir.Value) {
	t := q.batchOf(m)
	q.noteStore(t, m, v)
	t.codes[m.Member] = q.adapters(m.word).Encode(m.Of().Coder, v, draw)
}

// batchOf returns the batch to which a store to a member is added: the open batch of the word if the store can be fused with it, otherwise
// a new one.
func (q *quantiser) batchOf(m *member) *batch {
	var t *batch
	for _, o := range q.open {
		if o.word == m.word {
			t = o
		}
	}
	if g := m.Of().Group; t != nil && (m.word.Array() || !slices.Equal(t.args, m.args) || !q.fuses || g != nil && t.groups[g] != nil) {
		q.flushOf(m.word)
		t = nil
	}
	if t == nil {
		t = &batch{member: m, codes: map[int]*ir.Value{}, groups: map[*layout.Group]map[int]*ir.Value{}}
		q.open = append(q.open, t)
	}
	t.pos = q.b.Pos
	t.stores++
	return t
}

// flush writes all open batches.
func (q *quantiser) flush() {
	open := q.open
	q.open = nil
	for _, t := range open {
		q.write(t)
	}
}

// flushOf writes the open batch of a word, if there is one.
func (q *quantiser) flushOf(w *layout.Word) {
	for i, t := range q.open {
		if t.word == w {
			q.open = slices.Delete(q.open, i, i+1)
			q.write(t)
			return
		}
	}
}

// write appends the store of a batch.
func (q *quantiser) write(t *batch) {
	pos := q.b.Pos
	q.b.Pos = t.pos
	defer func() { q.b.Pos = pos }()
	if t.stores > 1 && !q.quiet {
		q.notes.Say(t.pos, note.FusedStores, t.stores)
	}
	kind := t.field.Comps[0]
	whole := t.covers() == t.word.Used()
	owned := q.owns(t.word)
	q.note(t.pos, t.member, owned, whole)
	if whole {
		e := q.adapters(t.word)
		now := e.Convert(t.filled(e, e.Const(ir.Scalar(e.Word), 0)), kind)
		if t.measured != nil {
			old := q.b.Load(ir.Scalar(kind), t.place(q.b))
			q.hush()
			q.countStores(t, old, now)
		}
		q.b.Store(t.place(q.b), now)
		q.hush()
		return
	}
	replaced := func(w *ir.Value) *ir.Value {
		e := q.adapters(t.word)
		return e.Convert(t.filled(e, e.Convert(w, e.Word)), kind)
	}
	old := q.modify(t.member, owned, replaced)
	if t.measured != nil {
		q.countStores(t, old, replaced(old))
	}
}

// covers returns the bits of the word that the batch sets independently of the old word.
func (t *batch) covers() (mask uint64) {
	if t.word.Array() {
		return 0
	}
	set := func(s adapter.Span) {
		if s.Bits >= 64 {
			mask = ^uint64(0)
		} else {
			mask |= (1<<s.Bits - 1) << s.Shift
		}
	}
	for n := range t.codes {
		set(t.spanOf(n))
	}
	for g, by := range t.groups {
		if len(by) == len(g.Members) {
			set(exponent(g))
			for _, n := range g.Members {
				set(t.spanOf(n))
			}
		}
	}
	return mask
}

// filled appends a word with the codes of the batch inserted.
func (t *batch) filled(e *adapter.Emitter, w *ir.Value) *ir.Value {
	for n := range t.word.Members { // in the order of the members, so that the output is deterministic
		if code := t.codes[n]; code != nil {
			s := t.spanOf(n)
			s.Dynamic = t.bit
			w = t.inserted(e, w, []*ir.Value{code}, []adapter.Span{s})
		}
	}
	for _, g := range t.word.Groups {
		if by := t.groups[g]; by != nil {
			w = t.regrouped(e, w, g, by)
		}
	}
	return w
}
