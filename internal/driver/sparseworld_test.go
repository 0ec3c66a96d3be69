package driver_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/engine"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/oracle"
	"github.com/gotaichi/ti/internal/sparse"
)

// A sparseWorld is the state of the trees of a plot: in memory, or as the sets and
// maps of the oracle.
type sparseWorld interface {
	// launch runs a kernel, and reports whether an index was out of range.
	launch(kernel string, arg int) (results []int32, failed bool, err error)
	cells(n *plotNode) ([][]int, error)
	active(n *plotNode, idx []int) bool
	load(f *plotField, idx []int, comp int) uint64
	store(f *plotField, idx []int, comp int, bits uint64)
	activate(n *plotNode, idx []int)
	deactivate(n *plotNode, idx []int)
	empty(n *plotNode)
	check() error // what has to be so between launches
}

// bound returns how the fields and nodes of a plot are described to the checker and to
// the passes.
func (p *plot) bound() (check.Host, driver.Layout) {
	h, lay := check.Host{Fields: map[string]check.HostField{}}, driver.Layout{}
	ints := func(v []int64) (out []int) {
		for _, n := range v {
			out = append(out, int(n))
		}
		return out
	}
	bind := func(name string, n *plotNode, l *layout.Field) {
		f := check.HostField{Shape: ints(l.Shape()), Origin: ints(l.Origin()), Node: check.NodeKind(n.kind), Sparse: n.lay.Sparse(), List: n.kind == layout.Dynamic}
		for _, a := range n.used() {
			f.Unbounded = f.Unbounded || n.lay.Unbounded(a)
		}
		h.Fields[name], lay[name] = f, driver.Place{Field: l}
	}
	for _, n := range p.nodes {
		bind(n.name, n, n.shape)
	}
	for _, f := range p.fields {
		bind(f.name, f.node, f.lay)
	}
	return h, lay
}

// memoryWorld is trees in memory, and compiled kernels.
type memoryWorld struct {
	p     *plot
	prog  *check.Program
	lay   driver.Layout
	trees []*sparse.Tree
	eng   *engine.Engine
	opt   driver.Options
	codes map[string]*engine.Code
	kerns map[string]*ir.Kernel
	now   *ir.Kernel
}

func newMemoryWorld(t *testing.T, p *plot, prog *check.Program, lay driver.Layout, o driver.Options, threads int) *memoryWorld {
	t.Helper()
	w := &memoryWorld{p: p, prog: prog, lay: lay, eng: engine.New(threads, 1), opt: o, codes: map[string]*engine.Code{}, kerns: map[string]*ir.Kernel{}}
	t.Cleanup(w.eng.Close)
	budget := sparse.NewBudget(1 << 30)
	for _, lt := range p.trees {
		tree, err := sparse.New(lt, threads, budget)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = tree.Close() })
		w.trees = append(w.trees, tree)
	}
	return w
}

func (w *memoryWorld) Prepare() {
	for _, t := range w.trees {
		t.Prepare()
	}
}

func (w *memoryWorld) tree(n *layout.Node) *sparse.Tree { return w.trees[n.Tree().ID()] }

func (w *memoryWorld) List(f *ir.Field, outer int) (uintptr, int64, error) {
	n, _ := w.lay.Node(f)
	return w.tree(n).List(n, outer)
}

func (w *memoryWorld) Settle() error {
	for _, t := range w.trees {
		if err := t.Settle(); err != nil {
			return err
		}
	}
	return nil
}

func (w *memoryWorld) Record(site int, slots []uint64) {
	s := w.now.Sites[site]
	if s.Kind != ir.SiteDeactivate {
		return
	}
	for _, f := range w.now.Fields {
		if f.Name == s.What {
			n, _ := w.lay.Node(f)
			var idx []int
			for _, i := range slots[1 : 1+f.Rank()] {
				idx = append(idx, int(int64(i)))
			}
			w.tree(n).Deactivate(n, idx)
			return
		}
	}
}

func (w *memoryWorld) Flush() error {
	for _, t := range w.trees {
		t.Collect()
	}
	return nil
}

func (w *memoryWorld) code(name string) (*engine.Code, *ir.Kernel, error) {
	if c := w.codes[name]; c != nil {
		return c, w.kerns[name], nil
	}
	u, err := driver.Prepare(w.prog, name, w.lay, w.opt)
	if err != nil {
		return nil, nil, err
	}
	c, err := u.Compile()
	if err != nil {
		return nil, nil, err
	}
	bases := make([]engine.Base, len(c.Kernel.Bases))
	for i, n := range c.Kernel.Bases {
		if n >= 0 {
			a := u.Areas[n]
			bases[i] = engine.Base{Address: uintptr(w.trees[a.Tree].Base()) + uintptr(a.Offset), Bytes: a.Bytes}
		}
	}
	code := engine.NewCode(c.Kernel, c.Entries, bases)
	code.Trees, code.Sink = w, w
	w.codes[name], w.kerns[name] = code, c.Kernel
	return code, c.Kernel, nil
}

func (w *memoryWorld) launch(name string, arg int) ([]int32, bool, error) {
	code, k, err := w.code(name)
	if err != nil {
		return nil, false, err
	}
	w.now = k
	code.Args()[0] = uint64(arg)
	w.eng.Lock()
	defer w.eng.Unlock()
	fault, err := w.eng.Run(context.Background(), code)
	return results(code.Results()[:len(k.Results)]), fault != nil, err
}

func results(bits []uint64) (out []int32) {
	for _, b := range bits {
		out = append(out, int32(b))
	}
	return out
}

func (w *memoryWorld) cells(n *plotNode) (out [][]int, err error) {
	for idx := range w.tree(n.lay).Cells(n.lay, &err) {
		out = append(out, slices.Clone(idx))
	}
	return out, err
}

func (w *memoryWorld) active(n *plotNode, idx []int) bool { return w.tree(n.lay).Active(n.lay, idx) }

func (w *memoryWorld) load(f *plotField, idx []int, comp int) uint64 {
	a := f.lay.Access(comp)
	p := w.trees[a.Tree].Find(a, idx)
	if p == nil {
		return 0
	}
	return (&cellBits{p, a.Kind}).get()
}

func (w *memoryWorld) store(f *plotField, idx []int, comp int, bits uint64) {
	a := f.lay.Access(comp)
	p, err := w.trees[a.Tree].Enter(a, idx)
	if err != nil {
		panic(err)
	}
	(&cellBits{p, a.Kind}).set(bits)
}

func (w *memoryWorld) activate(n *plotNode, idx []int) {
	if err := w.tree(n.lay).Activate(n.lay, idx); err != nil {
		panic(err)
	}
}

func (w *memoryWorld) deactivate(n *plotNode, idx []int) {
	w.tree(n.lay).Deactivate(n.lay, idx)
	w.tree(n.lay).Collect()
}

func (w *memoryWorld) empty(n *plotNode) {
	if err := w.tree(n.lay).Clear(n.lay); err != nil {
		panic(err)
	}
}

// check asks in ways that must agree, and saves and reads the trees.
func (w *memoryWorld) check() error {
	for _, n := range w.p.nodes {
		cells, err := w.cells(n)
		if err != nil {
			return err
		}
		if count, err := w.tree(n.lay).Count(n.lay); err != nil || count != len(cells) {
			return fmt.Errorf("%s has %d cells, and says that they are %d, %v", n.name, len(cells), count, err)
		}
		lens := map[string]int{}
		for _, c := range cells {
			if !w.active(n, c) {
				return fmt.Errorf("%s%v is visited and not active", n.name, c)
			}
			lens[fmt.Sprint(c[:len(c)-1])]++
		}
		if n.kind != layout.Dynamic {
			continue
		}
		for _, c := range cells {
			if got, want := w.tree(n.lay).Len(n.lay, c[:len(c)-1]), lens[fmt.Sprint(c[:len(c)-1])]; got != want {
				return fmt.Errorf("the list %s%v has length %d and %d cells", n.name, c[:len(c)-1], got, want)
			}
		}
	}
	for _, t := range w.trees {
		var stream bytes.Buffer
		if !t.Layout().Sparse() {
			continue
		}
		if _, err := t.WriteTo(&stream); err != nil {
			return err
		}
		if _, err := t.ReadFrom(&stream); err != nil {
			return err
		}
	}
	return nil
}

// cellBits is a component in memory, as the oracle holds values.
type cellBits struct {
	p    unsafe.Pointer
	kind layout.Kind
}

func (c *cellBits) get() uint64 {
	switch c.kind {
	case layout.I16:
		return uint64(*(*int16)(c.p))
	case layout.I32:
		return uint64(*(*int32)(c.p))
	case layout.U8:
		return uint64(*(*uint8)(c.p))
	}
	return *(*uint64)(c.p)
}

func (c *cellBits) set(bits uint64) {
	switch c.kind {
	case layout.I16:
		*(*uint16)(c.p) = uint16(bits)
	case layout.I32:
		*(*uint32)(c.p) = uint32(bits)
	case layout.U8:
		*(*uint8)(c.p) = uint8(bits)
	default:
		*(*uint64)(c.p) = bits
	}
}

// oracleWorld is what must come out.
type oracleWorld struct {
	p      *plot
	prog   *check.Program
	nodes  map[*plotNode]*oracle.Node
	memory map[*plotField]oracle.Cells
	opt    driver.Options
}

func newOracleWorld(p *plot, prog *check.Program, o driver.Options) *oracleWorld {
	w := &oracleWorld{p: p, prog: prog, nodes: map[*plotNode]*oracle.Node{}, memory: map[*plotField]oracle.Cells{}, opt: o}
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

func (w *oracleWorld) launch(name string, arg int) ([]int32, bool, error) {
	k, err := driver.Lower(w.prog, name, w.opt)
	if err != nil {
		return nil, false, err
	}
	env := &oracle.Env{Args: []uint64{uint64(arg)}, MaxSteps: 1e6}
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
	r, err := oracle.Run(context.Background(), k, env)
	if err != nil {
		return nil, false, err
	}
	return results(r.Values), r.Failure != nil, nil
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

// snapshot writes all that a world consists of, a cell a line.
func (p *plot) snapshot(w sparseWorld) (string, error) {
	var b strings.Builder
	for _, n := range p.nodes {
		cells, err := w.cells(n)
		if err != nil {
			return "", err
		}
		for _, c := range cells {
			fmt.Fprintf(&b, "%s%v is active\n", n.name, c)
		}
	}
	for _, f := range p.fields {
		write := func(idx []int) {
			for c := range f.elem.suffix {
				if v := w.load(f, idx, c); v != 0 {
					fmt.Fprintf(&b, "%s%v%s = %d\n", f.name, idx, f.elem.suffix[c], int64(v))
				}
			}
		}
		cells, err := w.cells(f.node)
		if err != nil {
			return "", err
		}
		for _, c := range cells {
			write(c)
		}
		p.window(f.node, func(idx []int) {
			if !w.active(f.node, idx) {
				fmt.Fprintf(&b, "%s%v is inactive\n", f.name, idx)
				write(idx)
			}
		})
	}
	return b.String(), nil
}

// window calls f for all indices of a node's cells, of unbounded ones for those that
// the test uses.
func (p *plot) window(n *plotNode, f func(idx []int)) {
	idx := make([]int, len(n.path))
	var nest func(d int)
	nest = func(d int) {
		if d == len(idx) {
			f(idx)
			return
		}
		for i := n.low[d]; i < n.high[d]; i++ {
			idx[d] = int(i)
			nest(d + 1)
		}
	}
	nest(0)
}
