package random

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

// kernelVariant returns one of the ways to run the kernel of a scene.
func (s scene) kernelVariant(which uint64) runtest.Variant {
	n := uint64(len(runtest.KernelVariants))
	v := runtest.KernelVariants[(s.seed%n+1+which*(1+s.seed/n%(n-1)))%n]
	v.Processor = runtest.ProcessorOf(s.seed/2 + which)
	return v
}

// unrolled returns the MaxUnrolled for machine code, which may differ from the oracle's: 0
// for the same one, or a small number, so that values become loops there.
func (s scene) unrolled(which uint64) int {
	if (s.seed/7+which)%2 == 0 {
		return 0
	}
	return 1 + int(s.seed/3%12)
}

var seeds = randtest.New("seeds", "firstseed", "random kernels", 18, 18)

func TestRandomKernels(t *testing.T) { seeds.Each(t, compareKernel) }

// TestRandomKernelsAgain runs kernels for which the compiler was wrong once, as far as the generator still makes them.
func TestRandomKernelsAgain(t *testing.T) {
	for _, seed := range []uint64{
		77100028, // a store in a packet through pointers that each lane selects
	} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { compareKernel(t, seed) })
	}
}

func FuzzKernels(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(compareKernel)
}

// compareKernel runs the random kernel of seed on the oracle and through LLVM.
func compareKernel(t *testing.T, seed uint64) {
	s := newScene(seed)
	src := randomKernel(s)
	if !s.exact {
		compareThreads(t, s, src)
		return
	}
	want := runKernel(t, runtest.OracleVariant, src, s)
	if plain := onePackage(s); plain != src {
		runKernel(t, runtest.OracleVariant, plain, s).compareResults(t, want)
		failWith(t, s, runtest.OracleVariant, src)
	}
	for which := range uint64(2) {
		v := s.kernelVariant(which)
		if s.tight && which == 0 {
			v = runtest.KernelVariants[2] // neighbours in memory
			v.Processor = runtest.ProcessorOf(seed / 2)
			v.Force = int(s.seed >> 3 % 2 * 4) // with 4, also packets that would not gain
		}
		v.Unchecked = s.safe && which == s.seed>>1&1
		// In deterministic mode loops are cut into the same parts on any number of threads,
		// so that what depends on the cut shows in every run.
		v.Deterministic = s.seed>>2%3 == 0
		v.Unrolled = s.unrolled(which)
		got := runKernel(t, v, src, s)
		got.compareResults(t, want)
		got.compareFailures(t, want, s.safe && v.Unrolled == 0)
		failWith(t, s, v, src)
	}
	if seed%4 == 2 {
		compareDebug(t, s, src, want)
	}
}

// compareDebug runs a kernel in debug mode, in which it must do the same and fail on
// both back ends if at all.
func compareDebug(t *testing.T, s scene, src string, plain outcome) {
	v := runtest.OracleVariant
	v.Debug = true
	want := runKernel(t, v, src, s)
	want.compareResults(t, plain)
	failWith(t, s, v, src)
	v = s.kernelVariant(0)
	v.Debug = true
	v.Unrolled = s.unrolled(0)
	got := runKernel(t, v, src, s)
	got.compareResults(t, plain)
	got.compareFailures(t, want, false)
	failWith(t, s, v, src)
}

// compareThreads runs a kernel that adds up floats in parallel, in deterministic
// mode, in which the bits do not depend on the number of threads.
func compareThreads(t *testing.T, s scene, src string) {
	var want outcome
	for i, threads := range []int{1, 2, 5} {
		v := runtest.KernelVariants[1+s.seed%3]
		v.Deterministic, v.Threads = true, threads
		got := runKernel(t, v, src, s)
		if i > 0 {
			got.compareResults(t, want)
			got.compareFailures(t, want, true)
		}
		failWith(t, s, v, src)
		want = got
	}
}

// failWith ends a test that has failed.
func failWith(t *testing.T, s scene, v runtest.Variant, src string) {
	t.Helper()
	if t.Failed() {
		t.Fatalf("seed %d, %s, %d threads, unchecked %t, debug %t, deterministic %t, unrolled %d\n%s", s.seed, v.Subtest(), v.Threads, v.Unchecked, v.Debug, v.Deterministic, v.Unrolled, src)
	}
}

// compareFailures reports where an outcome fails otherwise than it should. With
// all, failures are the same; otherwise a back end may leave out a failing access of
// whose value nothing is made.
func (o outcome) compareFailures(t *testing.T, want outcome, all bool) {
	t.Helper()
	for l := range o.failed {
		sameFailure(t, l, o.failed[l], want.failed[l], all)
	}
}

// compareResults reports where an outcome is not what it should be, but for failures.
func (o outcome) compareResults(t *testing.T, want outcome) {
	t.Helper()
	for l := range o.results {
		if g, w := o.results[l], want.results[l]; g != "" && w != "" && g != w {
			t.Errorf("launch %d gives %s, want %s", l, g, w)
		}
		if g, w := o.printed[l], want.printed[l]; g != w {
			t.Errorf("launch %d prints\n%swant\n%s", l, g, w)
		}
	}
	g, w := strings.Split(o.fields, "\n"), strings.Split(want.fields, "\n")
	for i := range g {
		if g[i] != w[i] {
			t.Errorf("the fields have\n%s\nwant\n%s", g[i], w[i])
			return
		}
	}
}

// sameFailure compares the failures of a launch. If there are several, any of them may be reported.
func sameFailure(t *testing.T, launch int, got, want *ti.RuntimeError, all bool) {
	t.Helper()
	switch {
	case got == nil && (want == nil || !all):
	case got == nil:
		t.Errorf("launch %d does not fail, want %v", launch, want)
	case want == nil:
		t.Errorf("launch %d fails: %v", launch, got)
	case all && (got.Err != want.Err || got.Count != want.Count):
		t.Errorf("launch %d fails: %v, want %v", launch, got, want)
	case got.Count == 1 && want.Count == 1 && got.Error() != want.Error():
		t.Errorf("launch %d fails: %v, want %v", launch, got, want)
	}
}

// runKernel launches the kernel twice.
func runKernel(t *testing.T, v runtest.Variant, src string, s scene) outcome {
	r := &runtest.Run{TB: t, Variant: v}
	r.RT, r.Out = v.StrictRuntime(t)
	defer r.RT.Close()
	return launchRandom(r, src, s)
}
