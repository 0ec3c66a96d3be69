package layout

import "slices"

// Outer is the place of a component in the array of the outermost node on the way to it,
// as code finds it that reads the extents of that node at launch. Nothing in it but Bytes
// changes with them: the nodes below are the same for all extents.
type Outer struct {
	Offset int64 // of the array in the tree
	Bytes  int64 // of the array
	Const  int64 // of the component, from the array
	Terms  []Term
	Span   []int64   // see [Access]
	Nest   []NestDim // an extent that is read at launch is -1
}

// Outer returns the place of a component of a field that is Ready; ok is false in a sparse
// tree, and where no node above the component or one in Z-order is the outermost.
func (f *Field) Outer(comp int) (o Outer, ok bool) {
	n := f.at[comp].node
	if n.parent == nil || n.tree.Sparse() || f.at[comp].packed != nil {
		return o, false
	}
	top := n.path()[1]
	if top.morton {
		return o, false
	}
	o = Outer{Offset: top.offset, Bytes: top.cell, Const: f.at[comp].access.Const - top.offset, Span: make([]int64, len(f.axes))}
	for i := range o.Span {
		o.Span[i] = 1
	}
	var dims []NestDim
	inner := uint8(0)
	for k := len(top.axes) - 1; k >= 0; k-- {
		a := f.index(top.axes[k])
		o.Span[a] = n.extent(top.axes[k]) / top.sizes[k]
		o.Bytes = mulClamp(o.Bytes, top.sizes[k])
		o.Terms = append(o.Terms, Term{Axis: a, Div: o.Span[a], Stride: top.cell, Inner: inner})
		dims = append(dims, NestDim{Axis: a, Extent: -1, Mul: o.Span[a]})
		inner |= 1 << a
	}
	slices.Reverse(o.Terms)
	slices.Reverse(dims)
	for _, l := range n.levelsBelow(top, (*Node).ownLevels, f.index) {
		t := Term{Axis: f.index(l.axis), Div: l.div, Mod: l.size, Stride: l.stride}
		if l.top {
			t.Mod = 0
		}
		o.Terms = joinTerm(o.Terms, t)
	}
	for _, l := range n.levelsBelow(top, (*Node).loopLevels, f.index) {
		dims = joinDim(dims, NestDim{Axis: f.index(l.axis), Extent: l.size, Mul: l.div})
	}
	o.Nest = dims
	return o, true
}

// levelsBelow returns the levels of the nodes between top, whose levels count even where
// they have but one cell, and n.
func (n *Node) levelsBelow(top *Node, of func(*Node) []level, index func(axis int) int) []level {
	levels := n.wayBy(of, index).levels[len(top.ownLevels()):]
	for i := range levels {
		l := &levels[i]
		l.top = l.top && !slices.Contains(top.axes, l.axis)
	}
	return levels
}
