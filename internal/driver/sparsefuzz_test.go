package driver_test

import (
	"errors"
	"fmt"
	"go/token"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/oracle"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/syntax"
)

var plots = randtest.New("plots", "firstplot", "random sparse trees", 5, 4)

// TestRandomSparse runs random kernels on random trees, with operations of the host
// between, and compares cells, elements and results with those of the oracle.
func TestRandomSparse(t *testing.T) { plots.Each(t, comparePlot) }

// plotKernels is how many kernels a plot has.
const plotKernels = 4

// comparePlot runs everything on the plot of a seed.
func comparePlot(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0x5ba75e))
	p := newPlot(rng)
	p.build(t)
	g := &kernelGen{p: p, rng: rng, safe: seed%2 == 0, det: seed%3 == 0}
	src := g.source(plotKernels) + p.touch()
	steps := p.steps(rng)
	if plots.Alone() { // what a crash leaves
		t.Logf("%s\n%s", p, src)
	}
	var variants []plotVariant
	for which := range uint64(2) {
		variants = append(variants, plotVariant{
			level: []int{0, 3}[which], threads: []int{1, 3}[(which+seed/2)%2],
			unchecked: g.safe && seed/2%2 == which, deterministic: g.det, host: true,
		})
	}
	if seed%5 == 1 {
		// What is appended in order is so in that of memory, and on the oracle in that of indices.
		variants[0].oracle = !g.det || !p.permuted()
	}
	if seed%5 == 2 {
		variants[0].oracle = seed/5%8 == 0
		compareLimited(t, rng, p, src, steps, variants[seed/5%2])
		return
	}
	compareWorlds(t, p, src, steps, variants...)
}

// A plotVariant is a way to run kernels.
type plotVariant struct {
	level, threads           int
	unchecked, deterministic bool
	host                     bool  // by the host's API
	oracle                   bool  // by which the oracle, too
	memory                   int64 // limit in bytes; 0 for none
	without                  option.Switches
}

// world makes the world of a variant.
func (v plotVariant) world(t *testing.T, p *plot, src string, prog *check.Program, lay driver.Layout) sparseWorld {
	t.Helper()
	if v.host {
		w, err := newAPIWorld(t, p, src, v)
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, p, src)
		}
		return w
	}
	o := driver.TestOptions(t, v.level)
	o.Unchecked, o.Deterministic, o.Without = v.unchecked, v.deterministic, v.without
	return newMemoryWorld(t, p, prog, lay, o, v.threads)
}

// compareWorlds does the same to memory, in all ways, and to the oracle.
func compareWorlds(t *testing.T, p *plot, src string, steps []plotStep, variants ...plotVariant) {
	t.Helper()
	host, lay := p.bound()
	prog := plotProgram(t, src, &host)
	want := play(t, p, newOracleWorld(p, prog, driver.Options{Options: option.Options{Verify: true}}).judge(t, lay), steps)
	for _, v := range variants {
		got := play(t, p, v.world(t, p, src, prog, lay), steps[:len(want)])
		for i := range want {
			if diff := got[i].differ(want[i]); diff != "" {
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

// An outcome is the report of a step, and the state of a world after it.
type outcome struct {
	text   string
	failed fault
}

// play does all steps, and returns what a world is after each.
func play(t *testing.T, p *plot, w sparseWorld, steps []plotStep) (out []outcome) {
	t.Helper()
	for i, s := range steps {
		if plots.Alone() {
			t.Logf("%T: %s", w, s.name)
		}
		said, failed, err := s.do(w)
		if err == nil {
			err = w.check()
		}
		state := ""
		if err == nil {
			state, err = p.snapshot(w, i%4 == 3 || i == len(steps)-1)
		}
		if errors.Is(err, oracle.ErrSteps) { // then that is all for this plot
			return out
		}
		if err != nil {
			t.Fatalf("step %d, %s: %v\n%s", i, s.name, err, p)
		}
		out = append(out, outcome{said + state, failed})
	}
	return out
}

// differ describes how an outcome differs from the expected one.
func (o outcome) differ(want outcome) string {
	if a, b := o.failed.one, want.failed.one; a != "" && b != "" && a != b {
		return fmt.Sprintf("%s, not %s", a, b)
	}
	if a, b := o.failed.results, want.failed.results; a != nil && b != nil && !slices.Equal(a, b) {
		return fmt.Sprintf("%v comes out, not %v", a, b)
	}
	return differ(o.text, want.text)
}

// differ returns the first lines in which two texts differ, and the number of such lines.
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

// permuted reports whether a node has its axes in another order than that of indices.
func (p *plot) permuted() bool {
	return slices.ContainsFunc(p.nodes, func(n *plotNode) bool { return n.morton || !slices.IsSorted(n.axes) })
}
