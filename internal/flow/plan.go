package flow

import (
	"context"
	"errors"

	"github.com/gotaichi/ti/internal/batch"
	"github.com/gotaichi/ti/internal/diag"
)

// A Plan is launches that were recorded, and run again and again.
type Plan struct {
	way    *Way
	queue  *batch.Queue
	replay *batch.Replay
}

// Plan records the launches that f makes.
func (w *Way) Plan(f func()) (p *Plan, err error) {
	m := w.Maker
	switch {
	case f == nil:
		return nil, diag.Errorf(diag.ErrArgs, "Plan of a nil function")
	case m.Opt.Debug || m.Opt.Cover != "":
		return nil, diag.Errorf(diag.ErrArgs, "Plan with Debug or Cover, which run each launch by itself; leave them out")
	}
	if q := w.queue.Load(); q.Recording() {
		return nil, q.Refuse("makes a plan itself")
	}
	if !w.drawing.CompareAndSwap(false, true) {
		return nil, diag.Errorf(diag.ErrBusy, "a Plan of this runtime beside another, or in a WriteGraph")
	}
	defer w.drawing.Store(false)
	m.Turn.Lock()
	before, numbers := w.queue.Load(), m.Numbers
	q := w.NewQueue(mostDrawn)
	q.Record()
	w.SetQueue(q)
	for _, t := range m.Store.Lasting() {
		t.Guard()
	}
	m.Turn.Unlock()
	defer func() {
		_ = m.Turn.Order(context.Background()) // this context never ends
		replay := q.Recorded()
		m.Numbers = numbers // nothing has been launched
		w.SetQueue(before)
		m.Turn.Unlock()
		refused := q.Refused()
		if r := recover(); r != nil {
			if e, is := r.(error); !is || refused == nil || !errors.Is(e, refused) {
				panic(r)
			}
		}
		if refused != nil {
			p, err = nil, refused
			return
		}
		p = &Plan{way: w, queue: q, replay: replay}
		w.joining.Lock()
		w.plans = append(w.plans, p)
		w.joining.Unlock()
	}()
	f()
	return nil, nil
}

// Run runs the plan n times.
func (p *Plan) Run(ctx context.Context, n int) error {
	switch {
	case p == nil || p.way == nil:
		return diag.Errorf(diag.ErrArgs, "Run of a nil plan; Runtime.Plan makes one, or returns an error")
	case ctx == nil:
		return diag.Errorf(diag.ErrArgs, "Run of a plan with a nil context; use context.Background()")
	case n < 0:
		return diag.Errorf(diag.ErrArgs, "a plan is to run %d times", n)
	}
	if err := p.way.Maker.Usable("Run of a plan"); err != nil {
		return err
	}
	for range n {
		if err := p.once(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plan) once(ctx context.Context) error {
	m := p.way.Maker
	if p.way.queue.Load().Recording() {
		return p.way.queue.Load().Refuse("runs a plan")
	}
	if err := p.replay.Renew(ctx); err != nil {
		return err
	}
	if err := m.Turn.LockUntil(ctx); err != nil {
		return err
	}
	defer m.Turn.Unlock()
	if err := m.Usable("Run of a plan"); err != nil {
		return err
	}
	if len(p.way.Observing()) > 0 {
		return diag.Errorf(diag.ErrBusy, "Run of a plan under a tape, Tangent or Ranges, which would miss its launches")
	}
	if err := p.way.Failed("Run of a plan"); err != nil {
		return err
	}
	return p.replay.Run(ctx)
}

// eachPlan calls f with the queue of each plan.
func (w *Way) eachPlan(f func(*batch.Queue)) {
	w.joining.Lock()
	defer w.joining.Unlock()
	for _, p := range w.plans {
		f(p.queue)
	}
}

// Forget drops what queues have for trees that have been closed. The caller holds the launch lock.
func (w *Way) Forget() {
	if q := w.queue.Load(); q != nil {
		q.Forget()
	}
	w.eachPlan((*batch.Queue).Forget)
}

// Free gives back the code of launches that were linked. The caller holds the launch lock, and nothing will be launched.
func (w *Way) Free() {
	if q := w.queue.Load(); q != nil {
		q.Close()
	}
	w.eachPlan((*batch.Queue).Close)
}
