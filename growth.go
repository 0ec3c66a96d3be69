package ti

import (
	"slices"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/site"
	"github.com/gotaichi/ti/internal/sparse"
)

// A growth is what a kernel does to the topology of sparse trees. It is asked and told
// between tasks, under the launch lock.
type growth struct {
	trees []*sparse.Tree // that the kernel works on
	nodes []grownNode    // by number of the kernel's field
	sites []*grownNode   // by number of the site: whose cell is deactivated there, nil for none
}

// grownNode is the node that a field of a kernel lies in, or stands for.
type grownNode struct {
	tree        *sparse.Tree // nil for a field in a dense tree
	node        *layout.Node
	shape, from []int64 // range of the indices
}

// growth returns what k needs of its sparse trees, nil if it has none.
func (inst *instance) growth(k *launch.Kernel) *growth {
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
		g.nodes = append(g.nodes, inst.grownNode(&f, g.trees))
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

// grownNode finds the node of a kernel's field.
func (inst *instance) grownNode(f *launch.Field, trees []*sparse.Tree) grownNode {
	n := grownNode{}
	at := inst.layout[f.Name]
	if f.Memory || at.Field == nil {
		return n
	}
	n.shape, n.from = at.Field.Shape(), at.Field.Origin()
	node := inst.layout.NodeAt(f.Name, f.Comp)
	for _, t := range trees {
		if t.Layout() == node.Tree() {
			n.tree, n.node = t, node
		}
	}
	return n
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
