package program

import (
	"fmt"
	"math"
	"testing"

	"github.com/gotaichi/ti/internal/runtest"
)

// TestAlone runs programs for a target of which nothing but the passes makes vectors. Each program has some of the variants.
func TestAlone(t *testing.T) {
	rts := &runtest.Runtimes{}
	defer rts.Close(t)
	all := runtest.AloneVariants
	for i, p := range programs() {
		variants := []runtest.Variant{all[i%len(all)], all[(i+1)%len(all)]}
		if runtest.AllVariants() {
			variants = all
		}
		t.Run(p.name, func(t *testing.T) {
			runtest.RunIn(t, rts, variants, func(r *runtest.Run) { p.run(r, "package p\n"+p.src) })
		})
	}
}

// TestAloneLargestIndex has a vector whose last lanes would have indices beyond the largest number.
func TestAloneLargestIndex(t *testing.T) {
	rts := &runtest.Runtimes{}
	defer rts.Close(t)
	runtest.RunIn(t, rts, runtest.AloneVariants, func(r *runtest.Run) {
		var h struct {
			Sum func(lo, hi int32) (int32, error)
		}
		r.Load(`package p

func Sum(lo, hi i32) i32 {
	s := 0
	for i := range span(lo, hi) {
		s += i - lo
	}
	return s
}
`, &h)
		for _, n := range []int32{0, 1, 7, 16, 77} {
			got, err := h.Sum(math.MaxInt32-n, math.MaxInt32)
			runtest.OK(r, err)
			runtest.Eq(r, fmt.Sprint("the sum of ", n, " numbers"), got, n*(n-1)/2)
		}
	})
}
