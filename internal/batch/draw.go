package batch

import (
	"fmt"
	"io"
	"slices"

	"github.com/gotaichi/ti/internal/graph"
)

// A drawing takes a picture of each batch.
type drawing struct {
	pictures []graph.Picture
	history  graph.History
	launches uint64 // so far
}

// Draw has the queue take pictures of its batches from now on, which wait for their plans. The caller holds the launch lock.
func (q *Queue) Draw() { q.drawing, q.planner.waits, q.planner.explains = new(drawing), true, true }

// Drawn writes the pictures, and takes no more. The caller holds the launch lock.
func (q *Queue) Drawn(w io.Writer) error {
	d := q.drawing
	q.drawing = nil
	return graph.WriteDOT(w, d.pictures...)
}

// draw takes a picture of a batch, for which the plan has been made.
func (q *Queue) draw(b *batch, p *plan) {
	d, m := q.drawing, p.made.Load()
	if m == nil || m.graph == nil {
		return
	}
	q.planner.planning.Lock()
	g := q.planner.storages.graphOf(p.variants, p.kernels, d.launches, &d.history)
	q.planner.planning.Unlock()
	d.launches += uint64(len(b.launches))
	picture := graph.Picture{Graph: g, Removed: slices.Concat(m.removed, m.left), Notes: m.apart}
	for i := range m.steps {
		if group, ok := groupOf(g, &m.steps[i]); ok {
			picture.Groups = append(picture.Groups, group)
		}
	}
	d.pictures = append(d.pictures, picture)
}

// groupOf returns the launches of a step as they are drawn; false if they are one that runs by itself.
func groupOf(g *graph.Graph, s *step) (group graph.Group, ok bool) {
	switch {
	case s.concurrent != nil:
		group.Label = "concurrent where no edges lead from one to another"
		for i := range s.apart {
			if inner, ok := groupOf(g, &s.apart[i]); ok {
				group.Groups = append(group.Groups, inner)
			} else {
				group.Segments = append(group.Segments, allSegments(g, s.apart[i].launches)...)
			}
		}
		return group, true
	case s.settled != nil:
		group.Label = fmt.Sprintf("where no cell is activated any more: %d tasks instead of %d", s.settled.code.Tasks(), s.settled.code.Tasks()+s.saves)
	case s.tiles != nil:
		group.Label = fmt.Sprintf("in tiles of %d rows", s.tiles.rows)
	case s.linked != nil:
		group.Label = fmt.Sprintf("linked: %d tasks instead of %d", s.linked.Tasks(), s.linked.Tasks()+s.saves)
	default:
		return group, false
	}
	group.Segments = allSegments(g, s.launches)
	return group, true
}

// allSegments returns the segments of launches.
func allSegments(g *graph.Graph, launches []int) (all []int) {
	for _, l := range launches {
		all = append(all, segmentsOf(g, l)...)
	}
	return all
}
