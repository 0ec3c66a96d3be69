package engine

import (
	"sync/atomic"

	"github.com/gotaichi/ti/internal/spin"
)

// A bed is where a worker rests between two jobs: in a spin first, then asleep.
type bed struct {
	asleep atomic.Bool
	called chan struct{} // notified when it is woken
}

func newBed() bed { return bed{called: make(chan struct{}, 1)} }

// wake wakes the worker if it sleeps.
func (b *bed) wake() {
	if b.asleep.CompareAndSwap(true, false) {
		b.called <- struct{}{}
	}
}

// spins is how often a thread looks for what it waits for before it sleeps, about 50 µs.
const spins = 1500

// work is the life of a worker.
func (e *Engine) work(t *thread) {
	last := uint64(0)
	for !e.closing.Load() {
		s := e.job.state.Load()
		if s&jobOpen != 0 && s>>jobNumber != last && e.job.join() {
			last = e.job.state.Load() >> jobNumber
			e.help(t)
			e.job.leave()
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
		spin.Pause()
	}
	b.asleep.Store(true)
	if e.news(last) && b.asleep.CompareAndSwap(true, false) {
		return
	}
	<-b.called
}

// news reports whether there is something to do.
func (e *Engine) news(last uint64) bool {
	s := e.job.state.Load()
	return s&jobOpen != 0 && s>>jobNumber != last || e.closing.Load()
}
