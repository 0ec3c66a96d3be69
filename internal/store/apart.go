package store

import (
	"slices"
	"unsafe"

	"github.com/gotaichi/ti/internal/layout"
)

// An element of a field is active or inactive as a whole: it goes by the node of its first
// component. Other components may lie apart from it, in cells that come and go by themselves,
// even in another tree. So who writes one of them activates the element too, and when the
// element becomes inactive they become zero, wherever they lie.

// goAlong has the components of the whole field that lie apart zeroed with its elements, and finds
// the part by which elements of a member are active. It is called under st.mu, before the field is divided.
func (c *Field) goAlong() error {
	if !c.scattered() {
		return nil
	}
	root := c.Root()
	if root != c {
		if !root.inUse.Load() {
			if err := root.prepare(); err != nil {
				return err
			}
		}
		if c.lay.NodeOf(c.lo) != c.lay.NodeOf(0) {
			c.lead = &root.parts[0]
		}
		return nil
	}
	if c.followed {
		return nil
	}
	c.divide()
	zero := make([]uint64, (c.typ.Size()+7)/8)
	at := 0
	for k := range c.parts {
		if p := &c.parts[k]; c.lay.Apart(at) {
			c.parts[0].tree.Follow(c.parts[0].node, p.node, func(idx []int) { p.forget(unsafe.Pointer(&zero[0]), idx) })
		}
		at += len(c.parts[k].comps)
	}
	c.followed = true
	c.parts[0].home.following.Add(1)
	return nil
}

// scattered reports whether elements of the field, or of the one that it is a member of, may be active where one of
// their components is not, or the other way round.
func (c *Field) scattered() bool {
	for k := range c.lay.Elem.Comps {
		if c.lay.Apart(k) || c.lay.MayLack(k) {
			return true
		}
	}
	return false
}

// forget zeroes the part of the element at idx, if it is there.
func (p *part) forget(zero unsafe.Pointer, idx []int) {
	if p.home.closed.Load() {
		return
	}
	if first := p.find(idx, true); first != nil && p.active(idx) {
		must(p.home.mapMemory(true))
		put(p.comps, where{first: first, part: p}, goValue{at: zero}, idx)
		must(p.home.unmapMemory())
	}
}

// Following counts the changes so far of which components elsewhere become zero with elements in the tree.
func (t *Tree) Following() int64 { return t.following.Load() }

// Followed returns the tree of a node, its [Tree.Following], and the fields of which components that lie elsewhere
// become zero with the elements in the node's cells: in the order in which they were placed, as in any other process.
func (st *Store) Followed(n *layout.Node) (t *Tree, following int64, fields []*Field) {
	st.mu.Lock()
	defer st.mu.Unlock()
	t = st.trees[n.Tree().ID()]
	for _, lay := range t.plan.Fields() {
		if i := slices.IndexFunc(t.fields, func(g *Field) bool { return g.followed && g.lay == lay }); i >= 0 && lay.LeadNode(0) == n {
			fields = append(fields, t.fields[i])
		}
	}
	return t, t.following.Load(), fields
}

// Elsewhere returns the components of a whole field that lie elsewhere than its elements, each as a field of its own
// for kernels.
func (c *Field) Elsewhere() (parts []*Field) {
	st := c.Node().tree.st
	st.mu.Lock()
	defer st.mu.Unlock()
	for k := range c.lay.Elem.Comps {
		if home := st.trees[c.lay.Tree(k).ID()]; c.lay.Apart(k) && !home.closed.Load() {
			parts = append(parts, c.component(k, home))
		}
	}
	return parts
}

// Component returns component k as a field of its own for kernels.
func (c *Field) Component(k int) *Field { return c.component(c.lo+k, c.uses...) }

func (c *Field) component(k int, in ...*Tree) *Field {
	return &Field{typ: c.typ, lay: c.lay, lo: k, hi: k + 1, parent: c, uses: in}
}

// Holds reports whether component comp of a whole field has memory at an index, and the element with which it becomes
// zero. The caller holds the launch lock.
func (c *Field) Holds(comp int, index []int) bool {
	at, _ := c.address(comp, index)
	lead, _ := c.address(0, index)
	return at != nil && (!c.lay.Apart(comp) || lead != nil)
}
