package batch

import (
	"context"
	"fmt"

	"github.com/gotaichi/ti/internal/store"
)

// A QueuedError is the failure of a launch that had been queued, reported by a later call.
type QueuedError struct {
	Err error  // of the launch
	By  string // the call that reports it
}

// Error says what has failed and who reports it.
func (e *QueuedError) Error() string {
	return fmt.Sprintf("%v\n\tthis launch had been queued (Config.Batch), and is reported by %s", e.Err, e.By)
}

// Unwrap returns the failure itself.
func (e *QueuedError) Unwrap() error { return e.Err }

// HasFailed reports whether there is a failure that no call has reported yet.
func (q *Queue) HasFailed() bool { return q.failure.Load() != nil }

// Report is Failed for a caller that does not hold the launch lock.
func (q *Queue) Report(by string) error {
	if !q.HasFailed() {
		return nil
	}
	turn := &q.maker.Turn
	turn.Lock() // launches that were made before the program learns of the failure tell of none themselves
	defer turn.Unlock()
	return q.Failed(by)
}

// Failed returns the failure that no call has reported yet, once; nil if there is none. by names the call that reports it. The caller holds the
// launch lock, and nothing is queued.
func (q *Queue) Failed(by string) error {
	if q.failure.Load() == nil {
		return nil
	}
	if f := q.failure.Swap(nil); f != nil {
		return &QueuedError{f.err, by}
	}
	return nil
}

// Settle waits until all launches have run, for a host that is about to touch an element of c, or of any field if c is nil. It returns a failure if
// the function of the failed kernel has no error result: the program would have got a panic by now. The caller may hold the launch lock or not.
func (q *Queue) Settle(c *store.Field) error {
	if q.recording {
		return q.reads(c)
	}
	if turn := &q.maker.Turn; !q.Idle() && turn.Order(context.Background()) == nil {
		q.Drain(nil)
		turn.Unlock()
	}
	if f := q.failure.Load(); f != nil && f.panics && q.maker.Turn.TryLock() { // who holds the lock leaves it to others
		defer q.maker.Turn.Unlock()
		return q.Failed("a call that uses an element")
	}
	return nil
}
