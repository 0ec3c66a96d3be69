package graph_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gotaichi/ti/internal/graph"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/randtest"
)

var batches = randtest.New("batches", "firstbatch", "random batches of launches", 3000, 300)

// shuffled returns a random topological order of segments, but for edges of some kinds.
func shuffled(r *rand.Rand, g *graph.Graph, without graph.Edges) []int {
	waits, next := make([]int, len(g.Segments)), make([][]int, len(g.Segments))
	for _, e := range g.Edges {
		if e.Kind&^without != 0 {
			waits[e.To]++
			next[e.From] = append(next[e.From], e.To)
		}
	}
	var ready, order []int
	for n, w := range waits {
		if w == 0 {
			ready = append(ready, n)
		}
	}
	for len(ready) > 0 {
		i := r.IntN(len(ready))
		n := ready[i]
		ready = slices.Delete(ready, i, i+1)
		order = append(order, n)
		for _, to := range next[n] {
			if waits[to]--; waits[to] == 0 {
				ready = append(ready, to)
			}
		}
	}
	return order
}

// TestRandomOrders: in each topological order, segments leave the values that they leave in the order of the program.
func TestRandomOrders(t *testing.T) {
	moved := 0
	batches.Each(t, func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		w := newWorld()
		text := dice{Rand: r}.batch(2 + r.IntN(12))
		g := graph.New(w.batch(t, text), nil)
		want := inOrder(w, g, program(g, nil))
		for range 5 {
			order := shuffled(r, g, 0)
			if len(order) != len(g.Segments) {
				t.Fatalf("the graph of\n%s\nhas a cycle", text)
			}
			if !slices.IsSorted(order) {
				moved++
			}
			if got := inOrder(w, g, order); got != want {
				t.Fatalf("in the order %v the batch\n%s\nleaves\n%s\nwant\n%s", order, text, got, want)
			}
		}
	})
	if n := int(batches.Count()); moved < n {
		t.Errorf("in %d batches %d orders are not those of the program: the test finds nothing", n, moved)
	}
}

// TestEdgesNeeded: without edges of one kind there are orders that leave other values.
func TestEdgesNeeded(t *testing.T) {
	for _, kind := range []graph.Edges{graph.Flow, graph.Anti, graph.Output} {
		wrong := 0
		for seed := range uint64(200) {
			r := rand.New(rand.NewPCG(seed, 2))
			w := newWorld()
			g := graph.New(w.batch(t, dice{Rand: r}.batch(8)), nil)
			without := kind
			if kind == graph.Flow { // else the output edges beside them keep the order of writers
				without |= graph.Output
			}
			if inOrder(w, g, shuffled(r, g, without)) != inOrder(w, g, program(g, nil)) {
				wrong++
			}
		}
		if wrong < 10 {
			t.Errorf("without edges of kind %s the values are wrong in %d of 200 batches: the model notices nothing", kinds(kind), wrong)
		}
	}
}

// TestRandomDead: what is left without dead segments or launches leaves the same values.
func TestRandomDead(t *testing.T) {
	found := [3]int{}
	batches.Each(t, func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 3))
		w := newWorld()
		text := dice{Rand: r, stops: seed%2 == 1}.batch(2 + r.IntN(16))
		g := graph.New(w.batch(t, text), nil)
		want := inOrder(w, g, program(g, nil))
		segments := g.DeadSegments()
		launches, within := g.Removable()
		found[0] += len(segments)
		found[1] += len(launches)
		found[2] += len(within)
		if got := inOrder(w, g, program(g, launches)); got != want {
			t.Fatalf("without the launches %s the batch\n%s\nleaves\n%s\nwant\n%s", removed(g, launches), text, got, want)
		}
		if seed%2 == 1 { // what follows a segment without memory runs if the segment does not
			return
		}
		if got := inOrder(w, g, program(g, slices.Concat(launches, within))); got != want {
			t.Fatalf("without the launches %s and the segments %s the batch\n%s\nleaves\n%s\nwant\n%s", removed(g, launches), removed(g, within), text, got, want)
		}
		if got := inOrder(w, g, program(g, segments)); got != want {
			t.Fatalf("without the segments %s the batch\n%s\nleaves\n%s\nwant\n%s", removed(g, segments), text, got, want)
		}
		left := slices.DeleteFunc(shuffled(r, g, 0), func(n int) bool { return !slices.Contains(program(g, segments), n) })
		if got := inOrder(w, g, left); got != want {
			t.Fatalf("without the segments %s, in the order %v, the batch\n%s\nleaves\n%s\nwant\n%s", removed(g, segments), left, text, got, want)
		}
	})
	if n := int(batches.Count()); found[0] < n/4 || found[1] < n/8 || found[2] < n/8 {
		t.Errorf("in %d batches %d launches have dead segments, %d are dead, and %d run without some: the test finds nothing", n, found[0], found[1], found[2])
	}
}

// TestRandomPaths: a segment is dead just if no path of flow edges leads from it to one that must run, or to a value that is live behind the
// batch, where nobody who may fail overwrites, and no frame, exponent or memory of the caller is between.
func TestRandomPaths(t *testing.T) {
	found := 0
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 4))
		w := newWorld()
		text := ""
		for i := range 12 {
			text += fmt.Sprintf("K%d:", i)
			for _, f := range []string{"X", "Y", "Z"} {
				if r.IntN(3) == 0 {
					text += " " + []string{"r", "w", "W", "rw"}[r.IntN(4)] + ":" + f
				}
			}
			text += []string{"", "", "", "", " print"}[r.IntN(5)] + "\n"
		}
		g := graph.New(w.batch(t, text), nil)
		dead := map[int]bool{}
		for _, d := range g.DeadSegments() {
			for _, n := range d.Segments {
				dead[n] = true
				found++
			}
		}
		memo := map[int]bool{}
		for n := len(g.Segments) - 1; n >= 0; n-- {
			memo[n] = lives(g, memo, n)
			if memo[n] == dead[n] {
				t.Errorf("seed %d: segment %d of\n%s\nis dead: %v", seed, n, text, dead[n])
			}
		}
	}
	if found < 500 {
		t.Errorf("%d segments are dead: the test finds nothing", found)
	}
}

// lives reports whether a path leads from a segment to where it is needed. Later segments are known. A segment that writes a part of what is
// there hands on the rest, whether or not it lives itself.
func lives(g *graph.Graph, later map[int]bool, n int) bool {
	if g.Segments[n].Keep != "" {
		return true
	}
	for _, u := range g.Segments[n].Uses {
		if u.Use&launch.Writes != 0 && needed(g, later, n, u.Resource) {
			return true
		}
	}
	return false
}

// needed reports whether the value that a segment leaves in a resource is.
func needed(g *graph.Graph, later map[int]bool, n, resource int) bool {
	last := true
	for _, e := range g.Edges {
		if e.From != n || e.Resource != resource {
			continue
		}
		last = last && e.Kind&graph.Output == 0
		if e.Kind&graph.Flow == 0 {
			continue
		}
		for _, u := range g.Segments[e.To].Uses {
			if u.Resource == resource && (u.Use&launch.Reads != 0 && later[e.To] || u.Use == launch.Writes && needed(g, later, e.To, resource)) {
				return true
			}
		}
	}
	return last
}

// TestReconstruction: launches in another order that the graph allows have the same graph.
func TestReconstruction(t *testing.T) {
	moved := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 5))
		w := newWorld()
		all := w.batch(t, dice{Rand: r}.batch(2+r.IntN(12)))
		g := graph.New(all, nil)
		order := launchOrder(r, g)
		if !slices.IsSorted(order) {
			moved++
		}
		again := make([]graph.Launch, len(all))
		for i, n := range order {
			again[i] = all[n]
		}
		want, got := edgesOf(g), edgesOf(graph.New(again, nil))
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d, order %v: the edges are\n%q\nwant\n%q", seed, order, got, want)
		}
	}
	if moved < 100 {
		t.Errorf("%d of 300 orders are not those of the program: the test finds nothing", moved)
	}
}

// launchOrder returns a random order of launches with all edges.
func launchOrder(r *rand.Rand, g *graph.Graph) []int {
	var order []int
	for len(order) < len(g.Launches) {
		n := r.IntN(len(g.Launches))
		if slices.Contains(order, n) {
			continue
		}
		blocked := slices.ContainsFunc(g.Edges, func(e graph.Edge) bool {
			from := g.Segments[e.From].Launch
			return g.Segments[e.To].Launch == n && from != n && !slices.Contains(order, from)
		})
		if !blocked {
			order = append(order, n)
		}
	}
	return order
}

// TestRandomReach compares paths with those that a search finds.
func TestRandomReach(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 6))
		w := newWorld()
		g := graph.New(w.batch(t, dice{Rand: r}.batch(2+r.IntN(80))), nil)
		to := make([]map[int]bool, len(g.Segments))
		for n := len(g.Segments) - 1; n >= 0; n-- {
			to[n] = map[int]bool{}
			for _, e := range g.Edges {
				if e.From == n {
					to[n][e.To] = true
					for m := range to[e.To] {
						to[n][m] = true
					}
				}
			}
		}
		detour := func(a, b int) bool {
			for n := range to[a] {
				if to[n][b] {
					return true
				}
			}
			return false
		}
		for a := range g.Segments {
			for b := range g.Segments {
				if got := g.Reaches(a, b); got != to[a][b] {
					t.Fatalf("seed %d: a path from %d to %d: %v", seed, a, b, got)
				}
				if via := g.Detour(a, b); via >= 0 != detour(a, b) || via >= 0 && !(to[a][via] && to[via][b]) {
					t.Fatalf("seed %d: a detour from %d to %d by way of %d", seed, a, b, via)
				}
			}
		}
		for a := range g.Launches {
			for b := a + 1; b < len(g.Launches); b++ {
				want := false
				for n, s := range g.Segments {
					if s.Launch != a && s.Launch != b {
						want = want || reaches(g, to, a, n, true) && reaches(g, to, b, n, false)
					}
				}
				if via := g.Between(a, b); via >= 0 != want {
					t.Fatalf("seed %d: between the launches %d and %d is %d", seed, a, b, via)
				}
			}
		}
	}
}

// reaches reports whether a segment of a launch reaches n, or n reaches one.
func reaches(g *graph.Graph, to []map[int]bool, l, n int, forward bool) bool {
	first, end := g.Of(l)
	for m := first; m < end; m++ {
		if forward && to[m][n] || !forward && to[n][m] {
			return true
		}
	}
	return false
}
