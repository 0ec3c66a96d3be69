package autodiff

import "math"

// A network has edges with capacities between its nodes, of which number 0 is the source and number 1 the sink.
type network struct {
	edges [][]int // by node: numbers of edges; edge e and its reverse e^1
	to    []int
	left  []int64 // what of the capacity is not used
}

const (
	source    = 0
	sink      = 1
	unlimited = math.MaxInt64 / 4
)

func newNetwork() *network { return &network{edges: make([][]int, 2)} }

// node adds a node.
func (n *network) node() int {
	n.edges = append(n.edges, nil)
	return len(n.edges) - 1
}

// edge adds an edge.
func (n *network) edge(from, to int, capacity int64) {
	n.edges[from] = append(n.edges[from], len(n.to))
	n.edges[to] = append(n.edges[to], len(n.to)+1)
	n.to = append(n.to, to, from)
	n.left = append(n.left, capacity, 0)
}

// cut finds a minimum cut, and returns which nodes are on the side of the source: by shortest augmenting paths (Edmonds and
// Karp, Journal of the ACM 19(2), 1972).
func (n *network) cut() []bool {
	for {
		by := n.search() // the edge by which a node was reached
		if by[sink] < 0 {
			side := make([]bool, len(by))
			for i, e := range by {
				side[i] = e >= 0 || i == source
			}
			return side
		}
		least := int64(unlimited)
		for at := sink; at != source; at = n.to[by[at]^1] {
			least = min(least, n.left[by[at]])
		}
		for at := sink; at != source; at = n.to[by[at]^1] {
			n.left[by[at]] -= least
			n.left[by[at]^1] += least
		}
	}
}

// search goes from the source along edges with something left, in breadth.
func (n *network) search() []int {
	by := make([]int, len(n.edges))
	for i := range by {
		by[i] = -1
	}
	queue := []int{source}
	for len(queue) > 0 && by[sink] < 0 {
		at := queue[0]
		queue = queue[1:]
		for _, e := range n.edges[at] {
			if to := n.to[e]; n.left[e] > 0 && by[to] < 0 && to != source {
				by[to] = e
				queue = append(queue, to)
			}
		}
	}
	return by
}
