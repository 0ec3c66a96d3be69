package graph

import "github.com/gotaichi/ti/internal/launch"

// A Launch is a queued launch as the graph sees it. It is not changed while there is a graph of it.
type Launch struct {
	Kernel *launch.Kernel
	Fields []Storage // of Kernel.Fields, in their order
	Number uint64    // by which people find the launch, and from which its random numbers follow

	// External says that it has slices or views of the caller among its arguments. The descriptor does not tell: slices are no
	// fields of it, and a field with memory of its own may as well be the words of a packed field.
	External bool
}

// A Memory is that of all components of a field of the host. Memories are told apart by their addresses: whoever makes a graph has one
// for each field that was placed, and none for members.
type Memory struct {
	Name  string
	Comps int
}

// A Node is a node of a sparse tree, whose cells may be inactive. Nodes and trees, too, are told apart by their addresses.
type Node struct {
	Name string
	Tree *Tree
}

// A Tree is a sparse tree: what has one allocator, and lists.
type Tree struct{ Name string }

// An Exponent is one that several numbers share.
type Exponent struct{ Name string }

// A Storage says where a field of a kernel is stored. The zero value is that of a field that no state names.
type Storage struct {
	Memory *Memory // nil of a node
	First  int     // component of Memory that is component 0 of the kernel's field

	// Nodes are the sparse nodes that the field's components lie in, or that the node is, with all those above them. If elements are
	// active with those of another part of the field, which lies apart, the nodes of that part are among them.
	Nodes []*Node
	// Cells is the node by whose cells elements are active; nil of a dense field.
	Cells *Node
	// Exponents has that of each component of the kernel's field, nil for one that shares none. It is nil if none does.
	Exponents []*Exponent
}
