package oracle

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// This file tells a watcher what a run touches, each access as it really happens: of the host's fields alone, by
// component and index. It follows from what the interpreter does, and from nothing that says what the kernel may do.

// An Access is a set of what is done at a place.
type Access uint8

// The bits of an Access.
const (
	Read Access = 1 << iota
	Write
)

// A Watcher is told what a run touches. Indices are only valid during the call.
type Watcher interface {
	// Enter begins the parallel loop with an ordinal, or the serial code behind it; the first is that behind 0.
	Enter(ordinal int64, serial bool)

	// Value is an access to a component of an element, in the iteration of a parallel loop; iteration is nil
	// outside of iterations.
	Value(f *ir.Field, comp int, index, iteration []int64, a Access)

	// Mask asks whether a cell of a node is active, or changes that. Cleared says that cells of a node become
	// inactive, or lists shorter. List is about the list of active cells, or the lengths of lists.
	Mask(n *Node, a Access)
	List(n *Node, a Access)
	Cleared(n *Node)
}

// enter tells that a part of the kernel begins.
func (m *machine) enter(ordinal int64, serial bool) {
	if m.env.Watcher != nil {
		m.env.Watcher.Enter(ordinal, serial)
	}
}

// touch tells that the element at p is read or stored to.
func (m *machine) touch(p *place, a Access) {
	if m.env.Watcher == nil || p.field == nil || p.field.View != nil {
		return
	}
	m.env.Watcher.Value(p.field, p.comp, p.index, m.loop, a)
	m.touchCells(p, a == Write)
}

// touchCells tells what an access to p does to the cells that it lies in: it asks whether they are active, and a store
// makes them so. In a loop over cells the iteration's own is active, unless a list has become shorter.
func (m *machine) touchCells(p *place, stores bool) {
	if m.env.Watcher == nil || p.field == nil {
		return
	}
	for _, n := range []*Node{p.home, p.node} {
		if n == nil || m.visits(n, p.index) && n.Active(p.index) {
			continue
		}
		m.touchNode(n, p.index, stores)
	}
}

// visits reports whether the loop runs over a cell that lies in all cells that may be inactive on the way to that of n.
func (m *machine) visits(n *Node, index []int64) bool {
	if m.over == nil || !slices.Equal(index, m.loop) {
		return false
	}
	for ; n != nil; n = n.parent {
		if n.kind != ir.NodeDense && !m.over.isIn(n) {
			return false
		}
	}
	return true
}

// isIn reports whether n is the node above or lies below it.
func (n *Node) isIn(above *Node) bool {
	for ; n != nil; n = n.parent {
		if n == above {
			return true
		}
	}
	return false
}

// Parent returns the node in whose cells n lies, nil for an outermost one.
func (n *Node) Parent() *Node { return n.parent }

// touchNode tells that a cell is asked for, and whether it becomes active. What is dense is always so.
func (m *machine) touchNode(n *Node, index []int64, activates bool) {
	if m.env.Watcher == nil {
		return
	}
	sparse := n.gate()
	if sparse == nil {
		return
	}
	m.env.Watcher.Mask(sparse, Read)
	if activates && !n.Active(index) {
		m.env.Watcher.Mask(sparse, Write)
		m.env.Watcher.List(sparse, Write)
	}
}

// gate returns the innermost node, of n and those above, whose cells may be inactive; nil where all are dense.
func (n *Node) gate() *Node {
	for n != nil && n.kind == ir.NodeDense {
		n = n.parent
	}
	return n
}

// touchList tells of lists of active cells, and of lists of elements.
func (m *machine) touchList(n *Node, a Access) {
	if n = n.gate(); m.env.Watcher != nil && n != nil {
		m.env.Watcher.List(n, a)
		m.env.Watcher.Mask(n, a)
	}
}

// touchGroup tells of the numbers that are rounded because others of their group are stored.
func (m *machine) touchGroup(parts []part) {
	if m.env.Watcher == nil {
		return
	}
	group, stored := parts[0].place.packed.Group, map[int]bool{}
	for _, s := range parts {
		stored[s.place.packed.Member] = true
	}
	if len(stored) == group.Members {
		return
	}
	for _, f := range m.p.k.Fields {
		for c := range f.Comps {
			if s := f.StoredAs(c); s != nil && s.Group == group && !stored[s.Member] {
				m.env.Watcher.Value(f, c, parts[0].place.index, m.loop, Read)
				m.env.Watcher.Value(f, c, parts[0].place.index, m.loop, Write)
			}
		}
	}
}

// touchCleared tells that a cell becomes inactive, with all in it.
func (m *machine) touchCleared(n *Node, c coord) {
	if m.env.Watcher == nil || n.kind == ir.NodeDense || n.kind == ir.NodeDynamic || !n.isActive(c) {
		return
	}
	m.env.Watcher.Cleared(n)
	m.touchZeroed(n, c)
}

// touchShorter tells that a list loses elements.
func (m *machine) touchShorter(n *Node, up coord, to int64) {
	if m.env.Watcher == nil {
		return
	}
	m.env.Watcher.Cleared(n)
	m.touchList(n, Write)
	for _, c := range n.below(up)[to:] {
		m.touchZeroed(n, c)
	}
}

// touchZeroed tells that what lies in a cell becomes zero: components in it, those of elements that go by it, and
// what lies in the nodes below.
func (m *machine) touchZeroed(n *Node, c coord) {
	index := n.index(c)
	for _, f := range m.p.k.Fields {
		for comp := range f.Comps {
			if m.part(f, comp) == n || m.node(f) == n {
				m.env.Watcher.Value(f, comp, index, m.loop, Write)
			}
		}
	}
	for _, below := range n.children {
		for _, d := range below.below(c) {
			m.touchZeroed(below, d)
		}
	}
}
