package ti

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/sparse"
)

// A growth is what a kernel does to the topology of sparse trees. It is asked and told
// between tasks, under the launch lock.
type growth struct {
	trees []*sparse.Tree // that the kernel works on
	nodes []grownNode    // by ir.Field.Index
	sites []*grownNode   // by number of the site: whose cell is deactivated there, nil for none
}

// grownNode is the node that a field of a kernel lies in, or stands for.
type grownNode struct {
	name        string
	tree        *sparse.Tree // nil for a field in a dense tree
	node        *layout.Node
	shape, from []int64 // range of the indices
}

// growth returns what k needs of its sparse trees, nil if it has none.
func (inst *instance) growth(k *ir.Kernel) *growth {
	g := &growth{}
	for _, t := range inst.trees {
		if t.sparse != nil && !slices.Contains(g.trees, t.sparse) {
			g.trees = append(g.trees, t.sparse)
		}
	}
	if len(g.trees) == 0 {
		return nil
	}
	for _, f := range k.Fields {
		n := grownNode{name: f.Name, shape: f.Shape, from: f.Origin}
		if node, ok := inst.layout.Node(f); ok && f.View == nil {
			for _, t := range g.trees {
				if t.Layout() == node.Tree() {
					n.tree, n.node = t, node
				}
			}
		}
		g.nodes = append(g.nodes, n)
	}
	for _, s := range k.Sites {
		var at *grownNode
		for i := range g.nodes {
			if n := &g.nodes[i]; s.Kind == ir.SiteDeactivate && n.name == s.What && n.tree != nil {
				at = n
			}
		}
		g.sites = append(g.sites, at)
	}
	return g
}

// Prepare lets a task activate as much as there is memory for.
func (g *growth) Prepare() {
	for _, t := range g.trees {
		t.Prepare()
	}
}

// List returns a list that a task runs over.
func (g *growth) List(node, outer int, masks bool) (addr uintptr, entries int64, err error) {
	n := &g.nodes[node]
	return n.tree.List(n.node, outer, masks)
}

// Settle brings the trees into order after a task.
func (g *growth) Settle() error {
	var first error
	for _, t := range g.trees {
		if err := t.Settle(); first == nil {
			first = err
		}
	}
	return first
}

// deactivate notes the cell that a site names.
func (g *growth) deactivate(site int, index []uint64) {
	n := g.sites[site]
	if n == nil || len(index) < len(n.shape) {
		return
	}
	var idx Index
	for k, size := range n.shape {
		low := int64(0)
		if n.from != nil {
			low = n.from[k]
		}
		idx[k] = int(int64(index[k]))
		if i := int64(index[k]) - low; i < 0 || i >= size {
			return // without index checks
		}
	}
	n.tree.Deactivate(n.node, idx[:len(n.shape)])
}

// collect carries out what has been noted.
func (g *growth) collect() {
	for _, t := range g.trees {
		t.Collect()
	}
}
