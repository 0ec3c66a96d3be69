package sparse

import (
	"iter"
	"math/bits"
	"unsafe"

	"github.com/gotaichi/ti/internal/layout"
)

// Active reports whether a cell of a node is active: whether all cells on its path are.
// The index must be in range.
func (t *Tree) Active(n *layout.Node, idx []int) bool {
	for n.Kind() == layout.Dense { // active when the cell above is
		up := n.Parent()
		if up == nil {
			return true
		}
		idx = t.above(n, up, idx)
		n = up
	}
	k := &t.nodes[n.Number()]
	return t.active(k.steps, relative(idx, k.origin))
}

// ActiveAt reports whether the element of an access is active.
func (t *Tree) ActiveAt(a *layout.Access, idx []int) bool {
	return t.active(a.Steps, relative(idx, a.Origin))
}

func (t *Tree) active(steps []layout.Step, rel index) bool {
	b, ok := t.base, true
	for i := range steps {
		if b, ok = t.step(&steps[i], b, rel[:]); !ok {
			return false
		}
		if steps[i].Kind == layout.StepLength {
			return true // elements below the length are active, whether there is a chunk or not
		}
	}
	return true
}

// above turns the index of a cell into that of the cell of the node above.
func (t *Tree) above(n, up *layout.Node, idx []int) []int {
	own, high := t.origin(n), t.origin(up)
	axes, all := up.PathAxes(), n.PathAxes()
	out := make([]int, len(axes))
	for k, a := range axes {
		for p, b := range all {
			if a == b {
				out[k] = int((int64(idx[p])-own[p])/(n.Extent(a)/up.Extent(a)) + high[k])
			}
		}
	}
	return out
}

// origin returns the lowest index of the cells of a node.
func (t *Tree) origin(n *layout.Node) []int64 {
	if n.Kind() != layout.Dense {
		return t.nodes[n.Number()].origin
	}
	return n.Lowest()
}

// Activate makes a cell of a node active, and all cells on its path.
func (t *Tree) Activate(n *layout.Node, idx []int) error {
	rel := relative(idx, t.origin(n))
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.activate(t.base, n.Steps(), rel[:]) == 0 {
		return ErrMemory
	}
	return nil
}

// Len returns the length of the list of a dynamic node in the cell of its parent that
// the index names.
func (t *Tree) Len(n *layout.Node, idx []int) int {
	k := &t.nodes[n.Number()]
	if place := t.listAt(k, idx); place != 0 {
		return int(t.length(n, place))
	}
	return 0
}

// listAt returns the address of the length of such a list, 0 if it is not there.
func (t *Tree) listAt(k *node, idx []int) uint64 {
	rel := relative(idx, k.origin[:len(idx)])
	b, ok := t.base, true
	for i := range k.steps {
		s := &k.steps[i]
		if s.Kind == layout.StepLength {
			return b + uint64(s.Const+sum(s.Terms, rel[:]))
		}
		if b, ok = t.step(s, b, rel[:]); !ok {
			return 0
		}
	}
	return 0
}

// Cells iterates over the active cells of a node, those that are when it starts, in the
// order of the path. It gives the index, valid until the next one, and the address of the
// block that the cell lies in, from which [layout.Access.Offset] leads to a component. It
// takes part of a list that was never written as there; where there is no memory for it,
// err is set.
func (t *Tree) Cells(n *layout.Node, err *error) iter.Seq2[[]int, unsafe.Pointer] {
	return func(yield func([]int, unsafe.Pointer) bool) {
		v := n.Order()
		t.mu.Lock()
		list, e := t.blocks(v.Node)
		if e != nil {
			*err = e
			t.mu.Unlock()
			return
		}
		list.lent = true
		blocks := *list
		t.mu.Unlock()
		t.visit(n, &blocks, yield)
	}
}

// each is Cells for those who hold the lock.
func (t *Tree) each(n *layout.Node, yield func([]int, unsafe.Pointer) bool) error {
	list, err := t.blocks(n.Order().Node)
	if err != nil {
		return err
	}
	t.visit(n, list, yield)
	return nil
}

// visit visits the active cells of a node in blocks.
func (t *Tree) visit(n *layout.Node, blocks *blockList, yield func([]int, unsafe.Pointer) bool) {
	c := cellVisitor{t: t, v: n.Order(), origin: t.origin(n), idx: make([]int, len(n.PathAxes())), yield: yield}
	c.run(n, blocks)
}

// A cellVisitor visits the cells in blocks.
type cellVisitor struct {
	t      *Tree
	v      layout.Visit
	origin []int64
	idx    []int
	rel    index
	block  uint64
	yield  func([]int, unsafe.Pointer) bool
}

func (c *cellVisitor) run(n *layout.Node, blocks *blockList) {
	spread := newSpread(n, c.v.Node)
	for i := range blocks.len() {
		b := blocks.entry(i)
		c.block = b[0]
		base := append([]int64{}, c.origin...)
		count := int64(1)
		if c.v.Node.Kind() == layout.Dynamic {
			count = int64(b[blocks.stride-1])
		}
		for k, p := range spread {
			a := n.PathAxes()[p]
			span := n.Extent(a) / c.v.Node.Extent(a)
			if c.v.Node.Kind() == layout.Dynamic && a == c.v.Node.Axes()[0] {
				span = c.t.nodes[c.v.Node.Number()].Chunk
			}
			base[p] += int64(b[1+k]) * span
		}
		for j := range count { // of a list, the last axis
			if c.rel = (index{}); c.v.Node.Kind() == layout.Dynamic {
				c.rel[len(base)-1] = j
			}
			if !c.inside(base, 0) {
				return
			}
		}
	}
}

// inside visits the cells below those of the first nodes within the block.
func (c *cellVisitor) inside(base []int64, depth int) bool {
	if depth == len(c.v.Inside) {
		for k := range c.idx {
			c.idx[k] = int(base[k] + c.rel[k])
		}
		return c.yield(c.idx, at(c.block))
	}
	return c.dims(base, depth, c.v.Inside[depth].Dims)
}

func (c *cellVisitor) dims(base []int64, depth int, dims []layout.NestDim) bool {
	if len(dims) == 0 {
		if s := c.v.Inside[depth].Mask; s != nil {
			place := c.block + uint64(s.Const+sum(s.Terms, c.rel[:]))
			if !c.t.anyBit(place, sum(s.Cells, c.rel[:]), 1) {
				return true
			}
		}
		return c.inside(base, depth+1)
	}
	d := dims[0]
	for range d.Extent {
		if !c.dims(base, depth, dims[1:]) {
			return false
		}
		c.rel[d.Axis] += d.Mul
	}
	c.rel[d.Axis] -= d.Extent * d.Mul
	return true
}

// Count returns the number of active cells of a node.
func (t *Tree) Count(n *layout.Node) (int, error) {
	t.mu.Lock()
	v := n.Visit()
	list, err := t.blocks(v.Node)
	if err != nil {
		t.mu.Unlock()
		return 0, err
	}
	list.lent = true
	blocks := *list
	t.mu.Unlock()
	total := 0
	if v.Node.Kind() == layout.Dynamic {
		for i := range blocks.len() {
			total += int(blocks.entry(i)[blocks.stride-1])
		}
		return total, nil
	}
	last := -1 // the innermost mask decides about all cells below it
	for i, in := range v.Inside {
		if in.Mask != nil {
			last = i
		}
	}
	each := 1
	for _, in := range v.Inside[last+1:] {
		for _, d := range in.Dims {
			each *= int(d.Extent)
		}
	}
	if last < 0 {
		return blocks.len() * each, nil
	}
	k := &t.nodes[v.Inside[last].Node.Number()]
	for i := range blocks.len() {
		total += t.bitsIn(k, blocks.entry(i)[0])
	}
	return total * each, nil
}

// bitsIn counts the active cells of a bitmasked node in a block. A cell below an inactive
// one is inactive, so its own bit is 0.
func (t *Tree) bitsIn(k *node, block uint64) int {
	cells, total := int64(1), 0
	for _, l := range k.Cells {
		cells *= l.Size
	}
	eachPlace(block+uint64(k.Const), k.Repeat, func(p uint64) {
		for i := range (cells + 63) / 64 {
			total += bits.OnesCount64(t.load(p + uint64(i*wordBytes)))
		}
	})
	return total
}

// Bytes returns the memory that the blocks of a node have, those that are free but not
// given back included; 0 for one whose cells lie in the blocks of another.
func (t *Tree) Bytes(n *layout.Node) int64 {
	if !n.Kind().Allocates() {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	total := int64(0)
	k := &t.nodes[n.Number()]
	for _, b := range k.Into {
		p := t.pools[b.ID]
		p.account()
		total += p.counted
	}
	if k.table != nil {
		total += k.table.counted
	}
	return total
}
