package parallel

import (
	"runtime"
	"sync"
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

// TestForTakesPart sees that parts run at once on as many goroutines as threads, and that the caller's is one of them.
func TestForTakesPart(t *testing.T) {
	const threads = 3
	before := runtime.NumGoroutine()
	var wg sync.WaitGroup
	wg.Add(threads)
	var most atomic.Int32
	For(threads, threads, 1e6, func(int) {
		wg.Done()
		wg.Wait() // for the other parts
		most.Store(max(most.Load(), int32(runtime.NumGoroutine())))
	})
	if n := int(most.Load()); n >= before+threads {
		t.Errorf("%d goroutines for %d threads, beside %d", n-before, threads, before)
	}
}
