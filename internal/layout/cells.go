package layout

import "fmt"

// Cells describes the cells of a node as a field without components: it has shape,
// origin and nest, and nothing in it.
func (n *Node) Cells() (*Field, error) {
	if err := n.tree.Freeze(); err != nil {
		return nil, err
	}
	f := &Field{Elem: &Elem{}, cells: n, axes: n.pathAxes()}
	for _, a := range f.axes {
		low, err := n.lowest(a, fmt.Sprintf("the %s node", n.kind))
		if err != nil {
			return nil, err
		}
		f.shape, f.origin = append(f.shape, n.extent(a)), append(f.origin, low)
	}
	return f, nil
}

// CellsOf returns the node whose cells f stands for, nil for a field of elements.
func (f *Field) CellsOf() *Node { return f.cells }
