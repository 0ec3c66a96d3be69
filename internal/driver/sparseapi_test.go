package driver_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/layout"
)

// An apiWorld is the trees of a plot as a host program has them.
type apiWorld struct {
	p      *plot
	trees  []*ti.Tree
	nodes  map[*plotNode]*ti.Node
	fields map[*plotField]apiField
	prog   *ti.Program
	gone   map[int]bool // trees that have been closed

	limited bool // there may be no memory to read a tree while it is there
}

// errGone says that a kernel works on a tree that has been destroyed.
var errGone = errors.New("a tree has been destroyed")

// newAPIWorld builds a plot and compiles a source for it.
func newAPIWorld(t *testing.T, p *plot, src string, v plotVariant) (*apiWorld, error) {
	t.Helper()
	t.Setenv("TI_VERIFY", "1")
	t.Setenv("TI_OPT", fmt.Sprint(v.level))
	t.Setenv("TI_WITHOUT", v.without.String())
	cfg := ti.Config{Threads: v.threads, Unchecked: v.unchecked, Deterministic: v.deterministic, MemoryLimit: v.memory, Stdout: io.Discard}
	if v.oracle {
		cfg.Arch = ti.Oracle
	}
	rt, err := ti.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	})
	w := &apiWorld{p: p, nodes: map[*plotNode]*ti.Node{}, fields: map[*plotField]apiField{}, gone: map[int]bool{}, limited: v.memory > 0}
	for _, f := range p.fields {
		w.fields[f] = newAPIField(f)
	}
	for _, root := range p.roots {
		tree := rt.NewTree()
		w.trees = append(w.trees, tree)
		for _, c := range root.children {
			w.grow(&tree.Node, c)
		}
		for _, o := range root.origins {
			tree.Origin(ti.Axes(letters(o.axis)), o.low)
		}
	}
	host := ti.Bindings{}
	for n, node := range w.nodes {
		host[n.name] = node
	}
	for f, field := range w.fields {
		host[f.name] = field.any()
	}
	w.prog, err = rt.Compile(ti.Text("", src), host)
	return w, err
}

// grow adds a node of the plot, and those below it.
func (w *apiWorld) grow(up *ti.Node, n *plotNode) {
	var sizes []int
	for _, s := range n.sizes {
		sizes = append(sizes, int(s))
	}
	axes, node := ti.Axes(letters(n.axes...)), (*ti.Node)(nil)
	switch n.kind {
	case layout.Dense:
		node = up.Dense(axes, sizes...)
	case layout.Pointer:
		node = up.Pointer(axes, sizes...)
	case layout.Bitmasked:
		node = up.Bitmasked(axes, sizes...)
	case layout.Hash:
		node = up.Hash(axes, sizes...)
	case layout.Dynamic:
		node = up.Dynamic(axes, sizes[0])
	}
	if n.morton {
		node.Morton()
	}
	if n.chunk > 0 {
		node.Chunk(n.chunk)
	}
	w.nodes[n] = node
	for _, c := range n.contents {
		f := w.fields[c.field]
		if c.hi-c.lo == len(c.field.elem.suffix) {
			node.Place(f.any())
		} else {
			node.Place(componentsOf(f.any())[c.lo:c.hi]...)
		}
	}
	for _, c := range n.children {
		w.grow(node, c)
	}
}

// componentsOf returns the components of a field as fields.
func componentsOf(f ti.AnyField) (all []ti.AnyField) {
	for _, m := range ti.Members(f) {
		if m == f {
			return []ti.AnyField{f}
		}
		all = append(all, componentsOf(m)...)
	}
	return all
}

func (w *apiWorld) launch(name string, args ...int) ([]int32, fault, error) {
	var in []any
	for _, a := range args {
		in = append(in, int32(a))
	}
	out, err := w.prog.Kernel(name).Launch(context.Background(), in...)
	failed := fault{}
	if e, ok := errors.AsType[*ti.RuntimeError](err); ok && errors.Is(err, ti.ErrRange) {
		failed.count, err = e.Count, nil
		if e.Count == 1 {
			failed.one = fmt.Sprintf("line %d column %d: index %v of %s with shape %v in iteration %v", e.Pos.Line, e.Pos.Column, e.Index, e.Field, []int(e.Shape), e.Loop)
		}
	}
	if errors.Is(err, ti.ErrClosed) {
		err = errGone
	}
	var r []int32
	for _, v := range out {
		r = append(r, v.(int32))
	}
	return r, failed, err
}

func (w *apiWorld) cells(n *plotNode) (out [][]int, err error) {
	err = caught(func() error {
		for idx := range w.nodes[n].Cells() {
			out = append(out, append([]int{}, idx[:len(n.path)]...))
		}
		return nil
	})
	return out, err
}

func (w *apiWorld) active(n *plotNode, idx []int) bool { return w.nodes[n].Active(idx...) }

func (w *apiWorld) load(f *plotField, idx []int, comp int) uint64 {
	return w.fields[f].at(idx)[comp]
}

func (w *apiWorld) store(f *plotField, idx []int, comp int, bits uint64) {
	e := w.fields[f].at(idx)
	e[comp] = bits
	w.fields[f].set(idx, e)
}

// touch is the kernel that does something to one cell of a plot.
func (w *apiWorld) touch(n *plotNode, what int, idx []int) {
	args := [5]int{numberOf(w.p, n), what}
	copy(args[2:], idx)
	if _, failed, err := w.launch("Touch", args[:]...); err != nil || failed.count > 0 {
		panic(fmt.Errorf("touching %s%v: %w, %v", n.name, idx, err, failed))
	}
}

func (w *apiWorld) activate(n *plotNode, idx []int)   { w.touch(n, 0, idx) }
func (w *apiWorld) deactivate(n *plotNode, idx []int) { w.touch(n, 1, idx) }
func (w *apiWorld) empty(n *plotNode)                 { w.nodes[n].Clear() }
func (w *apiWorld) destroyed(tree int) bool           { return w.gone[tree] }

// destroy closes a tree, and uses it in all ways.
func (w *apiWorld) destroy(tree int) {
	if err := w.trees[tree].Close(); err != nil {
		panic(err)
	}
	w.gone[tree] = true
	closed := func(what string, f func() error) {
		if err := caught(f); !errors.Is(err, ti.ErrClosed) {
			panic(fmt.Errorf("%s of tree %d, which has been closed: %v", what, tree, err))
		}
	}
	for _, n := range w.p.nodes {
		if n.tree != tree {
			continue
		}
		node, idx := w.nodes[n], make([]int, len(n.path))
		for i := range idx {
			idx[i] = int(n.low[i])
		}
		closed("Active", func() error { node.Active(idx...); return nil })
		closed("Count", func() error { node.Count(); return nil })
		closed("Clear", func() error { node.Clear(); return nil })
		closed("Cells", func() error {
			for range node.Cells() {
				return nil
			}
			return nil
		})
		if n.kind == layout.Dynamic {
			closed("Len", func() error { node.Len(idx[:len(idx)-1]...); return nil })
		}
		for _, f := range w.p.fields {
			if f.node == n {
				w.fields[f].each(idx, n.bounded(), closed)
			}
		}
	}
	closed("WriteTo", func() error { _, err := w.trees[tree].WriteTo(io.Discard); return err })
	closed("ReadFrom", func() error { _, err := w.trees[tree].ReadFrom(strings.NewReader("")); return err })
	closed("Describe", func() error { return w.trees[tree].Describe(io.Discard) })
	if n := w.trees[tree].Bytes(); n != 0 {
		panic(fmt.Errorf("tree %d has been closed, and has %d bytes", tree, n))
	}
}

func (w *apiWorld) elements(f *plotField) ([][]uint64, error) { return w.fields[f].all() }

func (w *apiWorld) replace(f *plotField, all [][]uint64, stream bool) error {
	return w.fields[f].replace(all, stream)
}

func (w *apiWorld) fill(f *plotField, e []uint64) error {
	return caught(func() error { w.fields[f].fill(e); return nil })
}

// save writes a tree, and tries to read what is damaged.
func (w *apiWorld) save(tree int) (any, error) {
	var b bytes.Buffer
	if _, err := w.trees[tree].WriteTo(&b); err != nil {
		return nil, err
	}
	text := b.Bytes()
	for _, at := range []int{0, 9, len(text) / 2, len(text) - 1} {
		damaged := bytes.Clone(text)
		damaged[at] ^= 0x41
		if _, err := w.trees[tree].ReadFrom(bytes.NewReader(damaged)); err == nil {
			return nil, fmt.Errorf("byte %d of %d was changed, and reading gives no error", at, len(text))
		}
		if _, err := w.trees[tree].ReadFrom(bytes.NewReader(text[:at])); !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, fmt.Errorf("the first %d bytes of %d: %w", at, len(text), err)
		}
	}
	return text, nil
}

func (w *apiWorld) restore(tree int, saved any) error {
	_, err := w.trees[tree].ReadFrom(bytes.NewReader(saved.([]byte)))
	return err
}

// misuse reads and writes where there is nothing.
func (w *apiWorld) misuse(f *plotField, idx []int) error {
	node := w.nodes[f.node]
	for what, use := range map[string]func(){
		"At":     func() { w.fields[f].at(idx) },
		"Set":    func() { w.fields[f].set(idx, make([]uint64, len(f.elem.suffix))) },
		"Active": func() { node.Active(idx...) },
	} {
		said := func() (said any) {
			defer func() { said = recover() }()
			use()
			return nil
		}()
		if want := fmt.Sprintf("index %v out of range of ", idx); !strings.Contains(fmt.Sprint(said), want) {
			return fmt.Errorf("%s of %s: panic %v, want %q", what, f.name, said, want)
		}
	}
	return nil
}

// caught calls f, and returns what it panics with.
func caught(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			e, ok := p.(error)
			if !ok {
				panic(p)
			}
			err = e
		}
	}()
	return f()
}

// check queries the trees in several ways, whose results must agree, and saves and reads them.
func (w *apiWorld) check() error {
	for _, n := range w.p.nodes {
		if w.gone[n.tree] {
			continue
		}
		cells, err := w.cells(n)
		if err != nil {
			return err
		}
		if count := w.nodes[n].Count(); count != len(cells) {
			return fmt.Errorf("%s has %d cells, and says that they are %d", n.name, len(cells), count)
		}
		length := func(idx []int) int { return w.nodes[n].Len(idx...) }
		if err := visited(n, cells, func(c []int) bool { return w.active(n, c) }, length); err != nil {
			return err
		}
	}
	for i, t := range w.trees {
		if w.gone[i] {
			continue
		}
		var stream bytes.Buffer
		if _, err := t.WriteTo(&stream); err != nil {
			return err
		}
		if _, err := t.ReadFrom(&stream); err != nil && !(w.limited && errors.Is(err, ti.ErrMemory)) {
			return err
		}
	}
	return nil
}
