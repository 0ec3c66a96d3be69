package distribute

import (
	"math"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/versioning"
)

// This file is the part of distribute for loops that count and whose iterations do more than compute and access memory: one checks that
// a particle is within the grid, and spreads it; another stores under a condition. The loop stays as it is. It hands over what is counted:
//
//	for the strip { all but the counting, the numbers into local arrays }
//	the counting, by vectors (summary.go)
//
// Each block with stores has arrays of its own, with a row for each time that the strip may come there: in ifs once an iteration, in
// loops of known length as often as these go around. Which rows are stored an array of their own says: LLVM makes vectors of such a loop, as
// it would not if the rows stood close together.
//
// Nothing but counters is accessed in another order.

// A looseLoop is a loop that stays as it is but for the counting.
type looseLoop struct {
	*distribution
	of     *ir.Op // nil for that of a task
	most   int64  // rows of an iteration
	body   []*ir.Op
	blocks []*countedBlock
	in     map[*ir.Op]*countedBlock

	vectors []*ir.Op // loops in it that LLVM may make vectors of
}

// A countedBlock is a block of the loop in which numbers may be stored.
type countedBlock struct {
	block *ir.Block
	loops []*ir.Op // of known length, from the outermost on, that it stands in
	rows  int64    // for each iteration
	part  *distribution
	last  *ir.Op // of the counting in it
}

// mostTallies is how many numbers of a loop are counted by vectors: LLVM takes some 50 ms for each.
const mostTallies = 32

// mostRows is how many rows an iteration may have in one block.
const mostRows = 8

// countsOfTask returns nil for a task whose iterations jump, and for what has no tally. measured says that the kernel counts for
// Runtime.Ranges, and that vectors of the processor are long enough for it.
func countsOfTask(t *ir.Task, r *analysis.RangeInfo, measured bool) *looseLoop {
	last := t.Dims[len(t.Dims)-1]
	if !measured || len(t.Lists) > 0 || last.Lo.From != ir.FromConst || last.Hi.From != ir.FromConst || last.Hi.Const-last.Lo.Const < versioning.ManyStrips*bucketLanes {
		return nil
	}
	for trips := max(longStrip(t), bucketLanes); ; trips = max(trips/2/bucketLanes, 1) * bucketLanes {
		l := newLooseLoop(newDistribution(r, t.Pos, t.Body, t.Body.Params[len(t.Dims)-1], trips), nil, mostRows)
		if found := l.find(); found && !l.room.full || trips == bucketLanes {
			if !found {
				l = nil
			}
			return l
		} else if !l.room.full {
			return nil
		}
	}
}

// newLooseLoop is the loop of a task, or an op, whose blocks have so many rows for an iteration at most.
func newLooseLoop(d *distribution, of *ir.Op, most int64) *looseLoop {
	l := &looseLoop{distribution: d, of: of, most: most, body: d.ops, in: map[*ir.Op]*countedBlock{}}
	d.room.left = mostTallies
	d.ops, d.flat = nil, true
	l.flatten(l.body, &countedBlock{rows: 1})
	return l
}

// find finds the tallies of the blocks. It reports whether there are any.
func (l *looseLoop) find() bool {
	if !l.surveyCounters(l.of) {
		return false
	}
	found := false
	for _, c := range l.blocks {
		l.tally(c)
		found = found || c.part != nil
	}
	if !l.maybeVectors(l.body) {
		l.flags = ir.Rolled
	}
	for _, c := range l.blocks {
		if c.part == nil {
			continue
		}
		c.part.flags = l.flags
		if n := len(c.loops); n > 0 && c.loops[n-1].Regions[0] == c.block && l.maybeVectors(c.block.Ops) && !l.carries(c.loops[n-1]) {
			l.vectors = append(l.vectors, c.loops[n-1])
		}
	}
	return found
}

// maybeVectors reports whether the body of a loop has nothing but arithmetic, ifs and accesses of which none depends on a store before it.
func (d *division) maybeVectors(body []*ir.Op) bool {
	plain := true
	ir.Visit(&ir.Block{Ops: body}, func(o *ir.Op) bool {
		if isStore(o) && d.work[o] == counts {
			return plain
		}
		plain = plain && (accesses(o) || o.Code.Is(ir.Pure) || o.Code.Is(ir.Terminator) || o.Code == ir.OpIf) && o.Code != ir.OpAtomic && o.Code != ir.OpCall
		return plain
	})
	if !plain {
		return false
	}
	return !analysis.AccessesAgain(&ir.Block{Ops: d.uncounted(body)}, d.r, false)
}

// carries reports whether an iteration of a serial loop may access what one before it has stored, but for what is counted.
func (d *division) carries(o *ir.Op) bool {
	return analysis.AccessesAgain(&ir.Block{Ops: d.uncounted([]*ir.Op{o})}, d.r, false)
}

// uncounted returns ops without the counting that is moved.
func (d *division) uncounted(ops []*ir.Op) []*ir.Op {
	var out []*ir.Op
	for _, o := range ops {
		if d.work[o] == counts {
			continue
		}
		if len(o.Regions) > 0 {
			p := *o
			p.Regions = nil
			for _, r := range o.Regions {
				p.Regions = append(p.Regions, &ir.Block{Params: r.Params, Ops: d.uncounted(r.Ops)})
			}
			o = &p
		}
		out = append(out, o)
	}
	return out
}

// flatten lists the ops of the loop, those in regions behind the op that has these.
func (l *looseLoop) flatten(ops []*ir.Op, c *countedBlock) {
	if c.rows > 0 {
		l.blocks = append(l.blocks, c)
	}
	for _, o := range ops {
		l.ops = append(l.ops, o)
		l.in[o] = c
		for _, r := range o.Regions {
			in := &countedBlock{block: r}
			switch n := roundsOf(o); {
			case c.rows == 0:
			case o.Code == ir.OpIf:
				in.loops, in.rows = c.loops, c.rows
			case n > 0 && c.rows*n <= l.most:
				in.loops, in.rows = append(slices.Clip(c.loops), o), c.rows*n
			}
			l.flatten(r.Ops, in)
		}
	}
}

// roundsOf is how often a loop goes around at most, 0 where that is not known.
func roundsOf(o *ir.Op) int64 {
	if o.Code != ir.OpFor {
		return 0
	}
	from, ok1 := ir.IntOf(o.Args[0])
	to, ok2 := ir.IntOf(o.Args[1])
	if !ok1 || !ok2 || to <= from || to > math.MaxInt32 || from < math.MinInt32 {
		return 0
	}
	return to - from
}

// surveyCounters finds out which variables the ops of a loose loop update, and what depends on the iteration. It reports whether an
// iteration ends at its end alone.
func (f *facts) surveyCounters(of *ir.Op) bool {
	f.depends[f.index] = true
	for i, o := range f.ops {
		f.at[o] = i
		leaves := o.Target == of && (o.Code == ir.OpContinue || o.Code == ir.OpBreak) || o.Code == ir.OpReturn
		if leaves || o.Code == ir.OpOrdinal || o.Code == ir.OpIteration {
			return false
		}
		for _, v := range o.Results {
			f.depends[v] = true
		}
		for _, r := range o.Regions {
			for _, v := range r.Params {
				f.depends[v] = true
			}
		}
	}
	for _, o := range f.ops {
		if o.Code == ir.OpStore && o.Args[0].Def != nil && o.Args[0].Def.Code == ir.OpAlloc {
			if _, here := f.at[o.Args[0].Def]; !here {
				f.sums[o.Args[0]] = true
			}
		}
	}
	return true
}

// tally finds the tallies of a block. The distribution that counts them has the rows of a strip for its iterations.
func (l *looseLoop) tally(c *countedBlock) {
	trips := l.trips * c.rows
	if trips%bucketLanes != 0 {
		return
	}
	part := &distribution{
		division: l.division, strip: strip{trips: trips}, transfer: newTransfer(),
		census: census{room: l.room, scope: map[*ir.Op]bool{}},
	}
	for _, o := range l.ops {
		if l.in[o] == c {
			part.scope[o] = true
		}
	}
	if c.block != nil {
		part.unstored = &handed{kind: ir.U32, values: []*ir.Value{nil}}
	}
	part.tallies()
	if len(part.tallied) == 0 {
		return
	}
	c.part = part
	for _, t := range part.tallied {
		part.handTally(t)
	}
	if part.unstored != nil {
		part.arrays = append(part.arrays, part.unstored)
	}
	l.room.taken += part.bytes(trips)
	for _, o := range l.ops {
		if part.scope[o] && l.work[o] == counts {
			c.last = o
		}
	}
}
