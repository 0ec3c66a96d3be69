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
		if n.unboundedAlong(a) {
			f.origin = append(f.origin, n.low(a))
			continue
		}
		low := n.tree.origin[a]
		spans := n.spans(a, nil)
		for _, c := range spans {
			if low%c != 0 || len(spans) > 1 && low != 0 {
				return nil, fail(Mismatch, "choose an Origin that is a multiple of what a cell spans",
					"a cell of the node spans %d elements along axis %c, whose lowest index is %d", c, axisLetters[a], low)
			}
			low /= c
		}
		f.origin = append(f.origin, low)
	}
	return f, nil
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
