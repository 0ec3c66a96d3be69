package flow

import (
	"cmp"
	"context"
	"io"

	"github.com/gotaichi/ti/internal/batch"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/variant"
)

// This file has what the runtime asks of the queue of launches, which there may not be.

// Queue is the queue of launches; nil where each runs at once.
func (w *Way) Queue() *batch.Queue { return w.queue.Load() }

// SetQueue has launches queued from now on, or run at once if q is nil. The caller holds the launch lock, or nobody has launched yet.
func (w *Way) SetQueue(q *batch.Queue) {
	w.joining.Lock()
	w.queue.Store(q)
	w.special.Store(q != nil || w.observers.Load() != nil)
	w.joining.Unlock()
	if q == nil {
		w.Maker.Turn.Attach(nil)
		return
	}
	w.Maker.Turn.Attach(q)
}

// NewQueue returns a queue whose batches have at most that many tasks.
func (w *Way) NewQueue(most int) *batch.Queue { return batch.New(w.Maker, most, &w.removed) }

// Removed is what launches did not need to run.
func (w *Way) Removed() *batch.Removed { return &w.removed }

// Flush has the queued launches run, and does not wait for them.
func (w *Way) Flush() {
	q := w.queue.Load()
	if q == nil || w.Maker.Turn.Order(context.Background()) != nil {
		return
	}
	defer w.Maker.Turn.Unlock()
	q.Flush()
}

// Failed returns the failure of a queued launch that no call has reported yet; by names the call that does so.
func (w *Way) Failed(by string) error {
	if q := w.queue.Load(); q != nil {
		return q.Failed(by)
	}
	return nil
}

// Idle reports whether no launch is queued, or could be noted.
func (w *Way) Idle() bool {
	q := w.queue.Load()
	return q == nil || q.Idle() && !q.Recording()
}

// Again queues a launch that has been made before, with its arguments and number. It reports false if it cannot be queued, and fails if v cannot be
// launched.
func (w *Way) Again(v *variant.Variant, args []uint64, number uint64) (queued bool, err error) {
	q, ctx := w.queue.Load(), context.Background()
	if q == nil {
		return false, nil
	}
	if err := v.Order(ctx); err != nil {
		return false, err
	}
	defer w.Maker.Turn.Unlock()
	if w.queue.Load() != q || !q.Takes(ctx, v) {
		return false, nil
	}
	q.Add(v, args, number)
	return true, nil
}

// Settle waits until no launch is queued; see [batch.Queue.Settle].
func (w *Way) Settle(c *store.Field) error {
	if q := w.queue.Load(); q != nil {
		return q.Settle(c)
	}
	return nil
}

// End runs what is queued, before the runtime is closed, and returns the failure that no call has reported yet. If another goroutine has the
// launch lock it waits for launches, which Close ends.
func (w *Way) End() error {
	q := w.queue.Load()
	if q == nil {
		return nil
	}
	if w.Maker.Turn.TryOrder() {
		q.Drain(nil)
		w.Maker.Turn.Unlock()
	}
	return q.Failed("Close")
}

// mostDrawn is how many tasks a batch has at most of which a picture is taken. No picture of more can be read.
const mostDrawn = 1 << 16

// WriteGraph runs f, whose launches are queued, and writes the state-flow graph of their batches.
func (w *Way) WriteGraph(to io.Writer, f func() error) error {
	m := w.Maker
	switch {
	case to == nil:
		return diag.Errorf(diag.ErrArgs, "WriteGraph to a nil writer")
	case f == nil:
		return diag.Errorf(diag.ErrArgs, "WriteGraph of a nil function")
	case m.Opt.Debug || m.Opt.Cover != "":
		return diag.Errorf(diag.ErrArgs, "WriteGraph with Debug or Cover, which run each launch by itself; leave them out")
	case !m.Compiles() && m.Shipped == nil:
		return diag.Errorf(diag.ErrArch, "WriteGraph where kernels are interpreted, which have no tasks; take another Arch")
	}
	if !w.drawing.CompareAndSwap(false, true) {
		return diag.Errorf(diag.ErrBusy, "a WriteGraph of this runtime inside another, or beside one")
	}
	defer w.drawing.Store(false)
	m.Turn.Lock()
	before := w.queue.Load()
	q := w.NewQueue(mostDrawn)
	q.Draw()
	w.SetQueue(q)
	m.Turn.Unlock()
	ended := false
	end := func() error {
		m.Turn.Lock()
		defer m.Turn.Unlock()
		ended = true
		w.SetQueue(before)
		defer q.Close()
		return q.Drawn(to)
	}
	defer func() {
		if !ended { // f has panicked
			_ = end()
		}
	}()
	err := f()
	return cmp.Or(err, end(), q.Failed("WriteGraph"))
}
