package ti

import (
	"fmt"
	"go/token"

	"github.com/gotaichi/ti/internal/layout"
)

// A Node is a level of a tree. Each of its cells contains one of everything placed
// in it and one container of each child node.
//
// The methods that add a child take a size for each axis in the order of axes, or
// one for all of them. They return the child, and may be called several times on
// one node. A struct field of type *Node is bound to a var of type node.
type Node struct {
	_     noCopy
	tree  *Tree
	lay   *layout.Node // nil below a mistake, which is reported once
	cells *fieldCore   // what kernels see of it, once they do; guarded by rt.mu
}

// Dense adds an array of cells. They are always active when their parent is.
func (n *Node) Dense(axes Axes, size ...int) *Node {
	return n.child(func() (*layout.Node, error) { return n.lay.Dense(string(axes), size...) })
}

// Pointer adds an array of pointers to cells. A cell is allocated when something in
// it is first written, and its memory is used again once it is deactivated; an
// inactive cell costs 8 bytes.
func (n *Node) Pointer(axes Axes, size ...int) *Node {
	return n.child(func() (*layout.Node, error) { return n.lay.Pointer(string(axes), size...) })
}

// Bitmasked adds an array of cells with a bit each that says whether the cell is
// active. It takes as much memory as Dense, and an eighth of a byte a cell more, but
// loops visit active cells only.
func (n *Node) Bitmasked(axes Axes, size ...int) *Node {
	return n.child(func() (*layout.Node, error) { return n.lay.Bitmasked(string(axes), size...) })
}

// Hash adds cells that are found through a hash table: for domains of which very
// few cells are active. An inactive cell costs no memory at all, an access more than
// through pointers. Without sizes the domain has no bounds: any index is in it,
// negative ones included, that an int32 can hold. The node must be a child of the
// root.
func (n *Node) Hash(axes Axes, size ...int) *Node {
	return n.child(func() (*layout.Node, error) { return n.lay.Hash(string(axes), size...) })
}

// Dynamic adds a list that append makes longer, by up to most cells along one axis.
// The axis comes behind those of the nodes above in the alphabet. The cells of the
// list are the first ones, as many as its length says. Only fields are placed in it.
func (n *Node) Dynamic(axis Axes, most int) *Node {
	return n.child(func() (*layout.Node, error) { return n.lay.Dynamic(string(axis), most) })
}

// Chunk sets how many cells a Dynamic node allocates at a time; by default as many
// as have about 1 KiB. It returns n.
func (n *Node) Chunk(cells int) *Node {
	defer n.building()()
	if n.lay != nil {
		n.tree.note(n.lay.Chunk(cells))
	}
	return n
}

// child adds a node made by make, which is not called below a mistake.
func (n *Node) child(make func() (*layout.Node, error)) *Node {
	defer n.building()()
	c := &Node{tree: n.tree}
	if n.lay != nil {
		lay, err := make()
		n.tree.noteAt(err, caller(2))
		c.lay = lay
	}
	return c
}

// Morton orders the cells of a Dense, Pointer or Bitmasked node along a Z-order
// curve, so that cells near each other in space are near in memory. Sizes must be
// powers of two. It returns n.
//
// Neighbours in space are several jumps apart in an address, so a loop over a range
// of indices is slower than with cells in rows; it pays where elements are visited
// in an order that the program does not know, as along rays through a volume.
func (n *Node) Morton() *Node {
	defer n.building()()
	if n.lay != nil {
		n.tree.note(n.lay.Morton())
	}
	return n
}

// Place adds fields to each cell of the node, next to each other in the order
// given: placed together they are an array of structures, placed in nodes of
// their own a structure of arrays. It returns n.
func (n *Node) Place(fields ...AnyField) *Node {
	defer n.building()()
	for _, f := range fields {
		n.tree.note(n.place(f, caller(1)))
	}
	return n
}

// place puts one field into n.
func (n *Node) place(f AnyField, pos token.Position) error {
	if isNil(f) {
		return &layout.Error{Kind: layout.Mismatch, Msg: "a nil field cannot be placed", Help: "give a pointer to a Field"}
	}
	c := f.field()
	for _, c := range []*fieldCore{c, c.root()} {
		if c.node == nil {
			c.node, c.pos = n, pos
		}
	}
	if c.err != nil {
		return c.err
	}
	if n.tree.rt != c.root().node.tree.rt {
		return &layout.Error{Kind: layout.Mismatch, Msg: "parts of " + c.root().title() + " are placed in different runtimes", Help: "place them in one"}
	}
	if n.lay == nil {
		return nil
	}
	c.lay.Name = c.root().title()
	return n.lay.Place(c.lay, c.lo, c.hi)
}

// core makes the node usable by kernels: as a field of its cells, without
// components.
func (n *Node) core() (*fieldCore, error) {
	rt := n.tree.rt
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if err := n.tree.ready(); err != nil {
		return nil, err
	}
	if n.cells != nil {
		return n.cells, nil
	}
	lay, err := n.lay.Cells()
	if err != nil {
		return nil, layoutError(err, user())
	}
	n.cells = &fieldCore{lay: lay, node: n, rank: lay.Rank(), uses: []*Tree{n.tree}}
	n.cells.call(fmt.Sprintf("the %v node", n.lay.Kind()))
	n.cells.setAxes(make([]int64, lay.Rank()))
	n.cells.inUse.Store(true)
	return n.cells, nil
}

// Shape returns the extent of the node along each axis of its tree, in
// alphabetical order of the axes.
func (n *Node) Shape() Shape {
	if n == nil || n.lay == nil {
		return nil
	}
	defer n.building()()
	return n.lay.Shape()
}

// usable returns an error for a node that no tree has made.
func (n *Node) usable() error {
	switch {
	case n == nil:
		return errorOf(ErrPlace, "a nil Node, such as that of a field that is not placed")
	case n.tree == nil:
		return errorOf(ErrArgs, "a Node of no tree; use what the methods of a Tree return")
	}
	return nil
}

// building takes the lock under which trees are built, and returns the func that unlocks it.
func (n *Node) building() (done func()) {
	if err := n.usable(); err != nil {
		panic(err)
	}
	mu := &n.tree.rt.mu
	mu.Lock()
	return mu.Unlock
}
