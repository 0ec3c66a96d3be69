package distribute

import (
	"math"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/versioning"
)

// This file is for loops that count, and whose iterations do more than compute and access memory. One checks that a particle is within the
// grid, and spreads it; another stores under a condition. Such a loop is not split. It transfers the numbers to be counted:
//
//	for the strip { everything but the counting; the numbers, into local arrays }
//	the counting, by vectors (summary.go)
//
// Each block with stores has arrays of its own. They have a row for each time that the strip may run the block: one for an iteration in an
// if, and the product of the trip counts in loops of known length. A separate array marks the rows that are stored. LLVM vectorises such a
// loop. It would not vectorise the loop if only stored rows were written, to contiguous entries.
//
// Only accesses to counters are reordered.

// A countingLoop is a loop that is not split, except for its counting.
type countingLoop struct {
	*distribution
	of     *ir.Op // the loop; nil for the loop of a task
	most   int64  // largest number of rows of an iteration in a block
	body   []*ir.Op
	blocks []*countedBlock
	in     map[*ir.Op]*countedBlock

	vectors []*ir.Op // inner loops that LLVM may vectorise
}

// A countedBlock is a block of the loop in which numbers may be stored.
type countedBlock struct {
	block *ir.Block
	loops []*ir.Op // the loops of known length around it, the outermost first
	rows  int64    // for each iteration; 0 if a loop around it has an unknown or too large length
	part  *distribution
	last  *ir.Op // the last op of the counting in it
}

// mostTallies is the largest number of tallies in a loop that vectors count: LLVM takes some 50 ms to compile each.
const mostTallies = 32

// mostRows is the largest number of rows that an iteration may have in one block.
const mostRows = 8

// countsOfTask returns the loop of a task whose counting is to be moved. It returns nil if the iterations may end prematurely, or if there
// is no tally to move. Measured is set if the kernel counts for Runtime.Ranges, and the vectors of the processor are long enough for that.
func countsOfTask(t *ir.Task, r *analysis.RangeInfo, measured bool) *countingLoop {
	last := t.Dims[len(t.Dims)-1]
	if !measured || len(t.Lists) > 0 || last.Lo.From != ir.FromConst || last.Hi.From != ir.FromConst || last.Hi.Const-last.Lo.Const < versioning.ManyStrips*bucketLanes {
		return nil
	}
	for trips := max(longStrip(t), bucketLanes); ; trips = max(trips/2/bucketLanes, 1) * bucketLanes {
		l := newCountingLoop(newDistribution(r, t.Pos, t.Body, t.Body.Params[len(t.Dims)-1], trips), nil, mostRows)
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

// newCountingLoop returns the loop of a task, or of an op. Each of its blocks has at most the given number of rows for an iteration.
func newCountingLoop(d *distribution, of *ir.Op, most int64) *countingLoop {
	l := &countingLoop{distribution: d, of: of, most: most, body: d.ops, in: map[*ir.Op]*countedBlock{}}
	d.room.left = mostTallies
	d.ops, d.flat = nil, true
	l.flatten(l.body, &countedBlock{rows: 1})
	return l
}

// find finds the tallies of the blocks. It reports whether there are any.
func (l *countingLoop) find() bool {
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

// maybeVectors reports whether the body of a loop has only arithmetic, ifs and accesses, and no access depends on a store before it. Its
// counting is ignored.
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

// carries reports whether an iteration of a serial loop may access memory to which an iteration before it has stored. Its counting is
// ignored.
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

// flatten lists the ops of the loop. The ops in regions follow the op with the regions.
func (l *countingLoop) flatten(ops []*ir.Op, c *countedBlock) {
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

// roundsOf returns the largest possible trip count of a loop; 0 if that is unknown.
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

// surveyCounters determines which variables the ops of a counting loop update, and which values depend on the iteration. It returns false if
// an iteration may end before the end of the body, or if the body has ordinal or iteration ops.
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

// tally finds the tallies of a block. In the distribution that counts them, the rows of a strip are the iterations.
func (l *countingLoop) tally(c *countedBlock) {
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
		part.unstored = &transferred{kind: ir.U32, values: []*ir.Value{nil}}
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
