package driver_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/oracle"
	"github.com/gotaichi/ti/internal/oracle/touched"
	"github.com/gotaichi/ti/internal/typed"
)

// oracleWorld is what must come out.
type oracleWorld struct {
	p      *plot
	prog   *check.Program
	nodes  map[*plotNode]*oracle.Node
	memory map[*plotField]oracle.Cells
	opt    driver.Options
	gone   map[int]bool // trees that have been destroyed
	trees  *treeCount   // of launches that are compared; nil where nobody asks

	// judges compare what kernels touch with what their states say; states finds them out.
	judges map[string]*touched.Judge
	states func(name string) *launch.Kernel
	t      *testing.T
}

func newOracleWorld(p *plot, prog *check.Program, o driver.Options) *oracleWorld {
	w := &oracleWorld{p: p, prog: prog, nodes: map[*plotNode]*oracle.Node{}, memory: map[*plotField]oracle.Cells{}, opt: o, gone: map[int]bool{}, judges: map[string]*touched.Judge{}}
	for _, f := range p.fields {
		w.memory[f] = oracle.Cells{}
	}
	for _, root := range p.roots {
		for _, c := range root.children {
			w.add(nil, c)
		}
	}
	return w
}

func (w *oracleWorld) add(up *oracle.Node, n *plotNode) {
	sizes := n.sizes
	for range n.axes[len(sizes):] {
		sizes = append(sizes, 1<<32)
	}
	node := oracle.NewNode(up, ir.NodeKind(n.kind), n.axes, sizes, n.shape.Origin(), n.morton)
	w.nodes[n] = node
	for _, c := range n.contents {
		node.Place(w.memory[c.field], c.lo, c.hi)
	}
	for _, c := range n.children {
		w.add(node, c)
	}
}

// someComps is a part of a field's components.
type someComps struct {
	all oracle.Cells
	at  func(comp int) int
}

func (s *someComps) Load(index []int64, comp int) uint64 { return s.all.Load(index, s.at(comp)) }
func (s *someComps) Store(index []int64, comp int, bits uint64) {
	s.all.Store(index, s.at(comp), bits)
}

// judge makes launches fail the test whose kernels touch what their states do not say, as they are compiled for this
// layout.
func (w *oracleWorld) judge(t *testing.T, lay driver.Layout) *oracleWorld {
	o := driver.TestOptions(t, 3)
	o.Threads = 3
	w.t, w.states = t, func(name string) *launch.Kernel {
		u, err := driver.Prepare(&w.prog.Program, name, lay, o)
		if err != nil {
			t.Fatal(err)
		}
		d, err := u.Describe()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	return w
}

// watch checks the run of a kernel, and returns a function that reports the faults at its end.
func (w *oracleWorld) watch(name string, k *ir.Kernel, env *oracle.Env) (end func(err error)) {
	if w.states == nil {
		return func(error) {}
	}
	j := w.judges[name]
	if j == nil {
		var err error
		if j, err = touched.New(k, w.states(name)); err != nil {
			w.t.Fatal(err)
		}
		w.judges[name] = j
	}
	run := j.Watch(env)
	return func(err error) {
		if wrong := run.End(err == nil); wrong != nil {
			w.t.Fatalf("%v\n%s\n%s", wrong, w.p, k)
		}
	}
}

func (w *oracleWorld) launch(name string, args ...int) ([]int32, fault, error) {
	k, err := driver.Lower(&w.prog.Program, name, w.opt)
	if err != nil {
		return nil, fault{}, err
	}
	if w.usesGone(w.prog.Kernel(name)) {
		return nil, fault{}, errGone
	}
	env := &oracle.Env{MaxSteps: 1e6}
	if w.p.written {
		env.MaxSteps = 0
	}
	for _, a := range args {
		env.Args = append(env.Args, uint64(a))
	}
	for _, f := range k.Fields {
		var m oracle.Memory
		var node *oracle.Node
		for _, g := range w.p.fields {
			if g.name == f.Name {
				node = w.nodes[g.node]
				m = &someComps{w.memory[g], func(i int) int {
					if f.Host != nil {
						return f.Host[i]
					}
					return i
				}}
			}
		}
		for _, n := range w.p.nodes {
			if n.name == f.Name {
				node = w.nodes[n]
			}
		}
		env.Fields, env.Nodes = append(env.Fields, m), append(env.Nodes, node)
	}
	end := w.watch(name, k, env)
	var tree *treeRun
	if !w.p.written {
		tree = w.onTree(name, args)
	}
	r, err := oracle.Run(context.Background(), k, env)
	end(err)
	if err != nil {
		return nil, fault{}, err
	}
	if tree != nil {
		if wrong := tree.compare(w, r); wrong != nil {
			return nil, fault{}, wrong
		}
	}
	failed := fault{}
	if f := r.Failure; f != nil {
		failed.count = f.Count
		if f.Count == 1 {
			failed.one = fmt.Sprintf("line %d column %d: index %v of %s with shape %v in iteration %v", f.Pos.Line, f.Pos.Col, f.Index, f.What, f.Shape, f.Loop)
		}
	}
	return results(r.Values), failed, nil
}

func (w *oracleWorld) cells(n *plotNode) (out [][]int, err error) {
	for _, c := range w.nodes[n].Cells() {
		idx := make([]int, len(c))
		for i := range c {
			idx[i] = int(c[i])
		}
		out = append(out, idx)
	}
	return out, nil
}

func int64s(idx []int) (out []int64) {
	for _, i := range idx {
		out = append(out, int64(i))
	}
	return out
}

func (w *oracleWorld) active(n *plotNode, idx []int) bool { return w.nodes[n].Active(int64s(idx)) }

func (w *oracleWorld) load(f *plotField, idx []int, comp int) uint64 {
	return w.memory[f].Load(int64s(idx), comp)
}

func (w *oracleWorld) store(f *plotField, idx []int, comp int, bits uint64) {
	w.nodes[f.node].Activate(int64s(idx))
	w.memory[f].Store(int64s(idx), comp, bits)
}

func (w *oracleWorld) activate(n *plotNode, idx []int)   { w.nodes[n].Activate(int64s(idx)) }
func (w *oracleWorld) deactivate(n *plotNode, idx []int) { w.nodes[n].Deactivate(int64s(idx)) }
func (w *oracleWorld) empty(n *plotNode)                 { w.nodes[n].Clear() }
func (w *oracleWorld) check() error                      { return nil }

// usesGone reports whether a kernel names a field or a node of a tree that is destroyed,
// be it in code that never runs and so is not lowered.
func (w *oracleWorld) usesGone(k *typed.Func) bool {
	for _, f := range k.Fields {
		for _, g := range w.p.fields {
			if g.name == f.Name && w.gone[g.node.tree] {
				return true
			}
		}
		for _, n := range w.p.nodes {
			if n.name == f.Name && w.gone[n.tree] {
				return true
			}
		}
	}
	return false
}

func (w *oracleWorld) destroyed(tree int) bool { return w.gone[tree] }
func (w *oracleWorld) destroy(tree int)        { w.gone[tree] = true }

func (w *oracleWorld) elements(f *plotField) (all [][]uint64, err error) {
	w.p.window(f.node, func(idx []int) {
		all = append(all, element(w, f, idx))
	})
	return all, nil
}

func (w *oracleWorld) replace(f *plotField, all [][]uint64, _ bool) error {
	n := 0
	w.p.window(f.node, func(idx []int) {
		zero := !slices.ContainsFunc(all[n], func(b uint64) bool { return b != 0 })
		if !zero || w.active(f.node, idx) {
			for c, b := range all[n] {
				w.store(f, idx, c, b)
			}
		}
		n++
	})
	return nil
}

func (w *oracleWorld) fill(f *plotField, e []uint64) error {
	for _, idx := range w.nodes[f.node].Cells() {
		for c, b := range e {
			w.memory[f].Store(idx, c, b)
		}
	}
	return nil
}

// oracleState is what is in a tree.
type oracleState struct {
	cells    map[*plotNode][][]int
	elements map[*plotField][][]uint64 // of the active cells
}

func (w *oracleWorld) save(tree int) (any, error) { return stateOf(w, w.p, tree) }

// stateOf returns the state of a tree in a world.
func stateOf(w sparseWorld, p *plot, tree int) (any, error) {
	s := &oracleState{map[*plotNode][][]int{}, map[*plotField][][]uint64{}}
	for _, n := range p.nodes {
		if n.tree == tree {
			cells, err := w.cells(n)
			if err != nil {
				return nil, err
			}
			s.cells[n] = cells
		}
	}
	for _, f := range p.fields {
		if f.node.tree != tree {
			continue
		}
		for _, idx := range s.cells[f.node] {
			s.elements[f] = append(s.elements[f], element(w, f, idx))
		}
	}
	return s, nil
}

func (w *oracleWorld) restore(tree int, saved any) error {
	s := saved.(*oracleState)
	for _, c := range w.p.roots[tree].children {
		w.empty(c)
	}
	for _, n := range w.p.nodes {
		for _, idx := range s.cells[n] {
			w.activate(n, idx)
		}
	}
	for _, f := range w.p.fields {
		for i, e := range s.elements[f] {
			for c, b := range e {
				w.memory[f].Store(int64s(s.cells[f.node][i]), c, b)
			}
		}
	}
	return nil
}

// misuse does nothing: it is a mistake.
func (w *oracleWorld) misuse(*plotField, []int) error { return nil }
