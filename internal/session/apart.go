package session

import (
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/outline"
)

// An element of a field is active or inactive as a whole: it goes by the node of its first
// component. Other components may lie apart from it, in cells that come and go by themselves,
// even in another tree. So who writes one of them activates the element too, and when the
// element becomes inactive they become zero, wherever they lie.

// goAlong has the components of the whole field that lie apart zeroed with its elements, and finds
// the part by which elements of a member are active. It is called under rt.mu, before the field is divided.
func (c *Field) goAlong() error {
	if !c.scattered() {
		return nil
	}
	root := c.root()
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

// scattered reports whether elements of the field, or of the one that it is a member of, may be active where one of their
// components is not, or the other way round.
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
	if first := p.find(idx); first != nil && p.active(idx) {
		put(p.comps, where{first: first, part: p}, goValue{at: zero}, idx)
	}
}

// A listTree is a tree with lists that a kernel knows, and what its following was when the kernel was made.
type listTree struct {
	tree *Tree
	then int64
}

func (l *listTree) same() bool { return l.tree.following.Load() == l.then }

// follow adds what becomes zero with the elements of lists that the kernel knows, but lies elsewhere, to its fields: other
// fields may share a list with those that it names, and code that empties the list zeroes that. It needs p.mu.
func (inst *instance) follow(f *outline.Kernel) {
	rt := inst.k.p.rt
	rt.mu.Lock()
	defer rt.mu.Unlock()
	var known []*layout.Node
	for _, field := range f.Fields {
		c := inst.coreOf(field.Name)
		if c == nil || !field.List || slices.Contains(known, c.layoutNode()) {
			continue
		}
		n := c.layoutNode()
		known = append(known, n)
		t := rt.trees[n.Tree().ID()]
		inst.lists = append(inst.lists, listTree{t, t.following.Load()})
		for _, lay := range t.plan.Fields() { // in the order in which they were placed, as in any other process
			if i := slices.IndexFunc(t.fields, func(g *Field) bool { return g.followed && g.lay == lay }); i >= 0 && lay.LeadNode(0) == n {
				inst.followAll(t.fields[i])
			}
		}
	}
}

// followAll adds the components of a field that lie elsewhere than its elements, each as a field of its own.
func (inst *instance) followAll(root *Field) {
	for k := range root.lay.Elem.Comps {
		home := root.Node().tree.rt.trees[root.lay.Tree(k).ID()]
		if !root.lay.Apart(k) || home.closed.Load() {
			continue
		}
		name := fmt.Sprintf("follower %d", len(inst.followers())) // no name that a source can have
		part := &Field{typ: root.typ, lay: root.lay, lo: k, hi: k + 1, parent: root, uses: []*Tree{home}}
		inst.fields = append(slices.Clip(inst.fields), boundField{path: name, core: part, follows: true})
		inst.layout = maps.Clone(inst.layout)
		inst.layout[name] = job.Place{Field: root.lay, First: k}
		inst.trees = append(inst.trees, home)
	}
}

// followers are the names of the fields that follow has added.
func (inst *instance) followers() (names []string) {
	for i := range inst.fields {
		if inst.fields[i].follows {
			names = append(names, inst.fields[i].path)
		}
	}
	return names
}
