package layout

// Cells describes the cells of a node as a field without components: it has shape,
// origin and nest, and nothing in it.
//
// Where the cells span c elements along an axis, the lowest index of a cell is
// that of the elements divided by c, which has to come out even.
func (n *Node) Cells() (*Field, error) {
	if err := n.tree.Freeze(); err != nil {
		return nil, err
	}
	f := &Field{Elem: &Elem{}, cells: n, axes: n.pathAxes()}
	for _, a := range f.axes {
		f.shape = append(f.shape, n.extent(a))
		low, span := n.lowest(a)
		if span != 0 {
			return nil, fail(Mismatch, "choose an Origin that is a multiple of what a cell spans",
				"a cell of the node spans %d elements along axis %c, whose lowest index is %d", span, axisLetters[a], n.tree.origin[a])
		}
		f.origin = append(f.origin, low)
	}
	return f, nil
}

// Lowest returns the lowest index of a cell of n along each axis on the way to it, in
// alphabetical order: that of [Node.Cells]; where there is none, because the Origin does
// not suit what a cell spans, that of fields placed in n.
func (n *Node) Lowest() []int64 {
	var out []int64
	for _, a := range n.pathAxes() {
		low, _ := n.lowest(a)
		out = append(out, low)
	}
	return out
}

// lowest returns the lowest index of a cell of n along an axis. Where fields below n do
// not agree on one, it is that of fields in n, and span says how many elements a cell
// has along the axis, else 0.
func (n *Node) lowest(axis int) (low, span int64) {
	low = n.low(axis)
	if n.unboundedAlong(axis) {
		return low, 0
	}
	spans := n.spans(axis, nil)
	for _, c := range spans {
		if low%c != 0 || len(spans) > 1 && low != 0 {
			return n.tree.origin[axis], c
		}
		low /= c
	}
	return low, 0
}

// spans lists how many elements of the fields below n a cell of it has along an
// axis, each number once.
func (n *Node) spans(axis int, to []int64) []int64 {
	own := n.extent(axis)
	var walk func(m *Node)
	walk = func(m *Node) {
		for _, it := range m.items {
			if it.node != nil {
				walk(it.node)
				continue
			}
			to = addOnce(to, m.extent(axis)/own)
		}
	}
	walk(n)
	return to
}

func addOnce(to []int64, n int64) []int64 {
	for _, old := range to {
		if old == n {
			return to
		}
	}
	return append(to, n)
}

// CellsOf returns the node whose cells f stands for, nil for a field of elements.
func (f *Field) CellsOf() *Node { return f.cells }
