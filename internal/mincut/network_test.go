package mincut

import (
	"math/rand/v2"
	"testing"
)

// TestCut compares cuts of small random graphs with the cheapest of all there are, and the one of these with the fewest nodes behind it.
func TestCut(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n := 2 + rng.IntN(7)
		c := New(n)
		type edge struct {
			from, to int
			cost     int64
		}
		var edges []edge
		for range rng.IntN(3 * n) {
			e := edge{rng.IntN(n), rng.IntN(n), int64(rng.IntN(4))}
			if rng.IntN(6) == 0 {
				e.cost = Never
			}
			edges = append(edges, e)
			c.Edge(e.from, e.to, e.cost)
		}
		least, fewest, best := int64(Never), n, 0
		for set := 0; set < 1<<n; set++ { // of nodes behind the cut
			if set&1 != 0 || set>>(n-1)&1 == 0 {
				continue
			}
			cost, nodes := int64(0), 0
			for _, e := range edges {
				if set>>e.from&1 == 0 && set>>e.to&1 == 1 {
					cost += e.cost
				}
			}
			for i := range n {
				nodes += set >> i & 1
			}
			if cost < least || cost == least && cost < Never && nodes < fewest {
				least, fewest, best = cost, nodes, set
			}
		}
		behind, ok := c.Behind(0, n-1)
		if ok != (least < Never) {
			t.Fatalf("%v: a cut: %v; the cheapest costs %d", edges, ok, least)
		}
		if ok {
			reached := uint(1)
			for range n {
				for _, e := range edges {
					if reached>>e.from&1 == 1 && best>>e.to&1 == 0 {
						reached |= 1 << e.to
					}
				}
			}
			for i, is := range c.Reached(0, behind) {
				if is != (reached>>i&1 == 1) {
					t.Fatalf("%v: node %d is reached: %v", edges, i, is)
				}
			}
		}
		for i := range behind {
			if behind[i] != (best>>i&1 == 1) {
				t.Fatalf("%v: behind the cut are %v, want those of %b", edges, behind, best)
			}
		}
	}
}
