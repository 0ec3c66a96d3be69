package layout

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// axisLetters are the names of axes; an axis is its position here.
const axisLetters = "ijklmnop"

const (
	// rootAlign keeps what a root holds directly in cache lines of its own, so
	// that threads working on one do not slow down those on the next.
	rootAlign = 64

	// largeArray is the size from which on arrays in a root are staggered.
	largeArray = 64 << 10

	// maxBytes is more than any process can address.
	maxBytes = 1 << 47
)

// ErrorKind distinguishes the mistakes of a layout.
type ErrorKind int

// The kinds of mistakes.
const (
	BadSize   ErrorKind = iota // a size that is not positive, or not one for each axis
	BadAxes                    // an axis unknown, repeated, missing or too many
	TooLarge                   // more bytes or a larger extent than can be addressed
	Placed                     // placed twice
	Mismatch                   // parts of a field with different axes or extents
	Frozen                     // changed after its first use
	BadWord                    // a word of a bit struct or array that cannot be, or is too small
	BadFormat                  // a form that does not do for the numbers
)

// Error is a mistake in a layout, with the remedy.
type Error struct {
	Kind      ErrorKind
	Msg, Help string
}

// Error returns message and remedy.
func (e *Error) Error() string {
	if e.Help == "" {
		return e.Msg
	}
	return e.Msg + "; " + e.Help
}

func fail(kind ErrorKind, help, format string, args ...any) error {
	return &Error{Kind: kind, Msg: fmt.Sprintf(format, args...), Help: help}
}

// Tree is a hierarchy of nodes with fields as leaves. Its root has one cell.
type Tree struct {
	id     int
	root   Node
	origin [MaxRank]int64
	frozen bool
	err    error // of Freeze
	bytes  int64
	placed []*Field // fields with components here, in order of placing
	words  []*Word

	// Known once the tree is frozen.
	blocks     []*Block
	containers []*Container
	control    int64
}

// Node is a level of a tree: an array of cells, each of which holds one of every
// item of the node.
type Node struct {
	tree      *Tree
	parent    *Node
	kind      NodeKind
	axes      []int
	sizes     []int64
	unbounded bool  // a hash node without sizes
	chunk     int64 // cells of a dynamic node allocated at a time, 0 for the default
	morton    bool  // cells lie along a Z-order curve: each bit of an index is a level of its own
	items     []item
	word      *Word // that the cells lie in: n is a bit array

	// Known once the tree is frozen.
	number      int   // among the nodes of the tree that are not dense
	offset      int64 // of the node's container within a cell of its parent
	cell        int64 // bytes from cell to cell
	align       int64
	mask        int64    // bytes from a bitmasked node's words to its cells
	into        *Block   // the cells' block, where they have one of their own
	fan         []int64  // of a list: numbers of pointers, beside its length and in its directories
	directories []*Block // of a list: what those lead to, the chunks last
}

// item is a part of a cell: a child node, the word of a bit struct, or components lo to hi of
// a field.
type item struct {
	node   *Node
	word   *Word
	field  *Field
	lo, hi int
}

// NewTree returns an empty tree; id is what [Access.Tree] says about it.
func NewTree(id int) *Tree {
	t := &Tree{id: id}
	t.root.tree = t
	return t
}

// Root returns the tree's root.
func (t *Tree) Root() *Node { return &t.root }

// ID returns the number given to NewTree.
func (t *Tree) ID() int { return t.id }

// Frozen reports whether the tree is in use, and must not be changed.
func (t *Tree) Frozen() bool { return t.frozen }

// Fields returns the fields with components in the tree, in order of placing.
func (t *Tree) Fields() []*Field { return t.placed }

// parseAxes turns letters into axis numbers.
func parseAxes(axes string) ([]int, error) {
	var out []int
	if axes == "" {
		return nil, fail(BadAxes, "name at least one, such as ti.I", "a node has no axes")
	}
	var visited [MaxRank]bool
	for _, r := range axes {
		a := strings.IndexRune(axisLetters, r)
		if a < 0 {
			return nil, fail(BadAxes, `axes are letters out of "`+axisLetters+`"`, "%q is not an axis", r)
		}
		if visited[a] {
			return nil, fail(BadAxes, "give a node each axis once; nest another node for a second level", "axis %q appears twice in %q", r, axes)
		}
		visited[a] = true
		out = append(out, a)
	}
	return out, nil
}

// Origin sets the lowest index of axes for the whole tree, counted in its finest cells. For
// larger cells see [Node.Lowest].
func (t *Tree) Origin(axes string, lowest ...int) error {
	if t.frozen {
		return frozenError()
	}
	as, err := parseAxes(axes)
	if err != nil {
		return err
	}
	lows, err := spread(axes, as, lowest, "lowest index")
	if err != nil {
		return err
	}
	for k, a := range as {
		for _, n := range t.root.Children() {
			if n.unboundedAlong(a) {
				return unboundedOrigin(a)
			}
			if n.listAlong(a) && lows[k] != 0 {
				return listOrigin(a)
			}
		}
		if lows[k] < math.MinInt32 || lows[k] > math.MaxInt32 {
			return fail(TooLarge, "indices are 32-bit integers", "lowest index %d along axis %c is out of reach", lows[k], axisLetters[a])
		}
		if err := inReach(a, lows[k], t.root.widest(a)); err != nil {
			return err
		}
		t.origin[a] = lows[k]
	}
	return nil
}

// widest is the largest extent along an axis of n and the nodes below it.
func (n *Node) widest(axis int) int64 {
	e := n.extent(axis)
	for _, c := range n.Children() {
		e = max(e, c.widest(axis))
	}
	return e
}

// inReach reports indices along an axis, n from low, of which an int32 does not hold the
// end behind the last, where loops over them stop.
func inReach(axis int, low, n int64) error {
	if end := low + n; end > math.MaxInt32 {
		return fail(TooLarge, "indices are 32-bit integers, and so is the end behind the last: take a lower Origin, or fewer elements",
			"%d elements along axis %c from %d on reach to %d", n, axisLetters[axis], low, end-1)
	}
	return nil
}

// spread gives each axis its value: one for each, or one for all.
func spread(axes string, as []int, values []int, what string) ([]int64, error) {
	if len(values) != len(as) && len(values) != 1 {
		return nil, fail(BadSize, fmt.Sprintf("give %d, or one for all", len(as)), "axes %q have %d %s values", axes, len(values), what)
	}
	out := make([]int64, len(as))
	for k := range as {
		out[k] = int64(values[min(k, len(values)-1)])
	}
	return out, nil
}

// Dense adds an array of cells to each cell of n.
func (n *Node) Dense(axes string, sizes ...int) (*Node, error) { return n.add(Dense, axes, sizes) }

// add adds a node with sizes to n.
func (n *Node) add(kind NodeKind, axes string, sizes []int) (*Node, error) {
	switch {
	case n.tree.frozen:
		return nil, frozenError()
	case n.word != nil:
		return nil, fail(BadSize, "put it beside or above the bit array", "a bit array has a %s node below it", kind)
	case n.kind == Dynamic:
		return nil, fail(BadSize, "place fields in it; several values of an element are a vector or a struct", "a dynamic node has a %s node below it", kind)
	}
	as, err := parseAxes(axes)
	if err != nil {
		return nil, err
	}
	ext, err := spread(axes, as, sizes, "size")
	if err != nil {
		return nil, err
	}
	for k, s := range ext {
		if s <= 0 {
			return nil, fail(BadSize, "sizes are at least 1", "size %d along axis %c", s, axisLetters[as[k]])
		}
		above := n.extent(as[k])
		if n.unboundedAlong(as[k]) {
			above = max(above/unboundedCells, 1) << 8 // so that 2^32 cells of at most 2^23 elements fit
		}
		if hi, lo := bits.Mul64(uint64(above), uint64(s)); hi != 0 || lo > math.MaxInt32 {
			return nil, fail(TooLarge, "indices are 32-bit integers: use more axes, or fewer elements",
				"an extent of %d along axis %c is too large", mulClamp(above, s), axisLetters[as[k]])
		}
		if err := inReach(as[k], n.tree.origin[as[k]], n.extent(as[k])*s); err != nil && !n.unboundedAlong(as[k]) {
			return nil, err
		}
	}
	c := &Node{tree: n.tree, parent: n, kind: kind, axes: as, sizes: ext}
	n.items = append(n.items, item{node: c})
	return c, nil
}

// unboundedAlong reports whether a node on the way to n has no limit along axis.
func (n *Node) unboundedAlong(axis int) bool {
	for ; n != nil; n = n.parent {
		if n.unbounded && slices.Contains(n.axes, axis) {
			return true
		}
	}
	return false
}

// extent is the number of cells along an axis down to and including n.
func (n *Node) extent(axis int) int64 {
	e := int64(1)
	for ; n != nil; n = n.parent {
		for k, a := range n.axes {
			if a == axis {
				e *= n.sizes[k]
			}
		}
	}
	return e
}

// pathAxes returns the axes on the way to n in alphabetical order.
func (n *Node) pathAxes() []int {
	var has [MaxRank]bool
	for ; n != nil; n = n.parent {
		for _, a := range n.axes {
			has[a] = true
		}
	}
	var out []int
	for a, h := range has {
		if h {
			out = append(out, a)
		}
	}
	return out
}

// Shape returns the extents of n along its axes, in alphabetical order.
func (n *Node) Shape() []int {
	out := []int{}
	for _, a := range n.pathAxes() {
		out = append(out, int(n.extent(a)))
	}
	return out
}

// ownLevels lists the axes of n, or the bits of their indices in Z-order, outermost
// first. Div counts cells of n.
func (n *Node) ownLevels() []level {
	var out []level
	if !n.morton {
		for k, a := range n.axes {
			if n.sizes[k] > 1 { // a single cell contributes nothing, and would hide the level below from being the top
				out = append(out, level{axis: a, size: n.sizes[k], div: 1})
			}
		}
		return out
	}
	for bit := 62; bit >= 0; bit-- {
		for k, a := range n.axes {
			if n.sizes[k]>>bit > 1 {
				out = append(out, level{axis: a, size: 2, div: 1 << bit})
			}
		}
	}
	return out
}

// blockBits is the number of bits of each index that the loops of compiled code
// follow a Z-order curve in. A loop for every bit would cost more than it saves.
const blockBits = 2

// loopLevels is ownLevels for the loops of compiled code: in a node in Z-order
// these go along rows of small blocks, each of which lies in one piece.
func (n *Node) loopLevels() []level {
	own := n.ownLevels()
	if !n.morton {
		return own
	}
	var out []level
	for k, a := range n.axes {
		if high := n.sizes[k] >> blockBits; high > 1 {
			out = append(out, level{axis: a, size: high, div: 1 << blockBits})
		}
	}
	for _, l := range own {
		if l.div < 1<<blockBits {
			out = append(out, l)
		}
	}
	return out
}

// Morton orders the cells of n along a Z-order curve.
func (n *Node) Morton() error {
	switch {
	case n.tree.frozen:
		return frozenError()
	case n.parent == nil:
		return fail(BadSize, "put Morton behind Dense", "the root of a tree has a single cell, and no order")
	case n.word != nil:
		return fail(BadSize, "leave it out", "the elements of a bit array have no other order")
	case n.kind == Hash || n.kind == Dynamic:
		return fail(BadSize, "leave it out", "the cells of a %s node have no order that could be chosen", n.kind)
	}
	for k, s := range n.sizes {
		if s&(s-1) != 0 {
			return fail(BadSize, "use powers of two", "size %d along axis %c of a node in Z-order is no power of two", s, axisLetters[n.axes[k]])
		}
	}
	n.morton = true
	return nil
}

func frozenError() error {
	return fail(Frozen, "add nodes and fields before the first Load or element access",
		"the tree is in use, so its layout is fixed")
}

// mulClamp multiplies numbers that are not negative; too large a product is maxBytes.
func mulClamp(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || lo > maxBytes {
		return maxBytes
	}
	return int64(lo)
}
