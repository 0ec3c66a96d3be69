package engine

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/memory"
	"github.com/gotaichi/ti/internal/native"
	"github.com/gotaichi/ti/internal/spin"
)

// spinning returns a task whose iterations poll until the launch is stopped.
func spinning() uintptr {
	return nativeTask(func(c *launch.Context, _, _ int64) {
		for (*atomic.Int32)(memory.Pointer(uintptr(c.Stop))).Load() == 0 {
			spin.Pause()
		}
	})
}

// TestStop ends launches that poll, by their contexts and for good.
func TestStop(t *testing.T) {
	entry := spinning()
	for _, shape := range [][]int64{{}, {1}, {1 << 20}} {
		k := &launch.Kernel{Done: -1, Tasks: []launch.Task{{Dims: dims(shape...)}}}
		e := newEngine(2)
		c := NewCode(k, []uintptr{entry}, nil)
		e.turn.Lock()
		for range 2 {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
			start := time.Now()
			if _, err := e.Run(ctx, c, 1); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > time.Second {
				t.Errorf("shape %v: error %v after %v", shape, err, time.Since(start))
			}
			cancel()
		}
		time.AfterFunc(10*time.Millisecond, e.Stop)
		for range 2 {
			if _, err := e.Run(context.Background(), c, 1); !errors.Is(err, launch.ErrStopped) {
				t.Errorf("shape %v: error %v of a launch that was stopped", shape, err)
			}
		}
		e.turn.Unlock()
		e.Close()
	}
}

// TestStopMerges checks that private copies are merged after a launch that was stopped.
func TestStopMerges(t *testing.T) {
	spin := spinning()
	add := nativeTask(func(c *launch.Context, begin, end int64) {
		*treeOf[int64](c)++
		native.Call(spin, uintptr(unsafe.Pointer(c)), 0, 0)
	})
	merge := nativeTask(func(c *launch.Context, begin, end int64) {
		*treeOf[int64](c) += *scratchOf[int64](c)
		*scratchOf[int64](c) = 0
	})
	c, tree := accumulating(t, launch.Task{Dims: dims(1000), Private: sums(8)}, add, 8, 1, merge)
	c.tasks[0].cost = 1e6
	e := newEngine(2)
	defer e.Close()
	e.turn.Lock()
	defer e.turn.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := e.Run(ctx, c, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	if got := *(*int64)(tree.Base()); got != 2 {
		t.Errorf("two threads have begun, and %d is counted", got)
	}
}

// TestFixedWindows runs a loop of more chunks than a window has, and checks that all are
// merged in their order.
func TestFixedWindows(t *testing.T) {
	const n = (fixedWindow + 100) * fixedMost
	add := nativeTask(func(c *launch.Context, begin, end int64) {
		*scratchOf[int64](c) = begin
	})
	merge := nativeTask(func(c *launch.Context, begin, end int64) {
		next, chunks := treeOf[int64](c), unsafe.Slice(scratchOf[int64](c), end)
		for _, first := range chunks[begin:] {
			if first == *next {
				*next += fixedMost
			}
		}
	})
	loop := launch.Task{Dims: dims(n), Partial: &launch.Partial{Scratch: 1, Words: 1, Merge: 1}}
	c, tree := accumulating(t, loop, add, 8, 1, merge)
	e := newEngine(3)
	c.deterministic = true
	defer e.Close()
	e.turn.Lock()
	run(t, e, c)
	e.turn.Unlock()
	if got := *(*int64)(tree.Base()); got != n {
		t.Errorf("chunks up to %d of %d were merged in their order", got, int64(n))
	}
}
