package engine

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/gotaichi/ti/internal/launch"
)

// The first iterations of a task may wait for memory, as the others do not. They are timed, and
// must not cut the rest into single iterations; each still runs once.
func TestSlowStart(t *testing.T) {
	const n = 1 << 16
	counts := make([]int32, n)
	var calls atomic.Int64
	entry := nativeTask(func(_ *launch.Context, begin, end int64) {
		if begin == 0 {
			time.Sleep(2 * time.Millisecond)
		}
		calls.Add(1)
		for i := begin; i < end; i++ {
			atomic.AddInt32(&counts[i], 1)
		}
	})
	for _, threads := range []int{1, 2, 5} {
		e := newEngine(threads)
		e.turn.Lock()
		clear(counts)
		calls.Store(0)
		c := NewCode(&launch.Kernel{Done: -1, Tasks: []launch.Task{{Dims: dims(n)}}}, []uintptr{entry}, nil)
		run(t, e, c)
		for i, got := range counts {
			if got != 1 {
				t.Fatalf("%d threads: iteration %d ran %d times", threads, i, got)
			}
		}
		if got := calls.Load(); got > n/16 {
			t.Errorf("%d threads: %d iterations took %d calls", threads, n, got)
		}
		c.Free()
		e.turn.Unlock()
		e.Close()
	}
}

// A chunk grows while chunks are short, up to a limit, and shrinks where one was too long, but
// not below what it began with.
func TestNextChunk(t *testing.T) {
	j := &job{chunk: 8, most: 100}
	for _, test := range []struct{ chunk, ns, want int64 }{
		{8, 1e3, 32}, {32, 1e3, 100}, {100, 1e3, 100}, {32, 15e3, 32}, {100, 1e6, 25}, {8, 1e6, 8}, {12, 1e6, 8}, {400, 1e3, 400},
	} {
		if got := j.next(test.chunk, test.ns); got != test.want {
			t.Errorf("after %d iterations in %d ns come %d, want %d", test.chunk, test.ns, got, test.want)
		}
	}
}
