package batch

import (
	"testing"
	"time"
)

// TestGuard: what usually takes less time is chosen, also if the other way has once been faster, and one run of either took long.
func TestGuard(t *testing.T) {
	for _, c := range []struct {
		apart, both []time.Duration
		want        bool
	}{
		{[]time.Duration{9, 9, 9, 9, 9}, []time.Duration{8, 8, 8, 8, 8}, true},
		{[]time.Duration{9, 9, 9, 9, 9}, []time.Duration{7, 11, 11, 11, 7}, false},
		{[]time.Duration{9, 9, 200, 9, 9}, []time.Duration{300, 8, 8, 8, 500}, true},
		{[]time.Duration{9, 9, 9, 9, 9}, []time.Duration{9, 9, 9, 9, 9}, true},
	} {
		var g guard
		for i := 0; ; i++ {
			together, measured := g.choose()
			if !measured {
				if i != 2*guardRuns || together != c.want {
					t.Errorf("after %d runs of %v and %v together is %t", i, c.apart, c.both, together)
				}
				break
			}
			if times := map[bool][]time.Duration{true: c.both, false: c.apart}[together]; together == (i%2 == 0) {
				g.note(together, times[i/2])
			} else {
				t.Fatalf("run %d is together: %t", i, together)
			}
		}
	}
}
