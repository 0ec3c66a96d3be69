package random

import (
	"testing"

	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
	"github.com/gotaichi/ti/internal/titest"
	"github.com/gotaichi/ti/internal/variant"
)

var treeSeeds = randtest.New("treeseeds", "firsttree", "random kernels on the typed tree", 200, 60)

// TestRandomTrees runs random kernels on both oracles: that of the IR as lowering makes it, and that of the typed tree, which
// lowering starts from. Values of more than a random number of components are computed by loops on the first.
func TestRandomTrees(t *testing.T) {
	onTrees(t, treeSeeds, func(t *testing.T, seed uint64, tally *treeTally) {
		s := smallScene(seed)
		s.ordered = seed%2 == 1 && !s.tight
		src := randomKernel(s)
		v := runtest.OracleVariant
		v.Unrolled = s.unrolled(0)
		v.Layout = []runtest.Layout{runtest.Flat, runtest.AtLaunch, runtest.SOA, runtest.BlockedAtLaunch}[seed/2%4]
		v.Unchecked = s.safe && seed/8%3 == 0
		v.Debug = seed/8%4 == 1 && !v.Unchecked
		tally.launch(t, v, func(r *runtest.Run) { launchRandom(r, src, s) })
		failWith(t, s, v, src)
	})
}

// launch runs launches on the oracle, compares each with one on the typed tree, and counts them.
func (a *treeTally) launch(t *testing.T, v runtest.Variant, launches func(r *runtest.Run)) {
	v.Unverified = true
	r := &runtest.Run{TB: t, Variant: v}
	r.RT, r.Out = v.StrictRuntime(t)
	defer r.RT.Close()
	judge := titest.JudgeTrees(r.RT)
	launches(r)
	a.add(judge)
}

// A treeTally counts launches that were judged, and those that were not, by reason.
type treeTally struct {
	judged    int
	uncovered map[string]int
}

func (c *treeTally) add(j *variant.TreeJudge) {
	c.judged += j.Judged
	for why, n := range j.Uncovered {
		c.uncovered[why] += n
	}
}

// onTrees runs a test for each seed. It fails if many launches could not be judged.
func onTrees(t *testing.T, seeds *randtest.Seeds, f func(t *testing.T, seed uint64, tally *treeTally)) {
	defer runtest.Setenv("TI_INTERNAL_ERRORS", "retry")() // with "fail" the oracle also runs the passes, for the states of tasks
	c := &treeTally{uncovered: map[string]int{}}
	seeds.Each(t, func(t *testing.T, seed uint64) { f(t, seed, c) })
	all := c.judged
	for why, n := range c.uncovered {
		t.Logf("%d launches are not judged: %s", n, why)
		all += n
	}
	if c.judged == 0 || c.judged < all*9/10 {
		t.Errorf("only %d of %d launches are judged", c.judged, all)
	}
}

// smallScene is a scene of few elements, which an interpreter is soon done with.
func smallScene(seed uint64) scene {
	s := newScene(seed)
	if s.exact = true; s.n() > 300 {
		for d, n := range [2]int{6, 8} {
			for s.cell[d] > 1 && n%s.cell[d] != 0 {
				s.cell[d]--
			}
			s.origin[d] = s.origin[d] / s.cell[d] * s.cell[d]
		}
		s.rows, s.cols = 6, 8
	}
	return s
}
