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
	mostHandedBytes  = 16 << 10 // of the arrays between the loops: they stay in the first-level cache
	fewestPerHanding = 3        // operations on floats for each number that is handed over
	costOfDivision   = 6        // of whole numbers, in these: a product of twice the width, shifts and corrections
	stripOfSums      = 512      // iterations between which vectors of reductions are added up
)

// Task takes a loop whose iterations access memory at places that are data apart, into loops of one
// kind of work each.
//
// Input: a task with addresses, in strips if inspector has made them. Output: the same in strips, the loop over
// the iterations of a strip being replaced by up to four over the same iterations:
//
//	for the strip { the indices of these places, into local arrays, unless inspector has put them there }
//	for the strip { what is read at places that are data, into local arrays }
//	for the strip { all that is computed, and accesses side by side: vectors of iterations }
//	for the strip { what is written at places that are data, and what is read again there }
//
// The loops around that of the vectors go one iteration at a time, in the order of before, so that sums have the
// bits they had, also of iterations that add to one place. LLVM makes vectors of the one between them, which
// it would not of the whole: gathers and scatters cost it more than the vectors gain. Reductions are in that one; of histograms
// of what it computes, it hands the buckets to the last one, and where stores are counted, the numbers
// (tally.go). A loop that counts and reads at places found by other such reads has these in the loop of the vectors.
//
// Where the body stands under an if that goes the same way in all iterations, as interior leaves it, its first region is taken apart, and
// the second one, with the checks, stays whole.
//
// A load goes into the last loop if a store there may change what it reads. All others come before all
// stores of the strip: iterations of a parallel loop are independent of each other. Each load takes place once, but for
// those of local arrays that nothing in the loop changes.
//
// This is loop distribution with scalar expansion: Kennedy and Allen, "Optimizing Compilers for
// Modern Architectures", 2002, sections 5.7 and 6.2.
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

// replace calls by for the ops of b and of the ifs in it, for those that run seldom if that is set. By may append something in the
// place of an op to out, and reports whether it has.
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

// A distribution is a loop that is taken apart.
type distribution struct {
	*division
	strip
	transfer
	census
	narrowed narrowing
	wide     bool     // vectors can count
	ahead    bool     // the processor can be asked for memory
	flags    ir.Flags // of the loop of the vectors
}

// A strip is some iterations of the loop, through which the loops that are made of it go.
type strip struct {
	trips    int64     // at most
	from, to *ir.Value // its limits
	choice   *ir.Op    // the if around the body, which goes the same way in all iterations; nil if there is none
}

// bitsForGathers is how long the vectors of processors are on which gathers take less time than loads one by one.
const bitsForGathers = 512

// fewestDistributed is the length of the shortest strips that are worth several loops.
const fewestDistributed = 16

// newDistribution is that of a loop with this body.
func newDistribution(r *analysis.RangeInfo, pos ir.Pos, body *ir.Block, index *ir.Value, trips int64) *distribution {
	return &distribution{
		division: newDivision(newFacts(r, pos, body, index)), strip: strip{trips: trips}, transfer: newTransfer(),
		census: census{room: &room{left: math.MaxInt}}, flags: ir.Independent,
	}
}

// distributionOfLoop returns nil for a loop of a strip that is to stay whole, and for what is none.
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

// cutOfLoop returns nil for a loop of a strip that is not to become two loops, and for what is none.
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

// distributionOfTask returns nil for a task that is to stay whole.
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
	if len(d.kept) == 0 && (d.counting || len(t.Dims) == 1) {
		d.trips, d.room.free = max(d.trips, longStrip(t)), d.counting
	}
	if !d.repeat() || !d.sort() || !d.hand() || !d.pays() {
		return nil
	}
	return d
}

// cutOfTask returns nil for a task that is not to become two loops.
func cutOfTask(t *ir.Task, r *analysis.RangeInfo, gathers bool) *cut {
	n := versioning.StripLength(t)
	if n < fewestDistributed || t.Helper {
		return nil
	}
	return cutOfBody(r, t.Pos, t.Body, t.Body.Params[len(t.Dims)-1], n, gathers)
}

// sort gives each op its work. It reports whether the loops can run one after the other.
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

// pays reports whether there is enough to compute. A loop that only reads at places that are data is one that LLVM can make vectors
// of, with gathers. So divisions of whole numbers, and bodies under an if, count where there are stores at such places.
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
	bytes, most := d.bytes(d.trips), int64(mostHandedBytes)
	if len(d.tallied) > 0 {
		most = mostTalliedBytes
	}
	if d.counting && bytes <= most { // all but the histograms becomes vectors
		return true
	}
	return len(d.slot) > len(d.kept) && work >= fewestPerHanding*(len(d.slot)-len(d.kept)) && bytes <= mostHandedBytes
}
