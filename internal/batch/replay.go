package batch

import (
	"context"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/store"
)

// A recording queue notes the launches that a function of the program makes, and runs none of them. What would wait cannot: it has the
// recording fail.

// Record has the queue note launches from now on.
func (q *Queue) Record() { q.recording, q.planner.waits = true, true }

// Recording reports whether launches are noted and not run.
func (q *Queue) Recording() bool { return q != nil && q.recording }

// Refuse has the recording fail, for what the program does in it.
func (q *Queue) Refuse(what string) error {
	err := diag.Errorf(diag.ErrArgs, "Plan: its function %s; it may make launches alone that nothing waits for, and Set and Fill", what)
	q.refused.CompareAndSwap(nil, &err)
	return err
}

// Refused is the first error of a recording.
func (q *Queue) Refused() error {
	if err := q.refused.Load(); err != nil {
		return *err
	}
	return nil
}

// reads is Settle while launches are noted: elements that none of them touches can be read.
func (q *Queue) reads(c *store.Field) error {
	q.noted.Lock()
	defer q.noted.Unlock()
	for i := range q.filling.launches {
		if v := q.filling.launches[i].variant; c == nil || v.Shares(c) {
			return q.Refuse("reads or writes elements that a launch in it touches")
		}
	}
	return nil
}

// A Replay is launches that have been recorded, and run again and again.
type Replay struct {
	q     *Queue
	batch *batch
	plan  *plan // nil before the first run, and when launches are of other variants than then
	fresh map[uint64]uint64
}

// Recorded takes the launches that have been recorded. The caller holds the launch lock.
func (q *Queue) Recorded() *Replay {
	q.noted.Lock()
	defer q.noted.Unlock()
	r := &Replay{q: q, batch: q.filling, fresh: map[uint64]uint64{}}
	q.filling = newBatch()
	q.recording = false
	q.busy.Store(false)
	return r
}

// Launches is how many launches of the program a run makes.
func (r *Replay) Launches() (n int) {
	for i := range r.batch.launches {
		if r.batch.launches[i].number != 0 {
			n++
		}
	}
	return n
}

// Renew has launches be of the variants for what the host holds now. It fails if one cannot be launched any more. The caller does not hold the launch lock.
func (r *Replay) Renew(ctx context.Context) error {
	for i := range r.batch.launches {
		e := &r.batch.launches[i]
		now, err := e.variant.Now()
		if err != nil {
			return err
		}
		if now == e.variant && now.Ready.Load() {
			continue
		}
		if err := now.Compile(ctx); err != nil {
			return err
		}
		if now != e.variant {
			e.variant, r.plan = now, nil
		}
	}
	return nil
}

// Run makes the launches once, with new numbers. The caller holds the launch lock.
func (r *Replay) Run(ctx context.Context) error {
	q, b := r.q, r.batch
	for i := range b.launches {
		e := &b.launches[i]
		if !e.variant.Alive() {
			return e.variant.ErrClosed()
		}
		if k := e.variant.Queue(); i == 0 || k.Tasks != e.tasks {
			e.tasks = k.Tasks
		}
	}
	clear(r.fresh)
	for i := range b.launches {
		e := &b.launches[i]
		if e.number == 0 {
			continue
		}
		again, known := r.fresh[e.number] // of a launch that an adjoint takes back
		if !known {
			again = q.maker.Numbers.Next(e.variant.Kernel.Program)
			r.fresh[e.number] = again
		}
		e.number = again
	}
	if r.plan == nil {
		r.plan = q.planner.of(b)
	}
	q.ctx = ctx
	q.runAs(b, r.plan)
	if f := q.failure.Swap(nil); f != nil {
		return f.err
	}
	return nil
}
