package driver_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/engine"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/oracle"
	"github.com/gotaichi/ti/internal/site"
	"github.com/gotaichi/ti/internal/sparse"
	"github.com/gotaichi/ti/internal/typed"
)

// A linkWorld has fields of the host, and programs that name them; kernels run one by one on the oracle, and linked in memory.
type linkWorld struct {
	t      *testing.T
	fields map[string]*linkField
	trees  []*sparse.Tree
	eng    *engine.Engine
	opt    driver.Options
	now    *launch.Kernel
	lay    driver.Layout // of the kernel under way
}

// A linkField is a field of the host: in an array, or in cells of four of a pointer node.
type linkField struct {
	name  string
	lay   *layout.Field
	cells *layout.Node
	above *layout.Node  // the node above, which is sparse; nil for an array
	block *layout.Field // that as the kernel's
	node  *oracle.Node  // nil for an array
	up    *oracle.Node  // of block
	comps []typed.Scalar
	want  oracle.Cells
}

// A linkProgram is a source, and what its names are bound to.
type linkProgram struct {
	prog *check.Program
	lay  driver.Layout
}

type linkPair struct{ A, B float32 }

func newLinkWorld(t *testing.T, o driver.Options, threads int) *linkWorld {
	t.Helper()
	o.Threads = threads
	w := &linkWorld{t: t, fields: map[string]*linkField{}, eng: engine.New(threads, &launch.Lock{}), opt: o}
	t.Cleanup(w.eng.Close)
	budget := sparse.NewBudget(1 << 30)
	for _, f := range []struct {
		name   string
		elem   reflect.Type
		comps  []typed.Scalar
		sparse bool
		shape  []int
	}{
		{"a", reflect.TypeFor[float32](), []typed.Scalar{typed.F32}, false, []int{64}},
		{"b", reflect.TypeFor[float32](), []typed.Scalar{typed.F32}, false, []int{64}},
		{"c", reflect.TypeFor[float32](), []typed.Scalar{typed.F32}, false, []int{64}},
		{"short", reflect.TypeFor[float32](), []typed.Scalar{typed.F32}, false, []int{40}},
		{"grid", reflect.TypeFor[float32](), []typed.Scalar{typed.F32}, false, []int{12, 16}},
		{"grid2", reflect.TypeFor[float32](), []typed.Scalar{typed.F32}, false, []int{12, 16}},
		{"pair", reflect.TypeFor[linkPair](), []typed.Scalar{typed.F32, typed.F32}, false, []int{64}},
		{"sum", reflect.TypeFor[float32](), []typed.Scalar{typed.F32}, false, nil},
		{"sp", reflect.TypeFor[float32](), []typed.Scalar{typed.F32}, true, []int{64}},
		{"sp2", reflect.TypeFor[float32](), []typed.Scalar{typed.F32}, true, []int{64}},
	} {
		elem, err := layout.ElemOf(f.elem)
		w.must(err)
		lt := layout.NewTree(len(w.trees))
		n := lt.Root()
		lf := &linkField{name: f.name, lay: layout.NewField(elem), comps: f.comps, want: oracle.Cells{}}
		switch {
		case f.sparse:
			up, err := n.Pointer("i", f.shape[0]/4)
			w.must(err)
			n, err = up.Dense("i", 4)
			w.must(err)
			lf.above = up
		case len(f.shape) > 0:
			n, err = n.Dense("ij"[:len(f.shape)], f.shape...)
		}
		w.must(err)
		w.must(n.Place(lf.lay, 0, len(f.comps)))
		w.must(lf.lay.Ready())
		lf.cells = n
		if f.sparse {
			lf.block, err = lf.above.Cells()
			w.must(err)
			up := oracle.NewNode(nil, ir.NodePointer, []int{0}, []int64{int64(f.shape[0] / 4)}, []int64{0}, false)
			lf.node = oracle.NewNode(up, ir.NodeDense, []int{0}, []int64{4}, []int64{0}, false)
			lf.up = up
			lf.node.Place(lf.want, 0, len(f.comps))
		}
		tree, err := sparse.New(lt, threads, budget, device.Process{})
		w.must(err)
		t.Cleanup(func() { _ = tree.Close() })
		w.trees, w.fields[f.name] = append(w.trees, tree), lf
	}
	w.fill()
	return w
}

func (w *linkWorld) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// fill gives the elements of arrays random numbers.
func (w *linkWorld) fill() {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, f := range w.all() {
		if f.node != nil {
			continue
		}
		for _, idx := range f.indices() {
			for c := range f.comps {
				bits := ir.FloatBits(ir.F32, float64(int(rng.Float32()*4096))/64)
				f.want.Store(int64s(idx), c, bits)
				*(*uint32)(w.find(f, idx, c)) = uint32(bits)
			}
		}
	}
}

// all are the fields in the order of their trees.
func (w *linkWorld) all() []*linkField {
	all := make([]*linkField, len(w.trees))
	for _, f := range w.fields {
		all[f.lay.Tree(0).ID()] = f
	}
	return all
}

func (w *linkWorld) find(f *linkField, idx []int, comp int) unsafe.Pointer {
	return w.trees[f.lay.Tree(comp).ID()].Find(f.lay.Access(comp), idx)
}

// indices are those of all elements.
func (f *linkField) indices() (all [][]int) {
	all = [][]int{nil}
	for _, n := range f.lay.Shape() {
		var more [][]int
		for _, idx := range all {
			for i := range int(n) {
				more = append(more, append(slices.Clone(idx), i))
			}
		}
		all = more
	}
	return all
}

// program checks a source whose names are bound to fields of the host, "p.A" to a member.
func (w *linkWorld) program(file, source string, names map[string]string) *linkProgram {
	w.t.Helper()
	p := &linkProgram{lay: driver.Layout{}}
	host := &check.Host{Fields: map[string]check.HostField{}}
	for name, to := range names {
		if to, is := strings.CutSuffix(to, ".node"); is {
			f := w.fields[to]
			host.Fields[name] = check.HostField{Shape: []int{int(f.block.Shape()[0])}, Origin: []int{0}, Node: typed.NodeKind(layout.Pointer), Sparse: true}
			p.lay[name] = driver.Place{Field: f.block}
			continue
		}
		f, first := w.bound(to)
		h := check.HostField{Sparse: f.cells.Sparse(), Shape: []int{}, Origin: []int{}}
		for _, n := range f.lay.Shape() {
			h.Shape, h.Origin = append(h.Shape, int(n)), append(h.Origin, 0)
		}
		host.Fields[name], p.lay[name] = h, driver.Place{Field: f.lay, First: first}
	}
	p.prog = checked(w.t, file, source, host)
	return p
}

func (w *linkWorld) bound(to string) (f *linkField, first int) {
	switch to {
	case "pair.A":
		return w.fields["pair"], 0
	case "pair.B":
		return w.fields["pair"], 1
	}
	f = w.fields[to]
	if f == nil {
		w.t.Fatalf("there is no field %s", to)
	}
	return f, 0
}

// A linkLaunch is the launch of a kernel with arguments.
type linkLaunch struct {
	in     *linkProgram
	kernel string
	args   []uint64
}

// A linkFailure is how a launch failed.
type linkFailure struct {
	part, count int
	what, file  string
	line        int
}

// interpret runs launches one by one on the oracle and returns the failure of the first that fails.
func (w *linkWorld) interpret(all []linkLaunch) (failed linkFailure) {
	w.t.Helper()
	for i, l := range all {
		o := w.opt
		o.Layout = l.in.lay
		k, err := driver.Lower(&l.in.prog.Program, l.kernel, o)
		w.must(err)
		env := w.env(k, l.in.lay, l.args)
		env.Key = launch.Key(1, uint64(i+1))
		r, err := oracle.Run(context.Background(), k, env)
		w.must(err)
		if f := r.Failure; f != nil && failed.count == 0 {
			failed = linkFailure{i, f.Count, f.What, k.Files[f.Pos.File], int(f.Pos.Line)}
		}
	}
	return failed
}

// env is what a kernel sees on the oracle.
func (w *linkWorld) env(k *ir.Kernel, lay driver.Layout, args []uint64) *oracle.Env {
	env := &oracle.Env{Args: args}
	for _, f := range k.Fields {
		var of *linkField
		for _, g := range w.fields {
			switch lay[f.Name].Field {
			case g.lay:
				of = g
			case g.block:
				env.Nodes, env.Fields = append(env.Nodes, g.up), append(env.Fields, nil)
			}
		}
		if of == nil {
			continue
		}
		env.Nodes = append(env.Nodes, of.node)
		env.Fields = append(env.Fields, &someComps{of.want, func(c int) int {
			if f.Host != nil {
				c = f.Host[c]
			}
			return lay[f.Name].First + c
		}})
	}
	return env
}

// same says which arguments of launches are equal.
func same(all []linkLaunch) [][]job.SameArg {
	type place struct{ part, slot int }
	first := map[uint64]place{}
	found := make([][]job.SameArg, len(all))
	for part, l := range all {
		for slot, bits := range l.args {
			if at, known := first[bits]; known {
				found[part] = append(found[part], job.SameArg{Slot: slot, Part: at.part, Of: at.slot})
			} else {
				first[bits] = place{part, slot}
			}
		}
	}
	return found
}

// link links launches.
func (w *linkWorld) link(all []linkLaunch) (*driver.Unit, *driver.Linked, error) {
	var parts []driver.LinkPart
	equal := same(all)
	for i, l := range all {
		parts = append(parts, driver.LinkPart{Program: &l.in.prog.Program, Kernel: l.kernel, Layout: l.in.lay, Options: w.opt, Same: equal[i]})
	}
	return driver.Link(parts)
}

// run links launches, runs them in memory, and returns the descriptor and the failure.
func (w *linkWorld) run(all []linkLaunch) (*launch.Kernel, linkFailure) {
	w.t.Helper()
	u, linked, err := w.link(all)
	w.must(err)
	c, err := u.Compile()
	w.must(err)
	if len(c.Launch.Parts) != len(all) || len(linked.Parts) != len(all) {
		w.t.Fatalf("%d launches are %d parts: %+v", len(all), len(c.Launch.Parts), linked)
	}
	bases := make([]launch.Base, len(c.Launch.Bases))
	for i, n := range c.Launch.Bases {
		if n < 0 {
			continue
		}
		a, ok := linked.Layout.Area(u.Regions[n])
		if !ok || a != u.Areas[n] {
			w.t.Fatalf("the region %+v is %+v, %v, in the layout, and not %+v", u.Regions[n], a, ok, u.Areas[n])
		}
		bases[i] = baseOf(w.trees[a.Tree], a.Offset, a.Bytes)
	}
	loaded, err := w.eng.Load(c.Launch, c.Pieces)
	w.must(err)
	code := loaded.Bind(launch.Data{Bases: bases, Trees: w, Sink: w, Seed: 1})
	for i, l := range all {
		if c.Launch.Parts[i].Args != linked.Parts[i].Args || c.Launch.Parts[i].Key != linked.Parts[i].Key || c.Launch.Parts[i].Name != l.kernel {
			w.t.Errorf("part %d is %+v, and %+v", i, c.Launch.Parts[i], linked.Parts[i])
		}
		copy(code.Args()[linked.Parts[i].Args:], l.args)
		if key := linked.Parts[i].Key; key >= 0 {
			code.Args()[key] = launch.Key(1, uint64(i+1))
		}
	}
	w.now, w.lay = c.Launch, driver.Layout(linked.Layout)
	f, err := launch.Run(context.Background(), code, 1)
	w.must(err)
	failed := linkFailure{}
	if f != nil {
		s := &c.Launch.Sites[f.Site]
		failed = linkFailure{f.Part, int(f.Count), s.What, s.File, s.Line}
	}
	return c.Launch, failed
}

// compare compares the fields in memory with those of the oracle, bit by bit.
func (w *linkWorld) compare(what string) {
	w.t.Helper()
	for _, f := range w.all() {
		for _, idx := range f.indices() {
			if f.node != nil && w.trees[f.cells.Tree().ID()].Active(f.cells, idx) != f.node.Active(int64s(idx)) {
				w.t.Fatalf("%s: %s%v is active: %v", what, f.name, idx, !f.node.Active(int64s(idx)))
			}
			for c := range f.comps {
				got := uint32(0)
				if p := w.find(f, idx, c); p != nil {
					got = *(*uint32)(p)
				}
				if want := f.want.Load(int64s(idx), c); uint64(got) != want {
					w.t.Fatalf("%s: component %d of %s%v is %x, want %x", what, c, f.name, idx, got, want)
				}
			}
		}
	}
}

// What the engine asks of trees and of whoever takes records.

func (w *linkWorld) Prepare() {
	for _, t := range w.trees {
		t.Prepare()
	}
}

func (w *linkWorld) node(field int) *layout.Node {
	return job.Layout(w.lay).Node(w.now.Fields[field].Name)
}

func (w *linkWorld) List(node, outer int, masks bool) ([]uint64, int64, error) {
	n := w.node(node)
	return w.trees[n.Tree().ID()].List(n, outer, masks)
}

func (w *linkWorld) Settle() error {
	for _, t := range w.trees {
		if err := t.Settle(); err != nil {
			return err
		}
	}
	return nil
}

func (w *linkWorld) Room() int64             { return 1 << 30 }
func (w *linkWorld) Dropped(n, first uint64) {}
func (w *linkWorld) Record(at int, slots []uint64) {
	s := &w.now.Sites[at]
	if s.Kind != site.Deactivate {
		panic(fmt.Sprintf("a record of kind %s", s.Kind))
	}
	n := w.node(s.Field)
	w.trees[n.Tree().ID()].Deactivate(n, []int{int(int64(slots[1]))})
}

func (w *linkWorld) Flush() error {
	for _, t := range w.trees {
		t.Collect()
	}
	return nil
}
