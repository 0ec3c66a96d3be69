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

// cut finds a minimum cut, the one next to the sink, and returns which nodes the source reaches on its side: by shortest
// augmenting paths (Edmonds and Karp, Journal of the ACM 19(2), 1972).
func (n *network) cut() []bool {
	for {
		by := n.search(source, 0)
		if by[sink] < 0 {
			break
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
	beyond := n.search(sink, 1)
	side := make([]bool, len(beyond))
	side[source] = true
	for queue := []int{source}; len(queue) > 0; queue = queue[1:] {
		for _, e := range n.edges[queue[0]] {
			if to := n.to[e]; e&1 == 0 && !side[to] && beyond[to] < 0 && to != sink {
				side[to] = true
				queue = append(queue, to)
			}
		}
	}
	return side
}

// search goes from a node along edges with something left, in breadth, or with 1 for back against them, and returns by
// which edge each node was reached.
func (n *network) search(from, back int) []int {
	by := make([]int, len(n.edges))
	for i := range by {
		by[i] = -1
	}
	queue := []int{from}
	for len(queue) > 0 && (back == 1 || by[sink] < 0) {
		at := queue[0]
		queue = queue[1:]
		for _, e := range n.edges[at] {
			if to := n.to[e]; n.left[e^back] > 0 && by[to] < 0 && to != from {
				by[to] = e
				queue = append(queue, to)
			}
		}
	}
	return by
}
