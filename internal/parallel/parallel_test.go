package parallel

import (
	"sync/atomic"
	"testing"
)

// TestFor counts the calls for each part, with little to do and with much, on any number of threads.
func TestFor(t *testing.T) {
	for _, threads := range []int{0, 1, 3, 1000} {
		for _, weight := range []int64{0, 1, 1e6} {
			for _, n := range []int{0, 1, 2, 1000} {
				calls := make([]atomic.Int32, n)
				For(threads, n, weight, func(i int) { calls[i].Add(1) })
				for i := range calls {
					if c := calls[i].Load(); c != 1 {
						t.Fatalf("%d threads, weight %d: part %d of %d was run %d times", threads, weight, i, n, c)
					}
				}
			}
		}
	}
}
