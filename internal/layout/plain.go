package layout

// Plain is the place of a component in a single dense array below the root of its
// tree, or of a field of rank 0 in the root itself: an address follows from the
// extents, and from nothing else that changes with them. What is packed in words has none.
type Plain struct {
	Offset int64 // of the array in the tree
	Bytes  int64 // of the array
	Within int64 // of the component in a cell
	Cell   int64 // bytes from cell to cell
	Order  []int // the field's axes as they are nested, outermost first
}

// Plain returns the place of a component, of a field that is Ready; ok is false for
// nested layouts.
func (f *Field) Plain(comp int) (p Plain, ok bool) {
	w := &f.at[comp]
	n := w.node
	root := &n.tree.root
	switch {
	case n == root && !n.tree.Sparse() && w.packed == nil:
		// The items of a root begin at cache lines of their own, wherever what lies
		// before them ends.
		p = Plain{Offset: w.access.Const / rootAlign * rootAlign, Within: w.access.Const % rootAlign, Cell: rootAlign}
		p.Bytes = rootAlign
		return p, true
	case w.packed != nil || n.parent != root || n.tree.Sparse():
		return p, false
	}
	p = Plain{Offset: n.offset, Bytes: n.cell, Within: w.cellOffset, Cell: n.cell}
	for k, a := range n.axes {
		p.Bytes = mulClamp(p.Bytes, n.sizes[k])
		p.Order = append(p.Order, f.index(a))
	}
	return p, !n.morton && f.follows(comp, p)
}

// follows reports whether the address of a component is what its Plain says.
func (f *Field) follows(comp int, p Plain) bool {
	a := f.Access(comp)
	strides, flat := a.Flat()
	cell := p.Cell
	for i := len(p.Order) - 1; i >= 0; i-- {
		axis := p.Order[i]
		flat = flat && (f.shape[axis] == 1 || strides[axis] == cell)
		cell *= f.shape[axis]
	}
	return flat && a.Const == p.Offset+p.Within
}

// Alone returns the kind of the scalars in the array that a component lies in, if
// all are of one.
func (f *Field) Alone(comp int) (k Kind, ok bool) {
	k, ok = f.Elem.Kind()
	n := f.at[comp].node
	if n.word != nil {
		return k, false
	}
	for _, it := range n.items {
		if it.node != nil || it.word != nil {
			return k, false
		}
		if other, one := it.field.Elem.Kind(); !one || other != k {
			return k, false
		}
	}
	return k, ok && n.parent == &n.tree.root
}
