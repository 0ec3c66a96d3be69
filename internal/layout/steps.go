package layout

import "slices"

// StepKind says what a step on the way to a cell does.
type StepKind uint8

// The kinds of steps. Pointer and table steps lead to another block; mask and
// length steps only say whether a cell is active.
const (
	StepPointer StepKind = iota // the word at the address is that of the next block, 0 if there is none
	StepTable                   // the table at the address has the next block under coordinates
	StepMask                    // the words at the address have a bit for each cell
	StepLength                  // the word at the address is the length of a list
)

// Step is a piece of the way from the root block of a tree to a cell. Its address
// is that of the current block plus Const plus the terms.
type Step struct {
	Kind  StepKind
	Node  *Node // whose cell it leads to
	Const int64
	Terms []Term

	// Cells has, for a mask, terms whose sum is the number of the cell; for a table a
	// term for each coordinate, in the order of the node's axes; for a length, and
	// where From is not 0, the one term that is the index in the list. Strides count cells.
	Cells []Term

	Into *Block // of a pointer or table step: the kind of block that it leads to

	// Of the pointer steps behind the length of a list with directories: From is the
	// first element whose chunk is found by them. For the elements before it the steps
	// to directories are left out, and the last step, to the chunk, has its pointer at
	// Near, relative to the block that the length lies in.
	From int64
	Near *Place
}

// Place is an offset in a block: Const plus the terms.
type Place struct {
	Const int64
	Terms []Term
}

// way is how a cell of a node is reached.
type way struct {
	steps  []Step
	block  *Block  // the last one
	off    int64   // of the first cell in it
	levels []level // to the cell, in it
}

// wayBy leads from the root to n, with levels as of gives them. Indices are numbered
// by index, and count cells of n.
func (n *Node) wayBy(of func(*Node) []level, index func(axis int) int) way {
	w := way{block: n.tree.blocks[0]}
	var visited [MaxRank]bool
	scaled := func(p *Node, own []level, stride int64) []level {
		for k := len(own) - 1; k >= 0; k-- {
			own[k].stride = stride
			stride = mulClamp(stride, own[k].size)
		}
		for k := range own {
			l := &own[k]
			l.div *= n.extent(l.axis) / p.extent(l.axis)
			l.top = !visited[l.axis]
			visited[l.axis] = true
		}
		return own
	}
	step := func(kind StepKind, p *Node, into *Block) *Step {
		w.steps = append(w.steps, Step{Kind: kind, Node: p, Const: w.off, Terms: terms(w.levels, index), Into: into})
		return &w.steps[len(w.steps)-1]
	}
	enter := func(b *Block) { w.block, w.off, w.levels = b, b.header, nil }
	for _, p := range n.path() {
		w.off += p.offset
		switch p.kind {
		case Dense:
			w.levels = append(w.levels, scaled(p, of(p), p.cell)...)
		case Bitmasked:
			own := of(p)
			s := step(StepMask, p, nil)
			before := visited
			s.Cells = terms(scaled(p, p.ownLevels(), 1), index)
			visited = before
			w.off += p.mask
			w.levels = append(w.levels, scaled(p, own, p.cell)...)
		case Pointer:
			w.levels = append(w.levels, scaled(p, p.ownLevels(), wordBytes)...)
			step(StepPointer, p, p.into)
			enter(p.into)
		case Hash:
			s := step(StepTable, p, p.into)
			for k, a := range p.axes {
				l := scaled(p, []level{{axis: a, size: p.sizes[k], div: 1}}, 1)
				s.Cells = append(s.Cells, terms(l, index)...)
			}
			enter(p.into)
		case Dynamic:
			number := []Term{{Axis: index(p.axes[0]), Div: 1, Stride: 1}}
			step(StepLength, p, nil).Cells = number
			w.off += wordBytes
			near := w.place(index, level{axis: p.axes[0], size: p.near(), div: p.chunkCells(), stride: wordBytes, top: true})
			w.off += p.near() * wordBytes
			div := p.chunkCells()
			for _, f := range p.fan[1:] {
				div *= f
			}
			for i, f := range p.fan {
				w.levels = append(w.levels, scaled(p, []level{{axis: p.axes[0], size: f, div: div}}, wordBytes)...)
				s := step(StepPointer, p, p.directories[i])
				if n := p.near(); n > 0 {
					s.From, s.Cells = n*p.chunkCells(), number
				}
				if s.From > 0 && i+1 == len(p.fan) {
					s.Near = near
				}
				enter(p.directories[i])
				if i+1 < len(p.fan) {
					div /= p.fan[i+1]
				}
			}
			w.levels = append(w.levels, scaled(p, []level{{axis: p.axes[0], size: p.chunkCells(), div: 1}}, p.cell)...)
		}
	}
	return w
}

// place returns that of the first cell of the way and one level more.
func (w *way) place(index func(axis int) int, own level) *Place {
	return &Place{w.off, terms(append(slices.Clone(w.levels), own), index)}
}

// path returns the nodes from the root to n.
func (n *Node) path() []*Node {
	var out []*Node
	for ; n != nil; n = n.parent {
		out = append(out, n)
	}
	slices.Reverse(out)
	return out
}

// positions numbers the axes on the way to n in alphabetical order, as indices are.
func (n *Node) positions() func(axis int) int {
	axes := n.pathAxes()
	return func(axis int) int { return slices.Index(axes, axis) }
}
