package store

import (
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/layout"
)

// Topology is the number of changes so far of the node that c lies in, or is, and of those above it. The caller holds
// the launch lock.
func (c *Field) Topology() int64 {
	n := int64(0)
	for _, t := range c.uses {
		if t.sparse == nil {
			continue
		}
		for at := c.LayoutNode(); at != nil && at.Tree() == t.plan && at.Parent() != nil; at = at.Parent() {
			n += t.sparse.Version(at)
		}
	}
	return n
}

// A cellSum stands for the active cells of a node at a version.
type cellSum struct {
	version int64
	sum     uint64
}

// CellSum is a number that is the same for the same active cells of the node that c lies in, or is. Versions do not
// tell that: they count changes, and a step that is made twice changes the topology twice. It is found once for each
// version. The caller holds the launch lock.
func (c *Field) CellSum(version int64) (uint64, error) {
	n, sum := c.LayoutNode(), uint64(0)
	for n.Kind() == layout.Dense && n.Parent() != nil { // dense cells are active if the one that they lie in is
		n = n.Parent()
	}
	for _, t := range c.uses {
		if t.sparse == nil || n.Tree() != t.plan || n.Parent() == nil {
			continue
		}
		k, ok := t.cellSums[n]
		if !ok || k.version != version {
			k = cellSum{version: version}
			var err error
			for idx := range t.sparse.Cells(n, &err) {
				h := uint64(len(idx))
				for _, i := range idx {
					h = (h ^ uint64(i)) * 0x9e3779b97f4a7c15
					h ^= h >> 29
				}
				k.sum += h*0xbf58476d1ce4e5b9 | 1 // in any order
			}
			if err != nil {
				return 0, diag.Errorf(diag.ErrMemory, "the active cells of %s: %w", c.Name(), err)
			}
			if t.cellSums == nil {
				t.cellSums = map[*layout.Node]cellSum{}
			}
			t.cellSums[n] = k
		}
		sum += k.sum
	}
	return sum, nil
}
