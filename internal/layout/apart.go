package layout

// Which elements of a field are active goes by the node of its first component. A component
// that lies elsewhere has cells of its own, which need not come and go with the element.

// gate returns the innermost node at or above n whose cells may be inactive: n's cells are
// active if those of the gate are. It is nil where all are dense.
func (n *Node) gate() *Node {
	for ; n != nil; n = n.parent {
		if n.kind != Dense {
			return n
		}
	}
	return nil
}

// Within reports whether n is the node or lies below it.
func (n *Node) Within(above *Node) bool {
	for ; n != nil; n = n.parent {
		if n == above {
			return true
		}
	}
	return false
}

// Apart reports whether a component may stay where it is when its element becomes inactive,
// and may be written without the element becoming active: its way does not lead through the
// cell that decides whether the element is active.
func (f *Field) Apart(comp int) bool {
	if f.cells != nil {
		return false
	}
	gate := f.at[0].node.gate()
	return gate != nil && !f.at[comp].node.Within(gate)
}

// MayLack reports whether an active element may lack a component: the way to it leads through a cell that is
// not on the way to the first component. Elements that are always active, in a dense tree, are left out.
func (f *Field) MayLack(comp int) bool {
	if f.cells != nil || f.at[0].node.gate() == nil {
		return false
	}
	gate := f.at[comp].node.gate()
	return gate != nil && !f.at[0].node.Within(gate)
}

// Lead is the component by whose cells elements are active, for those who know the components from number first on: the
// first of all, or, where that lies in a dense tree and elements are always active, the first that they know.
func (f *Field) Lead(first int) int {
	if f.cells != nil || f.at[0].node.gate() == nil {
		return first
	}
	return 0
}

// LeadNode is the node that it is placed in, or the one whose cells f stands for.
func (f *Field) LeadNode(first int) *Node {
	if f.cells != nil {
		return f.cells
	}
	return f.at[f.Lead(first)].node
}

// Ends reports whether elements of a field whose first component lies in n become inactive
// when the cells of a node do: the node decides, or one below it.
func (n *Node) Ends(cells *Node) bool {
	gate := n.gate()
	return gate != nil && gate.Within(cells)
}
