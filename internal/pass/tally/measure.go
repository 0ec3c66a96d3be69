package tally

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/adapter"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/floatkey"
	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/tally"
)

// Measure makes a kernel count the numbers that it stores in fields, where it is compiled for
// Runtime.Ranges.
//
// Input: a kernel's body with the sites in its Measure. Output: the same with updates of the fields of
// counters behind stores and atomics on plain components; those on packed components are left to
// quantise, which knows the words before and after. The updates are ordinary atomics: at constant
// places, which reductions turn into accumulators, and of a histogram, of which threads have copies.
func Measure(k *ir.Kernel) {
	if k.Measure == nil || k.Measure.Counts == nil {
		return
	}
	measureBlock(k, k.Body, nil)
}

func measureBlock(k *ir.Kernel, block *ir.Block, turn *ir.Value) {
	ops := block.Ops
	block.Ops = make([]*ir.Op, 0, len(ops))
	turn = Turn(block, turn)
	m := NewMeter(k, ir.NewBuilder(block), turn)
	for _, o := range ops {
		for _, r := range o.Regions {
			measureBlock(k, r, turn)
		}
		m.b.Pos = o.Pos
		m.b.Emit(o)
		if o.Code != ir.OpStore && o.Code != ir.OpAtomic || o.Args[0].Def == nil || o.Args[0].Def.Code != ir.OpPtr || o.IsPacked() {
			continue
		}
		place := o.Args[0].Def
		site, ok := k.Measure.Site(place.Field, place.Choices()[0], o.Pos)
		switch {
		case !ok || o.Code == ir.OpAtomic && o.Atomic == ir.AtomicLoad:
		case o.Code == ir.OpStore:
			m.Plain(site, o.Args[1])
		case o.Atomic == ir.AtomicCAS:
			m.Exchanged(o.Results[0], o.Args[1], func() { m.Plain(site, o.Args[2]) })
		default:
			m.Plain(site, m.b.Updated(o.Atomic, o.Results[0], o.Args[1:]))
		}
	}
}

// Turn returns the number by which iterations take the copies of histograms in turn: the last index of the loop that a
// block is the body of, or else that of the loop around.
func Turn(block *ir.Block, around *ir.Value) *ir.Value {
	if block.Parent == nil {
		return around
	}
	switch block.Parent.Code {
	case ir.OpParFor, ir.OpFieldFor:
		if n := len(block.Params); n > 0 {
			around = block.Params[n-1]
		}
	case ir.OpFor:
		around = block.Params[0]
	}
	return around
}

// A Meter appends updates of the counters.
type Meter struct {
	k    *ir.Kernel
	b    *ir.Builder
	turn *ir.Value // see turnOf; nil outside of loops
}

// NewMeter is one that appends with b, in an iteration whose copies of histograms turn chooses.
func NewMeter(k *ir.Kernel, b *ir.Builder, turn *ir.Value) *Meter {
	return &Meter{k: k, b: b, turn: turn}
}

// Op appends an op, strict where it computes with real numbers.
func (m *Meter) Op(code ir.Code, args ...*ir.Value) *ir.Value {
	v := m.b.Op(code, args...)
	if args[0].Type.Kind.IsFloat() {
		v.Def.Flags |= ir.Strict
	}
	return v
}

func (m *Meter) pick(c, x, y *ir.Value) *ir.Value { return m.Op(ir.OpSelect, c, x, y) }

// Number appends v in the kind that numbers of its kind are counted in.
func (m *Meter) Number(v *ir.Value) *ir.Value {
	k := ir.F64
	switch {
	case tally.Single(v.Type.Kind):
		k = ir.F32
	case v.Type.Kind == ir.Bool:
		v = m.b.Convert(v, ir.I32)
	}
	return m.convert(v, k)
}

func (m *Meter) convert(v *ir.Value, k ir.Kind) *ir.Value {
	w := m.b.Convert(v, k)
	if w != v && v.Type.Kind.IsFloat() {
		w.Def.Flags |= ir.Strict
	}
	return w
}

// update appends an update of a counter with a known number.
func (m *Meter) update(f *ir.Field, kind ir.AtomicKind, n int, v *ir.Value) {
	m.updateAt(f, kind, m.b.Int(ir.Scalar(m.k.Int), int64(n)), v)
}

func (m *Meter) updateAt(f *ir.Field, kind ir.AtomicKind, n, v *ir.Value) {
	p := m.b.Ptr(f, 0, n)
	p.Def.Flags |= ir.InBounds
	m.b.Atomic(kind, p, v)
}

// count appends the counting of something that may be so.
func (m *Meter) count(site, what int, is *ir.Value) {
	one, zero := m.b.Int(ir.Scalar(ir.I64), 1), m.b.Int(ir.Scalar(ir.I64), 0)
	m.update(m.k.Measure.Counts, ir.AtomicAdd, site*tally.PerCounts+what, m.pick(is, one, zero))
}

// end appends an update of the least or largest key.
func (m *Meter) end(site, what int, kind ir.AtomicKind, key *ir.Value) {
	m.update(m.k.Measure.Ends, kind, site*tally.PerEnds+what, m.b.Convert(key, ir.I64))
}

// magnitude appends the key of a number's magnitude, and whether it is less than that of infinity.
func (m *Meter) magnitude(v *ir.Value) (size, finite *ir.Value) {
	k := floatkey.Kind(v.Type.Kind)
	_, most := analysis.KindRange(k)
	size = m.b.Op(ir.OpAnd, m.b.Bitcast(v, k), m.b.Int(ir.Scalar(k), most))
	return size, m.b.Op(ir.OpLt, size, m.b.Const(ir.Scalar(k), floatkey.Infinity(v.Type.Kind, ir.AtomicMin)))
}

// Plain appends the counting of a number that is stored as it is.
func (m *Meter) Plain(site int, v *ir.Value) { m.wanted(site, m.Number(v)) }

// wanted appends the counting of a number that is to be stored.
func (m *Meter) wanted(site int, v *ir.Value) {
	m.bucket(site, 0, v)
	size, _ := m.magnitude(v)
	key := floatkey.Flip(m.b, m.b.Bitcast(v, size.Type.Kind))
	shifted := func(key *ir.Value, entry int) *ir.Value {
		return m.b.Op(ir.OpAdd, key, m.b.Int(key.Type, tally.Shift(m.k.Measure.Layout.Kinds[site], entry)))
	}
	m.end(site, tally.AtLeast, ir.AtomicMin, shifted(key, tally.AtLeast))
	m.end(site, tally.AtLargest, ir.AtomicMax, shifted(key, tally.AtLargest))
	m.end(site, tally.AtSmallest, ir.AtomicMin, shifted(size, tally.AtSmallest))
}

// bucket appends the counting of a number in a histogram of a site: of the numbers, or that of the
// errors behind it.
func (m *Meter) bucket(site, histogram int, v *ir.Value) {
	l := &m.k.Measure.Layout
	n := tally.Buckets(l.Kinds[site])
	kind, digits := ir.U64, int64(52)
	if v.Type.Kind == ir.F32 {
		kind, digits = ir.U32, 23
	}
	e := m.b.Op(ir.OpShr, m.b.Bitcast(v, kind), m.b.Int(ir.Scalar(ir.U32), digits))
	e = m.b.Op(ir.OpAnd, e, m.b.Int(e.Type, int64(n-1)))
	turns := tally.Turns(l.Kinds[site])
	if m.turn != nil && turns > 1 {
		t := m.b.Op(ir.OpAnd, m.b.Convert(m.turn, e.Type.Kind), m.b.Int(e.Type, int64(turns-1)))
		e = m.b.Op(ir.OpOr, e, m.b.Op(ir.OpMul, t, m.b.Int(e.Type, int64(n))))
	}
	e = m.b.Convert(e, m.k.Int)
	at := m.b.NoWrap(ir.OpAdd, e, m.b.Int(e.Type, int64(l.Histogram(site)+histogram*n*turns)))
	m.updateAt(m.k.Measure.Exponents, ir.AtomicAdd, at, m.b.Int(ir.Scalar(ir.I64), 1))
}

// Stored appends the counting of a store of the number wanted where old was, so that now is there: in
// the form of a coder, that of a group if shared is set.
func (m *Meter) Stored(site int, c *quant.Coder, shared bool, wanted, old, now *ir.Value) {
	old, now = m.Number(old), m.Number(now)
	m.wanted(site, wanted)
	num := func(v float64) *ir.Value { return m.b.Float(wanted.Type, v) }
	lo, hi := tally.Limits(c, shared)
	clamped := m.Op(ir.OpOr, m.Op(ir.OpLt, wanted, num(lo)), m.Op(ir.OpGt, wanted, num(hi)))
	m.count(site, tally.AtClamped, clamped)
	lost := m.Op(ir.OpAnd, m.Op(ir.OpNe, wanted, num(0)), m.Op(ir.OpEq, now, num(0)))
	m.count(site, tally.AtFlushed, m.Op(ir.OpAnd, lost, m.Op(ir.OpNot, clamped)))
	m.count(site, tally.AtAbsorbed, m.Op(ir.OpAnd, m.Op(ir.OpNe, wanted, old), m.Op(ir.OpEq, now, old)))
	e := m.Op(ir.OpSub, now, wanted)
	m.bucket(site, 1, e)
	size, finite := m.magnitude(e)
	m.end(site, tally.AtLargestError, ir.AtomicMax, m.pick(finite, size, m.b.Int(size.Type, 0)))
	m.update(m.k.Measure.Sums, ir.AtomicAdd, site, m.pick(finite, m.convert(e, ir.F64), m.b.Float(ir.Scalar(ir.F64), 0)))
}

// Exchanged appends f for where an exchange by comparison took place.
func (m *Meter) Exchanged(old, compared *ir.Value, f func()) {
	m.b.If(adapter.SameBits(m.b, old, compared), nil, func() { f(); m.b.Yield() }, func() { m.b.Yield() })
}
