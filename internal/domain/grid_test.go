package domain

import (
	"fmt"
	"testing"
)

// TestGrid: rows are divided into whole tiles, as evenly as may be, and each has one rank.
func TestGrid(t *testing.T) {
	for _, c := range []struct {
		rows, tile int64
		ranks      int
		want       string
	}{
		{16, 4, 1, "[0 16]"}, {16, 4, 4, "[0 4 8 12 16]"}, {16, 4, 3, "[0 4 8 16]"}, {17, 4, 2, "[0 8 17]"}, {5, 1, 5, "[0 1 2 3 4 5]"},
		{16, 8, 3, "dist: grid cannot be divided so: 16 rows are 2 tiles of 8, and there are 3 ranks; take smaller tiles, or fewer ranks"},
		{0, 8, 1, "dist: grid cannot be divided so: 0 rows in tiles of 8; both are at least 1"},
	} {
		g, err := NewGrid(c.rows, c.tile, c.ranks, 0)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(g.Cuts)
			for row := range c.rows {
				if own := g.Own(g.RankOf(row)); row < own.lo || row >= own.hi {
					t.Errorf("row %d of %v is said to be on a rank with %v", row, g.Cuts, own)
				}
			}
		}
		if got != c.want {
			t.Errorf("%d rows, tiles of %d, %d ranks: %s, want %s", c.rows, c.tile, c.ranks, got, c.want)
		}
	}
	for _, c := range []struct {
		axes       int
		rows, want int64
	}{{1, 100, 64}, {2, 100, 8}, {3, 100, 4}, {5, 100, 4}, {1, 1 << 20, 1 << 12}, {3, 2048, 8}} {
		if got := DefaultTile(c.axes, c.rows); got != c.want {
			t.Errorf("the tile of %d rows and %d axes is %d, want %d", c.rows, c.axes, got, c.want)
		}
	}
}

// TestRows compares rows around others, cut off or on a ring, and differences of rows, with sets.
func TestRows(t *testing.T) {
	const n = 7
	set := func(all []rows) (s [n]bool) {
		for _, r := range all {
			for i := r.lo; i < r.hi; i++ {
				if s[i] {
					t.Fatalf("%v has row %d twice", all, i)
				}
				s[i] = true
			}
		}
		return s
	}
	for lo := range int64(n) {
		for hi := lo + 1; hi <= n; hi++ {
			for below := range int64(n + 2) {
				for above := range int64(n + 2) {
					var cut, ring [n]bool
					for i := lo - below; i < hi+above; i++ {
						if i >= 0 && i < n {
							cut[i] = true
						}
						ring[(i+2*n)%n] = true
					}
					r := rows{lo, hi}
					if got := set(r.around(below, above, n, false)); got != cut {
						t.Errorf("%v with %d below and %d above: %v, want %v", r, below, above, got, cut)
					}
					around := r.around(below, above, n, true)
					if got := set(around); got != ring {
						t.Errorf("%v with %d below and %d above on a ring: %v, want %v", r, below, above, got, ring)
					}
					left := set(subtract([]rows{{0, n}}, around))
					for i := range left {
						if left[i] == ring[i] {
							t.Errorf("without %v, row %d is left: %v", around, i, left[i])
						}
					}
				}
			}
		}
	}
}

// TestOrdered: integers stand in the order of floats.
func TestOrdered(t *testing.T) {
	for _, c := range []struct{ a, b uint64 }{ // -2, -1, -0, 0, 1, 2 as f64
		{0xc000000000000000, 0xbff0000000000000}, {0xbff0000000000000, 1 << 63}, {1 << 63, 0}, {0, 0x3ff0000000000000}, {0x3ff0000000000000, 0x4000000000000000},
	} {
		if ordered(c.a) >= ordered(c.b) {
			t.Errorf("%x is not below %x", c.a, c.b)
		}
	}
}
