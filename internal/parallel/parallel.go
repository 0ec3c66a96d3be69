package parallel

import (
	"sync"
	"sync/atomic"
)

// enough is how many nanoseconds of work are worth a goroutine, which costs microseconds.
const enough = 20e3

// For calls f for each i below n, on at most so many threads, and on one where there is little to
// do: weight is about how many nanoseconds a call takes.
func For(threads, n int, weight int64, f func(i int)) {
	threads = min(threads, n, int(min(int64(n)*weight/enough, 1<<10)))
	if threads <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var next atomic.Int64
	some := func() {
		for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
			f(int(i))
		}
	}
	var wg sync.WaitGroup
	for range threads - 1 {
		wg.Go(some)
	}
	some()
	wg.Wait()
}
