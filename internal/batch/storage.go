package batch

import (
	"github.com/gotaichi/ti/internal/graph"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/variant"
)

// storages says for graphs of launches where fields are stored: the same memory is the same pointer, whatever names it has.
type storages struct {
	memories  map[*layout.Field]*graph.Memory
	nodes     map[*layout.Node]*graph.Node
	trees     map[*layout.Tree]*graph.Tree
	exponents map[*layout.Group]*graph.Exponent
}

// graphOf returns the state-flow graph of launches of these variants; nil if there is nothing that describes one of them, as where kernels
// are interpreted. The first has the number behind before. history is that of the batches before; it may be nil.
func (s *storages) graphOf(variants []*variant.Variant, kernels []*launch.Kernel, before uint64, history *graph.History) *graph.Graph {
	var all []graph.Launch
	for i, v := range variants {
		k := kernels[i]
		if k == nil {
			return nil
		}
		l := graph.Launch{Kernel: k, Number: before + uint64(i) + 1}
		for n := range k.Fields {
			l.Fields = append(l.Fields, s.of(v, &k.Fields[n]))
		}
		all = append(all, l)
	}
	return graph.New(all, history)
}

// of returns where a field of a kernel is stored.
func (s *storages) of(v *variant.Variant, f *launch.Field) (st graph.Storage) {
	at := v.Scope.Layout[f.Name]
	if f.Memory || at.Field == nil {
		return st
	}
	if n := at.Field.CellsOf(); n != nil {
		s.above(&st, n)
		st.Cells = s.cells(n)
		return st
	}
	st.Memory, st.First = s.memory(at.Field), at.First
	comps := v.Scope.Named(f.Name).Comps()
	for c := at.First; c < at.First+comps; c++ {
		s.above(&st, at.Field.NodeOf(c))
		if p := at.Field.Access(c).Packed; p != nil && p.Of().Group != nil {
			if st.Exponents == nil {
				st.Exponents = make([]*graph.Exponent, comps)
			}
			st.Exponents[c-at.First] = s.exponent(p.Of().Group, f.Name)
		}
	}
	lead := at.Field.LeadNode(at.First)
	s.above(&st, lead)
	st.Cells = s.cells(lead)
	return st
}

// dense is of for a field that is dense, and not packed, at this place.
func (s *storages) dense(at job.Place) (st graph.Storage) {
	if at.Field != nil && at.Field.CellsOf() == nil {
		st.Memory, st.First = s.memory(at.Field), at.First
	}
	return st
}

// above adds the sparse nodes from n upwards.
func (s *storages) above(st *graph.Storage, n *layout.Node) {
	for ; n != nil; n = n.Parent() {
		if sparse(n) {
			st.Nodes = addOnce(st.Nodes, s.node(n))
		}
	}
}

func addOnce(all []*graph.Node, n *graph.Node) []*graph.Node {
	for _, m := range all {
		if m == n {
			return all
		}
	}
	return append(all, n)
}

// cells is the innermost sparse node from n upwards; nil if there is none.
func (s *storages) cells(n *layout.Node) *graph.Node {
	for ; n != nil; n = n.Parent() {
		if sparse(n) {
			return s.node(n)
		}
	}
	return nil
}

// sparse reports whether cells of the node itself may be inactive.
func sparse(n *layout.Node) bool { return n.Parent() != nil && n.Kind() != layout.Dense }

func (s *storages) memory(f *layout.Field) *graph.Memory {
	if s.memories == nil {
		s.memories = map[*layout.Field]*graph.Memory{}
	}
	if s.memories[f] == nil {
		s.memories[f] = &graph.Memory{Name: f.Name, Comps: len(f.Elem.Comps)}
	}
	return s.memories[f]
}

func (s *storages) node(n *layout.Node) *graph.Node {
	if s.nodes == nil {
		s.nodes, s.trees = map[*layout.Node]*graph.Node{}, map[*layout.Tree]*graph.Tree{}
	}
	if s.nodes[n] == nil {
		t := n.Tree()
		if s.trees[t] == nil {
			s.trees[t] = &graph.Tree{Name: treeName(t)}
		}
		s.nodes[n] = &graph.Node{Name: treeName(t), Tree: s.trees[t]}
	}
	return s.nodes[n]
}

// treeName names a tree by its fields.
func treeName(t *layout.Tree) string {
	if all := t.Fields(); len(all) > 0 && all[0].Name != "" {
		return all[0].Name
	}
	return "a tree"
}

func (s *storages) exponent(g *layout.Group, field string) *graph.Exponent {
	if s.exponents == nil {
		s.exponents = map[*layout.Group]*graph.Exponent{}
	}
	if s.exponents[g] == nil {
		s.exponents[g] = &graph.Exponent{Name: field}
	}
	return s.exponents[g]
}
