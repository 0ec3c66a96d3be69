package autodiff

import (
	"math/rand/v2"
	"testing"
)

// TestCut compares cuts with the best of all of them, in small networks.
func TestCut(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		n := newNetwork()
		for range rng.IntN(5) {
			n.node()
		}
		type edge struct {
			from, to int
			capacity int64
		}
		var edges []edge
		for range rng.IntN(14) {
			e := edge{rng.IntN(len(n.edges)), rng.IntN(len(n.edges)), rng.Int64N(6)}
			if rng.IntN(5) == 0 && e.from != source {
				e.capacity = unlimited
			}
			edges = append(edges, e)
			n.edge(e.from, e.to, e.capacity)
		}
		cost := func(inside func(node int) bool) (sum int64) {
			for _, e := range edges {
				if inside(e.from) && !inside(e.to) {
					sum += e.capacity
				}
			}
			return sum
		}
		best := int64(unlimited)
		for set := range 1 << len(n.edges) {
			if set>>source&1 == 1 && set>>sink&1 == 0 {
				best = min(best, cost(func(node int) bool { return set>>node&1 == 1 }))
			}
		}
		side := n.cut()
		if got := cost(func(node int) bool { return side[node] }); got != best || !side[source] || side[sink] {
			t.Fatalf("the cut of %v costs %d, and the best one %d", edges, got, best)
		}
	}
}
