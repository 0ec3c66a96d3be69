package driver_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/layout"
)

// A plotStep is something that happens to a world.
type plotStep struct {
	name string
	keep bool // what is active stays so
	do   func(w sparseWorld) (said string, failed fault, err error)
}

// A hostWorld can do what a host program does.
type hostWorld interface {
	sparseWorld
	store(f *plotField, idx []int, comp int, bits uint64)
	activate(n *plotNode, idx []int)
	deactivate(n *plotNode, idx []int)
	// elements and replace are about all elements of a bounded field in row-major order.
	elements(f *plotField) ([][]uint64, error)
	replace(f *plotField, all [][]uint64, stream bool) error
	fill(f *plotField, e []uint64) error
	save(tree int) (any, error)
	restore(tree int, saved any) error
	misuse(f *plotField, idx []int) error // at an index that is out of range
	destroy(tree int)
	destroyed(tree int) bool
}

// quiet is a step without a report: only the world after it is compared.
func quiet(name string, keep bool, do func(w hostWorld) error) plotStep {
	return plotStep{name, keep, func(w sparseWorld) (string, fault, error) { return "", fault{}, do(w.(hostWorld)) }}
}

// steps chooses what happens: first something that makes cells active.
func (p *plot) steps(rng *rand.Rand) (out []plotStep) {
	for range 3 {
		out = append(out, p.growStep(rng))
	}
	saved := &savedTree{tree: rng.IntN(len(p.trees)), by: map[sparseWorld]any{}}
	for round := range 2 {
		for k := range plotKernels {
			out = append(out, p.launch(fmt.Sprint("K", k), rng.IntN(50)-10))
			out = append(out, p.hostStep(rng))
		}
		out = append(out, []plotStep{saved.save(), saved.restore()}[round])
	}
	if len(p.trees) > 1 && rng.IntN(3) == 0 {
		tree := rng.IntN(len(p.trees))
		out = append(out, quiet(fmt.Sprint("destruction of tree ", tree), false, func(w hostWorld) error {
			return caught(func() error { w.destroy(tree); return nil })
		}))
	}
	for k := range plotKernels {
		out = append(out, p.launch(fmt.Sprint("K", k), rng.IntN(50)-10))
	}
	return out
}

// launch is a step that runs a kernel.
func (p *plot) launch(name string, arg int) plotStep {
	return plotStep{fmt.Sprintf("%s(%d)", name, arg), false, func(w sparseWorld) (string, fault, error) {
		r, failed, err := w.launch(name, arg)
		if errors.Is(err, errGone) {
			return "a tree is gone\n", failed, nil
		}
		if failed.results = r; failed.count > 0 {
			return "an index is out of range\n", failed, err
		}
		return fmt.Sprint("gives ", r, "\n"), failed, err
	}}
}

// somewhere is a random index of a cell.
func (n *plotNode) somewhere(rng *rand.Rand) (idx []int) {
	for i := range n.path {
		idx = append(idx, int(n.low[i]+rng.Int64N(n.high[i]-n.low[i])))
	}
	return idx
}

// growStep writes a few elements.
func (p *plot) growStep(rng *rand.Rand) plotStep {
	f := pick(rng, p.fields)
	type one struct {
		idx  []int
		comp int
		bits uint64
	}
	var ones []one
	for range 8 {
		ones = append(ones, one{f.node.somewhere(rng), rng.IntN(len(f.elem.suffix)), uint64(rng.IntN(100))})
	}
	return quiet("Set of "+f.name, true, func(w hostWorld) error {
		return caught(func() error {
			for _, o := range ones {
				w.store(f, o.idx, o.comp, o.bits)
			}
			return nil
		})
	})
}

// hostStep chooses an operation of the host.
func (p *plot) hostStep(rng *rand.Rand) plotStep {
	n, f := pick(rng, p.nodes), pick(rng, p.fields)
	switch rng.IntN(10) {
	case 0, 1:
		if n.kind != layout.Dynamic {
			idx := n.somewhere(rng)
			return quiet(fmt.Sprint("activate ", n.name, idx), true, func(w hostWorld) error {
				return caught(func() error { w.activate(n, idx); return nil })
			})
		}
	case 2:
		return quiet("Clear of "+n.name, false, func(w hostWorld) error {
			return caught(func() error { w.empty(n); return nil })
		})
	case 3, 4:
		return deactivation(n)
	case 5:
		e := make([]uint64, len(f.elem.suffix))
		for c := range e {
			e[c] = uint64(rng.IntN(120))
		}
		return quiet(fmt.Sprint("Fill of ", f.name, e), true, func(w hostWorld) error { return w.fill(f, e) })
	case 6, 7:
		if f.node.bounded() {
			return turn(rng, f)
		}
	case 8:
		idx := f.node.outside(rng)
		return quiet(fmt.Sprint("misuse of ", f.name, idx), true, func(w hostWorld) error { return w.misuse(f, idx) })
	}
	return p.growStep(rng)
}

// deactivation makes every other cell of a node inactive.
func deactivation(n *plotNode) plotStep {
	return quiet("deactivation in "+n.name, false, func(w hostWorld) error {
		cells, err := w.cells(n)
		if err != nil {
			return err
		}
		return caught(func() error {
			for i, c := range cells[:min(len(cells), 60)] {
				if i%2 == 0 && n.kind != layout.Dynamic {
					w.deactivate(n, c)
				}
			}
			return nil
		})
	})
}

// turn copies the elements of a field out, moves them by some places, changes one and
// copies them in.
func turn(rng *rand.Rand, f *plotField) plotStep {
	by, add, stream := rng.IntN(4), uint64(rng.IntN(9)), rng.IntN(3) == 0
	return quiet(fmt.Sprintf("CopyFrom of %s turned by %d, stream: %t", f.name, by, stream), true, func(w hostWorld) error {
		all, err := w.elements(f)
		if err != nil {
			return err
		}
		by := by % len(all)
		all = slices.Concat(all[by:], all[:by])
		at := len(all) / 2
		all[at] = slices.Clone(all[at])
		all[at][0] = (all[at][0] + add) & 0x7f
		return w.replace(f, all, stream)
	})
}

// bounded reports whether no axis of a node is without end.
func (n *plotNode) bounded() bool {
	return !slices.ContainsFunc(n.path, func(a int64) bool { return n.lay.Unbounded(int(a)) })
}

// outside is an index that is out of range along one axis. A node above the elements of a
// field without bounds may have some more cells than the field has indices for.
func (n *plotNode) outside(rng *rand.Rand) []int {
	idx, k := n.somewhere(rng), rng.IntN(len(n.path))
	low := int(n.shape.Origin()[k])
	idx[k] = []int{low - 1, low + int(n.shape.Shape()[k]), 1 << 60, -1 << 63, 1<<63 - 1}[rng.IntN(5)]
	return idx
}

// A savedTree is what a tree was in each world when it was saved.
type savedTree struct {
	tree int
	by   map[sparseWorld]any
}

func (s *savedTree) save() plotStep {
	return quiet(fmt.Sprint("saving of tree ", s.tree), true, func(w hostWorld) (err error) {
		s.by[w], err = w.save(s.tree)
		return err
	})
}

func (s *savedTree) restore() plotStep {
	return quiet(fmt.Sprint("reading of tree ", s.tree), false, func(w hostWorld) error { return w.restore(s.tree, s.by[w]) })
}

// numberOf is the number of a node.
func numberOf(p *plot, n *plotNode) int { return slices.Index(p.nodes, n) }

// touch writes the kernel that does something to one cell, of a node that is named by its
// number: it makes it active or inactive.
func (p *plot) touch() string {
	var b strings.Builder
	b.WriteString("\nfunc Touch(node, what, a, b, c int) {\n")
	for i, n := range p.nodes {
		if n.kind == layout.Dynamic {
			continue
		}
		at := strings.Join([]string{"a", "b", "c"}[:len(n.path)], ", ")
		fmt.Fprintf(&b, "\tif node == %d {\n\t\tif what == 0 {\n\t\t\tactivate(%s, %s)\n\t\t}", i, n.name, at)
		if n.kind != layout.Dense {
			fmt.Fprintf(&b, " else {\n\t\t\tdeactivate(%s, %s)\n\t\t}", n.name, at)
		}
		b.WriteString("\n\t}\n")
	}
	b.WriteString("}\n")
	return b.String()
}
