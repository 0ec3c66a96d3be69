package analysis

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// mostPairs limits how many pairs of accesses are compared in a block.
const mostPairs = 1 << 20

// AccessesAgain reports whether b, the body of a loop, may access memory to which the same iteration has stored before. Loops in b
// count with their later iterations. Local arrays and the frame count if locals is set. AccessesAgain returns true if there are too
// many accesses to compare.
func AccessesAgain(b *ir.Block, r *RangeInfo, locals bool) bool {
	d := &dependences{References: ReferencesOf(r), left: mostPairs, locals: locals}
	d.block(b)
	return d.found
}

// dependences searches for an access that may touch memory stored before in the same iteration of the loop.
type dependences struct {
	*References
	stored []Reference // the stores that may have run before the current op
	all    []Reference // every access in the loops around the current op
	loops  int         // the number of these loops
	left   int         // comparisons left of mostPairs
	locals bool        // whether accesses to local arrays count
	found  bool        // whether there is such an access, or too much to compare
}

func (d *dependences) block(b *ir.Block) {
	for _, o := range b.Ops {
		switch {
		case d.found:
			return
		case o.Code == ir.OpLoad:
			d.access(d.Of(o, o.Results[0].Type, false))
		case o.Code == ir.OpStore:
			d.access(d.Of(o, o.Args[1].Type, true))
		case o.Code == ir.OpAtomic:
			d.access(d.Of(o, o.Results[0].Type, true))
		case o.Code.Is(ir.Loop):
			d.loop(o)
		case o.Code == ir.OpIf:
			d.branches(o)
		default:
			for _, r := range o.Regions {
				d.block(r)
			}
		}
	}
}

// access compares x with the stores before it. For a task, accesses to local arrays and the frame do not count, since codegen promises
// nothing about them.
func (d *dependences) access(x Reference) {
	if o := x.root.Def; !d.locals && o != nil && (o.Code == ir.OpAlloc || o.Code == ir.OpFrame) {
		return
	}
	for i := range d.stored {
		if d.left--; d.left < 0 || d.meets(&d.stored[i], &x) {
			d.found = true
			return
		}
	}
	if x.stores {
		d.stored = append(d.stored, x)
	}
	if d.loops > 0 {
		d.all = append(d.all, x)
	}
}

// branches visits an if. Stores in one region and accesses in the other are never in the same run.
func (d *dependences) branches(o *ir.Op) {
	before := len(d.stored)
	d.block(o.Regions[0])
	first := slices.Clone(d.stored[before:])
	d.stored = d.stored[:before]
	d.block(o.Regions[1])
	d.stored = append(d.stored, first...)
}

// loop visits a loop, and then compares the stores of an iteration with the accesses of
// later ones: loop-carried dependences.
func (d *dependences) loop(o *ir.Op) {
	stored, all := len(d.stored), len(d.all)
	d.loops++
	d.block(o.Regions[0])
	d.loops--
	if d.found || len(d.stored) == stored {
		return
	}
	c := carrier(o)
	for i := range d.stored[stored:] {
		for j := range d.all[all:] {
			if d.left--; d.left < 0 || d.carried(c, &d.stored[stored+i], &d.all[all+j]) {
				d.found = true
				return
			}
		}
	}
}

// meets reports whether y may access the bytes that s has stored, in the same iteration of every loop around both.
func (d *dependences) meets(s, y *Reference) bool {
	if disjoint, known := s.disjoint(y); known {
		return !disjoint
	}
	if s.termID == y.termID {
		return overlap(y.at.C-s.at.C, s.Size, y.Size)
	}
	gap, ok := d.r.Interval(y.at.Plus(s.at, -1))
	return !ok || gap.Any || gap.Lo < s.Size && gap.Hi > -y.Size
}

// A carriedLoop describes a loop that may carry a dependence.
type carriedLoop struct {
	index *ir.Value          // the induction variable, with step 1; nil for none
	trips int64              // the trip count, at least 1; 0 if it is unknown
	inner map[*ir.Value]bool // the values defined in the loop
}

// carrier describes the loop o.
func carrier(o *ir.Op) *carriedLoop {
	body := LoopBodyOf(o.Regions[0])
	c := &carriedLoop{inner: body.Inside}
	if o.Code == ir.OpFor {
		c.index = body.Params[0]
		lo, ok1 := ir.IntOf(o.Args[0])
		hi, ok2 := ir.IntOf(o.Args[1])
		if ok1 && ok2 {
			c.trips = max(TripsBetween(o.Args[0].Type.Kind, lo, hi), 1)
		}
	}
	return c
}

// carried reports whether y, in a later iteration of loop c, may access the bytes that s has stored.
func (d *dependences) carried(c *carriedLoop, s, y *Reference) bool {
	if disjoint, known := s.disjoint(y); known {
		return !disjoint
	}
	if s.termID != y.termID || s.root.Def != nil && c.inner[s.root] && s.root.Def.Code != ir.OpBase {
		return true
	}
	step, gap := int64(0), y.at.C-s.at.C
	for _, t := range y.at.Terms {
		switch {
		case t.V == c.index:
			step = t.Coef
		case c.inner[t.V]:
			return true
		}
	}
	switch nearest := gap + step; { // in the next iteration
	case step == 0:
		return overlap(gap, s.Size, y.Size)
	case step > 0 && nearest >= s.Size, step < 0 && nearest <= -y.Size:
		return false
	}
	// A loop with few iterations may end before y reaches the bytes that s has stored.
	way, ok := MulExact(step, c.trips-1)
	farthest, exact := AddExact(gap, way)
	if c.trips == 0 || c.trips == Endless || !ok || !exact {
		return true
	}
	return !(step > 0 && farthest <= -y.Size || step < 0 && farthest >= s.Size)
}
