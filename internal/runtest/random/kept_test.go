package random

import (
	"testing"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/llvm/llvmtest"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

var keptSeeds = randtest.New("kept", "firstkept", "random kernels whose code is kept", 8, 4)

// A keptRun is a way to come by the code of a kernel.
type keptRun struct {
	what    string
	kept    runtest.Kept
	prepare bool // all kernels are compiled, else Close gives up those that nothing has launched, and they are compiled in the next run
	hit     bool // nothing is compiled
}

// TestRandomKept runs random kernels compiled now, and from the cache. The bits of all results are the same.
func TestRandomKept(t *testing.T) {
	keptSeeds.Each(t, func(t *testing.T, seed uint64) {
		dir := t.TempDir()
		compareKept(t, seed, []keptRun{
			{what: "compiled"},
			{what: "compiled and kept", kept: runtest.Kept{Cache: dir}, prepare: true},
			{what: "from the cache", kept: runtest.Kept{Cache: dir}, hit: true},
		})
	})
}

// TestRandomAhead runs random kernels compiled now, and ahead of time. The bits of all results are the same.
func TestRandomAhead(t *testing.T) {
	levels := runtest.CodeLevels()
	if len(levels) == 0 {
		t.Skip("no code is compiled ahead of time for this machine")
	}
	if levels[0] != ahead.Wasm {
		llvmtest.Code(t)
	}
	keptSeeds.Each(t, func(t *testing.T, seed uint64) {
		dir := t.TempDir()
		compareKept(t, seed, []keptRun{
			{what: "compiled and recorded", kept: runtest.Kept{Record: dir}, prepare: true},
			{what: "compiled ahead of time", kept: runtest.Kept{Code: dir}, hit: true},
		})
	})
}

func compareKept(t *testing.T, seed uint64, runs []keptRun) {
	s := newScene(seed)
	src := randomKernel(s)
	v := s.kernelVariant(0)
	v.Deterministic = true // sums do not depend on who came first
	v.Unrolled = s.unrolled(0)
	var want outcome
	for i, run := range runs {
		v.Kept = run.kept
		r := &runtest.Run{TB: t, Variant: v}
		r.RT, r.Out = v.StrictRuntime(t)
		got := launchRandom(r, src, s)
		if run.prepare {
			if err := r.RT.Prepare(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		stats := r.RT.Stats()
		if err := r.RT.Close(); err != nil {
			t.Fatal(err)
		}
		if (stats.Compiled == 0) != run.hit || (stats.CacheHits > 0) != run.hit {
			t.Errorf("%s: %+v", run.what, stats)
		}
		if i == 0 {
			want = got
			continue
		}
		got.compareResults(t, want)
		got.compareFailures(t, want, false)
		if t.Failed() {
			t.Logf("code %s", run.what)
		}
		failWith(t, s, v, src)
	}
}
