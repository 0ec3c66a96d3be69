package vulkan

import "testing"

// TestWhole: a piece is all of a task, or a whole number of workgroups. A task that is short enough is one piece, also where its last workgroup has less to do than the others.
func TestWhole(t *testing.T) {
	for _, c := range []struct {
		units int64
		n     float64
		want  int64
	}{{1000, 1000, 1000}, {1000, 1e9, 1000}, {1000, 999, 768}, {1000, 600, 512}, {1000, 3, 256}, {100, 3, 100}, {1024, 1024, 1024}} {
		if got := (&plan{units: c.units, least: 256}).whole(c.n); got != c.want {
			t.Errorf("a piece of %v of %d units has %d, want %d", c.n, c.units, got, c.want)
		}
	}
}
