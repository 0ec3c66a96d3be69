package mincut

// A Network has nodes, numbered from 0, and edges between them. A cut divides the nodes into those before it and those behind it; it costs
// what the edges from the former to the latter cost. The cheapest one is found by the maximal flow of Dinic, "Algorithm for solution of a
// problem of maximum flow in networks with power estimation", 1970.
type Network struct {
	first []int32 // of the edges of each node, -1 for none
	edges []edge
	level []int32
	next  []int32
}

// An edge can take so much more flow. Number i^1 is the one back.
type edge struct {
	to, after int32
	left      int64
}

// Never is the cost of an edge that no cut may go through. All others together have to cost less.
const Never = int64(1) << 60

// New returns a network of n nodes without edges.
func New(n int) *Network {
	c := &Network{}
	for range n {
		c.Node()
	}
	return c
}

// Node adds a node and returns its number.
func (c *Network) Node() int {
	c.first = append(c.first, -1)
	return len(c.first) - 1
}

// Edge adds an edge that costs so much if the cut goes through it.
func (c *Network) Edge(from, to int, cost int64) {
	c.edges = append(c.edges, edge{int32(to), c.first[from], cost}, edge{int32(from), c.first[to], 0})
	c.first[from], c.first[to] = int32(len(c.edges)-2), int32(len(c.edges)-1)
}

// Behind returns the nodes behind the cheapest cut between two nodes, as few as there can be, and whether there is a cut that goes through no
// edge that costs [Never]. The network is used up.
func (c *Network) Behind(from, to int) (nodes []bool, ok bool) {
	c.level, c.next = make([]int32, len(c.first)), make([]int32, len(c.first))
	flow := int64(0)
	for c.layers(from, to) {
		copy(c.next, c.first)
		for f := c.push(from, to, Never); f > 0; f = c.push(from, to, Never) {
			if flow += f; flow >= Never {
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

// Reached returns the nodes before a cut that edges lead to from a node before it.
func (c *Network) Reached(from int, behind []bool) []bool {
	side := make([]bool, len(c.first))
	side[from] = true
	for work := []int{from}; len(work) > 0; {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for e := c.first[v]; e >= 0; e = c.edges[e].after {
			if u := int(c.edges[e].to); e&1 == 0 && !side[u] && !behind[u] {
				side[u] = true
				work = append(work, u)
			}
		}
	}
	return side
}

// layers numbers nodes by their distance from the first one, and reports whether flow can still reach the last one.
func (c *Network) layers(from, to int) bool {
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
func (c *Network) push(v, to int, most int64) int64 {
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
