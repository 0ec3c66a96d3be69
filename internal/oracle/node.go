package oracle

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// maxAxes is how many axes a tree can have.
const maxAxes = 8

// A coord is the number of a cell along each axis of the tree, counted from the lowest;
// it is 0 along axes that the path of the node does not have.
type coord [maxAxes]int64

// A Node is a node of a layout tree as sets: which of its cells are active, and how
// long its lists are. That lives as long as the node, over any number of runs.
//
// Cells are named by their index, which begins with that of the lowest cell.
type Node struct {
	parent   *Node
	children []*Node
	kind     ir.NodeKind
	axes     []int   // of the tree, in the order in which cells are numbered
	sizes    []int64 // cells along each of axes in a cell of the parent
	low      []int64 // lowest index along each axis of path
	morton   bool
	path     []int // axes of this node and those above, ascending: of an index

	fields  []placed
	active  map[coord]bool  // of pointer, bitmasked and hash nodes
	lengths map[coord]int64 // of dynamic nodes, by cell of the parent
}

// A placed field has components, from lo to below hi, in the cells of a node.
type placed struct {
	memory Memory
	lo, hi int
}

// NewNode adds a node below parent, nil for the root, with no cell active. The axes
// are those of the tree, ascending numbers from 0 in the alphabet's order, in the
// order in which cells are numbered; morton says that they are along the Morton
// curve. Low is the lowest index along each axis of the node and of those above, in the
// alphabet's order.
func NewNode(parent *Node, kind ir.NodeKind, axes []int, sizes, low []int64, morton bool) *Node {
	n := &Node{
		parent: parent, kind: kind, axes: axes, sizes: sizes, low: low, morton: morton,
		active: map[coord]bool{}, lengths: map[coord]int64{},
	}
	n.path = slices.Clone(axes)
	if parent != nil {
		parent.children = append(parent.children, n)
		n.path = append(n.path, parent.path...)
	}
	slices.Sort(n.path)
	n.path = slices.Compact(n.path)
	if len(n.path) > 0 && n.path[len(n.path)-1] >= maxAxes {
		panic(fmt.Sprintf("oracle: an axis %d", n.path[len(n.path)-1]))
	}
	if len(low) != len(n.path) {
		panic(fmt.Sprintf("oracle: %d lowest indices along %d axes", len(low), len(n.path)))
	}
	return n
}

// Place says that components of a field, from lo to below hi, lie in n: they become zero
// when their cells become inactive.
func (n *Node) Place(m Memory, lo, hi int) { n.fields = append(n.fields, placed{m, lo, hi}) }

// Active reports whether the cell with that index and all above it are active.
func (n *Node) Active(index []int64) bool { return n.isActive(n.coord(index)) }

// Activate makes the cell with that index and all above it active.
func (n *Node) Activate(index []int64) { n.activate(n.coord(index)) }

// Deactivate makes the cell with that index inactive, and zero what lies in it.
func (n *Node) Deactivate(index []int64) { n.deactivate(n.coord(index)) }

// Clear makes all cells of n inactive, and zero what lies in those that cannot be.
func (n *Node) Clear() {
	ups := []coord{{}}
	if n.parent != nil {
		ups = n.parent.cells()
	}
	for _, up := range ups {
		for _, c := range n.below(up) {
			delete(n.active, c)
			n.clear(c)
		}
		delete(n.lengths, up)
	}
}

// Len returns the length of a list of a dynamic node; the index lacks its axis.
func (n *Node) Len(index []int64) int64 { return n.length(n.list(index)) }

// Grow makes a list of a dynamic node longer by one element, and returns its index, -1 if the list is full; the index of
// the list lacks the axis of n.
func (n *Node) Grow(index []int64) int64 { return n.grow(n.list(index)) }

// Shrink keeps the first elements of a list of a dynamic node.
func (n *Node) Shrink(index []int64, to int64) { n.shrink(n.list(index), to) }

// Cells returns the indices of all active cells in the order of the memory.
func (n *Node) Cells() [][]int64 {
	cells := n.cells()
	out := make([][]int64, len(cells))
	for i, c := range cells {
		out[i] = n.index(c)
	}
	return out
}

// coord is the cell with an index.
func (n *Node) coord(index []int64) (c coord) {
	for i, a := range n.path {
		c[a] = index[i] - n.low[i]
	}
	return c
}

// list is the cell of the parent with an index that lacks the axis of n, the last.
func (n *Node) list(index []int64) (c coord) {
	for i, a := range n.path[:len(n.path)-1] {
		c[a] = index[i] - n.low[i]
	}
	return c
}

// index is the index of a cell.
func (n *Node) index(c coord) []int64 {
	index := make([]int64, len(n.path))
	for i, a := range n.path {
		index[i] = c[a] + n.low[i]
	}
	return index
}

// above reports whether a node above n has an axis.
func (n *Node) above(axis int) bool { return n.parent != nil && slices.Contains(n.parent.path, axis) }

// up is the cell of the parent that holds c.
func (n *Node) up(c coord) coord {
	for i, a := range n.axes {
		if n.above(a) {
			c[a] = c[a] / n.sizes[i]
		} else {
			c[a] = 0
		}
	}
	return c
}

// local is where a cell lies in that of the parent, along each of the axes of n.
func (n *Node) local(c coord) []int64 {
	at := make([]int64, len(n.axes))
	for i, a := range n.axes {
		if n.above(a) {
			at[i] = c[a] - c[a]/n.sizes[i]*n.sizes[i]
		} else {
			at[i] = c[a]
		}
	}
	return at
}

// down is the cell of n in a cell of the parent that local is the place of.
func (n *Node) down(up coord, local []int64) coord {
	for i, a := range n.axes {
		if n.above(a) {
			up[a] = up[a]*n.sizes[i] + local[i]
		} else {
			up[a] = local[i]
		}
	}
	return up
}

func (n *Node) isActive(c coord) bool {
	if n == nil {
		return true
	}
	up := n.up(c)
	if !n.parent.isActive(up) {
		return false
	}
	switch n.kind {
	case ir.NodeDense:
		return true
	case ir.NodeDynamic:
		return n.local(c)[0] < n.lengths[up]
	}
	return n.active[c]
}

func (n *Node) activate(c coord) {
	if n == nil {
		return
	}
	up := n.up(c)
	n.parent.activate(up)
	switch n.kind {
	case ir.NodeDense:
	case ir.NodeDynamic:
		n.lengths[up] = max(n.lengths[up], n.local(c)[0]+1)
	default:
		n.active[c] = true
	}
}

// deactivate makes a cell inactive. Dense cells and elements of lists have no state.
func (n *Node) deactivate(c coord) {
	if n.kind == ir.NodeDense || n.kind == ir.NodeDynamic || !n.isActive(c) {
		return
	}
	delete(n.active, c)
	n.clear(c)
}

// length is the length of the list in a cell of the parent.
func (n *Node) length(up coord) int64 {
	if !n.parent.isActive(up) {
		return 0
	}
	return n.lengths[up]
}

// grow makes the list in a cell of the parent longer by one, and returns the index of
// the new element, -1 if the list is full.
func (n *Node) grow(up coord) int64 {
	k := n.length(up)
	if k >= n.sizes[0] {
		return -1
	}
	n.activate(n.down(up, []int64{k}))
	return k
}

// shrink keeps the first elements of the list in a cell of the parent.
func (n *Node) shrink(up coord, to int64) {
	for _, c := range n.below(up)[to:] {
		n.clear(c)
	}
	n.lengths[up] = to
}

// clear zeroes what lies in a cell, and makes all cells in it inactive.
func (n *Node) clear(c coord) {
	index := n.index(c)
	for _, f := range n.fields {
		for i := f.lo; i < f.hi; i++ {
			f.memory.Store(index, i, 0)
		}
	}
	for _, m := range n.children {
		for _, d := range m.below(c) {
			delete(m.active, d)
			m.clear(d)
		}
		delete(m.lengths, c)
	}
}

// below returns the cells of n in one of the parent, but for inactive ones, in the
// order of the memory.
func (n *Node) below(up coord) []coord {
	var cells []coord
	switch n.kind {
	case ir.NodeDense:
		cells = n.all(up)
	case ir.NodeDynamic:
		for k := range n.lengths[up] {
			cells = append(cells, n.down(up, []int64{k}))
		}
		return cells
	default:
		for c := range n.active { // sorted below
			if n.up(c) == up {
				cells = append(cells, c)
			}
		}
	}
	slices.SortFunc(cells, n.compare)
	return cells
}

// all returns the cells of n in one of the parent, active or not.
func (n *Node) all(up coord) []coord {
	var cells []coord
	local := make([]int64, len(n.axes))
	var nest func(d int)
	nest = func(d int) {
		if d == len(local) {
			cells = append(cells, n.down(up, local))
			return
		}
		for local[d] = range n.sizes[d] {
			nest(d + 1)
		}
	}
	nest(0)
	return cells
}

// compare gives the order in memory of two cells in one of the parent; those of a
// hash node, which has none, are ordered by their index.
func (n *Node) compare(a, b coord) int {
	x, y := n.local(a), n.local(b)
	switch {
	case n.kind == ir.NodeHash:
		return slices.Compare(n.index(a), n.index(b))
	case n.morton:
		return cmp.Compare(interleave(x), interleave(y))
	}
	return slices.Compare(x, y)
}

// interleave is the place on the Morton curve, of whose bits the lowest is one of the
// last axis.
func interleave(local []int64) (z uint64) {
	for bit := 63 / max(1, len(local)); bit >= 0; bit-- {
		for _, x := range local {
			z = z<<1 | uint64(x)>>bit&1
		}
	}
	return z
}

// cells returns all active cells in the order of the path: as they lie in the
// outermost node, then in the next.
func (n *Node) cells() []coord {
	ups := []coord{{}}
	if n.parent != nil {
		ups = n.parent.cells()
	}
	if n.kind == ir.NodeDense || n.kind == ir.NodeDynamic {
		var cells []coord
		for _, up := range ups {
			cells = append(cells, n.below(up)...)
		}
		return cells
	}
	// Not below for each, which looks at all of them every time.
	in := map[coord][]coord{}
	for c := range n.active { // sorted below
		up := n.up(c)
		in[up] = append(in[up], c)
	}
	var cells []coord
	for _, up := range ups {
		slices.SortFunc(in[up], n.compare)
		cells = append(cells, in[up]...)
	}
	return cells
}
