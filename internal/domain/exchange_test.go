package domain

import (
	"testing"

	"github.com/gotaichi/ti/internal/mpi"
)

// TestTransfers: each group of rows travels to a rank once, whatever needs it.
func TestTransfers(t *testing.T) {
	err := mpi.Local(3, mpi.LocalConfig{}, func(c *mpi.Comm) error {
		if c.Rank() > 0 {
			return nil
		}
		grid, err := NewGrid(24, 4, 3, 0)
		if err != nil {
			return err
		}
		s := &strip{of: &divided{grid: grid}, group: 4}
		around := func(lo, hi int64) need {
			return need{s, func(rank int) []rows { return grid.Own(rank).around(lo, hi, grid.Rows, true) }}
		}
		w := &World{comm: c}
		came := map[[2]int64]int{}
		for _, v := range w.transfers([]need{around(1, 0), around(3, 2), around(0, 5)}) {
			for row := v.rows.lo; row < v.rows.hi; row++ {
				if came[[2]int64{int64(v.to), row}]++; grid.RankOf(row) != v.from || v.from == v.to {
					t.Errorf("row %d goes from rank %d to %d", row, v.from, v.to)
				}
			}
		}
		for to := range 3 {
			own := grid.Own(to)
			for row := range grid.Rows {
				want := 0
				if d := mod(row-own.hi, grid.Rows); d < 8 || d >= 12 { // 5 rows above are two groups, 3 below are one
					want = 1
				}
				if row >= own.lo && row < own.hi {
					want = 0
				}
				if got := came[[2]int64{int64(to), row}]; got != want {
					t.Errorf("row %d goes to rank %d %d times, want %d", row, to, got, want)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func mod(a, n int64) int64 { return (a%n + n) % n }
