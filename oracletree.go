package ti

import (
	"errors"
	"maps"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/oracle"
)

// An oracleTree is what a launch on the oracle knows of a sparse tree: the sets of its
// active cells. They are taken from the host's tree when the launch begins, and what
// has changed in them is carried over when it is over.
type oracleTree struct {
	tree  *Tree
	order []*layout.Node // parents first
	nodes map[*layout.Node]*oracle.Node

	// Elements that become zero because their cell is deactivated: those of all fields
	// in the tree, also the ones that the kernel does not know.
	erased []*eraser
}

var oracleKinds = [...]ir.NodeKind{
	layout.Dense: ir.NodeDense, layout.Pointer: ir.NodePointer, layout.Bitmasked: ir.NodeBitmasked,
	layout.Dynamic: ir.NodeDynamic, layout.Hash: ir.NodeHash,
}

// newOracleTree describes a tree to the oracle and tells it which cells are active.
func newOracleTree(t *Tree) (*oracleTree, error) {
	o := &oracleTree{tree: t, nodes: map[*layout.Node]*oracle.Node{}}
	o.add(t.lay.Root())
	for _, f := range t.lay.Fields() {
		for c := range f.Elem.Comps {
			if f.Tree(c) == t.lay {
				e := &eraser{t, f, c, map[oracle.Key]bool{}}
				o.erased = append(o.erased, e)
				o.nodes[f.NodeOf(c)].Place(e, c, c+1)
			}
		}
	}
	for _, n := range o.order {
		var err error
		for idx := range t.sparse.Cells(n, &err) {
			o.nodes[n].Activate(wide(idx))
		}
		if err != nil {
			return nil, errorOf(ErrMemory, "%w", err)
		}
	}
	return o, nil
}

// nodes describes the sparse trees of the kernel to the oracle.
func (in *interpreter) nodes(env *oracle.Env) (trees []*oracleTree, err error) {
	lay := in.inst.layout
	if len(in.trees) == 0 {
		return nil, nil
	}
	nodes := map[*layout.Node]*oracle.Node{}
	for _, t := range in.trees {
		o, err := newOracleTree(t)
		if err != nil {
			return nil, err
		}
		trees = append(trees, o)
		maps.Copy(nodes, o.nodes)
	}
	for i, f := range in.k.Fields {
		env.Nodes, env.Parts = append(env.Nodes, nil), append(env.Parts, nil)
		n, ok := lay.Node(f)
		if !ok || f.View != nil {
			continue
		}
		env.Nodes[i] = nodes[n]
		for c := range f.Comps { // members may lie in several nodes, even of several trees
			part := nodes[lay.NodeOf(f, c)]
			if part != nil {
				part.Place(in.memory[i], c, c+1)
			}
			env.Parts[i] = append(env.Parts[i], part)
		}
	}
	return trees, nil
}

// add describes a node and those below it.
func (o *oracleTree) add(n *layout.Node) {
	o.nodes[n] = oracle.NewNode(o.nodes[n.Parent()], oracleKinds[n.Kind()], n.Axes(), n.Sizes(), n.Lowest(), n.IsMorton())
	if n.Kind() != layout.Dense {
		o.order = append(o.order, n)
	}
	for _, c := range n.Children() {
		o.add(c)
	}
}

// finish makes the cells of the host's tree active that are so in the oracle, and no
// others, and zeroes what was deactivated.
func (o *oracleTree) finish() error {
	var errs []error
	for _, n := range o.order {
		errs = append(errs, o.shrink(n))
	}
	o.tree.sparse.Collect()
	for _, n := range o.order {
		for _, idx := range o.nodes[n].Cells() {
			if i := narrow(idx); !o.tree.sparse.Active(n, i) {
				errs = append(errs, o.tree.sparse.Activate(n, i))
			}
		}
	}
	for _, e := range o.erased {
		e.erase()
	}
	if err := errors.Join(errs...); err != nil {
		return errorOf(ErrMemory, "%w", err)
	}
	return nil
}

// shrink takes cells out of a node that are no longer active.
func (o *oracleTree) shrink(n *layout.Node) error {
	var err error
	var gone [][]int
	for idx := range o.tree.sparse.Cells(n, &err) {
		if !o.nodes[n].Active(wide(idx)) {
			gone = append(gone, slices.Clone(idx))
		}
	}
	for _, idx := range gone {
		if n.Kind() == layout.Dynamic {
			o.tree.sparse.Empty(n, idx[:len(idx)-1])
		} else {
			o.tree.sparse.Deactivate(n, idx)
		}
	}
	return err
}

// An eraser notes which elements of a component become zero.
type eraser struct {
	tree  *Tree
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
		if p := e.tree.sparse.Find(a, narrow(k.Index[:e.field.Rank()])); p != nil {
			wipe(p, uintptr(a.Kind.Size()))
		}
	}
}

func wide(idx []int) []int64 {
	out := make([]int64, len(idx))
	for k, i := range idx {
		out[k] = int64(i)
	}
	return out
}

func narrow(idx []int64) []int { return toInts(idx) }
