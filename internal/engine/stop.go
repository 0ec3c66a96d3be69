package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gotaichi/ti/internal/launch"
)

// A stopper ends launches early. Generated code polls a word in memory, and returns once
// it is not 0. For launches with a context there is a goroutine, the watcher, that sets the
// word when the context is done. The watcher looks every few milliseconds: to wake it for
// each launch would cost as much as a short kernel.
type stopper struct {
	word *atomic.Int32 // see furnish; not 0 when the launch under way is to end

	mu       sync.Mutex
	done     <-chan struct{} // of the launch under way; nil if there is none, or it has no context
	forGood  bool            // all launches to come are to end, too
	watching bool            // there is a watcher
	quit     chan struct{}   // closed when watchers are to end
	watchers sync.WaitGroup
}

const (
	watchEvery = 5 * time.Millisecond
	watchIdle  = 200 // ticks without a launch to watch, after which the watcher ends
)

// stopped reports whether the launch under way is to end.
func (s *stopper) stopped() bool { return s.word.Load() != 0 }

// begin starts to watch a launch, which done ends.
func (s *stopper) begin(done <-chan struct{}) {
	s.mu.Lock()
	s.done = done
	if !s.watching {
		s.watching = true
		s.watchers.Go(s.watch)
	}
	s.mu.Unlock()
}

// end stops watching the launch. The next one is not to end because this one was.
func (s *stopper) end() {
	s.mu.Lock()
	s.done = nil
	if !s.forGood {
		s.word.Store(0)
	}
	s.mu.Unlock()
}

// stop ends the launch under way and all that follow it.
func (s *stopper) stop() {
	s.mu.Lock()
	s.forGood = true
	s.word.Store(1)
	s.mu.Unlock()
}

// close ends the watcher.
func (s *stopper) close() {
	close(s.quit)
	s.watchers.Wait()
}

// watch is the watcher. It ends when there has been no launch for a while.
func (s *stopper) watch() {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for idle := 0; ; {
		select {
		case <-tick.C:
		case <-s.quit:
			return
		}
		s.mu.Lock()
		if s.done == nil {
			idle++
		} else {
			idle = 0
			select {
			case <-s.done:
				s.word.Store(1)
			default:
			}
		}
		if idle > watchIdle {
			s.watching = false
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
	}
}

// Stop ends the launch under way, and each that follows, with [launch.ErrStopped].
func (e *Engine) Stop() { e.stopper.stop() }

// why returns the error of a launch that was stopped: that of its context, or else launch.ErrStopped.
func (e *Engine) why(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return launch.ErrStopped
}
