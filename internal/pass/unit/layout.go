package unit

import (
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

// Cells describe the cells of a node of a sparse tree.
type Cells struct {
	Tree  int // the number that accesses have for the tree
	Node  *layout.Node
	Steps []layout.Step // to a cell
	Visit layout.Visit
}

// WordCells is the number of cells in a word of a mask.
const WordCells = 64
