package mpi

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gotaichi/ti/internal/native"
)

// How a goroutine waits. MPI makes progress only while it is called, so it must be called often, but ranks may outnumber
// processors, and threads that compute need them. So a goroutine that waits gives its processor away after each round of tests: for a
// while by sched_yield, which returns at once if nobody else needs it, then by sleeping.
const (
	yields  = 1000                  // rounds with sched_yield
	gosched = 64                    // of which one in this many lets other goroutines run
	nap     = 50 * time.Microsecond // after them

	tendNap   = 200 * time.Microsecond // while nobody waits, so that messages go on beside a computation
	idleNap   = time.Millisecond       // while there are no requests
	quietNaps = 100                    // of these without a new request make it
	quietNap  = 10 * time.Millisecond
)

// A driver makes the calls of a library, one at a time (MPI_THREAD_SERIALIZED). Each goroutine makes those that it needs itself: handing them to
// one thread took ten to a hundred times as long as a short message.
type driver struct {
	mu      sync.Mutex   // held in each call
	waiting atomic.Int32 // goroutines that wait, and so make progress

	yield, sleep uintptr // sched_yield and usleep of the C library, or 0
}

func newDriver() driver {
	c := native.Process()
	return driver{yield: c.Symbol("sched_yield"), sleep: c.Symbol("usleep")}
}

// pause gives the processor away, after the given number of rounds without progress.
func (d *driver) pause(round int) {
	switch {
	case round >= yields:
		d.doze(nap)
	case round%gosched == gosched-1 || d.yield == 0:
		runtime.Gosched()
	default:
		native.Call(d.yield)
	}
}

// doze sleeps. Go's own sleep takes a millisecond at least if nothing else runs.
func (d *driver) doze(t time.Duration) {
	if d.sleep == 0 {
		time.Sleep(t)
		return
	}
	runtime.Gosched() // nobody else gets this goroutine's place at once while it is in C
	native.Call(d.sleep, uintptr(t/time.Microsecond))
}

// start begins a request.
func (l *library) start(r *Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begin(r)
}

// wait makes progress until a request has ended, or for some time.
func (l *library) wait(r *Request, atMost time.Duration) bool {
	l.waiting.Add(1)
	defer l.waiting.Add(-1)
	begin := time.Now()
	for round := 0; ; round++ {
		if l.mu.TryLock() {
			l.progress()
			l.mu.Unlock()
		}
		if r.Done() {
			return true
		}
		if time.Since(begin) >= atMost {
			return false
		}
		l.pause(round)
	}
}

// tend makes progress while nobody waits.
func (l *library) tend() {
	for begun, quiet := 0, 0; ; quiet++ {
		busy := false
		if l.waiting.Load() == 0 && l.mu.TryLock() {
			l.progress()
			busy = len(l.active) > 0
			if l.begun != begun {
				begun, quiet = l.begun, 0
			}
			l.mu.Unlock()
		}
		switch {
		case busy:
			l.doze(tendNap)
		case quiet < quietNaps:
			time.Sleep(idleNap)
		default:
			time.Sleep(quietNap)
		}
	}
}
