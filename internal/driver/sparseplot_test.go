package driver_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/layout"
)

// A plot is random trees with nodes of all kinds and fields in them, and the source's
// names of both.
type plot struct {
	rng    *rand.Rand
	rank   int  // axes of a tree, but for those of lists
	deep   bool // as many levels as there can be
	roots  []*plotNode
	nodes  []*plotNode // all but the roots, outermost first
	fields []*plotField
	trees  []*layout.Tree

	written bool // its kernels are not random: they end, and the oracle runs them to the end
}

// plotNode is a node of a plot.
type plotNode struct {
	name      string
	tree      int
	parent    *plotNode
	kind      layout.NodeKind
	axes      []int
	sizes     []int64 // none: unbounded
	morton    bool
	chunk     int
	children  []*plotNode
	contents  []part
	lay       *layout.Node
	shape     *layout.Field // its cells
	origins   []plotOrigin  // of a root
	path, low []int64       // axes on the way, ascending, and the lowest index along each
	high      []int64       // and the first that is too large, or that the test does not use
}

// plotOrigin is the lowest index along an axis of a tree.
type plotOrigin struct{ axis, low int }

// A part of a field has its components from lo to below hi in a node.
type part struct {
	field  *plotField
	lo, hi int
}

// plotField is a field of a plot.
type plotField struct {
	name string
	elem plotElem
	node *plotNode // of its first component
	lay  *layout.Field
}

// plotElem is an element type, and how its components are written.
type plotElem struct {
	text   string
	typ    reflect.Type
	suffix []string
	kinds  []string
}

type plotPair struct {
	A int16
	B int64
	C [2]int32
}

var plotElems = []plotElem{
	{"i32", reflect.TypeFor[int32](), []string{""}, []string{"i32"}},
	{"i32", reflect.TypeFor[int32](), []string{""}, []string{"i32"}},
	{"i64", reflect.TypeFor[int64](), []string{""}, []string{"i64"}},
	{"u8", reflect.TypeFor[uint8](), []string{""}, []string{"u8"}},
	{"i16", reflect.TypeFor[int16](), []string{""}, []string{"i16"}},
	{"[3]i32", reflect.TypeFor[[3]int32](), []string{".x", "[1]", ".z"}, []string{"i32", "i32", "i32"}},
	{"pair", reflect.TypeFor[plotPair](), []string{".A", ".B", ".C[0]", ".C.y"}, []string{"i16", "i64", "i32", "i32"}},
}

const plotDepth = 4 // of nodes below the first

func newPlot(rng *rand.Rand) *plot {
	p := &plot{rng: rng, rank: 1 + rng.IntN(3), deep: rng.IntN(4) == 0}
	for id := range []int{1, 1, 2, 2, 2, 3}[rng.IntN(6)] {
		root := &plotNode{tree: id}
		p.roots = append(p.roots, root)
		for range 1 + rng.IntN(2) {
			p.grow(root, 0, id == 1 && rng.IntN(2) == 0)
		}
	}
	for _, n := range p.nodes {
		if n.kind == layout.Dense && n.parent.parent != nil && len(n.contents) > 0 && rng.IntN(3) == 0 {
			p.split(n)
		}
	}
	return p
}

func (p *plot) chance(n int) bool { return p.rng.IntN(n) == 0 }

// grow adds a node below another, and what is below it.
func (p *plot) grow(parent *plotNode, depth int, dense bool) {
	n := &plotNode{name: fmt.Sprint("N", len(p.nodes)), tree: parent.tree, parent: parent}
	used := parent.used()
	kinds := []layout.NodeKind{layout.Pointer, layout.Pointer, layout.Bitmasked, layout.Dense, layout.Dynamic}
	if depth == 0 {
		kinds = []layout.NodeKind{layout.Pointer, layout.Pointer, layout.Bitmasked, layout.Hash, layout.Hash, layout.Dense, layout.Dynamic}
	}
	n.kind = kinds[p.rng.IntN(len(kinds))]
	if dense {
		n.kind = layout.Dense
	}
	if n.kind == layout.Dynamic {
		n.axes = []int{0}
		if len(used) > 0 {
			n.axes[0] = used[len(used)-1] + 1 + p.rng.IntN(2)
		}
		n.sizes = []int64{[]int64{1, 3, 7, 20, 70, 300}[p.rng.IntN(6)]}
		if n.sizes[0] > 20 && parent.cells() > 40 {
			n.sizes[0] = 5
		}
		if !p.chance(3) {
			n.chunk = 1 + p.rng.IntN(8)
		}
	} else {
		n.axes = p.rng.Perm(p.rank)
		if depth > 0 && p.chance(3) || p.chance(6) {
			n.axes = n.axes[:1+p.rng.IntN(p.rank)]
		}
		n.sizes = p.sizes(n, parent, depth)
		n.morton = n.kind != layout.Hash && p.chance(6)
		if n.morton {
			for i, s := range n.sizes {
				n.sizes[i] = map[bool]int64{true: 4, false: 2}[s > 3]
			}
		}
	}
	if n.kind == layout.Hash && p.chance(2) {
		n.sizes = nil
	}
	parent.children = append(parent.children, n)
	p.nodes = append(p.nodes, n)
	if n.kind != layout.Dynamic && depth < plotDepth {
		more := p.rng.IntN(3)
		if p.deep {
			more = max(more, 1)
		}
		for range more {
			if n.cells() < 500 && len(p.nodes) < 10 {
				p.grow(n, depth+1, dense)
			}
		}
	}
	if len(n.children) == 0 || p.chance(4) {
		for range 1 + p.rng.IntN(2) {
			f := &plotField{name: fmt.Sprint("X", len(p.fields)), elem: plotElems[p.rng.IntN(len(plotElems))], node: n}
			n.contents = append(n.contents, part{f, 0, len(f.elem.suffix)})
			p.fields = append(p.fields, f)
		}
	}
}

// sizes chooses how many cells a node has along its axes.
func (p *plot) sizes(n, parent *plotNode, depth int) []int64 {
	some := []int64{1, 2, 3, 4, 5}
	if depth == 0 {
		some = []int64{2, 3, 4, 5, 7, 9}
	}
	if depth > 0 && parent.cells() > 60 || p.deep {
		some = []int64{1, 2, 3}
	}
	if p.rank == 1 {
		some = append(some, 11, 70)
	}
	out := make([]int64, len(n.axes))
	for i := range out {
		out[i] = some[p.rng.IntN(len(some))]
	}
	return out
}

// used returns the axes on the way to n, ascending.
func (n *plotNode) used() (out []int) {
	for ; n.parent != nil; n = n.parent {
		for _, a := range n.axes {
			if !slices.Contains(out, a) {
				out = append(out, a)
			}
		}
	}
	slices.Sort(out)
	return out
}

// cells is how many cells n has, as far as they are bounded.
func (n *plotNode) cells() int64 {
	total := int64(1)
	for ; n.parent != nil; n = n.parent {
		for _, s := range n.sizes {
			total *= s
		}
	}
	return total
}

// split moves some components of a field to a dense node of their own beside n.
func (p *plot) split(n *plotNode) {
	c := &n.contents[0]
	if c.hi < 2 {
		return
	}
	at := 1 + p.rng.IntN(c.hi-1)
	m := &plotNode{name: fmt.Sprint("N", len(p.nodes)), tree: n.tree, parent: n.parent, kind: n.kind, axes: slices.Clone(n.axes), sizes: slices.Clone(n.sizes)}
	slices.Reverse(m.axes)
	slices.Reverse(m.sizes)
	m.contents = []part{{c.field, at, c.hi}}
	c.hi = at
	n.parent.children = append(n.parent.children, m)
	p.nodes = append(p.nodes, m)
}

// build makes the layout of a plot.
func (p *plot) build(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%v\n%s", err, p)
		}
	}
	for _, f := range p.fields {
		e, err := layout.ElemOf(f.elem.typ)
		must(err)
		f.lay = layout.NewField(e)
		f.lay.Name = f.name
	}
	for id, root := range p.roots {
		lt := layout.NewTree(id)
		p.trees = append(p.trees, lt)
		root.lay = lt.Root()
		for _, c := range root.children {
			must(c.make())
		}
		for axis := range 8 {
			if span, ok := p.span(root, axis); ok && p.rng != nil && p.chance(2) {
				o := plotOrigin{axis, int(span * int64(p.rng.IntN(7)-4))}
				must(lt.Origin(letters(o.axis), o.low))
				root.origins = append(root.origins, o)
			}
		}
	}
	for _, f := range p.fields {
		must(f.lay.Ready())
	}
	for _, n := range p.nodes {
		cells, err := n.lay.Cells()
		must(err)
		n.shape = cells
		for i, a := range n.used() {
			low, size := cells.Origin()[i], cells.Shape()[i]
			if n.lay.Unbounded(a) {
				low, size = map[bool]int64{true: -14, false: -4}[p.rank < 3], map[bool]int64{true: 30, false: 9}[p.rank < 3]
			}
			n.path, n.low, n.high = append(n.path, int64(a)), append(n.low, low), append(n.high, low+size)
		}
	}
}

func letters(axes ...int) (s string) {
	for _, a := range axes {
		s += string("ijklmnop"[a])
	}
	return s
}

// span returns a number of which the lowest index along an axis can be a multiple, so that
// all nodes have one; false if it has to be 0.
func (p *plot) span(root *plotNode, axis int) (int64, bool) {
	most := int64(1)
	for _, n := range p.nodes {
		top := n.divider(axis)
		if n.tree != root.tree || top == nil {
			continue
		}
		if n.kind == layout.Dynamic && n.axes[0] == axis || slices.Contains(n.axes, axis) && len(n.sizes) == 0 {
			return 0, false
		}
		span := top.finest(axis) / gcd(top.finest(axis), n.extent(axis))
		if most = most / gcd(most, span) * span; most > 1<<20 {
			return 0, false
		}
	}
	// Parts of a field have equal lowest indices below one node, or where none of the
	// cells beside them is finer.
	for _, f := range p.fields {
		finest := int64(0)
		for _, n := range p.nodes {
			if top := n.divider(axis); top != nil && n.tree == root.tree && slices.ContainsFunc(n.contents, func(c part) bool { return c.field == f }) {
				if own := top.finest(axis); finest == 0 || own == finest {
					finest = own
				} else {
					return 0, false
				}
			}
		}
	}
	return most, true
}

// divider is the outermost node on the way to n that has an axis, nil if none has.
func (n *plotNode) divider(axis int) (top *plotNode) {
	for ; n.parent != nil; n = n.parent {
		if slices.Contains(n.axes, axis) {
			top = n
		}
	}
	return top
}

// extent is how many cells there are along an axis down to n.
func (n *plotNode) extent(axis int) int64 {
	total := int64(1)
	for ; n.parent != nil; n = n.parent {
		if i := slices.Index(n.axes, axis); i >= 0 && len(n.sizes) > 0 {
			total *= n.sizes[i]
		}
	}
	return total
}

// finest is the largest extent of n and the nodes below it.
func (n *plotNode) finest(axis int) int64 {
	most := n.extent(axis)
	for _, c := range n.children {
		most = max(most, c.finest(axis))
	}
	return most
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// make makes the layout's nodes from n on.
func (n *plotNode) make() (err error) {
	up, axes := n.parent.lay, letters(n.axes...)
	var sizes []int
	for _, s := range n.sizes {
		sizes = append(sizes, int(s))
	}
	switch n.kind {
	case layout.Dense:
		n.lay, err = up.Dense(axes, sizes...)
	case layout.Pointer:
		n.lay, err = up.Pointer(axes, sizes...)
	case layout.Bitmasked:
		n.lay, err = up.Bitmasked(axes, sizes...)
	case layout.Hash:
		n.lay, err = up.Hash(axes, sizes...)
	case layout.Dynamic:
		n.lay, err = up.Dynamic(axes, sizes[0])
	}
	if err == nil && n.morton {
		err = n.lay.Morton()
	}
	if err == nil && n.chunk > 0 {
		err = n.lay.Chunk(n.chunk)
	}
	for _, c := range n.contents {
		if err == nil {
			err = n.lay.Place(c.field.lay, c.lo, c.hi)
		}
	}
	for _, c := range n.children {
		if err == nil {
			err = c.make()
		}
	}
	return err
}

// String writes the plot for whoever has to find out what is wrong with it.
func (p *plot) String() string {
	var b strings.Builder
	var write func(n *plotNode, indent string)
	write = func(n *plotNode, indent string) {
		for _, c := range n.contents {
			fmt.Fprintf(&b, "%s%s[%d:%d] %s\n", indent, c.field.name, c.lo, c.hi, c.field.elem.text)
		}
		for _, c := range n.children {
			fmt.Fprintf(&b, "%s%s %s %s %v from %v", indent, c.name, c.kind, letters(c.axes...), c.sizes, c.low)
			if c.morton {
				b.WriteString(" morton")
			}
			if c.chunk > 0 {
				fmt.Fprintf(&b, " chunk %d", c.chunk)
			}
			b.WriteString("\n")
			write(c, indent+"  ")
		}
	}
	for i, r := range p.roots {
		fmt.Fprintf(&b, "tree %d\n", i)
		write(r, "  ")
	}
	return b.String()
}
