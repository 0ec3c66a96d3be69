package pass

import (
	"testing"

	"github.com/gotaichi/ti/internal/option"
)

// TestWorthLarge checks which trees beyond the caches get private copies.
func TestWorthLarge(t *testing.T) {
	for _, c := range []struct {
		name          string
		threads       int
		deterministic bool
		mega, trips   int64 // of the tree, in MiB, and iterations of 100 updates each
		known         bool
		want          bool
	}{
		{"a grid of 256³ nodes with a particle for each", 2, false, 256, 1 << 24, true, true},
		{"with few particles", 2, false, 256, 1 << 22, true, false},
		{"with more threads than copies fit", 4, false, 256, 1 << 24, true, false},
		{"one thread, which needs no copy", 1, false, 256, 1 << 24, true, true},
		{"more updates than an int64 counts", 2, false, 256, 1 << 62, true, true},
		{"as many as there happen to be threads", 0, false, 256, 1 << 24, true, false},
		{"the same whatever the number of threads", 2, true, 256, 1 << 24, true, false},
		{"any number of particles", 2, false, 256, 1 << 24, false, false},
	} {
		pt := &privateTree{count: 100}
		o := &Options{Options: option.Options{Threads: c.threads, Deterministic: c.deterministic}}
		if got := pt.worthLarge(o, c.mega<<20, c.mega<<18, c.trips, c.known); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
