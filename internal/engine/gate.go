package engine

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A gate is a lock that can be waited for until a channel is closed. It is fair as a
// [sync.Mutex] is: whoever comes may take it before those that wait, which saves
// going to sleep where locks are short, but who has waited long is handed it.
type gate struct {
	held    atomic.Bool
	waiting atomic.Int32 // goroutines in slow; told to unlock, who would else not look

	mu    sync.Mutex
	queue []*waiter // who sleeps, in the order in which they came
}

// A waiter is a goroutine that wants the lock.
type waiter struct {
	since time.Time
	woken chan bool // true: the lock is yours; false: try again
}

// patience is how long a waiter tries before it is handed the lock.
const patience = time.Millisecond

// lock takes the lock. It reports false if done was closed before.
func (g *gate) lock(done <-chan struct{}) bool {
	if g.held.CompareAndSwap(false, true) {
		return true
	}
	return g.slow(done)
}

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
		// Unlock looks at waiting after it has let go, so one of the two sees the other.
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

// giveUp takes w out of the queue. If it has been woken meanwhile, the next is.
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

// handOver gives the held lock to who has waited long, if someone has.
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
