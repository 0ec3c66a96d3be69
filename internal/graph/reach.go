package graph

// reach is which segments each segment has a path to, as a row of bits.
type reach struct {
	words int
	bits  []uint64
}

// closure finds the paths, from the last segment to the first.
func (g *Graph) closure() *reach {
	if g.reach != nil {
		return g.reach
	}
	n := len(g.Segments)
	r := &reach{words: (n + 63) / 64}
	r.bits = make([]uint64, n*r.words)
	for i := len(g.Edges) - 1; i >= 0; i-- { // all edges from To, which leads behind it, were met
		from, to := g.Edges[i].From, g.Edges[i].To
		if i+1 < len(g.Edges) && g.Edges[i+1].From == from && g.Edges[i+1].To == to {
			continue // for another resource
		}
		row := r.row(from)
		for w, bits := range r.row(to) {
			row[w] |= bits
		}
		row[to/64] |= 1 << (to % 64)
	}
	g.reach = r
	return r
}

func (r *reach) row(n int) []uint64 { return r.bits[n*r.words : (n+1)*r.words] }

func (r *reach) has(from, to int) bool { return r.row(from)[to/64]>>(to%64)&1 != 0 }

// Reaches reports whether there is a path from a segment to another one, so that the first runs before the second.
func (g *Graph) Reaches(from, to int) bool { return g.closure().has(from, to) }

// Detour returns a segment on a path of two edges or more from a segment to another one: they cannot be fused, since that segment
// runs behind the first and before the second. It is -1 if there is none.
func (g *Graph) Detour(from, to int) int {
	r := g.closure()
	for n := from + 1; n < to; n++ {
		if r.has(from, n) && r.has(n, to) {
			return n
		}
	}
	return -1
}

// Between returns a segment of another launch that runs behind one segment of launch a and before one of launch b, where a is before
// b: the launches cannot run next to each other. It is -1 if there is none.
func (g *Graph) Between(a, b int) int {
	r := g.closure()
	a1, a2 := g.Of(a)
	b1, b2 := g.Of(b)
	any := func(first, end int, ok func(n int) bool) bool {
		for n := first; n < end; n++ {
			if ok(n) {
				return true
			}
		}
		return false
	}
	for n := a2; n < b1; n++ {
		behind := any(a1, a2, func(m int) bool { return r.has(m, n) })
		if behind && any(b1, b2, func(m int) bool { return r.has(n, m) }) {
			return n
		}
	}
	return -1
}
