package unit

import (
	"math/bits"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
)

// A Layout describes where the fields of a kernel lie in memory. Passes before access lowering use it only for the order of loops.
type Layout interface {
	// Access returns the address formula of a component of f.
	Access(f *ir.Field, comp int) *layout.Access
	// Nest returns the loops that visit the elements of f in memory order, if all nodes above it are dense.
	Nest(f *ir.Field) []layout.NestDim
	// Uniform reports whether a tree, given by its number in accesses, has only components of one kind without padding, and their bytes.
	Uniform(tree int) (kind ir.Kind, bytes int64, ok bool)
	// Cells returns a description of the node that f stands for or, if f has components, of the node of the first component. f is sparse.
	Cells(f *ir.Field) *Cells
}

// SumsTree is the number, in accesses, of the memory for sums of codes in words of this size in a tree: memory of the kernel, with
// 8 bytes for each word. See [ir.Sums].
func SumsTree(tree, size int) int { return -2 - (tree*4 + bits.TrailingZeros(uint(size))) }

// SumsOf returns the tree whose sums a number stands for, and the size of its words; false if it stands for none.
func SumsOf(n int) (tree, size int, ok bool) { return (-2 - n) / 4, 1 << ((-2 - n) & 3), n <= -2 }

// Cells describe the cells of a node of a sparse tree.
type Cells struct {
	Tree  int // the tree's number in accesses
	Node  *layout.Node
	Steps []layout.Step // the path to a cell
	Visit layout.Visit
}

// Distant reports whether a component of a sparse field is distant: the path to it does not lead through the cell by which an element is
// active, so that a write of it alone does not activate the element.
func Distant(lay Layout, f *ir.Field, comp int) bool {
	cells := lay.Cells(f)
	if cells == nil || len(cells.Steps) == 0 {
		return false
	}
	gate := cells.Steps[len(cells.Steps)-1].Node
	return !slices.ContainsFunc(lay.Access(f, comp).Steps, func(s layout.Step) bool { return s.Node == gate })
}

// MayBeDistant reports whether the place may be that of a distant component.
func MayBeDistant(lay Layout, place *ir.Op) bool {
	return slices.ContainsFunc(place.Choices(), func(c int) bool { return Distant(lay, place.Field, c) })
}

// WordCells is the number of cells in a word of a mask.
const WordCells = 64
