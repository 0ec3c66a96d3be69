package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/memory"
	"github.com/gotaichi/ti/internal/native"
)

// spinning returns a task whose iterations poll until the launch is stopped.
func spinning() uintptr {
	return nativeTask(func(c *launch.Context, _, _ int64) {
		for (*atomic.Int32)(memory.Pointer(uintptr(c.Stop))).Load() == 0 {
			pause()
		}
	})
}

// TestStop ends launches that poll, by their contexts and for good.
func TestStop(t *testing.T) {
	entry := spinning()
	for _, shape := range [][]int64{{}, {1}, {1 << 20}} {
		k := &launch.Kernel{Done: -1, Tasks: []launch.Task{{Dims: dims(shape...)}}}
		e := newEngine(2, 0)
		c := NewCode(k, []uintptr{entry}, nil)
		e.Lock()
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
		e.Unlock()
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
	e := newEngine(2, 0)
	defer e.Close()
	e.Lock()
	defer e.Unlock()
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
	e := newEngine(3, 0)
	c.deterministic = true
	defer e.Close()
	e.Lock()
	run(t, e, c)
	e.Unlock()
	if got := *(*int64)(tree.Base()); got != n {
		t.Errorf("chunks up to %d of %d were merged in their order", got, int64(n))
	}
}

// TestGate takes a gate from many goroutines, of which some give up.
func TestGate(t *testing.T) {
	var g gate
	var wg sync.WaitGroup
	inside, took, gaveUp := 0, 0, atomic.Int64{}
	const goroutines, each = 20, 300
	for n := range goroutines {
		wg.Go(func() {
			for i := range each {
				var done chan struct{}
				if n%2 == 0 {
					done = make(chan struct{})
					time.AfterFunc(time.Duration(i)*time.Microsecond, func() { close(done) })
				}
				if !g.lock(done) {
					gaveUp.Add(1)
					continue
				}
				inside++
				took++
				if inside != 1 {
					t.Error("two are inside")
				}
				if i%50 == n {
					time.Sleep(2 * time.Millisecond) // others become impatient
				}
				inside--
				g.unlock()
			}
		})
	}
	wg.Wait()
	if took+int(gaveUp.Load()) != goroutines*each || gaveUp.Load() == 0 {
		t.Errorf("%d took the lock and %d gave up, of %d", took, gaveUp.Load(), goroutines*each)
	}
	if g.held.Load() || g.waiting.Load() != 0 || len(g.queue) != 0 {
		t.Errorf("in the end: held %v, %d wait, %d in the queue", g.held.Load(), g.waiting.Load(), len(g.queue))
	}
}

// TestGateFair checks that a goroutine that waits gets the lock from one that takes it again
// and again.
func TestGateFair(t *testing.T) {
	var g gate
	var stop atomic.Bool
	go func() {
		for !stop.Load() {
			g.lock(nil)
			time.Sleep(100 * time.Microsecond)
			g.unlock()
		}
	}()
	defer stop.Store(true)
	start := time.Now()
	for range 10 {
		time.Sleep(time.Millisecond)
		g.lock(nil)
		g.unlock()
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("ten times the lock took %v", took)
	}
}
