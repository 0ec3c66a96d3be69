package engine

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A gate is a mutex whose waiters can give up. It is fair in the way of [sync.Mutex]:
// a goroutine that arrives may take it before those that wait, which saves putting it to
// sleep where the lock is held briefly, but one that has waited for [patience] is handed
// the lock.
type gate struct {
	held    atomic.Bool
	waiting atomic.Int32 // goroutines in slow; while it is 0, unlock need not look at the queue

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

// lock takes the lock. It gives up and reports false if done is closed before it is free.
func (g *gate) lock(done <-chan struct{}) bool {
	if g.held.CompareAndSwap(false, true) {
		return true
	}
	return g.slow(done)
}

// slow is lock where the lock is not free at once: it spins a little, then sleeps in the
// queue.
func (g *gate) slow(done <-chan struct{}) bool {
	for range 100 { // about a microsecond
		if !g.held.Load() && g.held.CompareAndSwap(false, true) {
			return true
		}
		pause()
	}
	g.waiting.Add(1)
	defer g.waiting.Add(-1)
	w := &waiter{since: time.Now(), woken: make(chan bool, 1)}
	for first := true; ; first = false {
		g.mu.Lock()
		// unlock reads waiting, in which this goroutine is counted, after it has cleared
		// held. So either the lock is seen free here, or unlock sees the waiter.
		if g.held.CompareAndSwap(false, true) {
			g.mu.Unlock()
			return true
		}
		if first {
			g.queue = append(g.queue, w)
		} else {
			g.queue = slices.Insert(g.queue, 0, w)
		}
		g.mu.Unlock()
		select {
		case mine := <-w.woken:
			if mine || g.held.CompareAndSwap(false, true) {
				return true
			}
		case <-done:
			g.giveUp(w)
			return false
		}
	}
}

// giveUp takes w out of the queue. If w has been woken already, the next waiter takes its turn.
func (g *gate) giveUp(w *waiter) {
	g.mu.Lock()
	i := slices.Index(g.queue, w)
	if i >= 0 {
		g.queue = slices.Delete(g.queue, i, i+1)
	}
	g.mu.Unlock()
	if i >= 0 {
		return
	}
	if <-w.woken {
		g.unlock()
	} else if !g.held.Load() {
		g.wake()
	}
}

// unlock gives the lock back.
func (g *gate) unlock() {
	if g.waiting.Load() > 0 && g.handOver() {
		return
	}
	g.held.Store(false)
	if g.waiting.Load() > 0 {
		g.wake()
	}
}

// handOver gives the lock, which stays held, to the first waiter if it has waited for
// patience, and reports whether it did.
func (g *gate) handOver() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.queue) == 0 || time.Since(g.queue[0].since) < patience {
		return false
	}
	g.pop() <- true
	return true
}

// wake lets the first waiter try again.
func (g *gate) wake() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.queue) > 0 {
		g.pop() <- false
	}
}

// pop takes the first waiter out of the queue.
func (g *gate) pop() chan<- bool {
	w := g.queue[0]
	g.queue = slices.Delete(g.queue, 0, 1)
	return w.woken
}
