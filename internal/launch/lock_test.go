package launch

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestLock takes a lock from many goroutines, of which some give up.
func TestLock(t *testing.T) {
	var l Lock
	var wg sync.WaitGroup
	inside, took, gaveUp := 0, 0, atomic.Int64{}
	const goroutines, each = 20, 300
	for n := range goroutines {
		wg.Go(func() {
			for i := range each {
				ctx, cancel := context.Background(), func() {}
				if n%2 == 0 {
					ctx, cancel = context.WithTimeout(ctx, time.Duration(i)*time.Microsecond)
				}
				err := l.LockUntil(ctx)
				cancel()
				if err != nil {
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
				l.Unlock()
			}
		})
	}
	wg.Wait()
	if took+int(gaveUp.Load()) != goroutines*each || gaveUp.Load() == 0 {
		t.Errorf("%d took the lock and %d gave up, of %d", took, gaveUp.Load(), goroutines*each)
	}
	if l.held.Load() || l.waiting.Load() != 0 || len(l.sleepers) != 0 {
		t.Errorf("in the end: held %v, %d wait, %d in the queue", l.held.Load(), l.waiting.Load(), len(l.sleepers))
	}
}

// TestLockFair checks that a goroutine that waits gets the lock from one that takes it again
// and again.
func TestLockFair(t *testing.T) {
	var l Lock
	var stop atomic.Bool
	go func() {
		for !stop.Load() {
			l.Lock()
			time.Sleep(100 * time.Microsecond)
			l.Unlock()
		}
	}()
	defer stop.Store(true)
	taken, start := 0, time.Now()
	for range 10 {
		time.Sleep(time.Millisecond)
		l.Lock()
		taken++
		l.Unlock()
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("the lock, taken %d times, took %v", taken, took)
	}
}
