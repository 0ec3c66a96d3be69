package pass

import (
	"math/rand/v2"
	"testing"
)

// TestCut compares cuts of small random graphs with the cheapest of all there are, and the one of these with the fewest nodes behind it.
func TestCut(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n := 2 + rng.IntN(7)
		c := newCut(n)
		type edge struct {
			from, to int
			cost     int64
		}
		var edges []edge
		for range rng.IntN(3 * n) {
			e := edge{rng.IntN(n), rng.IntN(n), int64(rng.IntN(4))}
			if rng.IntN(6) == 0 {
				e.cost = uncuttable
			}
			edges = append(edges, e)
			c.edge(e.from, e.to, e.cost)
		}
		least, fewest, best := uncuttable, n, 0
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
			if cost < least || cost == least && cost < uncuttable && nodes < fewest {
				least, fewest, best = cost, nodes, set
			}
		}
		behind, ok := c.behind(0, n-1)
		if ok != (least < uncuttable) {
			t.Fatalf("%v: a cut: %v; the cheapest costs %d", edges, ok, least)
		}
		for i := range behind {
			if behind[i] != (best>>i&1 == 1) {
				t.Fatalf("%v: behind the cut are %v, want those of %b", edges, behind, best)
			}
		}
	}
}
