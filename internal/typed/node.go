package typed

// A NodeKind says how a node of a layout tree keeps its cells.
type NodeKind uint8

const (
	NodeDense     NodeKind = iota // all cells are there from the start
	NodePointer                   // a cell is made when it is first written or activated
	NodeBitmasked                 // room for all cells, and a bit for each that is active
	NodeDynamic                   // a list along the node's only axis, which is the last of the index
	NodeHash                      // as NodePointer, the cells in a table
)

// A CellFn is an operation on cells of nodes, or on lists.
type CellFn uint8

const (
	Activate CellFn = iota
	Deactivate
	IsActive // of type bool
	Append   // index of the new element, -1 if the list is full; of type int
	ListLen  // length of a list, of type int
	Empty    // a list
	Resize   // a list, to Value elements
)

// OfList reports whether f is an operation on a list as a whole. Its index lacks the list's
// own axis.
func (f CellFn) OfList() bool {
	switch f {
	case Append, ListLen, Empty, Resize:
		return true
	}
	return false
}
