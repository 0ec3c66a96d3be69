package ti

import (
	"iter"

	"github.com/gotaichi/ti/internal/store"
)

// A Node is a level of a tree. Each of its cells contains one of everything placed
// in it and one container of each child node.
//
// The methods that add a child take a size for each axis in the order of axes, or
// one for all of them. They return the child, and may be called several times on
// one node. A struct field of type *Node is bound to a var of type node.
type Node store.Node

// Dense adds an array of cells. They are always active when their parent is.
func (n *Node) Dense(axes Axes, size ...int) *Node {
	return (*Node)((*store.Node)(n).Dense(string(axes), size...))
}

// Pointer adds an array of pointers to cells. A cell is allocated when something in
// it is first written, and its memory is used again once it is deactivated; an
// inactive cell costs 8 bytes.
func (n *Node) Pointer(axes Axes, size ...int) *Node {
	return (*Node)((*store.Node)(n).Pointer(string(axes), size...))
}

// Bitmasked adds an array of cells with a bit each that says whether the cell is
// active. It takes as much memory as Dense, and an eighth of a byte a cell more, but
// loops visit active cells only.
func (n *Node) Bitmasked(axes Axes, size ...int) *Node {
	return (*Node)((*store.Node)(n).Bitmasked(string(axes), size...))
}

// Hash adds cells that are found through a hash table: for domains of which very
// few cells are active. An inactive cell costs no memory at all, an access more than
// through pointers. Without sizes the domain has no bounds: any index is in it,
// negative ones included, that an int32 can hold. The node must be a child of the
// root.
func (n *Node) Hash(axes Axes, size ...int) *Node {
	return (*Node)((*store.Node)(n).Hash(string(axes), size...))
}

// Dynamic adds a list that append makes longer, by up to most cells along one axis.
// The axis comes behind those of the nodes above in the alphabet. The cells of the
// list are the first ones, as many as its length says. Only fields are placed in it.
func (n *Node) Dynamic(axis Axes, most int) *Node {
	return (*Node)((*store.Node)(n).Dynamic(string(axis), most))
}

// Chunk sets how many cells a Dynamic node allocates at a time; by default as many
// as have about 1 KiB. It returns n.
func (n *Node) Chunk(cells int) *Node { return (*Node)((*store.Node)(n).Chunk(cells)) }

// Morton orders the cells of a Dense, Pointer or Bitmasked node along a Z-order
// curve, so that cells near each other in space are near in memory. Sizes must be
// powers of two. It returns n.
//
// Neighbours in space are several jumps apart in an address, so a loop over a range
// of indices is slower than with cells in rows; it pays where elements are visited
// in an order that the program does not know, as along rays through a volume.
func (n *Node) Morton() *Node { return (*Node)((*store.Node)(n).Morton()) }

// Place adds fields to each cell of the node, next to each other in the order
// given: placed together they are an array of structures, placed in nodes of
// their own a structure of arrays. It returns n.
func (n *Node) Place(fields ...AnyField) *Node {
	return (*Node)((*store.Node)(n).Place(cores(fields)...))
}

// Shape returns the extent of the node along each axis of its tree, in
// alphabetical order of the axes.
func (n *Node) Shape() Shape { return (*store.Node)(n).Shape() }

// Active reports whether a cell of the node is active, that is, whether all cells
// on the path to it are. It panics like [Field.At] on a bad index. Writing an
// element activates its path; reading never does.
func (n *Node) Active(idx ...int) bool { return (*store.Node)(n).Active(idx...) }

// Cells iterates over the active cells in the order in which they lie in memory. The
// loop may do what it likes with the tree; whether it then sees cells that it
// activated is unspecified.
func (n *Node) Cells() iter.Seq[Index] { return indices((*store.Node)(n).Cells()) }

// Count returns the number of active cells.
func (n *Node) Count() int { return (*store.Node)(n).Count() }

// Len returns the length of the list of a Dynamic node in the cell of its parent
// that the indices name. It panics on a bad index, and for a node of another kind.
func (n *Node) Len(idx ...int) int { return (*store.Node)(n).Len(idx...) }

// Clear deactivates all cells of the node and of the sparse nodes below it, and
// zeroes what stays. Their memory is used again by the same node; what is free
// altogether is returned to the system.
func (n *Node) Clear() { (*store.Node)(n).Clear() }

// indices gives a sequence the type that users know.
func indices(seq iter.Seq[store.Index]) iter.Seq[Index] {
	return func(yield func(Index) bool) {
		for idx := range seq {
			if !yield(idx) {
				return
			}
		}
	}
}
