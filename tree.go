package ti

import (
	"io"
	"unsafe"

	"github.com/gotaichi/ti/internal/session"
	"github.com/gotaichi/ti/internal/store"
)

// A Tree describes how one or more fields lie in memory: a hierarchy of nodes, fixed
// once it is used, whose leaves are fields. The Tree is its own root node, with one
// cell:
//
//	t := rt.NewTree()
//	block := t.Pointer(ti.IJ, 64)                      // 64×64 pointers, null at first,
//	block.Dense(ti.IJ, 16).Place(&s.Density, &s.Speed) // to blocks of 16×16 (density, speed) pairs
//	block.Dynamic(ti.K, 1024).Place(&s.Bucket)         // and a list of up to 1024 elements
//
// The extent of a field along an axis is the product of the sizes that the nodes
// above it give that axis: Density is 1024×1024.
type Tree struct {
	Node
	state store.TreeState // the rest of a store.Tree
}

// core returns what t is below.
func (t *Tree) core() *store.Tree { return (*store.Tree)(unsafe.Pointer(t)) }

// treeOf is the inverse of core.
func treeOf(t *store.Tree) *Tree { return (*Tree)(unsafe.Pointer(t)) }

// The two are of one size.
var (
	_ [unsafe.Sizeof(Tree{}) - unsafe.Sizeof(store.Tree{})]struct{}
	_ [unsafe.Sizeof(store.Tree{}) - unsafe.Sizeof(Tree{})]struct{}
)

// NewTree returns an empty tree. Add nodes and fields to it before the first Load
// or element access that concerns it; later additions are mistakes.
func (rt *Runtime) NewTree() *Tree { return treeOf((*session.Runtime)(rt).NewTree()) }

// Origin sets the lowest index along each of the axes, 0 by default and possibly
// negative, for all fields and nodes of the tree. It returns t.
//
// An Origin counts the finest cells below the outermost node of an axis. A larger cell, one
// that spans s of these, has their index divided by s and rounded down. The Origin has to
// be a multiple of s then, if the larger cells, or a field in them, are used:
//
//	t := rt.NewTree().Origin(ti.IJ, -64)
//	block := t.Pointer(ti.IJ, 8)                  // indices from -4 to 3
//	block.Dense(ti.IJ, 16).Place(&s.Density)      // from -64 to 63
//	block.Dynamic(ti.K, 1024).Place(&s.Particles) // from -4 to 3, as the blocks
func (t *Tree) Origin(axes Axes, lowest ...int) *Tree {
	t.core().Origin(string(axes), lowest...)
	return t
}

// Err returns the mistakes made so far in building the tree, as [SourceErrors]
// with the positions of the calls, or nil. Of a nil Tree, which a field that is not
// placed has, it returns an error for which errors.Is finds [ErrPlace].
func (t *Tree) Err() error { return t.core().Err() }

// Bytes returns the memory that the tree has in use: 0 before its first use and after
// Close. A dense tree has all of its memory from then on, though a page of it is
// resident from its first access only; a sparse one has what its active cells take, and
// what they have left and not given back yet.
func (t *Tree) Bytes() int64 { return t.core().Bytes() }

// Close waits for launches and frees the tree's memory. Kernels bound to its
// fields fail with [ErrClosed] from then on; other trees are not affected.
// Closing again does nothing.
func (t *Tree) Close() error { return t.core().Close() }

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

// Place gives each field a tree of its own: dense, row-major, of the given shape,
// zero. To place fields side by side in one tree, use [Runtime.NewTree]. A mistake, such as
// a field that is placed already, is reported by Load and by the field's methods.
func (rt *Runtime) Place(shape Shape, fields ...AnyField) {
	(*session.Runtime)(rt).Place(shape, cores(fields)...)
}

// WriteTo writes topology and data of the tree: which cells are active and what they
// hold. The form has a version and a checksum.
func (t *Tree) WriteTo(w io.Writer) (int64, error) { return t.core().WriteTo(w) }

// ReadFrom replaces topology and data by what WriteTo wrote from a tree with the same
// nodes and fields. Anything else, and a damaged or short stream, gives an error and
// leaves the tree as it was: one for which errors.Is finds [ErrLayout] if the stream was
// not written from such a tree or is damaged, io.ErrUnexpectedEOF if it is cut off, and
// [ErrMemory] if there is no memory for its cells.
func (t *Tree) ReadFrom(r io.Reader) (int64, error) { return t.core().ReadFrom(r) }

// Describe writes the tree for people: nodes with their axes and sizes, the bytes of a
// cell, how many cells are active, and the memory in use; below each node what lies in
// its cells.
func (t *Tree) Describe(w io.Writer) error { return t.core().Describe(w) }
