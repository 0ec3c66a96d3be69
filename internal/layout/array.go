package layout

// Array returns where the cells of n lie, in a frozen tree: the kind of block, the offset
// of the first cell in it, and the levels from the block to the cells, n's own included.
// Of a list it is the chunk, of pointers and tables the cell itself.
func (n *Node) Array() (b *Block, off int64, levels []Level) {
	w := n.wayBy((*Node).ownLevels, n.positions())
	for _, l := range w.levels {
		levels = append(levels, Level{Axis: l.axis, Size: l.size, Div: l.div, Stride: l.stride})
	}
	return w.block, w.off, levels
}

// Order is Visit with loops that follow the memory throughout: those of Visit leave
// Z-order curves where following them takes too many loops.
func (n *Node) Order() Visit { return n.visit((*Node).ownLevels) }
