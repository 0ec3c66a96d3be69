package store

import (
	"fmt"
	"go/token"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/layout"
)

// A Node is a level of a tree.
type Node struct {
	_     noCopy
	tree  *Tree
	lay   *layout.Node // nil below a mistake, which is reported once
	cells *Field       // what kernels see of it, once they do; guarded by st.mu
}

// Dense adds an array of cells.
func (n *Node) Dense(axes string, size ...int) *Node {
	return n.child(func() (*layout.Node, error) { return n.lay.Dense(axes, size...) })
}

// Pointer adds an array of pointers to cells.
func (n *Node) Pointer(axes string, size ...int) *Node {
	return n.child(func() (*layout.Node, error) { return n.lay.Pointer(axes, size...) })
}

// Bitmasked adds an array of cells with a bit each that says whether the cell is active.
func (n *Node) Bitmasked(axes string, size ...int) *Node {
	return n.child(func() (*layout.Node, error) { return n.lay.Bitmasked(axes, size...) })
}

// Hash adds cells that are found through a hash table: for domains of which very few cells are
// active.
func (n *Node) Hash(axes string, size ...int) *Node {
	return n.child(func() (*layout.Node, error) { return n.lay.Hash(axes, size...) })
}

// Dynamic adds a list that append makes longer, by up to most cells along one axis.
func (n *Node) Dynamic(axis string, most int) *Node {
	return n.child(func() (*layout.Node, error) { return n.lay.Dynamic(axis, most) })
}

// Chunk sets how many cells a Dynamic node allocates at a time; by default as many as have
// about 1 KiB.
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
		n.tree.noteAt(err, diag.User())
		c.lay = lay
	}
	return c
}

// Morton orders the cells of a Dense, Pointer or Bitmasked node along a Z-order curve, so that
// cells near each other in space are near in memory.
func (n *Node) Morton() *Node {
	defer n.building()()
	if n.lay != nil {
		n.tree.note(n.lay.Morton())
	}
	return n
}

// Place adds fields to each cell of the node, next to each other in the order given: placed
// together they are an array of structures, placed in nodes of their own a structure of
// arrays.
func (n *Node) Place(fields ...*Field) *Node {
	defer n.building()()
	for _, f := range fields {
		n.tree.misplaced(f, n.place(f, diag.User()), diag.User())
	}
	return n
}

// place puts one field into n.
func (n *Node) place(c *Field, pos token.Position) error {
	return n.adopt(c, pos, func() error {
		if n.lay == nil {
			return nil
		}
		return n.lay.Place(c.lay, c.lo, c.hi)
	})
}

// adopt checks that a field may lie in n, and calls place to put it there.
func (n *Node) adopt(c *Field, pos token.Position, place func() error) error {
	if c == nil {
		return &layout.Error{Kind: layout.Mismatch, Msg: "a nil field cannot be placed", Help: "give a pointer to a Field"}
	}
	for _, c := range []*Field{c, c.Root()} {
		if c.node == nil {
			c.node, c.pos = n, pos
		}
	}
	if c.err != nil {
		return c.err
	}
	if n.tree.st != c.Root().node.tree.st {
		return &layout.Error{Kind: layout.Mismatch, Msg: "parts of " + c.Root().Name() + " are placed in different runtimes", Help: "place them in one"}
	}
	c.lay.Name = c.Root().Name()
	return place()
}

// Core makes the node usable by kernels: as a field of its cells, without
// components.
func (n *Node) Core() (*Field, error) {
	st := n.tree.st
	st.mu.Lock()
	defer st.mu.Unlock()
	if err := n.tree.ready(); err != nil {
		return nil, err
	}
	if n.cells != nil {
		return n.cells, nil
	}
	lay, err := n.lay.Cells()
	if err != nil {
		return nil, layoutError(err, diag.User())
	}
	n.cells = &Field{lay: lay, node: n, Rank: lay.Rank(), uses: []*Tree{n.tree}}
	n.cells.Call(fmt.Sprintf("the %v node", n.lay.Kind()))
	n.cells.setAxes(make([]int64, lay.Rank()))
	n.cells.inUse.Store(true)
	return n.cells, nil
}

// Store is what has the node's tree, nil for a node of no tree.
func (n *Node) Store() *Store {
	if n.tree == nil {
		return nil
	}
	return n.tree.st
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
		return diag.Errorf(diag.ErrPlace, "a nil Node, such as that of a field that is not placed")
	case n.tree == nil:
		return diag.Errorf(diag.ErrArgs, "a Node of no tree; use what the methods of a Tree return")
	}
	return nil
}

// building takes the lock under which trees are built, and returns the func that unlocks it.
func (n *Node) building() (done func()) {
	if err := n.usable(); err != nil {
		panic(err)
	}
	mu := &n.tree.st.mu
	mu.Lock()
	return mu.Unlock
}
