package graph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/launch"
)

// A Removal is what need not run.
type Removal struct {
	Launch   int   // number in Graph.Launches
	Segments []int // numbers in Graph.Segments; all of the launch, or some
	By       []Overwrite
	Why      string // another reason; "" for that of By
}

// An Overwrite says which segment wholly overwrites a resource before anything reads it.
type Overwrite struct {
	Resource, Segment int
}

// Reason says why something need not run.
func (g *Graph) Reason(r *Removal) string {
	if r.Why != "" {
		return r.Why
	}
	if len(r.By) == 0 {
		return "it writes nothing that anything reads"
	}
	var all []string
	for _, by := range r.By {
		all = append(all, fmt.Sprintf("%s is overwritten by %s at %s before anything reads it", g.Resources[by.Resource], g.Name(by.Segment), placeText(g.place(by.Segment))))
	}
	return strings.Join(all, ", and ")
}

// DeadSegments returns the dead segments, launch by launch. Those of one launch that are left run without the others: nothing that they
// use comes from these.
func (g *Graph) DeadSegments() []Removal {
	w := newLiveness(g)
	var all []Removal
	for l := len(g.Launches) - 1; l >= 0; l-- {
		first, end := g.Of(l)
		r := Removal{Launch: l}
		for n := end - 1; n >= first; n-- {
			if !w.isDead(n) {
				w.keep(n)
				continue
			}
			r.Segments = append(r.Segments, n)
			r.By = w.overwrites(n, r.By)
		}
		if len(r.Segments) > 0 || first == end {
			slices.Reverse(r.Segments)
			all = append(all, r)
		}
	}
	slices.Reverse(all)
	return all
}

// DeadLaunches returns the launches that can be dropped as a whole. Launches of which one segment is not dead run with all segments.
func (g *Graph) DeadLaunches() []Removal {
	launches, _ := g.Removable()
	return launches
}

// Removable returns the launches that can be dropped as a whole, and dead segments of others. These segments may also run, since nothing is dropped for want of
// one that reads it: values that they read are what they would be in program order.
func (g *Graph) Removable() (launches, segments []Removal) {
	w := newLiveness(g)
	for l := len(g.Launches) - 1; l >= 0; l-- {
		first, end := g.Of(l)
		r := Removal{Launch: l}
		for n := end - 1; n >= first && w.isDead(n); n-- {
			r.Segments = append(r.Segments, n)
			r.By = w.overwrites(n, r.By)
		}
		if len(r.Segments) == end-first {
			slices.Reverse(r.Segments)
			launches = append(launches, r)
			continue
		}
		if r = w.within(l); len(r.Segments) > 0 {
			segments = append(segments, r)
		}
	}
	slices.Reverse(launches)
	slices.Reverse(segments)
	return launches, segments
}

// within goes past a launch that runs, and returns which of its segments are dead.
func (w *liveness) within(launch int) Removal {
	r := Removal{Launch: launch}
	first, end := w.g.Of(launch)
	for n := end - 1; n >= first; n-- {
		if w.isDead(n) {
			r.Segments = append(r.Segments, n)
			r.By = w.overwrites(n, r.By)
		}
		w.keep(n)
	}
	slices.Reverse(r.Segments)
	return r
}

// liveness is what is known of resources on the way from the last segment to the first.
type liveness struct {
	g      *Graph
	needed []bool  // by resource: who comes later needs its value, or the host does behind the batch
	killer []int32 // by resource that is not needed: 1 + the segment that overwrites it; 0 for nobody
}

func newLiveness(g *Graph) *liveness {
	w := &liveness{g: g, needed: make([]bool, len(g.Resources)), killer: make([]int32, len(g.Resources))}
	for i := range g.Resources {
		r := &g.Resources[i]
		w.needed[i] = r.Kind != Frame || r.At < 8*int64(r.Of.(*Launch).Kernel.Results)
	}
	return w
}

// isDead reports whether nobody needs a segment.
func (w *liveness) isDead(n int) bool {
	s := &w.g.Segments[n]
	return s.Keep == "" && !slices.ContainsFunc(s.Uses, func(u Use) bool { return u.writes() && w.needed[u.Resource] })
}

// keep goes past a segment that runs.
func (w *liveness) keep(n int) {
	s := &w.g.Segments[n]
	if s.barrier {
		for r := range w.needed {
			w.needed[r] = true
		}
		return
	}
	for i := range s.Uses {
		u := &s.Uses[i]
		switch {
		case u.Use&launch.Reads != 0:
			w.needed[u.Resource] = true
		case u.Whole && s.certain:
			w.needed[u.Resource], w.killer[u.Resource] = false, int32(n+1)
		}
	}
}

// overwrites adds who overwrites what a dead segment writes.
func (w *liveness) overwrites(n int, all []Overwrite) []Overwrite {
	uses := w.g.Segments[n].Uses
	for i := range uses {
		r := uses[i].Resource
		by := Overwrite{Resource: r, Segment: int(w.killer[r]) - 1}
		if uses[i].writes() && w.g.Resources[r].Kind != Frame && !slices.Contains(all, by) {
			all = append(all, by)
		}
	}
	return all
}
