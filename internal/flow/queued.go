package flow

import "context"

// This file has what the runtime asks of the queue of launches, which there may not be.

// Flush has the queued launches run, and does not wait for them.
func (w *Way) Flush() {
	if w.Queue == nil || w.Maker.Turn.Order(context.Background()) != nil {
		return
	}
	defer w.Maker.Turn.Unlock()
	w.Queue.Flush()
}

// Failed returns the failure of a queued launch that no call has reported yet; by names the call that does so.
func (w *Way) Failed(by string) error {
	if w.Queue == nil {
		return nil
	}
	return w.Queue.Failed(by)
}

// End runs what is queued, before the runtime is closed, and returns the failure that no call has reported yet. If another goroutine has the
// launch lock it waits for launches, which Close ends.
func (w *Way) End() error {
	if w.Queue == nil {
		return nil
	}
	if w.Maker.Turn.TryOrder() {
		w.Queue.Drain(nil)
		w.Maker.Turn.Unlock()
	}
	return w.Failed("Close")
}
