package graph_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gotaichi/ti/internal/graph"
)

// inwards is the edges from earlier batches as text.
func inwards(g *graph.Graph) []string {
	var all []string
	for _, e := range g.Before {
		from := "before"
		if e.From != (graph.Ref{}) {
			from = fmt.Sprintf("%d.%d", e.From.Batch, e.From.Segment)
		}
		all = append(all, fmt.Sprintf("%s>%d %s %s", from, e.To, kinds(e.Kind), g.Resources[e.Resource]))
	}
	return all
}

func TestHistory(t *testing.T) {
	w := newWorld()
	h := &graph.History{}
	next := func(batch string, want ...string) {
		t.Helper()
		if got := inwards(graph.New(w.batch(t, batch), h)); !slices.Equal(got, want) {
			t.Errorf("%s: the edges from before are %q, want %q", batch, got, want)
		}
	}
	next("F: r:X W:Y\nG: r:Y frame:8", "before>0 flow X") // what is wholly written has no state before
	next("F: r:X rw:Y\nG: w:Z frame:8", "before>0 flow X", "1.0>0 flow+output Y", "1.1>0 anti Y", "before>1 flow+output Z")
	next("F: r:X", "before>0 flow X")
	next("F: r:A\nG: r:X", "before>0 flow X", "before>1 flow X")
	next("F: W:X", "4.1>0 anti X", "4.0>0 anti X") // the readers of the last batch that read it
	next("F!: r:X", "5.0>0 flow X")                // memory of the caller is no state
	next("F: W:Y", "2.0>0 output Y")
	for _, s := range w.stored {
		if s.Memory != nil && s.Memory.Name == "X" {
			h.Forget(s.Memory)
		}
	}
	next("F: r:X r:Y", "before>0 flow X", "7.0>0 flow Y")
}

// TestHistoryBounded: what many batches read is not remembered for each of them.
func TestHistoryBounded(t *testing.T) {
	w := newWorld()
	all := w.batch(t, "F: r:X W:Y\nG: r:X r:Y")
	h := &graph.History{}
	for range 100 {
		graph.New(all, h)
	}
	g := graph.New(w.batch(t, "F: W:X"), h)
	if len(g.Before) != 2 {
		t.Errorf("after 100 batches the edges from before are %q", inwards(g))
	}
	if g.Batch != 101 {
		t.Errorf("batch %d follows 100 others", g.Batch)
	}
}
