package layout

// Freeze fixes the layout and computes its addresses. Later changes are errors.
// Calling it again returns the same answer.
func (t *Tree) Freeze() error {
	if t.frozen {
		return t.err
	}
	t.frozen = true
	t.root.size()
	t.bytes = t.root.cell
	if t.bytes >= maxBytes {
		t.err = fail(TooLarge, "use smaller extents, or several trees", "the tree needs more memory than a process can address")
		return t.err
	}
	t.root.resolve(0)
	return nil
}

// Bytes returns the size of the tree, 0 until it is frozen.
func (t *Tree) Bytes() int64 {
	if t.err != nil {
		return 0
	}
	return t.bytes
}

// Uniform reports whether all scalars in a frozen tree are of one kind, and then
// the tree is an array of that many bytes of them (what pads its end included).
func (t *Tree) Uniform() (k Kind, bytes int64, ok bool) {
	if len(t.placed) == 0 || t.err != nil {
		return 0, 0, false
	}
	k = t.placed[0].Elem.Comps[0].Kind
	for _, f := range t.placed {
		if own, one := f.Elem.Kind(); !one || own != k {
			return 0, 0, false
		}
	}
	return k, t.bytes, t.bytes%k.Size() == 0
}

// size computes the bytes of a cell from those of its items, innermost first, and
// returns the bytes of the whole array.
func (n *Node) size() int64 {
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
		if it.node != nil {
			it.node.offset = off
		} else {
			for c := it.lo; c < it.hi; c++ {
				it.field.at[c].cellOffset = off + it.field.Elem.Comps[c].Offset - it.field.Elem.Comps[it.lo].Offset
			}
		}
		off = min(off+size, maxBytes)
		n.align = max(n.align, align)
	}
	n.cell = roundUp(off, n.align)
	total := n.cell
	for _, s := range n.sizes {
		total = mulClamp(total, s)
	}
	return total
}

// extent returns alignment and bytes of an item, and how far behind an aligned
// address it begins: components that do not begin their Go value keep the distance
// from its start, so that those of different kinds are aligned among each other.
// The end of the value's padding belongs to it, because the host writes it too.
func (it *item) extent() (align, phase, size int64) {
	if it.node != nil {
		size = it.node.size()
		return it.node.align, 0, size
	}
	c := it.field.Elem.Comps
	last := c[it.hi-1]
	for k := it.lo; k < it.hi; k++ {
		align = max(align, c[k].Kind.Size())
	}
	phase = c[it.lo].Offset % align
	return align, phase, roundUp(last.Offset+last.Kind.Size(), align) - c[it.lo].Offset
}

// resolve computes the accesses of the components below n, whose array begins at
// offset base of the tree when all coordinates above are 0.
func (n *Node) resolve(base int64) {
	var ls []level
	for _, it := range n.items {
		if it.node != nil {
			it.node.resolve(base + it.node.offset)
			continue
		}
		if ls == nil {
			ls = n.levels()
		}
		f := it.field
		for c := it.lo; c < it.hi; c++ {
			f.at[c].access = Access{
				Tree: n.tree.id, Const: base + f.at[c].cellOffset, Terms: terms(ls, f.index),
				Origin: f.origin, Shape: f.shape, Kind: f.Elem.Comps[c].Kind,
			}
		}
	}
}

func roundUp(n, align int64) int64 { return (n + align - 1) / align * align }
