package engine

import (
	"context"

	"github.com/gotaichi/ti/internal/launch"
)

var _ launch.RowLauncher = (*Code)(nil)

// Begin counts a launch that is run piece by piece, with its tasks.
func (c *Code) Begin(number uint64) {
	if c.engine.begin(c, number); number != 0 {
		c.engine.counts.tasks += c.turns()
	}
}

// turns is the number of tasks that run in their turn.
func (c *Code) turns() (n int64) {
	for i := range c.tasks {
		if !c.tasks[i].Helper {
			n++
		}
	}
	return n
}

// Outer returns the range of the outermost dimension of a task.
func (c *Code) Outer(task int) (r launch.Range, ok bool) {
	t := &c.tasks[task]
	lo, hi := c.outer(t)
	switch total, _ := c.extent(t); {
	case total < 0 || c.engine.recorder != nil:
		return r, false
	case total == 0:
		return launch.Range{From: lo, To: lo}, true
	}
	return launch.Range{From: lo, To: hi}, true
}

func (c *Code) outer(t *task) (lo, hi int64) {
	d := &t.Dims[0]
	return d.Lo.Value(c.args, c.frame, c.entries), d.Hi.Value(c.args, c.frame, c.entries)
}

// iterations returns the iterations of a task, of total ones, whose outermost index is in r.
func (c *Code) iterations(t *task, total int64, r launch.Range) (begin, end int64) {
	if r == wholeRange {
		return 0, total
	}
	lo, hi := c.outer(t)
	row := total / (hi - lo)
	return (max(r.From, lo) - lo) * row, (min(r.To, hi) - lo) * row
}

// RunRows runs a part of a task, see [launch.RowLauncher].
func (c *Code) RunRows(ctx context.Context, number uint64, task int, r launch.Range) error {
	e, t := c.engine, &c.tasks[task]
	if c.failed != nil {
		return c.failed
	}
	done := ctx.Done()
	if e.stopper.stopped() || done != nil && ctx.Err() != nil {
		return e.why(ctx)
	}
	if !e.stacked {
		if err := e.openStacks(); err != nil {
			return err
		}
	}
	if done != nil {
		e.stopper.begin(done)
		defer e.stopper.end()
	}
	e.errs.Count, e.errs.Site, e.running = 0, 0, running{t.First, t.Part}
	main := e.threads[0].ctx
	main.Errs, main.Key = address(e.errs), launch.Key(c.seed, number)
	e.now.begin(c)
	defer e.now.end()
	e.now.at(task)
	if e.runPart(c, t, done, r) {
		return nil
	}
	if err := e.failed; err != nil {
		e.failed = nil
		return err
	}
	return e.why(ctx)
}
