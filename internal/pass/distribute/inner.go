package distribute

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
)

// This file splits long loops within an iteration that count for Runtime.Ranges, such as a loop over a row of a matrix. Such a loop becomes
// one over strips, and each strip is split. If the loop turns out to be short at run time, the original loop runs instead.

const (
	shortestInner = bucketLanes     // the fewest iterations for which a strip pays
	innerStrip    = 2 * bucketLanes // for a loop of unknown length: longer strips would often be padded
)

// distributeInner splits the loops within the iterations of a task, the innermost first.
func distributeInner(t *ir.Task, r *analysis.RangeInfo, notes *note.Notes) {
	var descend func(b *ir.Block)
	descend = func(b *ir.Block) {
		out := ir.NewBuilder(&ir.Block{})
		for _, o := range b.Ops {
			for _, region := range o.Regions {
				descend(region)
			}
			if s := innerStrips(o, r); s != nil {
				notes.Say(o.Pos, note.Distributed)
				s.write(out)
				continue
			}
			out.Block.Ops = append(out.Block.Ops, o)
		}
		b.Ops = out.Block.Ops
	}
	descend(t.Body)
}

// An innerLoop is a loop that becomes one over strips.
type innerLoop struct {
	*distribution
	of     *ir.Op
	rounds int64               // number of iterations; 0 if unknown
	one    func(b *ir.Builder) // writes the loops over one strip
}

// innerStrips returns the loop over strips that replaces o; nil if the loop is not to be split, or o is no such loop.
func innerStrips(o *ir.Op, r *analysis.RangeInfo) *innerLoop {
	if o.Code != ir.OpFor || len(o.Args) != 2 || o.Flags.Has(ir.Independent) || isShort(o) {
		return nil
	}
	s := &innerLoop{of: o, rounds: roundsOf(o)}
	trips := int64(innerStrip)
	if s.rounds > 0 {
		strips := (s.rounds + stripOfSums - 1) / stripOfSums
		trips = ((s.rounds+strips-1)/strips + bucketLanes - 1) / bucketLanes * bucketLanes
	}
	begin := func() *distribution {
		d := newDistribution(r, o.Pos, o.Regions[0], o.Regions[0].Params[0], trips)
		d.from, d.to, d.wide = o.Args[0], o.Args[1], true
		return d
	}
	take := func(d *distribution, one func(b *ir.Builder)) *innerLoop {
		if d.flags == ir.Independent && d.carries(o) {
			d.flags = 0 // LLVM decides whether to vectorise
		}
		s.distribution, s.one = d, one
		return s
	}
	if d := begin(); d.countsOnly() {
		return take(d, d.write)
	}
	for {
		l := newCountingLoop(begin(), o, mostRows)
		if l.find() {
			return take(l.distribution, l.write)
		}
		if !l.room.full || trips == bucketLanes {
			return nil
		}
		trips = max(trips/2/bucketLanes, 1) * bucketLanes
	}
}

// isShort reports whether a loop is known to be too short for strips.
func isShort(o *ir.Op) bool {
	from, ok1 := ir.IntOf(o.Args[0])
	to, ok2 := ir.IntOf(o.Args[1])
	return ok1 && ok2 && (from < math.MinInt32 || to > math.MaxInt32 || to-from < shortestInner)
}

// countsOnly reports whether the loop can be split into a vector loop and the counting in histograms.
func (d *distribution) countsOnly() bool {
	return d.survey() && d.keepBuckets() && d.repeat() && d.sort() && d.hand() && d.pays()
}

// write appends the loop over the strips. If the length is unknown, it also appends the original loop, which runs if there are too few
// iterations.
func (s *innerLoop) write(b *ir.Builder) {
	b.Pos = s.of.Pos
	i64 := ir.Scalar(ir.I64)
	length := b.Op(ir.OpSub, b.Convert(s.of.Args[1], ir.I64), b.Convert(s.of.Args[0], ir.I64))
	if s.rounds > 0 {
		s.strips(b, length)
		return
	}
	whole := ir.NewCloner(nil).Op(s.of)
	b.If(b.Op(ir.OpLt, length, b.Int(i64, shortestInner)), nil,
		func() { b.Emit(whole); b.Yield() },
		func() { s.strips(b, length); b.Yield() })
}

// strips appends the loop over the strips of a loop of the given length.
func (s *innerLoop) strips(b *ir.Builder, length *ir.Value) {
	i64, kind := ir.Scalar(ir.I64), s.index.Type.Kind
	n := b.Op(ir.OpDiv, b.Op(ir.OpAdd, length, b.Int(i64, s.trips-1)), b.Int(i64, s.trips))
	o := ir.NewOp(ir.OpFor, b.Pos, nil, b.Int(i64, 0), n)
	o.Flags |= ir.Rolled
	b.Emit(o)
	number := o.Regions[0].AddParam(i64, "")
	b.In(o.Regions[0], func() {
		done := b.NoWrap(ir.OpMul, number, b.Int(i64, s.trips))
		left := b.Op(ir.OpMin, b.NoWrap(ir.OpSub, length, done), b.Int(i64, s.trips))
		first := s.of.Args[0]
		s.from = b.NoWrap(ir.OpAdd, first, b.Convert(done, kind))
		s.to = b.NoWrap(ir.OpAdd, s.from, b.Convert(left, kind))
		s.one(b)
		b.Pos = s.of.Pos
		b.Jump(ir.OpContinue, o)
	})
}
