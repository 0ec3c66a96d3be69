package launch

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gotaichi/ti/internal/spin"
)

// A Lock makes launches on a machine run one at a time: the caller of a launch holds it. It is a mutex whose waiters can give up.
// It is fair in the way of [sync.Mutex]. A goroutine that arrives may take it before waiting ones, so that it need not sleep if the lock
// is held briefly. A goroutine that has waited for [patience] is handed the lock.
type Lock struct {
	held    atomic.Bool
	waiting atomic.Int32 // goroutines in slow; while it is 0, Unlock need not look at the queue

	mu    sync.Mutex
	queue []*waiter // those that sleep, the oldest first
}

// A waiter is a goroutine that wants the lock.
type waiter struct {
	since time.Time
	woken chan bool // true: the lock is yours; false: try again
}

// patience is how long a waiter tries before it is handed the lock.
const patience = time.Millisecond

// Lock takes the lock.
func (l *Lock) Lock() {
	if !l.TryLock() {
		l.slow(nil)
	}
}

// LockUntil is Lock with a context: if ctx is done before the lock is free, it gives up and returns ctx.Err().
func (l *Lock) LockUntil(ctx context.Context) error {
	if l.TryLock() || l.slow(ctx.Done()) {
		return nil
	}
	return ctx.Err()
}

// TryLock takes the lock if it is free, and reports whether it was.
func (l *Lock) TryLock() bool { return l.held.CompareAndSwap(false, true) }

// slow waits for a lock that is not free at once: it spins a little, then sleeps in the
// queue. It gives up and reports false if done is closed before the lock is free.
func (l *Lock) slow(done <-chan struct{}) bool {
	for range 100 { // about a microsecond
		if !l.held.Load() && l.held.CompareAndSwap(false, true) {
			return true
		}
		spin.Pause()
	}
	l.waiting.Add(1)
	defer l.waiting.Add(-1)
	w := &waiter{since: time.Now(), woken: make(chan bool, 1)}
	for first := true; ; first = false {
		l.mu.Lock()
		// Unlock reads waiting, in which this goroutine is counted, after it has cleared
		// held. So either the lock is seen free here, or unlock sees the waiter.
		if l.held.CompareAndSwap(false, true) {
			l.mu.Unlock()
			return true
		}
		if first {
			l.queue = append(l.queue, w)
		} else {
			l.queue = slices.Insert(l.queue, 0, w)
		}
		l.mu.Unlock()
		select {
		case mine := <-w.woken:
			if mine || l.held.CompareAndSwap(false, true) {
				return true
			}
		case <-done:
			l.giveUp(w)
			return false
		}
	}
}

// giveUp takes w out of the queue. If w has been woken already, the next waiter takes its turn.
func (l *Lock) giveUp(w *waiter) {
	l.mu.Lock()
	i := slices.Index(l.queue, w)
	if i >= 0 {
		l.queue = slices.Delete(l.queue, i, i+1)
	}
	l.mu.Unlock()
	if i >= 0 {
		return
	}
	if <-w.woken {
		l.Unlock()
	} else if !l.held.Load() {
		l.wake()
	}
}

// Unlock gives the lock back.
func (l *Lock) Unlock() {
	if l.waiting.Load() == 0 || !l.handOver() {
		l.held.Store(false)
		if l.waiting.Load() > 0 {
			l.wake()
		}
	}
}

// handOver gives the lock, which stays held, to the first waiter if it has waited for
// patience, and reports whether it did.
func (l *Lock) handOver() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 || time.Since(l.queue[0].since) < patience {
		return false
	}
	l.pop() <- true
	return true
}

// wake lets the first waiter try again.
func (l *Lock) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) > 0 {
		l.pop() <- false
	}
}

// pop takes the first waiter out of the queue.
func (l *Lock) pop() chan<- bool {
	w := l.queue[0]
	l.queue = slices.Delete(l.queue, 0, 1)
	return w.woken
}
