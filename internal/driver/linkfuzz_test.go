package driver_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/randtest"
)

var links = randtest.New("links", "firstlink", "random linked kernels on random sparse trees", 8, 4)

// TestRandomLinked links random kernels on random trees, and compares cells, elements and failures with those of launches one by one.
// TestRandomSparse compares these with the oracle, where what is appended may be in another order.
func TestRandomLinked(t *testing.T) { links.Each(t, compareLinked) }

func compareLinked(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0x11c4))
	p := newPlot(rng)
	p.build(t)
	g := &kernelGen{p: p, rng: rng, safe: seed%2 == 0, det: true}
	src := strings.ReplaceAll(g.source(plotKernels), " (r0, r1 int) {", " {\n\tr0, r1 := 0, 0\n\t_, _ = r0, r1")
	host, lay := p.bound()
	prog := plotProgram(t, src, &host)
	o := driver.TestOptions(t, []int{3, 3, 0}[seed%3])
	o.Deterministic = true
	threads := []int{1, 3}[seed/2%2]
	want, got := newMemoryWorld(t, p, prog, lay, o, threads), newMemoryWorld(t, p, prog, lay, o, threads)
	for range 6 {
		var names []string
		var args []int
		for range 1 + rng.IntN(5) {
			names, args = append(names, pick(rng, []string{"K0", "K1", "K2", "K3"})), append(args, rng.IntN(9))
		}
		if rng.IntN(3) == 0 { // as a loop of the host does
			for i := range names {
				names[i] = names[0]
			}
		}
		first, failed := -1, fault{}
		for i, name := range names {
			_, f, err := want.launch(name, args[i])
			if err != nil {
				t.Fatal(err)
			}
			if f.count > 0 && first < 0 {
				first, failed = i, f
			}
		}
		f, k := got.launchLinked(t, names, args)
		switch {
		case (f == nil) != (first < 0):
			t.Fatalf("%v: the failure is %+v, and %+v in launch %d is expected\n%s\n%s", names, f, failed, first, p, src)
		case f != nil && (f.Part != first || int(f.Count) != failed.count || k.Parts[f.Part].Name != names[first]):
			t.Fatalf("%v: the failure is %+v, and %+v in launch %d is expected\n%s\n%s", names, f, failed, first, p, src)
		}
		a, err := p.snapshot(want, true)
		if err != nil {
			t.Fatal(err)
		}
		if err := got.check(); err != nil {
			t.Fatal(err)
		}
		b, err := p.snapshot(got, true)
		if err != nil {
			t.Fatal(err)
		}
		if diff := differ(b, a); diff != "" {
			t.Fatalf("%v %v: %s\n%s\n%s", names, args, diff, p, src)
		}
	}
}

// launchLinked launches kernels as one.
func (w *memoryWorld) launchLinked(t *testing.T, names []string, args []int) (*launch.Fault, *launch.Kernel) {
	t.Helper()
	var parts []driver.LinkPart
	for i, name := range names {
		part := driver.LinkPart{Program: &w.prog.Program, Kernel: name, Layout: w.lay, Options: w.opt, Of: name}
		if first := slices.Index(args, args[i]); first < i {
			part.Same = []job.SameArg{{Part: first}}
		}
		parts = append(parts, part)
	}
	u, linked, err := driver.Link(parts)
	if err != nil {
		t.Fatal(err)
	}
	saves, err := u.Saves()
	if err != nil {
		t.Fatal(err)
	}
	c, err := u.Compile()
	if err != nil {
		t.Fatal(err)
	}
	if alone := w.tasks(t, names); !saves && len(c.Launch.Tasks) < alone {
		t.Fatalf("%v: %d tasks become %d, and Saves says that none is saved", names, alone, len(c.Launch.Tasks))
	}
	bases := make([]launch.Base, len(c.Launch.Bases))
	for i, n := range c.Launch.Bases {
		if n >= 0 {
			bases[i] = baseOf(w.trees[u.Areas[n].Tree], u.Areas[n].Offset, u.Areas[n].Bytes)
		}
	}
	loaded, err := w.eng.Load(c.Launch, c.Pieces)
	if err != nil {
		t.Fatal(err)
	}
	code := loaded.Bind(launch.Data{Bases: bases, Trees: w, Sink: w, Seed: 1})
	for i, a := range args {
		code.Args()[linked.Parts[i].Args] = uint64(a)
	}
	w.now = c.Launch
	f, err := launch.Run(context.Background(), code, 1)
	if err != nil {
		t.Fatal(err)
	}
	return f, c.Launch
}

// tasks is how many tasks the launches have.
func (w *memoryWorld) tasks(t *testing.T, names []string) (n int) {
	t.Helper()
	for _, name := range names {
		_, k, err := w.code(name)
		if err != nil {
			t.Fatal(err)
		}
		n += len(k.Tasks)
	}
	return n
}
