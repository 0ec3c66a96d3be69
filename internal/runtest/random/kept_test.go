package random

import (
	"path/filepath"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

var keptSeeds = randtest.New("kept", "firstkept", "random kernels whose code is kept", 8, 4)

// TestRandomKept runs random kernels compiled now, from the cache and compiled ahead of time. The
// bits of all results are the same.
func TestRandomKept(t *testing.T) {
	if len(ahead.Here()) == 0 {
		t.Skip("no code is compiled ahead of time for this machine")
	}
	keptSeeds.Each(t, compareKept)
}

func compareKept(t *testing.T, seed uint64) {
	s := newScene(seed)
	src := randomKernel(s)
	v := s.kernelVariant(0)
	v.Deterministic = true // sums do not depend on who came first
	v.Unrolled = s.unrolled(0)
	dir := t.TempDir()
	cache, code := filepath.Join(dir, "cache"), filepath.Join(dir, "code")
	var want outcome
	for i, from := range []struct {
		what string
		kept runtest.Kept
	}{
		{"compiled", runtest.Kept{}},
		{"compiled and kept", runtest.Kept{Cache: cache, Record: code}},
		{"from the cache", runtest.Kept{Cache: cache}},
		{"compiled ahead of time", runtest.Kept{Code: code}},
	} {
		v.Kept = from.kept
		r := &runtest.Run{TB: t, Variant: v}
		r.RT, r.Out = v.StrictRuntime(t)
		got := launchRandom(r, src, s)
		if i == 1 { // else Close gives up those that nothing has launched, and they are compiled in the next run
			if err := r.RT.Prepare(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		stats := r.RT.Stats()
		if err := r.RT.Close(); err != nil {
			t.Fatal(err)
		}
		if wrong := misses(i, stats); wrong {
			t.Errorf("%s: %+v", from.what, stats)
		}
		if i == 0 {
			want = got
			continue
		}
		got.compareResults(t, want)
		got.compareFailures(t, want, false)
		if t.Failed() {
			t.Logf("code %s", from.what)
		}
		failWith(t, s, v, src)
	}
}

// misses reports whether something else was compiled, or not, than the run i should.
func misses(i int, stats ti.Stats) bool {
	if i < 2 {
		return stats.Compiled == 0 || stats.CacheHits > 0
	}
	return stats.Compiled > 0 || stats.CacheHits == 0
}
