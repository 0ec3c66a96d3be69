package distribute

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// A work is what an op of the loop belongs to.
type work uint8

const (
	computes work = iota // the loop of the vectors
	collects             // one before it, which reads at places that are data
	scatters             // one behind it, which writes at such places
	counts               // what is behind all loops, in histograms and variables
)

// A division says which of the loops has an op.
type division struct {
	*facts
	work     map[*ir.Op]work
	kept     []*ir.Value        // the indices that a loop before the others computes
	late     []*ir.Value        // those that the loop of the vectors computes for the last one
	again    map[*ir.Value]bool // values that each loop computes for itself, or has an array of
	moved    map[*ir.Op]bool    // tallies that are made behind the loops
	counting bool               // the loops are taken apart for what is counted
	gathers  bool               // the loop of the vectors reads at places that are data
}

// newDivision is one in which all ops are of the loop of the vectors.
func newDivision(f *facts) *division {
	return &division{facts: f, work: map[*ir.Op]work{}, again: map[*ir.Value]bool{}, moved: map[*ir.Op]bool{}}
}

// countLast makes the counting of stores part of the last loop, where it goes one iteration at a time.
func (d *division) countLast() {
	for _, o := range d.ops {
		if o.Code == ir.OpTally {
			d.work[o] = scatters
		}
	}
}

// repeat finds the values that each loop computes for itself.
func (d *division) repeat() bool {
	for _, v := range d.kept {
		d.again[v] = true
	}
	for _, o := range d.ops {
		if len(o.Results) == 1 && d.repeats(o) {
			d.again[o.Results[0]] = true
		}
	}
	return true
}

// repeats reports whether each loop that needs the result of o computes it anew: whole numbers and addresses that follow
// from the iteration and from local arrays.
func (d *division) repeats(o *ir.Op) bool {
	known := !slices.ContainsFunc(o.Args, func(v *ir.Value) bool {
		return d.depends[v] && v != d.index && !d.again[v] && !slices.Contains(d.late, v)
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

// count returns the number of ops with work w.
func (d *division) count(w work) int {
	n := 0
	for _, o := range d.ops {
		if d.work[o] == w {
			n++
		}
	}
	return n
}

// spread makes an op one of the last loop if it uses a result of one there, or may access what one there stores.
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

// inOrder reports whether no access overtakes a store of its own iteration, as the first loop might, and whether
// none of the last loop reads what the middle one stores.
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
