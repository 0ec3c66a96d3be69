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

// A looseLoop is what a distribution knows of a loop that stays as it is.
type looseLoop struct {
	of     *ir.Op // nil for that of a task
	most   int64  // rows of an iteration
	body   []*ir.Op
	blocks []*countedBlock
	in     map[*ir.Op]*countedBlock
	bytes  int64 // of the arrays of other blocks
	full   bool  // there was no room for an array
	left   int   // tallies that may still be made

	independent bool     // LLVM may make vectors of it
	vectors     []*ir.Op // or of these loops in it
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
func countsOfTask(t *ir.Task, r *analysis.RangeInfo, measured bool) *distribution {
	last := t.Dims[len(t.Dims)-1]
	if !measured || len(t.Lists) > 0 || last.Lo.From != ir.FromConst || last.Hi.From != ir.FromConst || last.Hi.Const-last.Lo.Const < versioning.ManyStrips*bucketLanes {
		return nil
	}
	for trips := max(longStrip(t), bucketLanes); ; trips = max(trips/2/bucketLanes, 1) * bucketLanes {
		d := newDistribution(r, t.Pos, t.Body, t.Body.Params[len(t.Dims)-1], trips)
		if found := d.loosen(nil); found && !d.loose.full || trips == bucketLanes {
			if !found {
				d = nil
			}
			return d
		} else if !d.loose.full {
			return nil
		}
	}
}

// loosen finds the tallies of the blocks of a loop, that of the task or an op. It reports whether there are any.
func (d *distribution) loosen(of *ir.Op) bool { return d.loosenWith(of, mostRows) }

// loosenWith is loosen for a loop whose blocks have so many rows for an iteration at most.
func (d *distribution) loosenWith(of *ir.Op, most int64) bool {
	d.wide = true
	d.loose = &looseLoop{of: of, most: most, left: mostTallies, body: d.ops, in: map[*ir.Op]*countedBlock{}}
	d.ops = nil
	d.flatten(d.loose.body, &countedBlock{rows: 1})
	if !d.surveyCounters() {
		return false
	}
	d.findHistograms()
	found := false
	for _, c := range d.loose.blocks {
		c.count(d)
		found = found || c.part != nil
	}
	d.loose.independent = d.maybeVectors(d.loose.body)
	for _, c := range d.loose.blocks {
		if n := len(c.loops); c.part != nil && n > 0 && c.loops[n-1].Regions[0] == c.block && d.maybeVectors(c.block.Ops) && !d.carries(c.loops[n-1]) {
			d.loose.vectors = append(d.loose.vectors, c.loops[n-1])
		}
	}
	return found
}

// maybeVectors reports whether the body of a loop has nothing but arithmetic, ifs and accesses of which none depends on a store before it.
func (d *distribution) maybeVectors(body []*ir.Op) bool {
	plain := true
	ir.Visit(&ir.Block{Ops: body}, func(o *ir.Op) bool {
		plain = plain && (accesses(o) || o.Code.Is(ir.Pure) || o.Code.Is(ir.Terminator) || o.Code == ir.OpIf) && o.Code != ir.OpAtomic && o.Code != ir.OpCall
		return plain
	})
	if !plain {
		return false
	}
	return !analysis.AccessesAgain(&ir.Block{Ops: d.uncounted(body)}, d.r, false)
}

// carries reports whether an iteration of a serial loop may access what one before it has stored, but for what is counted.
func (d *distribution) carries(o *ir.Op) bool {
	return analysis.AccessesAgain(&ir.Block{Ops: d.uncounted([]*ir.Op{o})}, d.r, false)
}

// uncounted returns ops without the counting that is moved.
func (d *distribution) uncounted(ops []*ir.Op) []*ir.Op {
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
func (d *distribution) flatten(ops []*ir.Op, c *countedBlock) {
	if c.rows > 0 {
		d.loose.blocks = append(d.loose.blocks, c)
	}
	for _, o := range ops {
		d.ops = append(d.ops, o)
		d.loose.in[o] = c
		for _, r := range o.Regions {
			in := &countedBlock{block: r}
			switch n := roundsOf(o); {
			case c.rows == 0:
			case o.Code == ir.OpIf:
				in.loops, in.rows = c.loops, c.rows
			case n > 0 && c.rows*n <= d.loose.most:
				in.loops, in.rows = append(slices.Clip(c.loops), o), c.rows*n
			}
			d.flatten(r.Ops, in)
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

// counts reports whether v is the index of a loop of known length.
func (l *looseLoop) counts(v *ir.Value) bool {
	return slices.ContainsFunc(l.blocks, func(c *countedBlock) bool {
		return len(c.loops) > 0 && c.block == c.loops[len(c.loops)-1].Regions[0] && c.block.Params[0] == v
	})
}

// surveyCounters finds out which variables and histograms the ops update, and what depends on the iteration. It reports whether an iteration
// ends at its end alone.
func (d *distribution) surveyCounters() bool {
	d.depends[d.index] = true
	for i, o := range d.ops {
		d.at[o] = i
		leaves := o.Target == d.loose.of && (o.Code == ir.OpContinue || o.Code == ir.OpBreak) || o.Code == ir.OpReturn
		if leaves || o.Code == ir.OpOrdinal || o.Code == ir.OpIteration {
			return false
		}
		for _, v := range o.Results {
			d.depends[v] = true
		}
		for _, r := range o.Regions {
			for _, v := range r.Params {
				d.depends[v] = true
			}
		}
	}
	for _, o := range d.ops {
		if o.Code == ir.OpStore && o.Args[0].Def != nil && o.Args[0].Def.Code == ir.OpAlloc {
			if _, here := d.at[o.Args[0].Def]; !here {
				d.sums[o.Args[0]] = true
			}
		}
	}
	return true
}

// findHistograms finds those that are counted by vectors.
func (d *distribution) findHistograms() {
	for _, o := range d.ops {
		if o.Code != ir.OpStore || len(o.Args) != 2 || d.sums[o.Args[0]] || !d.depends[o.Args[0]] {
			continue
		}
		d.places[o] = place{class: o.Alias, far: true}
		d.work[o] = scatters
		h := d.histogramOf(o)
		d.work[o] = computes
		if h == nil {
			delete(d.places, o)
			continue
		}
		d.counted = append(d.counted, h)
	}
}

// operands returns the values that o uses, with those in its regions where these are not listed themselves.
func (d *distribution) operands(o *ir.Op) []*ir.Value {
	if d.loose != nil {
		return o.Args
	}
	return operands(o)
}

// here reports whether o stands in the block whose tallies are looked for.
func (d *distribution) here(o *ir.Op) bool {
	return d.loose == nil || d.loose.in[o].part == d
}

// count finds the tallies of a block. The distribution that counts them has the rows of a strip for its iterations.
func (c *countedBlock) count(d *distribution) {
	part := *d
	c.part = &part
	part.slot, part.arrays, part.tallied = map[*ir.Value]slot{}, nil, nil
	part.counted = slices.DeleteFunc(slices.Clone(d.counted), func(h *histogram) bool { return d.loose.in[h.store] != c })
	if part.trips *= c.rows; part.trips%bucketLanes != 0 {
		c.part = nil
		return
	}
	if c.block != nil {
		part.unstored = &handed{kind: ir.U32, values: []*ir.Value{nil}}
	}
	part.tallies()
	if len(part.tallied) == 0 {
		c.part = nil
		return
	}
	part.counted = slices.DeleteFunc(part.counted, func(h *histogram) bool {
		return !slices.ContainsFunc(part.tallied, func(t *stripTally) bool { return t.numbers == h || t.errors == h })
	})
	for _, h := range part.counted {
		d.work[h.load], d.work[h.add], d.work[h.store] = counts, counts, counts
	}
	for _, t := range part.tallied {
		part.handTally(t)
	}
	if part.unstored != nil {
		part.arrays = append(part.arrays, part.unstored)
	}
	for _, a := range part.arrays {
		d.loose.bytes += part.trips * int64(len(a.values)*a.kind.Size())
	}
	for _, o := range d.ops {
		if d.loose.in[o] == c && d.work[o] == counts {
			c.last = o
		}
	}
}
