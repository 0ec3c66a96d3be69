package driver_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/engine"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/site"
	"github.com/gotaichi/ti/internal/sparse"
	"github.com/gotaichi/ti/internal/typed"
)

// A sparseWorld is the state of the trees of a plot: in memory, or as the sets and
// maps of the oracle.
type sparseWorld interface {
	launch(kernel string, args ...int) (results []int32, failed fault, err error)
	cells(n *plotNode) ([][]int, error)
	active(n *plotNode, idx []int) bool
	load(f *plotField, idx []int, comp int) uint64
	empty(n *plotNode)
	check() error // what has to be so between launches
}

// A fault reports indices out of range in a launch.
type fault struct {
	count   int
	one     string  // where, and what, if there is but one; not all worlds say it
	results []int32 // of the kernel all the same; not all worlds have them
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
		f := check.HostField{Shape: ints(l.Shape()), Origin: ints(l.Origin()), Node: typed.NodeKind(n.kind), Sparse: n.lay.Sparse(), List: n.kind == layout.Dynamic}
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
	codes map[string]launch.Launcher
	kerns map[string]*launch.Kernel
	now   *launch.Kernel
}

func newMemoryWorld(t *testing.T, p *plot, prog *check.Program, lay driver.Layout, o driver.Options, threads int) *memoryWorld {
	t.Helper()
	w := &memoryWorld{p: p, prog: prog, lay: lay, eng: engine.New(threads, &launch.Lock{}), opt: o, codes: map[string]launch.Launcher{}, kerns: map[string]*launch.Kernel{}}
	t.Cleanup(w.eng.Close)
	budget := sparse.NewBudget(1 << 30)
	for _, lt := range p.trees {
		tree, err := sparse.New(lt, threads, budget, device.Process{})
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

func (w *memoryWorld) List(node, outer int, masks bool) ([]uint64, int64, error) {
	n := w.node(node)
	return w.tree(n).List(n, outer, masks)
}

func (w *memoryWorld) Settle() error {
	for _, t := range w.trees {
		if err := t.Settle(); err != nil {
			return err
		}
	}
	return nil
}

func (w *memoryWorld) Room() int64             { return 1 << 30 }
func (w *memoryWorld) Dropped(n, first uint64) {}
func (w *memoryWorld) Record(at int, slots []uint64) {
	s := &w.now.Sites[at]
	if s.Kind != site.Deactivate || s.Field < 0 {
		return
	}
	n := w.node(s.Field)
	var idx []int
	for _, i := range slots[1:] {
		idx = append(idx, int(int64(i)))
	}
	w.tree(n).Deactivate(n, idx)
}

// node is the node of a field of the kernel under way.
func (w *memoryWorld) node(field int) *layout.Node {
	f := &w.now.Fields[field]
	return job.Layout(w.lay).Node(f.Name)
}

func (w *memoryWorld) Flush() error {
	for _, t := range w.trees {
		t.Collect()
	}
	return nil
}

func (w *memoryWorld) code(name string) (launch.Launcher, *launch.Kernel, error) {
	if c := w.codes[name]; c != nil {
		return c, w.kerns[name], nil
	}
	u, err := driver.Prepare(&w.prog.Program, name, w.lay, w.opt)
	if err != nil {
		return nil, nil, err
	}
	c, err := u.Compile()
	if err != nil {
		return nil, nil, err
	}
	bases := make([]launch.Base, len(c.Launch.Bases))
	for i, n := range c.Launch.Bases {
		if n >= 0 {
			a := u.Areas[n]
			bases[i] = baseOf(w.trees[a.Tree], a.Offset, a.Bytes)
		}
	}
	loaded, err := w.eng.Load(c.Launch, c.Pieces)
	if err != nil {
		return nil, nil, err
	}
	code := loaded.Bind(launch.Data{Bases: bases, Trees: w, Sink: w, Seed: 1})
	w.codes[name], w.kerns[name] = code, c.Launch
	return code, c.Launch, nil
}

func (w *memoryWorld) launch(name string, args ...int) ([]int32, fault, error) {
	code, k, err := w.code(name)
	if err != nil {
		return nil, fault{}, err
	}
	w.now = k
	for i, a := range args {
		code.Args()[i] = uint64(a)
	}
	f, err := launch.Run(context.Background(), code, 1)
	failed := fault{}
	if f != nil {
		failed.count = int(f.Count)
	}
	return results(code.Results()[:k.Results]), failed, err
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
	return bitsAt(p, a.Kind)
}

func (w *memoryWorld) empty(n *plotNode) {
	if err := w.tree(n.lay).Clear(n.lay); err != nil {
		panic(err)
	}
}

// check queries the trees in several ways, whose results must agree, and saves and reads them.
func (w *memoryWorld) check() error {
	for _, n := range w.p.nodes {
		cells, err := w.cells(n)
		if err != nil {
			return err
		}
		if count, err := w.tree(n.lay).Count(n.lay); err != nil || count != len(cells) {
			return fmt.Errorf("%s has %d cells, and says that they are %d, %v", n.name, len(cells), count, err)
		}
		length := func(idx []int) int { return w.tree(n.lay).Len(n.lay, idx) }
		if err := visited(n, cells, func(c []int) bool { return w.active(n, c) }, length); err != nil {
			return err
		}
	}
	for _, t := range w.trees {
		var stream bytes.Buffer
		if !t.Layout().Sparse() {
			continue
		}
		if n := t.Lost(); n != 0 {
			return fmt.Errorf("%d blocks are neither part of the tree nor free", n)
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

// bitsAt reads a component in memory, as the oracle holds values.
func bitsAt(p unsafe.Pointer, kind layout.Kind) uint64 {
	switch kind {
	case layout.I16:
		return uint64(*(*int16)(p))
	case layout.I32:
		return uint64(*(*int32)(p))
	case layout.U8:
		return uint64(*(*uint8)(p))
	}
	return *(*uint64)(p)
}

// visited checks that the cells which a node was found to have are active, and as many as
// the lengths of lists say.
func visited(n *plotNode, cells [][]int, active func(c []int) bool, length func(list []int) int) error {
	lens := map[string]int{}
	for _, c := range cells {
		if !active(c) {
			return fmt.Errorf("%s%v is visited and not active", n.name, c)
		}
		lens[fmt.Sprint(c[:len(c)-1])]++
	}
	if n.kind != layout.Dynamic {
		return nil
	}
	for _, c := range cells {
		if got, want := length(c[:len(c)-1]), lens[fmt.Sprint(c[:len(c)-1])]; got != want {
			return fmt.Errorf("the list %s%v has length %d and %d cells", n.name, c[:len(c)-1], got, want)
		}
	}
	return nil
}
