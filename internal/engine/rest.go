package engine

import (
	"runtime"
	"sync/atomic"
	"time"
)

// A bed is where a worker rests between two jobs.
//
// It spins first, then dozes, then sleeps. From a doze the system wakes it directly. From sleep
// the Go scheduler wakes it, which takes some 100 µs where all its processors are busy: another
// thread has to be woken and to steal the goroutine from whoever made it runnable. But a dozing
// worker occupies a thread of the system, so only those doze that have helped lately.
type bed struct {
	state  atomic.Uint32
	called chan struct{} // told when it is woken from sleep
	dozes  bool          // the worker may doze
	helped bool          // it has been in a job since it last slept
}

// States of a bed.
const (
	awake = iota
	dozing
	asleep
)

// spins is how often a thread looks for what it waits for before it does so at rest, about 50 µs.
const spins = 1500

// dozeFor is for how long a worker dozes before it sleeps.
const dozeFor = 20 * time.Millisecond

// newBed returns that of thread i. Threads beyond the processors do not doze: a process may have
// many engines, and the Go runtime has a limit on threads of the system.
func newBed(i int) bed {
	return bed{called: make(chan struct{}, 1), dozes: hasFutex && i < runtime.GOMAXPROCS(0)}
}

// wake wakes the worker if it rests.
func (b *bed) wake() {
	switch s := b.state.Load(); {
	case s == awake || !b.state.CompareAndSwap(s, awake):
		// It is awake. If it was about to rest, it looks for news before it does.
	case s == dozing:
		futexWake(&b.state)
	default:
		b.called <- struct{}{}
	}
}

// work is the life of a worker.
func (e *Engine) work(t *thread) {
	last := uint64(0)
	for !e.closing.Load() {
		s := e.job.state.Load()
		if s&jobOpen != 0 && s>>jobNumber != last && e.job.join() {
			last = e.job.state.Load() >> jobNumber
			e.help(t)
			e.job.leave()
			t.bed.helped = t.bed.dozes
			continue
		}
		e.rest(&t.bed, last)
	}
}

// rest waits for a job other than last.
func (e *Engine) rest(b *bed, last uint64) {
	for range spins {
		if e.news(last) {
			return
		}
		pause()
	}
	if b.helped {
		b.state.Store(dozing)
		if !e.news(last) {
			futexWait(&b.state, dozing, dozeFor)
		}
		if b.state.Swap(awake) == awake || e.news(last) {
			return
		}
		b.helped = false
	}
	b.state.Store(asleep)
	if e.news(last) && b.state.CompareAndSwap(asleep, awake) {
		return
	}
	<-b.called
}

// news reports whether there is something to do.
func (e *Engine) news(last uint64) bool {
	s := e.job.state.Load()
	return s&jobOpen != 0 && s>>jobNumber != last || e.closing.Load()
}
