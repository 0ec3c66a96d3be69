package random

import (
	"testing"

	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

var aloneSeeds = randtest.New("aloneseeds", "firstaloneseed", "random kernels for a target without a vectoriser", 12, 4)

// TestRandomAlone runs random kernels for a target of which nothing but the passes makes vectors.
func TestRandomAlone(t *testing.T) { aloneSeeds.Each(t, compareAlone) }

// compareAlone runs the random kernel of seed on the oracle and for two such targets.
func compareAlone(t *testing.T, seed uint64) {
	s := newScene(seed)
	if !s.exact {
		return
	}
	src := randomKernel(s)
	want := runKernel(t, runtest.OracleVariant, src, s)
	n := uint64(len(runtest.AloneVariants))
	for which := range uint64(2) {
		v := runtest.AloneVariants[(seed+which*(1+seed/n%(n-1)))%n]
		if v.Unchecked = v.Unchecked && s.safe; seed>>3%4 == 0 {
			v.Force = 4 - v.Force
		}
		v.Deterministic = seed>>2%3 == 0
		v.Unrolled = s.unrolled(which)
		got := runKernel(t, v, src, s)
		got.compareResults(t, want)
		got.compareFailures(t, want, s.safe && v.Unrolled == 0)
		failWith(t, s, v, src)
	}
}
