package pass

// A cut divides the nodes of a graph into those before it and those behind it, so that the edges from the former to the latter
// cost as little as they can: the maximal flow of Dinic, "Algorithm for solution of a problem of maximum flow in networks
// with power estimation", 1970.
type cut struct {
	first []int32 // of the edges of each node, -1 for none
	edges []flowEdge
	level []int32
	next  []int32
}

// A flowEdge can take so much more flow. Number i^1 is the one back.
type flowEdge struct {
	to, after int32
	left      int64
}

const uncuttable = int64(1) << 40

// newCut has nodes 0 to n-1.
func newCut(n int) *cut {
	c := &cut{first: make([]int32, n), level: make([]int32, n), next: make([]int32, n)}
	for i := range c.first {
		c.first[i] = -1
	}
	return c
}

// edge adds an edge that costs so much if the cut goes through it.
func (c *cut) edge(from, to int, cost int64) {
	c.edges = append(c.edges, flowEdge{int32(to), c.first[from], cost}, flowEdge{int32(from), c.first[to], 0})
	c.first[from], c.first[to] = int32(len(c.edges)-2), int32(len(c.edges)-1)
}

// behind returns the nodes behind the cheapest cut between two nodes, as few as there can be, and whether there is a cut.
func (c *cut) behind(from, to int) (nodes []bool, ok bool) {
	flow := int64(0)
	for c.layers(from, to) {
		copy(c.next, c.first)
		for f := c.push(from, to, uncuttable); f > 0; f = c.push(from, to, uncuttable) {
			if flow += f; flow >= uncuttable {
				return nil, false
			}
		}
	}
	nodes = make([]bool, len(c.first))
	nodes[to] = true
	for work := []int{to}; len(work) > 0; {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for e := c.first[v]; e >= 0; e = c.edges[e].after {
			if u := int(c.edges[e].to); !nodes[u] && c.edges[e^1].left > 0 {
				nodes[u] = true
				work = append(work, u)
			}
		}
	}
	return nodes, true
}

// layers numbers nodes by their distance from the first one, and reports whether flow can still reach the last one.
func (c *cut) layers(from, to int) bool {
	for i := range c.level {
		c.level[i] = -1
	}
	c.level[from] = 0
	for work := []int32{int32(from)}; len(work) > 0; work = work[1:] {
		v := work[0]
		for e := c.first[v]; e >= 0; e = c.edges[e].after {
			if u := c.edges[e].to; c.edges[e].left > 0 && c.level[u] < 0 {
				c.level[u] = c.level[v] + 1
				work = append(work, u)
			}
		}
	}
	return c.level[to] >= 0
}

// push sends flow along one path, at most so much, and returns how much.
func (c *cut) push(v, to int, most int64) int64 {
	if v == to {
		return most
	}
	for ; c.next[v] >= 0; c.next[v] = c.edges[c.next[v]].after {
		e := c.next[v]
		if u := c.edges[e].to; c.edges[e].left > 0 && c.level[u] == c.level[v]+1 {
			if f := c.push(int(u), to, min(most, c.edges[e].left)); f > 0 {
				c.edges[e].left -= f
				c.edges[e^1].left += f
				return f
			}
		}
	}
	return 0
}
