package ti

import (
	"errors"
	"go/token"
	"runtime"
	"unsafe"

	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/memory"
	"github.com/gotaichi/ti/internal/syntax"
)

// A Tree describes how one or more fields lie in memory: a hierarchy of nodes, fixed
// once it is used, whose leaves are fields. The Tree is its own root node, with one
// cell:
//
//	t := rt.NewTree()
//	block := t.Dense(ti.IJ, 64)                        // 64×64 cells, each of them
//	block.Dense(ti.IJ, 16).Place(&s.Density, &s.Speed) // a block of 16×16 (density, speed) pairs
//
// The extent of a field along an axis is the product of the sizes that the nodes
// above it give that axis: Density is 1024×1024.
type Tree struct {
	Node

	rt     *Runtime
	lay    *layout.Tree
	errs   SourceErrors
	fields []*fieldCore // those in use

	// Guarded by rt.mu while the tree comes to life, by the launch lock at its end.
	region *memory.Region
	bytes  int64
	closed bool
}

// NewTree returns an empty tree. Add nodes and fields to it before the first Load
// or element access that concerns it; later additions are mistakes.
func (rt *Runtime) NewTree() *Tree {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	t := &Tree{rt: rt, lay: layout.NewTree(len(rt.trees))}
	t.Node.tree, t.Node.lay = t, t.lay.Root()
	rt.trees = append(rt.trees, t)
	return t
}

// Origin sets the lowest index along each of the axes, 0 by default and possibly
// negative, for all fields and nodes of the tree. It returns t.
func (t *Tree) Origin(axes Axes, lowest ...int) *Tree {
	t.note(t.lay.Origin(string(axes), lowest...))
	return t
}

// Err returns the mistakes made so far in building the tree, as [SourceErrors]
// with the positions of the calls, or nil.
func (t *Tree) Err() error { return t.errs.Err() }

// Bytes returns the memory of the tree: 0 before its first use and after Close.
// A page of it is resident from its first access on.
func (t *Tree) Bytes() int64 {
	t.rt.mu.Lock()
	defer t.rt.mu.Unlock()
	return t.bytes
}

// Close waits for launches and frees the tree's memory. Kernels bound to its
// fields fail with [ErrClosed] from then on; other trees are not affected.
// Closing again does nothing.
func (t *Tree) Close() error {
	rt := t.rt
	rt.eng.Lock()
	defer rt.eng.Unlock()
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if t.closed {
		return nil
	}
	t.closed = true
	for _, f := range t.fields {
		f.base.Store(nil)
	}
	rt.bytes -= t.bytes
	t.bytes = 0
	if t.region == nil {
		return nil
	}
	return t.region.Free()
}

// Axes is a sequence of axis letters out of "ijklmnop". Their order is the order
// in memory, outermost first: Dense(JI, …) is column-major. Any sequence of
// distinct letters may be written as a string constant.
type Axes string

const (
	I    Axes = "i"
	J    Axes = "j"
	K    Axes = "k"
	L    Axes = "l"
	IJ   Axes = "ij"
	JI   Axes = "ji"
	IJK  Axes = "ijk"
	KJI  Axes = "kji"
	IJKL Axes = "ijkl"
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
	c := &Node{tree: n.tree}
	if n.lay != nil {
		lay, err := n.lay.Dense(string(axes), size...)
		n.tree.note(err)
		c.lay = lay
	}
	return c
}

// Morton orders the cells of a node along a Z-order curve, so that cells near each
// other in space are near in memory. Sizes must be powers of two. It returns n.
//
// Neighbours in space are several jumps apart in an address, so a loop over a range
// of indices is slower than with cells in rows; it pays where elements are visited
// in an order that the program does not know, as along rays through a volume.
func (n *Node) Morton() *Node {
	if n.lay != nil {
		n.tree.note(n.lay.Morton())
	}
	return n
}

// Place adds fields to each cell of the node, next to each other in the order
// given: placed together they are an array of structures, placed in nodes of
// their own a structure of arrays. It returns n.
func (n *Node) Place(fields ...AnyField) *Node {
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
	if c.err != nil {
		return c.err
	}
	for _, c := range []*fieldCore{c, c.root()} {
		if c.node == nil {
			c.node, c.pos = n, pos
		}
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
	if rt.closed.Load() {
		return nil, errorOf(ErrClosed, "the runtime of a node")
	}
	if err := n.tree.ready(); err != nil {
		return nil, err
	}
	if n.cells != nil {
		return n.cells, nil
	}
	lay, err := n.lay.Cells()
	if err != nil {
		return nil, err
	}
	n.cells = &fieldCore{lay: lay, node: n, rank: lay.Rank(), uses: []*Tree{n.tree}}
	n.cells.inUse.Store(true)
	return n.cells, nil
}

// Shape returns the extent of the node along each axis of its tree, in
// alphabetical order of the axes.
func (n *Node) Shape() Shape {
	if n.lay == nil {
		return nil
	}
	return n.lay.Shape()
}

// Place gives each field a tree of its own: dense, row-major, of the given shape,
// zero. To place fields side by side in one tree, use [Runtime.NewTree].
func (rt *Runtime) Place(shape Shape, fields ...AnyField) {
	for _, f := range fields {
		rt.placeAlone(shape, f, caller(1))
	}
}

// allAxes are the axes of a plain field, as many as it has.
const allAxes = "ijklmnop"

func (rt *Runtime) placeAlone(shape Shape, f AnyField, pos token.Position) {
	t := rt.NewTree()
	n := &Node{tree: t, lay: t.lay.Root()}
	switch {
	case len(shape) > len(allAxes):
		t.noteAt(&layout.Error{Kind: layout.BadAxes, Msg: "a shape has more than 8 extents"}, pos)
		n.lay = nil
	case len(shape) > 0:
		lay, err := n.lay.Dense(allAxes[:len(shape)], shape...)
		t.noteAt(err, pos)
		n.lay = lay
	}
	t.noteAt(n.place(f, pos), pos)
}

// note keeps a mistake made in the call of this package that the user wrote.
func (t *Tree) note(err error) {
	if err != nil {
		t.noteAt(err, caller(2))
	}
}

func (t *Tree) noteAt(err error, pos token.Position) {
	if err != nil {
		t.errs = append(t.errs, layoutError(err, pos))
	}
}

var layoutCodes = [...]Code{
	layout.BadSize: syntax.LayoutSize, layout.BadAxes: syntax.LayoutAxes, layout.TooLarge: syntax.LayoutTooLarge,
	layout.Placed: syntax.LayoutTwice, layout.Mismatch: syntax.LayoutParts, layout.Frozen: syntax.LayoutFrozen,
}

// layoutError gives a mistake its position and code.
func layoutError(err error, pos token.Position) *SourceError {
	if e, ok := errors.AsType[*SourceError](err); ok {
		return atPlace(e, pos)
	}
	e := &SourceError{Pos: pos, Msg: err.Error(), Code: syntax.LayoutMemory, Cause: ErrMemory}
	if l, ok := errors.AsType[*layout.Error](err); ok {
		e.Code, e.Msg, e.Help, e.Cause = layoutCodes[l.Kind], l.Msg, l.Help, ErrLayout
	}
	return e
}

// atPlace gives e a position if it has none.
func atPlace(e *SourceError, pos token.Position) *SourceError {
	if e.Pos.Line > 0 {
		return e
	}
	at := *e
	at.Pos = pos
	return &at
}

// caller is the position of the call skip levels above the caller of caller.
func caller(skip int) token.Position {
	_, file, line, ok := runtime.Caller(skip + 1)
	if !ok {
		return token.Position{}
	}
	return token.Position{Filename: shortPath(file), Line: line}
}

// ready gives the tree its memory. It is called with rt.mu held.
func (t *Tree) ready() error {
	switch {
	case len(t.errs) > 0:
		return t.errs
	case t.closed:
		return errorOf(ErrClosed, "the tree has been closed")
	case t.region != nil:
		return nil
	}
	if err := t.lay.Freeze(); err != nil {
		return err
	}
	limit, whose := t.rt.opt.MemoryLimit, "Config.MemoryLimit is"
	if limit == 0 {
		limit, whose = memory.PhysicalMemory(), "this machine has"
	}
	need := t.lay.Bytes()
	if limit > 0 && need > limit-t.rt.bytes {
		return errorOf(ErrMemory, "a tree needs %d bytes, other trees have %d, and %s %d; use smaller extents or element types", need, t.rt.bytes, whose, limit)
	}
	region, err := memory.Map(need + stagger)
	if err != nil {
		return errorOf(ErrMemory, "%w", err)
	}
	t.region, t.bytes = region, need
	t.rt.bytes += need
	return nil
}

// stagger is how far apart trees begin in their pages. If all began at the same
// place, elements of equal index would have equal low address bits, which
// processors mistake for equal addresses when they order loads after stores.
const stagger = 4096

// address is the tree's first byte.
func (t *Tree) address() unsafe.Pointer {
	return unsafe.Add(t.region.Base(), t.lay.ID()*7%16*(stagger/16))
}
