package unit

import (
	"math/bits"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
)

// A Layout says where the fields of a kernel lie in memory. Passes that run
// before access lowering use it for the order of loops only.
type Layout interface {
	// Access returns the address formula of a component of f.
	Access(f *ir.Field, comp int) *layout.Access
	// Nest returns the loops that visit the elements of f in memory order, where all
	// nodes above it are dense.
	Nest(f *ir.Field) []layout.NestDim
	// Uniform reports whether all that lies in a tree, given by the number that
	// accesses have for it, is components of one kind without padding, and how
	// many bytes they are.
	Uniform(tree int) (kind ir.Kind, bytes int64, ok bool)
	// Cells returns what there is to know of the node that f stands for or, if it has
	// components, that the first of them is placed in; f is sparse.
	Cells(f *ir.Field) *Cells
}

// SumsTree is the number that accesses have for the sums of codes in words of so many bytes of a tree: memory of the kernel, with
// 8 bytes for each word. See [ir.Sums].
func SumsTree(tree, size int) int { return -2 - (tree*4 + bits.TrailingZeros(uint(size))) }

// SumsOf returns the tree whose sums a number stands for, and the size of its words; false if it stands for none.
func SumsOf(n int) (tree, size int, ok bool) { return (-2 - n) / 4, 1 << ((-2 - n) & 3), n <= -2 }

// Cells describe the cells of a node of a sparse tree.
type Cells struct {
	Tree  int // the number that accesses have for the tree
	Node  *layout.Node
	Steps []layout.Step // to a cell
	Visit layout.Visit
}

// Apart reports whether a component of a sparse field lies apart from its elements: the way to it does not lead
// through the cell by which an element is active, so that a write of it alone does not activate the element.
func Apart(lay Layout, f *ir.Field, comp int) bool {
	cells := lay.Cells(f)
	if cells == nil || len(cells.Steps) == 0 {
		return false
	}
	gate := cells.Steps[len(cells.Steps)-1].Node
	return !slices.ContainsFunc(lay.Access(f, comp).Steps, func(s layout.Step) bool { return s.Node == gate })
}

// ReachesApart reports whether a component that a place may name lies apart.
func ReachesApart(lay Layout, place *ir.Op) bool {
	return slices.ContainsFunc(place.Choices(), func(c int) bool { return Apart(lay, place.Field, c) })
}

// WordCells is the number of cells in a word of a mask.
const WordCells = 64
