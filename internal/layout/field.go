package layout

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Field is a leaf: elements of one type. Its components may be placed together or
// apart, even in several trees, but under the same axes and extents.
type Field struct {
	Name string // for messages
	Elem *Elem

	axes          []int   // letters, alphabetical; decided by the first placing
	shape, origin []int64 // origin is final when the field is Ready
	at            []where // one for each component
	missing       int     // components not placed
	cells         *Node   // of a field that stands for the cells of a node
	ready         bool    // Ready has succeeded
}

// where is the place of a component.
type where struct {
	node       *Node
	cellOffset int64
	access     Access
	packed     *Packed // nil for a component that is stored as Go does
}

// NewField returns a field that is not placed.
func NewField(elem *Elem) *Field {
	return &Field{Elem: elem, at: make([]where, len(elem.Comps)), missing: len(elem.Comps)}
}

// Place puts components lo to hi of f into each cell of n, next to each other; of
// them, those placed before stay where they are. Placing none is an error.
func (n *Node) Place(f *Field, lo, hi int) error {
	if n.tree.frozen {
		return frozenError()
	}
	if n.word != nil {
		return fail(BadFormat, "place it in the bit array, with a form", "%s is placed in a bit array without a form", f.describe(lo, hi))
	}
	free := false
	for c := lo; c < hi; c++ {
		free = free || f.at[c].node == nil
	}
	if !free {
		return fail(Placed, "place each field, and each member, once", "%s is placed already", f.describe(lo, hi))
	}
	if err := f.adopt(n); err != nil {
		return err
	}
	n.tree.note(f)
	for c := lo; c < hi; {
		if f.at[c].node != nil {
			c++
			continue
		}
		from := c
		for ; c < hi && f.at[c].node == nil; c++ {
			f.at[c].node = n
			f.missing--
		}
		n.items = append(n.items, item{field: f, lo: from, hi: c})
	}
	return nil
}

// adopt takes axes and extents from the node, or checks that they agree
// with those of the parts placed before.
func (f *Field) adopt(n *Node) error {
	axes := n.pathAxes()
	var shape []int64
	for _, a := range axes {
		shape = append(shape, n.extent(a))
	}
	if f.missing == len(f.at) {
		f.axes, f.shape, f.origin = axes, shape, make([]int64, len(axes))
		return nil
	}
	const help = "give all parts of a field the same axes and extents"
	switch {
	case !slices.Equal(axes, f.axes):
		return fail(Mismatch, help, "%s has the axes %q here, and parts of it are placed with %q", f.describe(0, 0), lettersOf(axes), lettersOf(f.axes))
	case !slices.Equal(shape, f.shape):
		return fail(Mismatch, help, "%s has shape %v here, and parts of it are placed with shape %v", f.describe(0, 0), shape, f.shape)
	}
	return nil
}

func lettersOf(axes []int) string {
	out := make([]byte, len(axes))
	for i, a := range axes {
		out[i] = axisLetters[a]
	}
	return string(out)
}

func (f *Field) describe(lo, hi int) string {
	name := f.Name
	if name == "" {
		name = "a field of " + f.Elem.Type.String()
	}
	if hi-lo == 0 || hi-lo == len(f.at) {
		return name
	}
	return fmt.Sprintf("component %d of %s", lo, name)
}

// NameOf names a component for people: as the field, if that has one only.
func (f *Field) NameOf(comp int) string { return f.describe(comp, comp+1) }

// Placed reports whether every component has a place.
func (f *Field) Placed() bool { return f.missing == 0 }

// Node returns the node of the first component, nil if it has none.
func (f *Field) Node() *Node { return f.at[0].node }

// NodeOf returns the node of a component, nil if it has none.
func (f *Field) NodeOf(comp int) *Node { return f.at[comp].node }

// Ready freezes the trees that the field lies in and checks that it is complete. Once it
// has succeeded, it changes nothing any more, so that other goroutines may read the field.
func (f *Field) Ready() error {
	if f.ready {
		return nil
	}
	if f.missing > 0 {
		return fail(Mismatch, "place the field, or all of its members", "%s is not placed", f.describe(0, 0))
	}
	for _, w := range f.at {
		if err := w.node.tree.Freeze(); err != nil {
			return err
		}
	}
	if err := f.origins(); err != nil {
		return err
	}
	f.ready = true
	return nil
}

// index turns an axis letter into the position of that index.
func (f *Field) index(axis int) int { return slices.Index(f.axes, axis) }

// Rank returns the number of indices.
func (f *Field) Rank() int { return len(f.axes) }

// Shape and Origin return the extents and the lowest indices.
func (f *Field) Shape() []int64  { return f.shape }
func (f *Field) Origin() []int64 { return f.origin }

// Len returns the number of elements, active or not; the largest int64 if there are
// more.
func (f *Field) Len() int64 {
	n := int64(1)
	for _, s := range f.shape {
		hi, lo := bits.Mul64(uint64(n), uint64(s))
		if hi != 0 || lo > math.MaxInt64 {
			return math.MaxInt64
		}
		n = int64(lo)
	}
	return n
}

// Access returns the address formula of a component of a field that is Ready.
func (f *Field) Access(comp int) *Access { return &f.at[comp].access }

// Whole reports whether each element lies in one piece, as Go lays it out.
func (f *Field) Whole() bool {
	a := f.Access(0)
	for c := range f.at {
		b := f.Access(c)
		if b.Packed != nil || b.Tree != a.Tree || !SameBlock(a, b) || b.Const-a.Const != f.Elem.Comps[c].Offset || !slices.Equal(a.Terms, b.Terms) {
			return false
		}
	}
	return true
}

// Contiguous reports whether the elements follow each other without a gap in
// row-major order, as in a Go slice.
func (f *Field) Contiguous() bool {
	if !f.Whole() {
		return false
	}
	strides, ok := f.Access(0).Flat()
	want := f.Elem.Size
	for k := len(f.shape) - 1; k >= 0; k-- {
		if f.shape[k] != 1 && strides[k] != want {
			return false
		}
		want *= f.shape[k]
	}
	return ok
}

// Nest returns the loop nest that visits the elements of a block (of the field, if
// all its nodes are dense) in the order in which the given component lies in memory.
func (f *Field) Nest(comp int) []NestDim {
	return nest(f.nodeOf(comp).wayBy((*Node).ownLevels, f.index).levels, f.index)
}

// Loops returns the loop nest for compiled code: that of Nest, but that it leaves a
// Z-order curve where following it takes too many loops.
func (f *Field) Loops(comp int) []NestDim {
	return nest(f.nodeOf(comp).wayBy((*Node).loopLevels, f.index).levels, f.index)
}

// nodeOf is the node of a component, or of the cells that f stands for.
func (f *Field) nodeOf(comp int) *Node {
	if f.cells != nil {
		return f.cells
	}
	return f.at[comp].node
}

// Tree returns the tree of a placed component.
func (f *Field) Tree(comp int) *Tree { return f.at[comp].node.tree }

// LowestNow returns the lowest indices as they are now, before the tree is frozen
// too.
func (f *Field) LowestNow() []int64 {
	out := make([]int64, len(f.axes))
	for k, a := range f.axes {
		for _, w := range f.at {
			if w.node != nil {
				out[k], _ = w.node.low(a)
				break
			}
		}
	}
	return out
}
