package distribute

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// A work identifies the loop to which an op is assigned.
type work uint8

const (
	computes work = iota // the vector loop
	collects             // a loop before it, with loads at data-dependent addresses
	scatters             // a loop after it, with stores at such addresses
	counts               // the counting after all loops, in histograms and variables
)

// A division assigns the ops of the loop to the loops that replace it.
type division struct {
	*facts
	work          map[*ir.Op]work
	firstIndices  []*ir.Value        // the indices that are computed in a loop before the others
	vectorIndices []*ir.Value        // the indices that the vector loop computes for the last loop
	again         map[*ir.Value]bool // values that each loop recomputes, or reloads from an array
	moved         map[*ir.Op]bool    // tallies that are counted after the loops
	counting      bool               // the loop is split for the sake of its counting
	gathers       bool               // the vector loop loads at data-dependent addresses
}

// newDivision returns the division that assigns all ops to the vector loop.
func newDivision(f *facts) *division {
	return &division{facts: f, work: map[*ir.Op]work{}, again: map[*ir.Value]bool{}, moved: map[*ir.Op]bool{}}
}

// countLast assigns the tallies to the last loop, which runs one iteration at a time.
func (d *division) countLast() {
	for _, o := range d.ops {
		if o.Code == ir.OpTally {
			d.work[o] = scatters
		}
	}
}

// repeat finds the values that each loop recomputes.
func (d *division) repeat() bool {
	for _, v := range d.firstIndices {
		d.again[v] = true
	}
	for _, o := range d.ops {
		if len(o.Results) == 1 && d.repeats(o) {
			d.again[o.Results[0]] = true
		}
	}
	return true
}

// repeats reports whether each loop that needs the result of o recomputes it: an integer or an address that is computed from the iteration
// and from local arrays.
func (d *division) repeats(o *ir.Op) bool {
	known := !slices.ContainsFunc(o.Args, func(v *ir.Value) bool {
		return d.depends[v] && v != d.index && !d.again[v] && !slices.Contains(d.vectorIndices, v)
	})
	kind := o.Results[0].Type.Kind
	switch o.Code {
	case ir.OpLoad:
		return known && d.places[o].local && !d.places[o].far && !d.sums[o.Args[0]]
	case ir.OpDiv, ir.OpMod, ir.OpCall:
		return false
	}
	return known && o.Code.Is(ir.Pure) && (kind.IsInt() || kind == ir.Ptr)
}

// count returns the number of ops that are assigned to w.
func (d *division) count(w work) int {
	n := 0
	for _, o := range d.ops {
		if d.work[o] == w {
			n++
		}
	}
	return n
}

// spread assigns an op to the last loop if it uses a result of an op there, or may access memory to which an op there stores.
func (d *division) spread() {
	for _, o := range d.ops {
		if d.work[o] == scatters {
			continue
		}
		for _, v := range operands(o) {
			if def, here := d.at[v.Def]; v.Def != nil && here && d.work[d.ops[def]] == scatters {
				d.work[o] = scatters
			}
		}
		if !accesses(o) || d.again[o.Result()] {
			continue
		}
		for _, s := range d.ops {
			if d.work[s] == scatters && accesses(s) && s.Code != ir.OpLoad && meetPlaces(d.places[s], d.places[o]) {
				d.work[o] = scatters
			}
		}
	}
}

// inOrder reports whether the loops preserve the order of accesses: the first loop moves no access before a store of its own iteration to
// the same place, and no access of the last loop may be to a place to which the vector loop stores.
func (d *division) inOrder() bool {
	for _, s := range d.ops {
		if s.Code != ir.OpStore || d.work[s] != computes {
			continue
		}
		for _, o := range d.ops {
			if !accesses(o) || d.work[o] == computes || !meetPlaces(d.places[s], d.places[o]) {
				continue
			}
			if d.work[o] == scatters || d.at[o] > d.at[s] {
				return false
			}
		}
	}
	return true
}
