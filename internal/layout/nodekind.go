package layout

import (
	"fmt"
	"slices"
)

// NodeKind says how the cells of a node are stored and which of them are active.
type NodeKind uint8

// The kinds of nodes.
const (
	Dense     NodeKind = iota // an array of cells, active when their parent is
	Pointer                   // an array of pointers to cells, allocated one by one
	Bitmasked                 // an array of cells with a bit each
	Dynamic                   // a list of cells that grows, allocated in chunks
	Hash                      // cells found by a hash of their coordinates
)

var nodeKindNames = [...]string{"dense", "pointer", "bitmasked", "dynamic", "hash"}

// String returns the name, such as "pointer".
func (k NodeKind) String() string { return nodeKindNames[k] }

// Allocates reports whether cells of the kind lie in blocks of their own.
func (k NodeKind) Allocates() bool { return k == Pointer || k == Dynamic || k == Hash }

const (
	// unboundedCells is the number of cells along an axis of a hash node without
	// sizes: as many as an int32 has values, the first being the lowest.
	unboundedCells = 1 << 32

	// chunkBytes is the size of a chunk of a list unless the program says otherwise.
	chunkBytes = 1 << 10
)

// Kind returns the node's kind; the root is dense.
func (n *Node) Kind() NodeKind { return n.kind }

// Parent returns the node above, nil for the root.
func (n *Node) Parent() *Node { return n.parent }

// Children returns the nodes directly below n, in the order of their making.
func (n *Node) Children() []*Node {
	var out []*Node
	for _, it := range n.items {
		if it.node != nil {
			out = append(out, it.node)
		}
	}
	return out
}

// Sparse reports whether a cell of n may be inactive, because of its own kind or
// that of a node above it.
func (n *Node) Sparse() bool {
	for ; n != nil; n = n.parent {
		if n.kind != Dense {
			return true
		}
	}
	return false
}

// Pointer adds an array of pointers to cells to each cell of n.
func (n *Node) Pointer(axes string, sizes ...int) (*Node, error) {
	return n.add(Pointer, axes, sizes)
}

// Bitmasked adds an array of cells with a bit each to each cell of n.
func (n *Node) Bitmasked(axes string, sizes ...int) (*Node, error) {
	return n.add(Bitmasked, axes, sizes)
}

// Hash adds a table of cells; without sizes any coordinates of 32 bits are in it.
func (n *Node) Hash(axes string, sizes ...int) (*Node, error) {
	if n.parent != nil {
		return nil, fail(BadSize, "put the hash node directly below the tree", "a hash node lies below a %s node", n.kind)
	}
	if len(sizes) > 0 {
		return n.add(Hash, axes, sizes)
	}
	as, err := parseAxes(axes)
	switch {
	case n.tree.frozen:
		return nil, frozenError()
	case err != nil:
		return nil, err
	}
	for _, a := range as {
		if n.tree.origin[a] != 0 {
			return nil, unboundedOrigin(a)
		}
	}
	c := &Node{tree: n.tree, parent: n, kind: Hash, axes: as, unbounded: true}
	for range as {
		c.sizes = append(c.sizes, unboundedCells)
	}
	n.items = append(n.items, item{node: c})
	return c, nil
}

func unboundedOrigin(axis int) error {
	return fail(BadAxes, "leave it out: negative indices are in the domain already, or give the hash node sizes",
		"axis %c of a hash node without sizes has no lowest index", axisLetters[axis])
}

func listOrigin(axis int) error {
	return fail(BadAxes, "leave it out: a list begins with element 0", "axis %c of a dynamic node has an Origin", axisLetters[axis])
}

// listAlong reports whether n or a node below it is a list along an axis.
func (n *Node) listAlong(axis int) bool {
	if n.kind == Dynamic && n.axes[0] == axis {
		return true
	}
	return slices.ContainsFunc(n.Children(), func(c *Node) bool { return c.listAlong(axis) })
}

// Dynamic adds a list of up to most cells along an axis to each cell of n.
func (n *Node) Dynamic(axis string, most int) (*Node, error) {
	as, err := parseAxes(axis)
	if err != nil {
		return nil, err
	}
	if len(as) != 1 {
		return nil, fail(BadAxes, "give it one", "a dynamic node has one axis, and %q are %d", axis, len(as))
	}
	for _, a := range n.pathAxes() {
		if a == as[0] {
			return nil, fail(BadAxes, "give the list an axis of its own", "axis %c of a dynamic node is used by a node above it", axisLetters[a])
		}
		if a > as[0] {
			return nil, fail(BadAxes, fmt.Sprintf("use a letter behind %c", axisLetters[a]),
				"axis %c of a dynamic node comes before axis %c of a node above it, so that its index would not be the last", axisLetters[as[0]], axisLetters[a])
		}
	}
	if n.tree.origin[as[0]] != 0 {
		return nil, listOrigin(as[0])
	}
	return n.add(Dynamic, axis, []int{most})
}

// Chunk sets how many cells a dynamic node allocates at a time.
func (n *Node) Chunk(cells int) error {
	switch {
	case n.tree.frozen:
		return frozenError()
	case n.kind != Dynamic:
		return fail(BadSize, "leave it out", "a %s node has no chunks; those of a dynamic node are meant", n.kind)
	case cells < 1:
		return fail(BadSize, "allocate at least 1 cell at a time", "chunks of %d cells", cells)
	}
	n.chunk = int64(cells)
	return nil
}

// chunkCells returns the number of cells in a chunk of a dynamic node.
func (n *Node) chunkCells() int64 {
	if n.chunk > 0 {
		return min(n.chunk, n.sizes[0])
	}
	return min(max(1, chunkBytes/max(1, n.cell)), n.sizes[0])
}

// Tree returns the tree that n is a node of.
func (n *Node) Tree() *Tree { return n.tree }
