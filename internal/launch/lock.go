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
//
// Whoever holds the lock relies on two things: launches are made one after the other, and no kernel runs. If launches are queued, the
// first does not imply the second. [Lock.Lock] gives both: it waits until the queue is empty. [Lock.Order] gives the first alone, for
// whoever adds to the queue.
type Lock struct {
	queue Queue // nil without one

	held    atomic.Bool
	waiting atomic.Int32 // goroutines in slow; while it is 0, Unlock need not look for sleepers

	mu       sync.Mutex
	sleepers []*waiter // the oldest first
}

// A waiter is a goroutine that wants the lock.
type waiter struct {
	since time.Time
	woken chan bool // true: the lock is yours; false: try again
}

// patience is how long a waiter tries before it is handed the lock.
const patience = time.Millisecond

// A Queue has launches that have been made and have not run. It is called with the lock held.
type Queue interface {
	// Idle reports whether all of them have run.
	Idle() bool
	// Drain waits until they have. It gives up, and reports false, if done is closed before.
	Drain(done <-chan struct{}) bool
}

// Attach has the lock wait for a queue, or for none if q is nil. The caller holds the lock, or nobody has used it yet.
func (l *Lock) Attach(q Queue) { l.queue = q }

// Lock takes the lock, and waits until no kernel runs.
func (l *Lock) Lock() {
	if !l.held.CompareAndSwap(false, true) {
		l.slow(nil)
	}
	if l.queue != nil {
		l.queue.Drain(nil)
	}
}

// LockUntil is Lock with a context: if ctx is done before the lock is free and no kernel runs, it gives up and returns ctx.Err().
func (l *Lock) LockUntil(ctx context.Context) error {
	if err := l.Order(ctx); err != nil {
		return err
	}
	if err := l.Rest(ctx); err != nil {
		l.Unlock()
		return err
	}
	return nil
}

// TryLock takes the lock if it is free and no kernel runs or is queued, and reports whether it has.
func (l *Lock) TryLock() bool {
	if !l.held.CompareAndSwap(false, true) {
		return false
	}
	if l.queue != nil && !l.queue.Idle() {
		l.Unlock()
		return false
	}
	return true
}

// Order takes the lock while kernels may run. If ctx is done before the lock is free, it gives up and returns ctx.Err().
func (l *Lock) Order(ctx context.Context) error {
	if l.held.CompareAndSwap(false, true) || l.slow(ctx.Done()) {
		return nil
	}
	return ctx.Err()
}

// TryOrder takes the lock if it is free, while kernels may run, and reports whether it has.
func (l *Lock) TryOrder() bool { return l.held.CompareAndSwap(false, true) }

// Queues reports whether kernels may run while somebody has taken the lock by Order. The caller holds the lock.
func (l *Lock) Queues() bool { return l.queue != nil }

// Rest waits until no kernel runs, for whoever has taken the lock by Order. If ctx is done before, it returns ctx.Err(), and the lock
// stays as it is.
func (l *Lock) Rest(ctx context.Context) error {
	if l.queue == nil || l.queue.Drain(ctx.Done()) {
		return nil
	}
	return ctx.Err()
}

// slow waits for a lock that is not free at once: it spins a little, then sleeps in the
// list of sleepers. It gives up and reports false if done is closed before the lock is free.
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
			l.sleepers = append(l.sleepers, w)
		} else {
			l.sleepers = slices.Insert(l.sleepers, 0, w)
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

// giveUp takes w out of that list. If w has been woken already, the next waiter takes its turn.
func (l *Lock) giveUp(w *waiter) {
	l.mu.Lock()
	i := slices.Index(l.sleepers, w)
	if i >= 0 {
		l.sleepers = slices.Delete(l.sleepers, i, i+1)
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
	if len(l.sleepers) == 0 || time.Since(l.sleepers[0].since) < patience {
		return false
	}
	l.pop() <- true
	return true
}

// wake lets the first waiter try again.
func (l *Lock) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.sleepers) > 0 {
		l.pop() <- false
	}
}

// pop takes the first waiter out of that list.
func (l *Lock) pop() chan<- bool {
	w := l.sleepers[0]
	l.sleepers = slices.Delete(l.sleepers, 0, 1)
	return w.woken
}
