package driver_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/oracle"
	"github.com/gotaichi/ti/internal/oracle/ontree"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/typed"
)

var treePlots = randtest.New("plottrees", "firstplottree", "random sparse trees on the typed tree", 24, 8)

// TestRandomSparseTrees runs the kernels of random sparse trees on both oracles: that of the IR, as lowering makes it, and that of
// the typed tree. Every launch of the oracle in the tests of this package is compared so; here, nothing is compiled.
func TestRandomSparseTrees(t *testing.T) {
	count := &treeCount{uncovered: map[string]int{}}
	treePlots.Each(t, func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 0x5ba75e))
		p := newPlot(rng)
		p.build(t)
		g := &kernelGen{p: p, rng: rng, safe: seed%2 == 0, det: seed%3 == 0}
		src := g.source(plotKernels) + p.touch()
		steps := p.steps(rng)
		host, _ := p.bound()
		w := newOracleWorld(p, plotProgram(t, src, &host), driver.Options{Options: option.Options{Verify: true, MaxUnrolled: int(seed % 5 / 3)}})
		w.trees = count
		play(t, p, w, steps)
		if t.Failed() {
			t.Log(src)
		}
	})
	all := count.judged
	for why, n := range count.uncovered {
		t.Logf("%d launches are not compared: %s", n, why)
		all += n
	}
	if count.judged == 0 || count.judged < all*9/10 {
		t.Errorf("only %d of %d launches are compared", count.judged, all)
	}
}

// A treeCount counts launches that are compared with the typed tree, and those that are not, by reason.
type treeCount struct {
	judged    int
	uncovered map[string]int
}

// twin returns a world with the same contents.
func (w *oracleWorld) twin() *oracleWorld {
	own := newOracleWorld(w.p, w.prog, w.opt)
	for f, cells := range w.memory {
		maps.Copy(own.memory[f], cells)
	}
	for _, n := range w.p.nodes {
		for _, index := range w.nodes[n].Cells() {
			own.nodes[n].Activate(index)
		}
	}
	return own
}

// A treeRun is a launch on the typed tree, which is compared with the one on the oracle.
type treeRun struct {
	name   string
	own    *oracleWorld
	result *ontree.Result
	err    error
}

// onTree runs a kernel on the typed tree, in a world of its own.
func (w *oracleWorld) onTree(name string, args []int) *treeRun {
	run := &treeRun{name: name, own: w.twin()}
	k := w.prog.Kernel(name)
	env := &ontree.Env{Fields: map[*typed.Field]*ontree.Field{}, Strict: true, MaxSteps: 1e6}
	for _, a := range args {
		env.Args = append(env.Args, ontree.Arg{Bits: []uint64{uint64(uint32(a))}})
	}
	for _, f := range k.Fields {
		g := &ontree.Field{}
		for a := range f.Shape {
			g.Shape, g.Origin = append(g.Shape, int64(f.Shape[a])), append(g.Origin, int64(f.Origin[a]))
		}
		var home *oracle.Node
		for _, of := range w.p.fields {
			if of.name == f.Name {
				home = run.own.nodes[of.node]
				g.Memory = treeCells{run.own.memory[of], f}
			}
		}
		for _, n := range w.p.nodes {
			if n.name == f.Name {
				home = run.own.nodes[n]
			}
		}
		if home != nil && f.Sparse {
			g.Home = home
		}
		env.Fields[f] = g
	}
	run.result, run.err = ontree.Run(context.Background(), &w.prog.Program, k, env)
	return run
}

// treeCells are the elements of a field as the tree has them: without the signs in the high bits.
type treeCells struct {
	all oracle.Cells
	of  *typed.Field
}

func (c treeCells) comp(n int) int {
	if c.of.Comps != nil {
		return c.of.Comps[n]
	}
	return n
}

func (c treeCells) Load(index []int64, comp int) uint64 {
	s := typed.Leaves(c.of.Elem)[comp]
	x := c.all.Load(index, c.comp(comp))
	if n := s.Bits(); n < 64 {
		x &= 1<<n - 1
	}
	return x
}

func (c treeCells) Store(index []int64, comp int, bits uint64) {
	k := typed.Leaves(c.of.Elem)[comp].Kind()
	if k.IsInt() {
		bits = ir.IntBits(k, int64(bits))
	}
	c.all.Store(index, c.comp(comp), bits)
}

// compare returns in what the launch on the oracle, with result r, differs.
func (run *treeRun) compare(w *oracleWorld, r *oracle.Result) error {
	switch not, is := errors.AsType[ontree.NotCovered](run.err); {
	case errors.Is(run.err, ontree.ErrSteps):
		return nil
	case is:
		if w.trees != nil {
			w.trees.uncovered[not.What]++
		}
		return nil
	case run.err != nil:
		return run.err
	}
	if w.trees != nil {
		w.trees.judged++
	}
	for _, n := range w.p.nodes {
		if got, want := w.nodes[n].Cells(), run.own.nodes[n].Cells(); !slices.EqualFunc(got, want, slices.Equal) {
			return fmt.Errorf("%s: the cells %v of %s are active, and %v on the typed tree", run.name, got, n.name, want)
		}
	}
	for _, f := range w.p.fields {
		for _, m := range []oracle.Cells{w.memory[f], run.own.memory[f]} {
			for k := range m {
				if got, want := w.memory[f][k], run.own.memory[f][k]; got != want {
					return fmt.Errorf("%s: component %d of %s%v is %d, and %d on the typed tree", run.name, k.Comp, f.name, k.Index, int64(got), int64(want))
				}
			}
		}
	}
	if got, want := results(r.Values), results(run.result.Values); !slices.Equal(got, want) {
		return fmt.Errorf("%s gives %d, and %d on the typed tree", run.name, got, want)
	}
	got, want := r.Failure, run.result.First // of several failures in a parallel loop any may be the first
	if (got == nil) != (want == nil) {
		return fmt.Errorf("%s fails with %+v, and on the typed tree with %+v", run.name, got, want)
	}
	if got != nil && got.Count == 1 && (int(got.Pos.Line) != want.Pos.Line || int(got.Pos.Col) != want.Pos.Column || !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Loop, want.Loop)) {
		return fmt.Errorf("%s fails first with %+v, and on the typed tree with %+v", run.name, got, want)
	}
	return nil
}
