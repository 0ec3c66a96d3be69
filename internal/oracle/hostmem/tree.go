package hostmem

import (
	"errors"
	"maps"
	"slices"
	"unsafe"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/oracle"
	"github.com/gotaichi/ti/internal/sparse"
)

// A Tree is what a launch on the oracle knows of a sparse tree: the sets of its
// active cells. They are taken from the host's tree when the launch begins, and what
// has changed in them is carried over when it is over.
type Tree struct {
	host  *sparse.Tree
	order []*layout.Node // parents first
	nodes map[*layout.Node]*oracle.Node

	// Elements that become zero because their cell is deactivated: those of all fields
	// in the tree, also the ones that the kernel does not know, and what they have elsewhere.
	erased []interface{ erase() }
}

var kinds = [...]ir.NodeKind{
	layout.Dense: ir.NodeDense, layout.Pointer: ir.NodePointer, layout.Bitmasked: ir.NodeBitmasked,
	layout.Dynamic: ir.NodeDynamic, layout.Hash: ir.NodeHash,
}

// NewTree describes a tree and its active cells to the oracle.
func NewTree(t *sparse.Tree) (*Tree, error) {
	o := &Tree{host: t, nodes: map[*layout.Node]*oracle.Node{}}
	o.add(t.Layout().Root())
	for _, f := range t.Layout().Fields() {
		for c := range f.Elem.Comps {
			if n := f.NodeOf(c); n != nil && n.Tree() == t.Layout() {
				e := &eraser{t, f, c, map[oracle.Key]bool{}}
				o.erased = append(o.erased, e)
				o.nodes[n].Place(e, c, c+1)
			}
		}
	}
	t.Followed(func(n *layout.Node, zero func(idx []int)) {
		e := &followed{zero, len(n.PathAxes()), map[oracle.Key]bool{}}
		o.erased = append(o.erased, e)
		o.nodes[n].Place(e, 0, 1)
	})
	for _, n := range o.order {
		var err error
		for idx := range t.Cells(n, &err) {
			o.nodes[n].Activate(wide(idx))
		}
		if err != nil {
			return nil, err
		}
	}
	return o, nil
}

// Nodes returns what the oracle knows of the nodes of trees.
func Nodes(trees []*Tree) map[*layout.Node]*oracle.Node {
	all := map[*layout.Node]*oracle.Node{}
	for _, t := range trees {
		maps.Copy(all, t.nodes)
	}
	return all
}

// add describes a node and those below it.
func (o *Tree) add(n *layout.Node) {
	o.nodes[n] = oracle.NewNode(o.nodes[n.Parent()], kinds[n.Kind()], n.Axes(), n.Sizes(), n.Lowest(), n.IsMorton())
	if n.Kind() != layout.Dense {
		o.order = append(o.order, n)
	}
	for _, c := range n.Children() {
		o.add(c)
	}
}

// Finish makes the cells of the host's tree active that are so in the oracle, and no
// others, and zeroes what was deactivated.
func (o *Tree) Finish() error {
	var errs []error
	for _, n := range o.order {
		errs = append(errs, o.shrink(n))
	}
	o.host.Collect()
	for _, n := range o.order {
		for _, idx := range o.nodes[n].Cells() {
			if i := narrow(idx); !o.host.Active(n, i) {
				errs = append(errs, o.host.Activate(n, i))
			}
		}
	}
	for _, e := range o.erased {
		e.erase()
	}
	return errors.Join(errs...)
}

// shrink takes cells out of a node that are no longer active.
func (o *Tree) shrink(n *layout.Node) error {
	var err error
	var gone [][]int
	for idx := range o.host.Cells(n, &err) {
		if !o.nodes[n].Active(wide(idx)) {
			gone = append(gone, slices.Clone(idx))
		}
	}
	if n.Kind() == layout.Dynamic && len(gone) > 0 {
		o.shorten(n, gone)
		return err
	}
	for _, idx := range gone {
		o.host.Deactivate(n, idx)
	}
	return err
}

// shorten makes lists of a node as long as they are now, without the elements that are gone.
func (o *Tree) shorten(n *layout.Node, gone [][]int) {
	for _, e := range o.erased { // while they are there
		if e, ok := e.(*eraser); ok && e.field.NodeOf(e.comp) == n {
			e.erase()
		}
	}
	last := len(gone[0]) - 1
	done := map[oracle.Key]bool{}
	for _, idx := range gone {
		list := oracle.Key{}
		copy(list.Index[:], wide(idx[:last]))
		if done[list] {
			continue
		}
		done[list] = true
		if length := o.nodes[n].Len(wide(idx[:last])); length > 0 {
			o.host.Shorten(n, idx[:last], int(length))
		} else {
			o.host.Empty(n, idx[:last])
		}
	}
}

// An eraser notes which elements of a component become zero.
type eraser struct {
	host  *sparse.Tree
	field *layout.Field
	comp  int
	at    map[oracle.Key]bool
}

// Load returns 0: nothing but what is erased is asked for.
func (e *eraser) Load([]int64, int) uint64 { return 0 }

// Store notes an element.
func (e *eraser) Store(index []int64, _ int, _ uint64) {
	k := oracle.Key{}
	copy(k.Index[:], index)
	e.at[k] = true
}

// erase zeroes the elements that are still there; their order does not matter.
func (e *eraser) erase() {
	a := e.field.Access(e.comp)
	for k := range e.at {
		if p := e.host.Find(a, narrow(k.Index[:e.field.Rank()])); p != nil {
			size := a.Kind.Size()
			if a.Packed != nil { // all that the word has is erased
				size = a.Packed.Word.Kind.Size()
			}
			clear(unsafe.Slice((*byte)(p), size))
		}
	}
}

// A followed notes which elements have to be zeroed elsewhere, too.
type followed struct {
	zero func(idx []int)
	rank int
	at   map[oracle.Key]bool
}

// Load returns 0: nothing is asked for.
func (e *followed) Load([]int64, int) uint64 { return 0 }

// Store notes an element.
func (e *followed) Store(index []int64, _ int, _ uint64) {
	k := oracle.Key{}
	copy(k.Index[:], index)
	e.at[k] = true
}

// erase zeroes them; their order does not matter.
func (e *followed) erase() {
	for k := range e.at {
		e.zero(narrow(k.Index[:e.rank]))
	}
}

func wide(idx []int) []int64 {
	out := make([]int64, len(idx))
	for k, i := range idx {
		out[k] = int64(i)
	}
	return out
}

func narrow(idx []int64) []int {
	out := make([]int, len(idx))
	for k, i := range idx {
		out[k] = int(i)
	}
	return out
}
