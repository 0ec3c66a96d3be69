package tally

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/floatkey"
	"github.com/gotaichi/ti/internal/tally"
)

// Parts appends the computation of the parts of a tally with these operands, and calls part with the operands of each part.
func Parts(b *ir.Builder, of []*ir.Value, part func(p ir.TallyPart, args ...*ir.Value)) {
	w := of[0]
	one := b.Int(ir.Scalar(ir.I64), 1)
	part(ir.TallyNumbers, Bucket(b, w), one)
	part(ir.TallyLeast, w)
	part(ir.TallyLargest, w)
	part(ir.TallySmallest, w)
	if len(of) == 1 {
		return
	}
	old, now := of[1], of[2]
	clamped, flushed := Losses(b, w, now, of[3], of[4])
	part(ir.TallyClamped, clamped)
	part(ir.TallyFlushed, flushed)
	part(ir.TallyAbsorbed, Absorbed(b, w, old, now))
	e := strict(b, ir.OpSub, now, w)
	part(ir.TallyErrors, Bucket(b, e), one)
	part(ir.TallyLargestError, e)
	part(ir.TallySum, e)
}

// Losses appends two tests of a number w to be stored: whether it is clamped, and whether it is flushed to zero.
func Losses(b *ir.Builder, w, now, lo, hi *ir.Value) (clamped, flushed *ir.Value) {
	zero := b.Float(w.Type, 0)
	clamped = b.Op(ir.OpOr, strict(b, ir.OpLt, w, lo), strict(b, ir.OpGt, w, hi))
	lost := b.Op(ir.OpAnd, strict(b, ir.OpNe, w, zero), strict(b, ir.OpEq, now, zero))
	return clamped, b.Op(ir.OpAnd, lost, b.Op(ir.OpNot, clamped))
}

// Absorbed appends the test whether the store of a number other than the old one changes nothing.
func Absorbed(b *ir.Builder, w, old, now *ir.Value) *ir.Value {
	return b.Op(ir.OpAnd, strict(b, ir.OpNe, w, old), strict(b, ir.OpEq, now, old))
}

// Bucket appends the bucket of a number in histograms: the bits of its exponent.
func Bucket(b *ir.Builder, v *ir.Value) *ir.Value {
	kind, digits := ir.U64, int64(52)
	if v.Type.Kind == ir.F32 {
		kind, digits = ir.U32, 23
	}
	e := b.Op(ir.OpShr, b.Bitcast(v, kind), b.Int(v.Type.With(ir.U32), digits))
	return b.Op(ir.OpAnd, e, b.Int(e.Type, int64(tally.Buckets(v.Type.Kind)-1)))
}

// magnitude appends the key of a number's magnitude: its bits without the sign.
func magnitude(b *ir.Builder, v *ir.Value) *ir.Value {
	k := floatkey.Kind(v.Type.Kind)
	_, most := analysis.KindRange(k)
	return b.Op(ir.OpAnd, b.Bitcast(v, k), b.Int(v.Type.With(k), most))
}

// ifFinite appends v if a number is finite, otherwise 0. Size is the magnitude of the number.
func ifFinite(b *ir.Builder, size, of, v *ir.Value) *ir.Value {
	finite := b.Op(ir.OpLt, size, b.Const(size.Type, floatkey.Infinity(of.Type.Kind, ir.AtomicMin)))
	return strict(b, ir.OpSelect, finite, v, b.Const(v.Type, 0))
}

// A counter is an element of one of the fields of counters, with the operation that updates it.
type counter struct {
	field *ir.Field
	at    int64
	kind  ir.AtomicKind
	lanes uint32 // of the variable of a thread
}

// counterOf returns the counter of a part other than a histogram.
func counterOf(m *ir.Measure, site int64, part ir.TallyPart) counter {
	count := func(n int64) counter { return counter{m.Counts, site*tally.PerCounts + n, ir.AtomicAdd, 1} }
	end := func(n int64, kind ir.AtomicKind) counter { return counter{m.Ends, site*tally.PerEnds + n, kind, 1} }
	switch part {
	case ir.TallyLeast:
		return end(tally.AtLeast, ir.AtomicMin)
	case ir.TallyLargest:
		return end(tally.AtLargest, ir.AtomicMax)
	case ir.TallySmallest:
		return end(tally.AtSmallest, ir.AtomicMin)
	case ir.TallyLargestError:
		return end(tally.AtLargestError, ir.AtomicMax)
	case ir.TallyClamped:
		return count(tally.AtClamped)
	case ir.TallyFlushed:
		return count(tally.AtFlushed)
	case ir.TallyAbsorbed:
		return count(tally.AtAbsorbed)
	}
	return counter{m.Sums, site, ir.AtomicAdd, 1}
}

// by appends the operand of the update of a part's counter.
func by(b *ir.Builder, part ir.TallyPart, v *ir.Value) *ir.Value {
	shifted := func(key *ir.Value, entry int) *ir.Value {
		return b.Convert(b.Op(ir.OpAdd, key, b.Int(key.Type, tally.Shift(v.Type.Kind, entry))), ir.I64)
	}
	key := func() *ir.Value { return floatkey.Flip(b, b.Bitcast(v, floatkey.Kind(v.Type.Kind))) }
	switch part {
	case ir.TallyLeast:
		return shifted(key(), tally.AtLeast)
	case ir.TallyLargest:
		return shifted(key(), tally.AtLargest)
	case ir.TallySmallest:
		return shifted(magnitude(b, v), tally.AtSmallest)
	case ir.TallyLargestError:
		size := magnitude(b, v)
		return b.Convert(ifFinite(b, size, v, size), ir.I64)
	case ir.TallySum:
		return ifFinite(b, magnitude(b, v), v, convert(b, v, ir.F64))
	}
	if v.Type.Kind == ir.Bool {
		return b.Op(ir.OpSelect, v, b.Int(ir.Scalar(ir.I64), 1), b.Int(ir.Scalar(ir.I64), 0))
	}
	return v
}

// histogram returns the first element of the histogram of numbers or errors of a site, the number of its copies, and the number of buckets
// in each.
func histogram(m *ir.Measure, site int64, part ir.TallyPart) (at, copies, buckets int64) {
	k := m.Kinds[site]
	at, copies, buckets = int64(m.Histogram(int(site))), int64(tally.Turns(k)), int64(tally.Buckets(k))
	if part == ir.TallyErrors {
		at += copies * buckets
	}
	return at, copies, buckets
}
