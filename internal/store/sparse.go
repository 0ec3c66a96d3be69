package store

import (
	"io"
	"iter"
	"math"
	"slices"
	"unsafe"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/sparse"
)

// Elements of fields in sparse trees lie in blocks, which the host finds and makes as
// kernels do. It may do so only while no kernel runs, so whoever uses what is in this
// file holds the launch lock.

// part is a run of components of a field that lie in the cells of one node.
type part struct {
	home  *Tree
	tree  *sparse.Tree // of home; nil where all of its nodes are dense
	node  *layout.Node
	comps []component
	low   int64 // where the bytes of the components begin in a cell, from the first component on
	high  int64 // and where they end
	apart bool  // they may be active where the element is not, and the other way round
}

// divide cuts the components of a field into parts, if one is in a sparse tree or goes with
// elements that may be inactive.
func (c *Field) divide() {
	c.parts = nil
	any := c.lead != nil
	for i := range c.comps {
		p := &c.comps[i]
		node := c.lay.NodeOf(c.lo + i)
		if i == 0 || c.parts[len(c.parts)-1].node != node {
			home := c.Node().tree.st.trees[p.access.Tree]
			any = any || home.sparse != nil
			c.parts = append(c.parts, part{home: home, tree: home.sparse, node: node, comps: c.comps[i:i], apart: c.lay.Apart(c.lo+i) || c.lay.MayLack(c.lo+i)})
		}
		last := &c.parts[len(c.parts)-1]
		last.comps = last.comps[:len(last.comps)+1]
		at := p.access.Const - last.comps[0].access.Const
		last.low, last.high = min(last.low, at), max(last.high, at+p.bytes())
	}
	if !any {
		c.parts = nil
	}
}

// Sparse reports whether elements of the field may be inactive.
func (c *Field) Sparse() bool { return c.parts != nil }

// Unbounded reports whether an axis of the field has no end.
func (c *Field) Unbounded() bool {
	n := c.LayoutNode()
	return n != nil && slices.ContainsFunc(n.PathAxes(), n.Unbounded)
}

// domain is the lowest index along each axis, which the layout has as origin, and the
// extent. An axis of a field without bounds has the indices that kernels can name, all of
// an int32; the cells at its ends may span a few more.
func (c *Field) domain(origin []int64) (lowest, shape Shape) {
	lowest, shape = Ints(origin), Ints(c.lay.Shape())
	n := c.LayoutNode()
	if n == nil || c.typ == nil {
		return lowest, shape
	}
	for k, a := range n.PathAxes() {
		if n.Unbounded(a) {
			lowest[k] = max(lowest[k], math.MinInt32)
			shape[k] = min(shape[k], math.MaxInt32-lowest[k]+1)
		}
	}
	return lowest, shape
}

// LayoutNode is the node by which elements are active, or the one whose cells c stands for.
func (c *Field) LayoutNode() *layout.Node {
	if c.typ == nil {
		return c.node.lay
	}
	return c.lay.LeadNode(c.lo)
}

// locked calls f with the memory mapped, under the launch lock for a sparse field, without it for others. It fails
// with [diag.ErrClosed] if the field's tree has been closed, of a field that is not sparse also
// if that happens while f runs.
func (c *Field) locked(write bool, f func() error) error {
	if !c.Sparse() {
		if err := c.whileMapped(write, f); err != nil {
			return err
		}
		return c.Alive()
	}
	launches := c.Node().tree.st.cfg.Launches
	launches.Lock()
	defer launches.Unlock()
	if err := c.Alive(); err != nil {
		return err
	}
	return c.whileMapped(write, f)
}

// put is write, but that an inactive element of a sparse field stays so if v is zero.
func (c *Field) put(v unsafe.Pointer, idx []int) error {
	if c.Sparse() {
		return c.writeSparse(v, idx, false)
	}
	return c.write(v, idx)
}

// bytes is how many bytes of memory are read and written for a component: a word, if it is packed in one.
func (p *component) bytes() int64 {
	if w := p.access.Packed; w != nil {
		return int64(w.Word.Kind.Bytes())
	}
	return int64(p.size)
}

// find returns the first component of the element at idx, nil if it is not there, and
// so zero. The host may read the components, or also write them.
func (p *part) find(idx []int, write bool) unsafe.Pointer {
	if p.tree == nil {
		return p.comps[0].at(idx)
	}
	first := p.tree.Find(p.comps[0].access, idx)
	p.reach(first, write)
	return first
}

// enter is find for writing: it makes the element active.
func (p *part) enter(idx []int) (unsafe.Pointer, error) {
	if p.tree == nil {
		return p.comps[0].at(idx), nil
	}
	first, err := p.tree.Enter(p.comps[0].access, idx)
	p.reach(first, true)
	return first, err
}

// reach sees to it that the host can read the components behind the first one, or also write them.
func (p *part) reach(first unsafe.Pointer, write bool) {
	if first != nil && !p.tree.Shared() {
		p.tree.Reach(unsafe.Add(first, p.low), p.high-p.low, write)
	}
}

// from is component i of the element at idx, whose first component is at first. In a cell of a
// Sparse tree all have a fixed distance.
func (p *part) from(first unsafe.Pointer, i int, idx []int) unsafe.Pointer {
	if p.tree == nil {
		return p.comps[i].at(idx)
	}
	return unsafe.Add(first, p.comps[i].access.Const-p.comps[0].access.Const)
}

// Address is the address of component n of the element at idx, nil if it is not there. It may be read and written.
func (c *Field) Address(n int, idx []int) unsafe.Pointer {
	at, in := c.address(n, idx)
	if at != nil && in != nil {
		in.Reach(at, c.comps[n].bytes(), true)
	}
	return at
}

// address is that address, and the sparse tree that it lies in.
func (c *Field) address(n int, idx []int) (unsafe.Pointer, *sparse.Tree) {
	p := &c.comps[n]
	for k := range c.parts {
		if t := c.parts[k].tree; t != nil && c.parts[k].home.plan.ID() == p.access.Tree {
			return t.Find(p.access, idx), t
		}
	}
	return p.at(idx), nil
}

// readSparse is read for fields in sparse trees.
func (c *Field) readSparse(v unsafe.Pointer, idx []int) {
	for k := range c.parts {
		p := &c.parts[k]
		first := p.find(idx, false)
		for i := range p.comps {
			if e := &p.comps[i]; first != nil {
				e.get(unsafe.Add(v, e.offset), p.from(first, i, idx), idx)
			} else {
				wipe(unsafe.Add(v, e.offset), e.size)
			}
		}
	}
}

// writeSparse is write for fields in sparse trees. Unless always is set, an inactive
// element stays so if v is zero.
func (c *Field) writeSparse(v unsafe.Pointer, idx []int, always bool) error {
	enter := always || !c.zero(v)
	if enter && c.lead != nil {
		if _, err := c.enter(c.lead, idx); err != nil {
			return err
		}
	}
	for k := range c.parts {
		p := &c.parts[k]
		first, err := p.find(idx, true), error(nil)
		if enter {
			if first, err = c.enter(p, idx); err != nil {
				return err
			}
		}
		if first == nil {
			continue
		}
		put(p.comps, where{first: first, part: p}, goValue{at: v}, idx)
	}
	return nil
}

// enter makes a part of the element at idx active, and returns its first component.
func (c *Field) enter(p *part, idx []int) (unsafe.Pointer, error) {
	first, err := p.enter(idx)
	if err != nil {
		st := p.home.st
		return nil, diag.Errorf(diag.ErrMemory, "an element of %s cannot be activated: %w; trees have %d bytes, and %s", c.Name(), err, st.cfg.Budget.Used(), st.Room())
	}
	return first, nil
}

// packSparse is pack for fields in sparse trees.
func (c *Field) packSparse(to []byte, idx []int) error {
	return c.locked(false, func() error {
		clear(to)
		at := 0
		for k := range c.parts {
			p := &c.parts[k]
			first := p.find(idx, false)
			for i := range p.comps {
				if first != nil {
					p.comps[i].get(unsafe.Pointer(&to[at]), p.from(first, i, idx), idx)
				}
				at += int(p.comps[i].size)
			}
		}
		return nil
	})
}

// unpackSparse is unpack for fields in sparse trees: what is zero and inactive stays so.
func (c *Field) unpackSparse(idx []int, from []byte) error {
	v := make([]uint64, (c.typ.Size()+7)/8)
	at := 0
	for i := range c.comps {
		p := &c.comps[i]
		move(unsafe.Add(unsafe.Pointer(&v[0]), p.offset), unsafe.Pointer(&from[at]), p.size)
		at += int(p.size)
	}
	return c.locked(true, func() error { return c.put(unsafe.Pointer(&v[0]), idx) })
}

// zero reports whether all bits of the components of a Go value are 0.
func (c *Field) zero(v unsafe.Pointer) bool {
	for i := range c.comps {
		for _, b := range unsafe.Slice((*byte)(unsafe.Add(v, c.comps[i].offset)), c.comps[i].size) {
			if b != 0 {
				return false
			}
		}
	}
	return true
}

// fillSparse sets all active elements to v.
func (c *Field) fillSparse(v unsafe.Pointer) error {
	for k := range c.parts {
		if p := &c.parts[k]; p.apart { // its cells need not be active where the elements are
			var err error
			for idx := range c.elements(&err) {
				if _, err := c.enter(p, idx); err != nil {
					return err
				}
			}
			if err != nil {
				return err
			}
		}
	}
	return c.eachCell(true, func(p *part, block unsafe.Pointer, idx []int) {
		p.putIn(block, v, idx)
	})
}

// putIn stores the components of a Go value in a block.
func (p *part) putIn(block, v unsafe.Pointer, idx []int) {
	put(p.comps, where{block: block}, goValue{at: v}, idx)
}

// gatherSparse stores all active elements in a slice of the elements' Go type, in
// row-major order; the others are zero there already.
func (c *Field) gatherSparse(dst unsafe.Pointer) error {
	size := int(c.typ.Size())
	return c.eachCell(false, func(p *part, block unsafe.Pointer, idx []int) {
		v := unsafe.Add(dst, c.rowMajorOf(idx)*size)
		for i := range p.comps {
			e := &p.comps[i]
			e.get(unsafe.Add(v, e.offset), unsafe.Add(block, e.access.Offset(idx)), idx)
		}
	})
}

// spreadSparse sets all active elements from a slice of the elements' Go type, in
// row-major order.
func (c *Field) spreadSparse(src unsafe.Pointer) error {
	size := int(c.typ.Size())
	return c.eachCell(true, func(p *part, block unsafe.Pointer, idx []int) {
		p.putIn(block, unsafe.Add(src, c.rowMajorOf(idx)*size), idx)
	})
}

// slabBytes is how much of a sparse field is gathered for a stream at a time.
const slabBytes = 64 << 20

// slab is how many indices along the first axis, each with all that belongs to it, are
// gathered at a time; 0 where looking for every element is better.
func (c *Field) slab() int {
	if c.Rank == 0 || slices.ContainsFunc(c.parts, func(p part) bool { return p.tree == nil }) {
		return 0
	}
	return min(int(c.Axes[0].Extent), slabBytes/c.streamed()/c.below())
}

// below is the number of elements with one index along the first axis.
func (c *Field) below() int { return int(c.lay.Len()) / int(c.Axes[0].Extent) }

// writeSlabs is writeTo for sparse fields, n indices along the first axis at a time:
// each time it goes over what is active.
func (c *Field) writeSlabs(w io.Writer, n int) (written int64, err error) {
	size, below := c.streamed(), c.below()
	buf := make([]byte, n*below*size)
	for lo := 0; lo < int(c.Axes[0].Extent); lo += n {
		n := min(n, int(c.Axes[0].Extent)-lo)
		buf := buf[:n*below*size]
		clear(buf)
		err := c.locked(false, func() error {
			return c.eachCell(false, func(p *part, block unsafe.Pointer, idx []int) {
				if i := idx[0] - c.Axes[0].Origin - lo; i < 0 || i >= n {
					return
				}
				v := unsafe.Pointer(&buf[(c.rowMajorOf(idx)-lo*below)*size])
				for i := range p.comps {
					e := &p.comps[i]
					e.get(unsafe.Add(v, e.stream), unsafe.Add(block, e.access.Offset(idx)), idx)
				}
			})
		})
		if err != nil {
			return written, err
		}
		k, err := w.Write(buf)
		if written += int64(k); err != nil {
			return written, err
		}
	}
	return written, nil
}

// rowMajorOf is the number of an element in row-major order.
func (c *Field) rowMajorOf(idx []int) int {
	n := 0
	for k, i := range idx {
		n = n*int(c.Axes[k].Extent) + i - c.Axes[k].Origin
	}
	return n
}

// eachCell calls f for every part of every active element, with the block that it lies
// in, to be read or also written. A part that is not there, because only the rest of its element was written, is left out.
func (c *Field) eachCell(write bool, f func(p *part, block unsafe.Pointer, idx []int)) error {
	for k := range c.parts {
		p := &c.parts[k]
		var err error
		switch {
		case p.apart:
			for idx := range c.elements(&err) {
				if first := p.find(idx, write); first != nil && p.active(idx) {
					f(p, unsafe.Add(first, -p.comps[0].access.Offset(idx)), idx)
				}
			}
		case p.tree == nil:
			for idx := range c.inMemoryOrder() {
				f(p, p.comps[0].base, idx[:c.Rank])
			}
		default:
			for idx, block := range p.tree.Cells(p.node, &err) {
				if !p.tree.Shared() {
					p.reach(unsafe.Add(block, p.comps[0].access.Offset(idx)), write)
				}
				f(p, block, idx)
			}
		}
		if err != nil {
			return diag.Errorf(diag.ErrMemory, "the elements of %s: %w", c.Name(), err)
		}
	}
	return nil
}

// active reports whether the cell of the part is, at the index of an element that is.
func (p *part) active(idx []int) bool {
	return p.tree == nil || p.tree.ActiveAt(p.comps[0].access, idx)
}

// leader is the part by which elements are active: that of the first component.
func (c *Field) leader() *part {
	if c.lead != nil {
		return c.lead
	}
	return &c.parts[0]
}

// elements iterates over the active elements of a field whose leader is in a sparse tree.
func (c *Field) elements(err *error) iter.Seq[[]int] {
	p := c.leader()
	return func(yield func([]int) bool) {
		for idx := range p.tree.Cells(p.node, err) {
			if !yield(idx) {
				return
			}
		}
	}
}

// active iterates over the elements that are active, as the first component is if the
// parts differ. The loop's body runs without the launch lock, and may do anything;
// the iteration ends early if it closes the tree.
func (c *Field) active() iter.Seq[Index] {
	if !c.Sparse() || c.leader().tree == nil {
		return c.inMemoryOrder()
	}
	cells := c.leader().home.cells(c.leader().node)
	if !c.Unbounded() {
		return cells
	}
	return func(yield func(Index) bool) {
		for idx := range cells {
			if c.has(idx) && !yield(idx) {
				return
			}
		}
	}
}

// has reports whether idx is in the domain.
func (c *Field) has(idx Index) bool {
	for k, i := range idx[:c.Rank] {
		if uint(i-c.Axes[k].Origin) >= c.Axes[k].Extent {
			return false
		}
	}
	return true
}
