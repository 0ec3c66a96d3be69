package driver_test

import (
	"errors"
	"flag"
	"fmt"
	"go/token"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/oracle"
	"github.com/gotaichi/ti/internal/pass"
	"github.com/gotaichi/ti/internal/syntax"
)

var (
	plots     = flag.Uint("plots", 5, "how many random sparse trees to compare")
	firstPlot = flag.Uint("firstplot", 0, "the seed of the first of them")
)

// TestRandomSparse runs random kernels on random trees, with operations of the host
// between, and compares cells, elements and results with those of the oracle.
func TestRandomSparse(t *testing.T) {
	n := uint64(*plots)
	if testing.Short() {
		n = min(n, 4)
	}
	var wrong []uint64
	for i := range n {
		seed := uint64(*firstPlot) + i
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) { comparePlot(t, seed) }) {
			wrong = append(wrong, seed)
		}
	}
	if wrong != nil {
		t.Logf("%d of %d random trees are wrong, those of the seeds %d", len(wrong), n, wrong)
	}
}

// plotKernels is how many kernels a plot has.
const plotKernels = 4

// comparePlot runs everything on the plot of a seed.
func comparePlot(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0x5ba75e))
	p := newPlot(rng)
	p.build(t)
	g := &kernelGen{p: p, rng: rng, safe: seed%2 == 0, det: seed%3 == 0}
	src := g.source(plotKernels)
	steps := p.steps(rng)
	if *plots == 1 { // what a crash leaves
		t.Logf("%s\n%s", p, src)
	}
	var variants []plotVariant
	for which := range uint64(2) {
		variants = append(variants, plotVariant{
			level: []int{0, 3}[which], threads: []int{1, 3}[(which+seed/2)%2],
			unchecked: g.safe && seed/2%2 == which, deterministic: g.det,
		})
	}
	compareWorlds(t, p, src, steps, variants...)
}

// A plotVariant is a way to run kernels.
type plotVariant struct {
	level, threads           int
	unchecked, deterministic bool
	without                  pass.Switches
}

// compareWorlds does the same to memory, in all ways, and to the oracle.
func compareWorlds(t *testing.T, p *plot, src string, steps []plotStep, variants ...plotVariant) {
	t.Helper()
	host, lay := p.bound()
	prog := plotProgram(t, src, &host)
	want := play(t, p, newOracleWorld(p, prog, driver.Options{Verify: true}), steps)
	for _, v := range variants {
		o := driver.TestOptions(t, v.level)
		o.Unchecked, o.Deterministic, o.Without = v.unchecked, v.deterministic, v.without
		got := play(t, p, newMemoryWorld(t, p, prog, lay, o, v.threads), steps[:len(want)])
		for i := range want {
			if diff := differ(got[i], want[i]); diff != "" {
				t.Fatalf("%+v, after step %d, %s: %s\n%s\n%s", v, i, steps[i].name, diff, p, src)
			}
		}
	}
}

func plotProgram(t *testing.T, src string, host *check.Host) *check.Program {
	t.Helper()
	file, errs := syntax.Parse("p.ti", src, token.Position{})
	if len(errs) > 0 {
		t.Fatalf("%v\n%s", errs, src)
	}
	pkg, errs := check.Declare([]*syntax.File{file})
	if len(errs) > 0 {
		t.Fatalf("%v\n%s", errs, src)
	}
	prog, errs := pkg.Check(host)
	if len(errs) > 0 {
		t.Fatalf("%v\n%s", errs, src)
	}
	return prog
}

// A plotStep is something that happens to a world.
type plotStep struct {
	name string
	do   func(w sparseWorld) (string, error)
}

// steps chooses what happens: first something that makes cells active.
func (p *plot) steps(rng *rand.Rand) (out []plotStep) {
	for range 3 {
		out = append(out, p.hostStep(rng, true))
	}
	for range 2 {
		for k := range plotKernels {
			out = append(out, p.launch(fmt.Sprint("K", k), rng.IntN(50)-10))
			out = append(out, p.hostStep(rng, rng.IntN(2) == 0))
		}
	}
	return out
}

// launch is a step that runs a kernel.
func (p *plot) launch(name string, arg int) plotStep {
	return plotStep{fmt.Sprintf("%s(%d)", name, arg), func(w sparseWorld) (string, error) {
		r, failed, err := w.launch(name, arg)
		if failed {
			return fmt.Sprint("gives ", r, ", an index is out of range\n"), err
		}
		return fmt.Sprint("gives ", r, "\n"), err
	}}
}

// hostStep chooses an operation of the host.
func (p *plot) hostStep(rng *rand.Rand, grow bool) plotStep {
	at := func(n *plotNode) (idx []int) {
		for i := range n.path {
			idx = append(idx, int(n.low[i]+rng.Int64N(n.high[i]-n.low[i])))
		}
		return idx
	}
	if grow {
		f := pick(rng, p.fields)
		type one struct {
			idx  []int
			comp int
			bits uint64
		}
		var ones []one
		for range 8 {
			ones = append(ones, one{at(f.node), rng.IntN(len(f.elem.suffix)), uint64(rng.IntN(100))})
		}
		return plotStep{"Set of " + f.name, func(w sparseWorld) (string, error) {
			for _, o := range ones {
				w.store(f, o.idx, o.comp, o.bits)
			}
			return "", nil
		}}
	}
	n := pick(rng, p.nodes)
	if n.kind != layout.Dynamic && rng.IntN(2) == 0 {
		idx := at(n)
		return plotStep{fmt.Sprint("activate ", n.name, idx), func(w sparseWorld) (string, error) {
			w.activate(n, idx)
			return "", nil
		}}
	}
	if rng.IntN(2) == 0 {
		return plotStep{"Clear of " + n.name, func(w sparseWorld) (string, error) {
			w.empty(n)
			return "", nil
		}}
	}
	return plotStep{"deactivation in " + n.name, func(w sparseWorld) (string, error) {
		cells, err := w.cells(n)
		for i, c := range cells {
			if i%2 == 0 {
				w.deactivate(n, c)
			}
		}
		return "", err
	}}
}

// play does all steps, and returns what a world is after each.
func play(t *testing.T, p *plot, w sparseWorld, steps []plotStep) (out []string) {
	t.Helper()
	for i, s := range steps {
		if *plots == 1 {
			t.Logf("%T: %s", w, s.name)
		}
		said, err := s.do(w)
		if err == nil {
			err = w.check()
		}
		state := ""
		if err == nil {
			state, err = p.snapshot(w)
		}
		if errors.Is(err, oracle.ErrSteps) { // then that is all for this plot
			return out
		}
		if err != nil {
			t.Fatalf("step %d, %s: %v\n%s", i, s.name, err, p)
		}
		out = append(out, said+state)
	}
	return out
}

// differ tells the first lines in which two texts differ, and how many they are.
func differ(got, want string) string {
	if got == want {
		return ""
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	in := func(lines []string) map[string]bool {
		m := map[string]bool{}
		for _, l := range lines {
			m[l] = true
		}
		return m
	}
	gm, wm := in(g), in(w)
	more := slices.DeleteFunc(slices.Clone(g), func(l string) bool { return wm[l] })
	less := slices.DeleteFunc(slices.Clone(w), func(l string) bool { return gm[l] })
	if len(more)+len(less) == 0 {
		for i := range g {
			if g[i] != w[i] {
				return fmt.Sprintf("the order differs, first %q comes, not %q", g[i], w[i])
			}
		}
	}
	return fmt.Sprintf("there are %d lines too many, %q, and %d missing, %q", len(more), more[:min(6, len(more))], len(less), less[:min(6, len(less))])
}
