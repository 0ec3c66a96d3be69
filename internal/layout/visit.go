package layout

// Visit says how the cells of a node are visited: first the blocks, of which the
// runtime makes a list, then what lies in each.
type Visit struct {
	// Node is the nearest node, at or above, whose cells lie in blocks of their own:
	// a pointer, hash or dynamic node; the root if there is none. Block is their kind.
	// For a dynamic node it is that of the chunks.
	Node  *Node
	Block *Block
	Chunk int64 // cells of a chunk of a dynamic node

	// Inside has the nodes from there on, outermost first: dense and bitmasked ones.
	Inside []Inside
}

// Inside is a node on the way from a block to the cells that are visited.
type Inside struct {
	Node *Node
	// Dims are the loops over its cells in the order of memory. Mul counts cells of
	// the node that is visited.
	Dims []NestDim
	// Mask is the step that says which cells are active; nil for a dense node.
	Mask *Step
}

// LastMask returns which of the dims within a block, counted over all nodes there, are those
// of the innermost bitmasked node: from up to, but not including, to. It decides which cells
// are active: an active cell is in an active one.
func (v *Visit) LastMask() (from, to int, ok bool) {
	at := 0
	for _, in := range v.Inside {
		before := at
		at += len(in.Dims)
		if in.Mask != nil {
			from, to, ok = before, at, true
		}
	}
	return from, to, ok
}

// MaskWords returns how many words the bits of the innermost bitmasked node take that a
// combination of the first outer dims leaves open. All dims above the node are among those.
func (v *Visit) MaskWords(outer int) int {
	_, to, _ := v.LastMask()
	bits := int64(1)
	for i, d := range v.Dims() {
		if i >= outer && i < to {
			bits *= d.Extent
		}
	}
	return int((bits + 63) / 64)
}

// Dims returns the loops within a block, outermost first.
func (v *Visit) Dims() (dims []NestDim) {
	for _, in := range v.Inside {
		dims = append(dims, in.Dims...)
	}
	return dims
}

// Visit returns how the cells of n are visited, in a frozen tree.
func (n *Node) Visit() Visit { return n.visit((*Node).loopLevels) }

func (n *Node) visit(of func(*Node) []level) Visit {
	index := n.positions()
	w := n.wayBy((*Node).ownLevels, index)
	v := Visit{Node: n.tree.blocks[0].Node, Block: w.block}
	for _, p := range n.path() {
		if p.kind.Allocates() {
			v.Node, v.Inside, v.Chunk = p, nil, 0
			if p.kind == Dynamic {
				v.Chunk = p.chunkCells()
			}
			continue
		}
		if p.parent == nil {
			continue
		}
		in := Inside{Node: p}
		own := of(p)
		if p.kind == Bitmasked {
			own = p.ownLevels() // in the order of the bits
			for i := range w.steps {
				if s := &w.steps[i]; s.Kind == StepMask && s.Node == p {
					in.Mask = s
				}
			}
		}
		for _, l := range own {
			l.div *= n.extent(l.axis) / p.extent(l.axis)
			in.Dims = append(in.Dims, NestDim{Axis: index(l.axis), Extent: l.size, Mul: l.div})
		}
		if in.Mask != nil && len(in.Dims) == 0 { // of one cell, which a mask tells of all the same
			a := p.axes[0]
			in.Dims = []NestDim{{Axis: index(a), Extent: 1, Mul: n.extent(a) / p.extent(a)}}
		}
		v.Inside = append(v.Inside, in)
	}
	return v
}

// Steps returns the steps to a cell of n, in a frozen tree: to and with those of n
// itself. Indices are those of the cells.
func (n *Node) Steps() []Step { return n.wayBy((*Node).ownLevels, n.positions()).steps }
