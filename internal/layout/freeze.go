package layout

// Freeze fixes the layout and computes its addresses. Later changes are errors.
// Calling it again returns the same answer.
func (t *Tree) Freeze() error {
	if t.frozen {
		return t.err
	}
	t.frozen = true
	if t.err = t.emptyWord(); t.err != nil {
		return t.err
	}
	t.newBlock(&t.root, 0)
	t.root.content()
	t.bytes = t.root.cell
	for _, b := range t.blocks {
		t.bytes = max(t.bytes, b.Bytes)
	}
	if t.bytes >= maxBytes {
		t.err = fail(TooLarge, "use smaller extents, or several trees", "the tree needs more memory than a process can address")
		return t.err
	}
	t.bytes = t.root.cell
	t.root.describe(t.blocks[0], 0, nil)
	if t.Sparse() {
		t.control = roundUp(t.bytes, rootAlign)
		t.bytes = t.control + t.controlBytes()
	}
	t.blocks[0].Bytes = t.bytes
	t.root.resolve()
	return nil
}

// Bytes returns the size of the tree's root block, 0 until it is frozen: of all that
// the tree ever needs, if every node is dense.
func (t *Tree) Bytes() int64 {
	if t.err != nil {
		return 0
	}
	return t.bytes
}

// Uniform reports whether all scalars in a frozen tree are of one kind, and then
// the tree is an array of that many bytes of them (what pads its end included).
func (t *Tree) Uniform() (k Kind, bytes int64, ok bool) {
	if len(t.placed) == 0 || t.err != nil || t.Sparse() {
		return 0, 0, false
	}
	k = t.placed[0].Elem.Comps[0].Kind
	for _, f := range t.placed {
		if own, one := f.Elem.Kind(); !one || own != k || len(t.words) > 0 {
			return 0, 0, false
		}
	}
	return k, t.bytes, t.bytes%k.Bytes() == 0
}

// content computes alignment and bytes of a cell of n from those of its items,
// innermost first.
func (n *Node) content() {
	n.align = 1
	off, large := int64(0), int64(0)
	for _, it := range n.items {
		align, phase, size := it.extent()
		if n.parent == nil {
			align = max(align, rootAlign)
		}
		off = roundUp(off, align) + phase
		if n.parent == nil && size >= largeArray {
			// Arrays that begin at equal places of their pages slow each other down:
			// processors compare the low bits of addresses to order loads after stores.
			off += large * 7 % 16 * 256
			large++
		}
		switch {
		case it.node != nil:
			it.node.offset = off
		case it.word != nil:
			it.word.offset = off
		default:
			for c := it.lo; c < it.hi; c++ {
				it.field.at[c].cellOffset = off + it.field.Elem.Comps[c].Offset - it.field.Elem.Comps[it.lo].Offset
			}
		}
		off = min(off+size, maxBytes)
		n.align = max(n.align, align)
	}
	n.cell = roundUp(off, n.align)
}

// extent returns alignment and bytes of an item, and how far behind an aligned
// address it begins: components that do not begin their Go value keep the distance
// from its start, so that those of different kinds are aligned among each other.
// The end of the value's padding belongs to it, because the host writes it too.
func (it *item) extent() (align, phase, size int64) {
	if it.node != nil {
		align, size = it.node.container()
		return align, 0, size
	}
	if it.word != nil {
		return it.word.Kind.Bytes(), 0, it.word.Kind.Bytes()
	}
	c := it.field.Elem.Comps
	last := c[it.hi-1]
	for k := it.lo; k < it.hi; k++ {
		align = max(align, c[k].Kind.Bytes())
	}
	phase = c[it.lo].Offset % align
	return align, phase, roundUp(last.Offset+last.Kind.Bytes(), align) - c[it.lo].Offset
}

// resolve computes the accesses of the components below n.
func (n *Node) resolve() {
	n.packing()
	var w *way
	for _, it := range n.items {
		if it.node != nil {
			it.node.resolve()
			continue
		}
		if it.word != nil {
			continue
		}
		f := it.field
		if w == nil { // all fields of a node have the same axes
			v := n.wayBy((*Node).ownLevels, f.index)
			w = &v
		}
		for c := it.lo; c < it.hi; c++ {
			f.at[c].access = Access{
				Tree: n.tree.id, Steps: w.steps, Const: w.off + f.at[c].cellOffset, Terms: terms(w.levels, f.index),
				Origin: f.origin, Shape: f.shape, Kind: f.Elem.Comps[c].Kind,
			}
		}
	}
}

func roundUp(n, align int64) int64 { return (n + align - 1) / align * align }
