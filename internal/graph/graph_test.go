package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/graph"
	"github.com/gotaichi/ti/internal/launch"
)

// edgesOf is the edges of a graph as text, by the names of launches: "Fill>Sum flow X". Segments but the first of a launch have their
// number behind it.
func edgesOf(g *graph.Graph) []string {
	var all []string
	name := func(n int) string {
		s := &g.Segments[n]
		text := g.Launches[s.Launch].Kernel.Name
		if first, _ := g.Of(s.Launch); n > first {
			text += fmt.Sprint(n - first)
		}
		return text
	}
	for _, e := range g.Edges {
		all = append(all, fmt.Sprintf("%s>%s %s %s", name(e.From), name(e.To), kinds(e.Kind), g.Resources[e.Resource]))
	}
	return all
}

func kinds(k graph.Edges) string {
	var all []string
	for i, name := range []string{"flow", "anti", "output"} {
		if k>>i&1 != 0 {
			all = append(all, name)
		}
	}
	return strings.Join(all, "+")
}

func TestEdges(t *testing.T) {
	for _, c := range []struct{ name, batch, want string }{
		{"nothing in common", "F: W:X\nG: W:Y", ""},
		{"two readers", "F: r:X\nG: r:X", ""},
		{"written, then read", "F: W:X\nG: r:X", "F>G flow X"},
		{"read, then written", "F: r:X\nG: W:X", "F>G anti X"},
		{"written, then written", "F: W:X\nG: W:X", "F>G output X"},
		{"a part is written, then another", "F: w:X\nG: w:X", "F>G flow+output X"},
		{"an update", "F: W:X\nG: rw:X", "F>G flow+output X"},
		{"an update of all elements", "F: W:X\nG: rW:X", "F>G flow+output X"},
		{"the last writer only", "F: W:X\nG: W:X\nH: r:X", "F>G output X, G>H flow X"},
		{"readers since", "F: W:X\nG: r:X\nH: r:X\nI: W:X\nJ: W:X", "F>G flow X, F>H flow X, F>I output X, H>I anti X, G>I anti X, I>J output X"},
		{"another name", "F: W:X\nG: r:A", "F>G flow X"},
		{"both names in one segment", "F: W:X r:A\nG: W:A", "F>G output X"},
		{"a member", "F: W:D1\nG: r:D.1\nH: r:D.0", "F>G flow D.1"},
		{"all components", "F: W:D\nG: r:D1 r:D.2", "F>G flow D.2, F>G flow D.1"},
		{"segments", "F: W:X ; r:X W:Y ; r:Y", "F>F1 flow X, F1>F2 flow Y"},
		{"a frame", "F: frame:8 W:X; frame:8 ; frame:16\nG: frame:8", "F>F1 flow+output frame 8"},
		{"an early return", "F: W:X ; return ; W:Y", "F>F1 anti frame 56, F1>F2 flow frame 56"},
		{"the bound of a range", "F: frame:48 ; long", "F>F1 flow+output frame 48"},
		{"where a range begins", "F: frame:48 ; begin", "F>F1 flow+output frame 48"},
		{"numbers that share an exponent", "F: W:U\nG: r:V", "F>G flow exponent of U and V"},
		{"and are written", "F: r:U\nG: W:V", "F>G anti exponent of U and V"},
		{"a list", "F: over:P\nG: over:P", ""},
		{"that changes", "F: over:P\nG: grow:Q\nH: over:R", "F>G anti mask of B, F>G anti lists of T, G>H flow mask of B, G>H flow lists of T"},
		{"that of another tree", "F: over:P\nG: grow:O\nH: over:R", ""},
		{"masks of a node below", "F: grow:R\nG: over:P", "F>G flow mask of B, F>G flow lists of T"},
		{"cleared cells", "F: clear:B\nG: r:R", "F>G flow cells of B"},
		{"cells of a node below", "F: clear:C\nG: r:P\nH: r:R", "F>H flow cells of C"},
		{"that were written", "F: w:Q\nG: clear:B", "F>G anti cells of B"},
		{"memory of the caller", "F: r:X\nG!: r:Y\nH: r:Z", "F>G anti everything, G>H flow everything"},
		{"memory that is not known", "F: r:X\nG?: r:Y\nH: r:Z", "F>G anti everything, G>H flow everything"},
		{"cells that are not known", "F: r:X\nG?: over:P\nH: r:Z", "F>G anti everything, G>H flow everything"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld()
			g := graph.New(w.batch(t, c.batch), nil)
			if got := strings.Join(edgesOf(g), ", "); got != c.want {
				t.Errorf("the edges are\n%s\nwant\n%s", got, c.want)
			}
			for i, e := range g.Edges {
				if e.From >= e.To || i > 0 && e.To < g.Edges[i-1].To {
					t.Errorf("edge %d is out of order: %+v", i, e)
				}
			}
		})
	}
}

// TestOwn: an element is an iteration's own in a segment if it is so by all names and in all tasks.
func TestOwn(t *testing.T) {
	w := newWorld()
	for _, c := range []struct {
		x, a bool
		want bool
	}{{true, true, true}, {true, false, false}, {false, true, false}} {
		all := w.batch(t, "F: w:X r:A")
		states := all[0].Kernel.Tasks[0].States
		states[0].Values[0].Own, states[1].Values[0].Own = c.x, c.a
		g := graph.New(all, nil)
		if u := g.Segments[0].Uses[0]; u.Own != c.want || u.Use != rw {
			t.Errorf("X %v, A %v: %+v", c.x, c.a, u)
		}
	}
}

// TestSegments: tasks of one loop are one segment, with their helpers, and each serial task is one. Parts of linked kernels number their own loops.
func TestSegments(t *testing.T) {
	w := newWorld()
	all := w.batch(t, "F: r:X ; helped w:X ; r:Y ; r:Z ; w:Z")
	k := all[0].Kernel
	for i, loop := range []int64{1, 2, 2, 2, 0, 0} {
		k.Tasks[i].Loop = loop
	}
	k.Parts = []launch.Part{{Name: "F", Done: -1}, {Name: "G", Done: -1}}
	k.Tasks = append(k.Tasks, launch.Task{Loop: 1, Part: 0}, launch.Task{Loop: 1, Part: 1}, launch.Task{Loop: 1, Part: 1})
	g := graph.New(all, nil)
	var got []string
	for _, s := range g.Segments {
		got = append(got, fmt.Sprint(s.Loop, s.Tasks, len(s.Uses), s.Keep != ""))
	}
	want := []string{"1 [0] 2 false", "2 [1 3] 3 true", "0 [4] 2 false", "0 [5] 2 false", "1 [6] 1 false", "1 [7 8] 1 false"}
	if !slices.Equal(got, want) {
		t.Errorf("the segments are %q, want %q", got, want)
	}
}
