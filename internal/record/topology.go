package record

import (
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/site"
	"github.com/gotaichi/ti/internal/sparse"
)

// A Topology is what a kernel does to the topology of sparse trees. It is asked and told
// between tasks, under the launch lock.
type Topology struct {
	trees []*sparse.Tree // that the kernel works on
	nodes []grownNode    // by number of the kernel's field
	sites []*grownNode   // by number of the site: whose cell is deactivated there, nil for none
}

// grownNode is the node that a field of a kernel lies in, or stands for.
type grownNode struct {
	tree        *sparse.Tree // nil for a field in a dense tree
	node        *layout.Node
	shape, from []int64 // range of the indices
	leaving     []int64 // indices of the cells that the task has deactivated
}

// NewTopology returns what k needs of its sparse trees. Place finds the node that a field of
// the kernel lies in or stands for, and the field, nil for one in memory of the caller.
func NewTopology(trees []*sparse.Tree, k *launch.Kernel, place func(f *launch.Field) (*layout.Node, *layout.Field)) *Topology {
	g := &Topology{trees: trees}
	for i := range k.Fields {
		n := grownNode{}
		if node, field := place(&k.Fields[i]); node != nil {
			n.shape, n.from = field.Shape(), field.Origin()
			for _, t := range trees {
				if t.Layout() == node.Tree() {
					n.tree, n.node = t, node
				}
			}
		}
		g.nodes = append(g.nodes, n)
	}
	for i := range k.Sites {
		var at *grownNode
		if s := &k.Sites[i]; s.Kind == site.Deactivate && s.Field >= 0 && g.nodes[s.Field].tree != nil {
			at = &g.nodes[s.Field]
		}
		g.sites = append(g.sites, at)
	}
	return g
}

// Prepare lets a task activate as much as there is memory for.
func (g *Topology) Prepare() {
	for _, t := range g.trees {
		t.Prepare()
	}
}

// List returns a list that a task runs over.
func (g *Topology) List(node, outer int, masks bool) (words []uint64, entries int64, err error) {
	n := &g.nodes[node]
	return n.tree.List(n.node, outer, masks)
}

// Node returns the node of a field, and the root block of its tree; nil where lists are made for each task.
func (g *Topology) Node(field int) (*layout.Node, uintptr) {
	n := &g.nodes[field]
	if !n.tree.Reuses() {
		return nil, 0
	}
	return n.node, uintptr(n.tree.Base())
}

// Roots returns the trees, and the addresses of their root blocks in the host's memory.
func (g *Topology) Roots() (trees []*layout.Tree, at []uintptr) {
	for _, t := range g.trees {
		trees, at = append(trees, t.Layout()), append(at, uintptr(t.Base()))
	}
	return trees, at
}

// Settle brings the trees into order after a task.
func (g *Topology) Settle() error {
	var first error
	for _, t := range g.trees {
		if err := t.Settle(); first == nil {
			first = err
		}
	}
	return first
}

// deactivate notes the cell that a site names.
func (g *Topology) deactivate(site int, index []uint64) {
	n := g.sites[site]
	if n == nil || len(index) < len(n.shape) {
		return
	}
	before := len(n.leaving)
	for k, size := range n.shape {
		low := int64(0)
		if n.from != nil {
			low = n.from[k]
		}
		i := int64(index[k])
		if i-low < 0 || i-low >= size {
			n.leaving = n.leaving[:before] // without index checks
			return
		}
		n.leaving = append(n.leaving, i)
	}
}

// collect carries out what has been noted.
func (g *Topology) collect() {
	for i := range g.nodes {
		if n := &g.nodes[i]; len(n.leaving) > 0 {
			n.tree.DeactivateAll(n.node, n.leaving)
			const keep = 1 << 20
			if n.leaving = n.leaving[:0]; cap(n.leaving) > keep {
				n.leaving = nil
			}
		}
	}
	for _, t := range g.trees {
		t.Collect()
	}
}
