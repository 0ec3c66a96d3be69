package job

import "github.com/gotaichi/ti/internal/layout"

// Place is where a field of a source lies: a field of the host, or from
// component First on a member of one.
type Place struct {
	Field *layout.Field
	First int
}

// Layout is the places of the fields of a source by their names in it.
type Layout map[string]Place

// Node returns the node by which elements of the field of that name are active, or the one that it stands for.
func (l Layout) Node(name string) *layout.Node {
	p := l[name]
	return p.Field.LeadNode(p.First)
}

// Lead is the component, as the host counts, by whose cells elements of the field of that name are active. Where the field is a member
// of another one, that may lie before its first, and the number is negative.
func (l Layout) Lead(name string) int {
	p := l[name]
	return p.Field.Lead(p.First) - p.First
}

// An Area is memory that a kernel's base table has an entry for: a tree as a whole,
// or one array of it. Code knows areas by number, so that kernels on other trees of
// the same form can share it.
type Area struct {
	Tree   int // as given to layout.NewTree
	Offset int64
	Bytes  int64
}

// A Region says how to find an area: it is what a component of a field lies in. So it is the same
// in another process, and for other extents.
type Region struct {
	Field string // by its name in the source
	Comp  int    // as the host counts; negative for one that lies before a member, see Layout.Lead
	Part  Part
}

// A Part is how much of a tree an area is.
type Part int

// The parts: the tree, the array of a field in a plain layout, and that of the outermost node.
const (
	Tree Part = iota
	Array
	Outermost
)

// Area returns the area of a region; ok is false if the field has none of that kind.
func (l Layout) Area(r Region) (a Area, ok bool) {
	at, known := l[r.Field]
	c := at.First + r.Comp
	if !known || at.Field == nil || c < 0 {
		return a, false
	}
	if cells := at.Field.CellsOf(); cells != nil { // it has no component to lie anywhere
		return Area{Tree: cells.Tree().ID(), Bytes: cells.Tree().Bytes()}, r.Part == Tree
	}
	if c >= len(at.Field.Elem.Comps) {
		return a, false
	}
	t := at.Field.Tree(c)
	switch r.Part {
	case Tree:
		return Area{Tree: t.ID(), Bytes: t.Bytes()}, true
	case Array:
		if p, ok := at.Field.Plain(c); ok {
			return Area{t.ID(), p.Offset, p.Bytes}, true
		}
	case Outermost:
		if o, ok := at.Field.Outer(c); ok {
			return Area{t.ID(), o.Offset, o.Bytes}, true
		}
	}
	return a, false
}
