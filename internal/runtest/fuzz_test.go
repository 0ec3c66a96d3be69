package runtest

import (
	"flag"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

// oracleVariant is the way to run a random kernel that is right, whatever it does.
var oracleVariant = variant{name: "oracle", arch: ti.Oracle, threads: 1}

// kernelVariants are the ways to run a random kernel; each is run in two of them.
var kernelVariants = []variant{
	{name: "O0", opt: "0", threads: 1, layout: soa},
	{name: "O3/3 threads", opt: "3", threads: 3, layout: blocked},
	{name: "O3/flat", opt: "3", threads: 1},
	{name: "O3/extents at launch", opt: "3", threads: 3, layout: launch},
}

// kernelVariant returns one of the ways to run the kernel of a scene.
func (s scene) kernelVariant(which uint64) variant {
	n := uint64(len(kernelVariants))
	return kernelVariants[(s.seed%n+1+which*(1+s.seed/n%(n-1)))%n]
}

var (
	seeds     = flag.Uint("seeds", 60, "how many random kernels to compare")
	firstSeed = flag.Uint("firstseed", 0, "the seed of the first of them")
)

func TestRandomKernels(t *testing.T) {
	n := uint64(*seeds)
	if testing.Short() {
		n = min(n, 20)
	}
	for i := range n {
		compareKernel(t, uint64(*firstSeed)+i)
		if testing.Verbose() && (i+1)%100 == 0 {
			t.Logf("%d random kernels", i+1)
		}
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
	want := runKernel(t, oracleVariant, src, s)
	for which := range uint64(2) {
		v := s.kernelVariant(which)
		v.arch = ti.LLVM
		v.unchecked = s.safe && which == s.seed>>1&1
		if !t.Failed() {
			runKernel(t, v, src, s).compare(t, want, s.safe)
		}
		if t.Failed() {
			t.Fatalf("seed %d, %s, unchecked %t\n%s", seed, v.name, v.unchecked, src)
		}
	}
}

// compare reports where an outcome is not what it should be. With all, failures are
// the same; otherwise a back end may leave out a failing access of whose value
// nothing is made.
func (o outcome) compare(t *testing.T, want outcome, all bool) {
	t.Helper()
	for l := range o.results {
		if g, w := o.results[l], want.results[l]; g != "" && w != "" && g != w {
			t.Errorf("launch %d gives %s, want %s", l, g, w)
		}
		if g, w := o.printed[l], want.printed[l]; g != w {
			t.Errorf("launch %d prints\n%swant\n%s", l, g, w)
		}
		sameFailure(t, l, o.failed[l], want.failed[l], all)
	}
	g, w := strings.Split(o.fields, "\n"), strings.Split(want.fields, "\n")
	for i := range g {
		if g[i] != w[i] {
			t.Errorf("the fields have\n%s\nwant\n%s", g[i], w[i])
			return
		}
	}
}

// sameFailure compares the failures of a launch. Of several, any may be told.
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
	case all && got.Count == 1 && got.Error() != want.Error():
		t.Errorf("launch %d fails: %v, want %v", launch, got, want)
	}
}

// runKernel launches the kernel twice.
func runKernel(t *testing.T, v variant, src string, s scene) outcome {
	r := &run{TB: t, variant: v}
	r.rt, r.out = v.strictRuntime(t)
	defer r.rt.Close()
	return r.launchRandom(src, s)
}
