package batch

import (
	"slices"

	"github.com/gotaichi/ti/internal/graph"
)

// A tape stores 1 to the adjoint of the loss in each round. It is 1 already if nothing has stored there since the last round but what is dead, and then the
// store would stand between the loops of two rounds for nothing.

// again reports whether the last launch of a batch is to store the same to the same element as an earlier store of the host there, which has this variant.
func (b *batch) again(e *entry) bool {
	for i := len(b.launches) - 1; i >= 0; i-- {
		if p := &b.launches[i]; p.variant == e.variant {
			return slices.Equal(b.args[p.at:p.at+p.args], b.args[e.at:e.at+e.args])
		}
	}
	return false
}

// redundant adds stores of the host that store what is there to the launches that need not run.
func (p *plan) redundant(g *graph.Graph, removed []graph.Removal) []graph.Removal {
	dead := removed
	in := func(all []graph.Removal, launch int) bool {
		return slices.ContainsFunc(all, func(r graph.Removal) bool { return r.Launch == launch })
	}
	gone := func(launch int) bool { return in(removed, launch) }
	for i := range p.variants {
		if !p.again[i] || gone(i) {
			continue
		}
		before := i - 1
		for p.variants[before] != p.variants[i] {
			before--
		}
		overwritten := in(dead, before) // else it runs, or what it stores is there, too
		for l := before + 1; l < i && !overwritten; l++ {
			overwritten = !gone(l) && g.Meets(l, i)
		}
		if !overwritten {
			removed = append(removed, graph.Removal{Launch: i, Segments: segmentsOf(g, i), Why: "it stores what is there already"})
		}
	}
	return removed
}

func segmentsOf(g *graph.Graph, launch int) (all []int) {
	first, end := g.Of(launch)
	for n := first; n < end; n++ {
		all = append(all, n)
	}
	return all
}
