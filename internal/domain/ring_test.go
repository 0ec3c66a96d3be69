package domain

import (
	"reflect"
	"testing"
)

// TestAround: rows around others, cut to those that there are, or on a ring.
func TestAround(t *testing.T) {
	for _, c := range []struct {
		from      rows
		lo, hi, n int64
		ring      bool
		want      []rows
	}{
		{rows{2, 4}, 1, 2, 8, false, []rows{{1, 6}}},
		{rows{2, 4}, 3, 9, 8, false, []rows{{0, 8}}},
		{rows{2, 4}, -5, 2, 8, false, nil},
		{rows{2, 4}, 1, 2, 8, true, []rows{{1, 6}}},
		{rows{0, 2}, 1, 0, 8, true, []rows{{0, 2}, {7, 8}}},
		{rows{6, 8}, 0, 3, 8, true, []rows{{0, 3}, {6, 8}}},
		{rows{0, 1}, 2, 2, 5, true, []rows{{0, 5}}}, // as many as there are
		{rows{0, 1}, 3, 3, 5, true, []rows{{0, 5}}},
		{rows{-11, -9}, 0, 1, 8, true, []rows{{5, 8}}}, // turns away
		{rows{16, 18}, 1, 0, 8, true, []rows{{0, 2}, {7, 8}}},
		{rows{3, 3}, 0, 0, 8, true, nil},
	} {
		if got := c.from.around(c.lo, c.hi, c.n, c.ring); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%d below and %d above %v of %d, ring %v: %v, want %v", c.lo, c.hi, c.from, c.n, c.ring, got, c.want)
		}
	}
}
