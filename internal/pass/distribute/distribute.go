package distribute

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/versioning"
	"github.com/gotaichi/ti/internal/target"
)

const (
	mostTransferredBytes = 16 << 10 // of the arrays between the loops, so that they fit the first-level cache
	fewestPerTransfer    = 3        // operations on floats for each number that is transferred
	costOfDivision       = 6        // cost of an integer division, in operations on floats: a product of twice the width, shifts and corrections
	stripOfSums          = 512      // iterations of the longest strip: after each strip, the lanes of vector reductions are added up
)

// Task splits a loop whose iterations access memory at data-dependent addresses into loops of one kind of work each.
//
// Input: a task with addresses, in strips if the inspector has made them. Output: the same in strips. Up to four loops over the iterations
// of a strip replace the loop:
//
//	for the strip { the indices of these addresses, into local arrays, unless the inspector has stored them there }
//	for the strip { loads at data-dependent addresses, into local arrays }
//	for the strip { all computation, and accesses at linear addresses: vectors of iterations }
//	for the strip { stores at data-dependent addresses, and loads from what they store }
//
// The loops before and after the vector loop run one iteration at a time, in the order of the source. So sums have the bits that they had,
// even if several iterations add to one place. LLVM vectorises the vector loop. It would not vectorise the loop as a whole, since gathers
// and scatters cost more than the vectors gain. Reductions are in the vector loop. For a histogram of computed numbers, the vector loop
// transfers the buckets to the last loop, and for counted stores, the numbers (tally.go). If a loop counts, and the addresses of its loads
// come from other such loads, these loads are in the vector loop.
//
// If the body is an if whose condition is the same in all iterations, as pass interior makes it, its first region is split. The second
// region, with the checks, is not split.
//
// A load is in the last loop if a store there may change the loaded value. Any other load may come before all stores of the strip, since
// iterations of a parallel loop are independent. Each load takes place once, except loads from local arrays to which nothing in the loop
// stores.
//
// This is loop distribution with scalar expansion: Kennedy and Allen, "Optimizing Compilers for Modern Architectures", 2002, sections 5.7
// and 6.2.
func Task(k *ir.Kernel, t *ir.Task, machine target.Traits, opts option.Options, notes *note.Notes) {
	if t.Body == nil || len(t.Dims) == 0 {
		return
	}
	ir.NumberBlock(t.Body, ir.NumberBlock(t.Prologue, 0))
	r := analysis.RangesOf(t, opts.Without)
	gathers, wide := machine.VectorBits >= bitsForGathers, machine.VectorBits >= bitsForCounting
	ahead := machine.Provides(target.Prefetch) && !opts.Without.Has(option.Prefetch)
	measured := wide && k.Measure != nil && !t.Helper
	if len(t.Lists) > 0 && measured {
		if l := countsOfList(t, r); l != nil {
			notes.Say(t.Pos, note.Distributed)
			l.writeList(t)
			return
		}
	}
	if len(t.Lists) > 0 && wide {
		distributeCells(t, r, measured, notes)
	} else if measured {
		distributeInner(t, r, notes)
	}
	if t.Strip == 0 {
		if d := distributionOfTask(t, r, wide); d != nil {
			d.ahead = ahead
			notes.Say(t.Pos, note.Distributed)
			d.writeTask(t, d.write)
		} else if l := countsOfTask(t, r, measured); l != nil {
			notes.Say(t.Pos, note.Distributed)
			l.writeTask(t, l.write)
		} else if c := cutOfTask(t, r, gathers); c != nil {
			notes.Say(t.Pos, note.ComputedFirst)
			c.writeTask(t, c.write)
		}
		return
	}
	replace(t.Body, false, func(o *ir.Op, out *ir.Builder) bool {
		if d := distributionOfLoop(o, r, wide); d != nil {
			notes.Say(o.Pos, note.Distributed)
			d.write(out)
			return true
		}
		if c := cutOfLoop(o, r, gathers); c != nil {
			notes.Say(o.Pos, note.ComputedFirst)
			c.write(out)
			return true
		}
		return false
	})
}

// replace calls by for the ops of b and of the regions of ifs in it. It omits the first region of an if that is rarely true, unless seldom
// is set. By may append a replacement of the op to out, and reports whether it did.
func replace(b *ir.Block, seldom bool, by func(o *ir.Op, out *ir.Builder) bool) {
	out := ir.NewBuilder(&ir.Block{})
	for _, o := range b.Ops {
		if by(o, out) {
			continue
		}
		if o.Code == ir.OpIf {
			if seldom || !o.Flags.Has(ir.Seldom) {
				replace(o.Regions[0], seldom, by)
			}
			replace(o.Regions[1], seldom, by)
		}
		out.Block.Ops = append(out.Block.Ops, o)
	}
	b.Ops = out.Block.Ops
}

// A distribution is a loop that is split.
type distribution struct {
	*division
	strip
	transfer
	census
	narrowed narrowing
	wide     bool     // vectors are long enough to count
	ahead    bool     // the target has prefetches
	flags    ir.Flags // of the vector loop
}

// A strip is a batch of iterations of the loop. Each of the loops that replace it runs over the strip.
type strip struct {
	trips    int64     // the largest trip count
	from, to *ir.Value // its bounds
	choice   *ir.Op    // the if around the body, whose condition is the same in all iterations; nil if there is none
}

// bitsForGathers is the shortest length of vectors for which gathers take less time than single loads.
const bitsForGathers = 512

// fewestDistributed is the length of the shortest strips for which several loops pay.
const fewestDistributed = 16

// newDistribution returns the distribution of a loop with this body, in which all ops are in the vector loop.
func newDistribution(r *analysis.RangeInfo, pos ir.Pos, body *ir.Block, index *ir.Value, trips int64) *distribution {
	return &distribution{
		division: newDivision(newFacts(r, pos, body, index)), strip: strip{trips: trips}, transfer: newTransfer(),
		census: census{room: &room{left: math.MaxInt}}, flags: ir.Independent,
	}
}

// distributionOfLoop returns the distribution of a loop over a strip; nil if the loop is not to be split, or o is no such loop.
func distributionOfLoop(o *ir.Op, r *analysis.RangeInfo, wide bool) *distribution {
	n := versioning.StripTrips(o)
	if n < fewestDistributed {
		return nil
	}
	d := newDistribution(r, o.Pos, o.Regions[0], o.Regions[0].Params[0], n)
	d.from, d.to, d.wide = o.Args[0], o.Args[1], wide
	if d.calls() || !d.survey() || !d.repeat() || !d.sort() || !d.hand() || !d.pays() {
		return nil
	}
	return d
}

// cutOfLoop returns the cut of a loop over a strip; nil if the loop is not to become two, or o is no such loop.
func cutOfLoop(o *ir.Op, r *analysis.RangeInfo, gathers bool) *cut {
	n := versioning.StripTrips(o)
	if n < fewestDistributed {
		return nil
	}
	c := cutOfBody(r, o.Pos, o.Regions[0], o.Regions[0].Params[0], n, gathers)
	if c != nil {
		c.from, c.to = o.Args[0], o.Args[1]
	}
	return c
}

// distributionOfTask returns the distribution of a task; nil if the task is not to be split.
func distributionOfTask(t *ir.Task, r *analysis.RangeInfo, wide bool) *distribution {
	n := versioning.StripLength(t)
	if n < fewestDistributed || t.Helper {
		return nil
	}
	body, choice := t.Body, versioning.Choice(t)
	if choice != nil {
		body = choice.Regions[0]
	}
	d := newDistribution(r, t.Pos, body, t.Body.Params[len(t.Dims)-1], n)
	d.wide = wide
	if d.choice = choice; !d.survey() || !d.keep() && !(wide && d.keepBuckets()) || d.calls() && !d.counting {
		return nil
	}
	if len(d.firstIndices) == 0 && (d.counting || len(t.Dims) == 1) {
		d.trips, d.room.free = max(d.trips, longStrip(t)), d.counting
	}
	if !d.repeat() || !d.sort() || !d.hand() || !d.pays() {
		return nil
	}
	return d
}

// cutOfTask returns the cut of a task; nil if the task is not to become two loops.
func cutOfTask(t *ir.Task, r *analysis.RangeInfo, gathers bool) *cut {
	n := versioning.StripLength(t)
	if n < fewestDistributed || t.Helper {
		return nil
	}
	return cutOfBody(r, t.Pos, t.Body, t.Body.Params[len(t.Dims)-1], n, gathers)
}

// sort assigns each op to a loop. It reports whether the loops can run one after the other.
func (d *distribution) sort() bool {
	for _, o := range d.ops {
		if p, ok := d.places[o]; ok && p.far {
			switch {
			case o.Code != ir.OpLoad:
				d.work[o] = scatters
			case !d.gathers:
				d.work[o] = collects
			}
		}
	}
	d.countLast()
	for n := -1; n != d.count(scatters); {
		n = d.count(scatters)
		d.spread()
	}
	if d.wide {
		d.histograms()
		d.tallies()
	}
	d.narrowSums()
	return d.inOrder()
}

// pays reports whether there is enough computation. If a loop only loads at data-dependent addresses, LLVM can vectorise it with gathers.
// So integer divisions count, and bodies under an if are split, only if the loop stores at such addresses.
func (d *distribution) pays() bool {
	work := 0
	writes := d.count(scatters) > 0
	if d.choice != nil && !writes {
		return false
	}
	for _, o := range d.ops {
		switch {
		case d.work[o] != computes || len(o.Results) == 0 || accesses(o):
		case o.Results[0].Type.Kind.IsFloat():
			work++
		case writes && (o.Code == ir.OpDiv || o.Code == ir.OpMod || o.Code == ir.OpRem):
			work += costOfDivision
		}
	}
	bytes, most := d.bytes(d.trips), int64(mostTransferredBytes)
	if len(d.tallied) > 0 {
		most = mostTalliedBytes
	}
	if d.counting && bytes <= most { // all but the histograms is vectorised
		return true
	}
	return len(d.slot) > len(d.firstIndices) && work >= fewestPerTransfer*(len(d.slot)-len(d.firstIndices)) && bytes <= mostTransferredBytes
}
