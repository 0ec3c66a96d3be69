package vulkan

import (
	"context"
	"errors"
	"time"

	"github.com/gotaichi/ti/internal/diag"
)

// This file runs long tasks piece by piece. Systems end what keeps a graphics processor busy for seconds, and between two pieces a launch can be ended.

// pieceTime is how long a device works on a piece, about, and on the launches of a submission.
const pieceTime = 10 * time.Millisecond

// What is known of a task before it has run.
const (
	stepTime   = 1.0     // nanoseconds of a step
	stepLanes  = 8       // iterations that run at the same time at least, unless one thread runs all
	firstPiece = 1 << 12 // iterations of the first piece, where no bound on their steps is known
	firstAlone = 1 << 4  // the same for one thread
	pieceGrows = 8       // how many times as long as the one before a piece is at most
)

// perIteration is how many nanoseconds an iteration takes of the time of the task: as it did before, else as the bound on its steps says; 0 if nothing is known.
func (w *launcher) perIteration(i int) float64 {
	t := &w.k.Tasks[i]
	switch {
	case w.paces[i] > 0:
		return w.paces[i]
	case t.Steps <= 0:
		return 0
	case t.InOrder():
		return stepTime * float64(t.Steps)
	}
	return stepTime / stepLanes * float64(t.Steps)
}

// expected is how long a task takes; 0 if nobody knows.
func (w *launcher) expected(i int, p *plan) time.Duration {
	return time.Duration(min(w.perIteration(i)*float64(p.each)*float64(p.units), float64(time.Hour)))
}

// piece is how many units of a task take about as long as a piece is to.
func (w *launcher) piece(i int, p *plan) int64 {
	first := float64(firstPiece)
	if w.k.Tasks[i].InOrder() {
		first = firstAlone
	}
	if each := w.perIteration(i); each > 0 {
		first = float64(w.m.d.piece) / each
	}
	return p.whole(first / float64(p.each))
}

// whole is a number of units of which no workgroup has a part, at least one workgroup, or all.
func (p *plan) whole(units float64) int64 {
	n := int64(min(units, float64(p.units)))
	if n == p.units {
		return n
	}
	return min(p.units, max(p.least, n/p.least*p.least))
}

// pieces runs a task, of which record records some units: as a whole if it is short, else piece by piece.
func (w *launcher) pieces(ctx context.Context, i int, p *plan, record func(begin, end int64) error) error {
	if p.units > w.piece(i, p) {
		return w.long(ctx, i, p, record)
	}
	for begin := int64(0); begin < p.units; begin += p.most {
		if err := record(begin, min(p.units, begin+p.most)); err != nil {
			return err
		}
	}
	return w.short(i, p)
}

// short notes a task that has been recorded as a whole, and has the device begin if there is enough for it to do.
func (w *launcher) short(i int, p *plan) error {
	w.whole = append(w.whole, i)
	return w.m.ring.load(w.expected(i, p))
}

// long runs a task piece by piece: one is recorded while the device works on the one before.
func (w *launcher) long(ctx context.Context, i int, p *plan, record func(begin, end int64) error) error {
	if err := w.flush(ctx); err != nil {
		return err
	}
	r, ended := &w.m.ring, time.Now()
	n, before := w.piece(i, p), int64(0)
	for begin := int64(0); begin < p.units; {
		end := min(p.units, begin+n)
		for at := begin; at < end; at += p.most {
			if err := record(at, min(end, at+p.most)); err != nil {
				return err
			}
		}
		older := r.working()
		if err := r.submit(); err != nil {
			return err
		}
		if older != nil {
			since := older.since
			if err := r.await(older); err != nil {
				return err
			}
			now := time.Now()
			took := now.Sub(later(since, ended))
			ended = now
			w.paces[i] = max(float64(took)/float64(before*p.each), 1e-3)
			n = p.whole(min(float64(w.m.d.piece)/(w.paces[i]*float64(p.each)), float64(pieceGrows*before)))
			w.m.progress(before * p.each)
			if err := w.goesOn(ctx); err != nil {
				return err
			}
		}
		before, begin = end-begin, end
	}
	return w.flush(ctx)
}

// later is the later one of two times.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// goesOn fails if the launch is to end.
func (w *launcher) goesOn(ctx context.Context) error {
	if ctx.Err() != nil || w.m.stopped.Load() {
		return w.m.why(ctx)
	}
	if err := w.stopped(); err != nil {
		return err
	}
	return w.limited(&w.own)
}

// learn notes how long tasks have taken at most that were recorded as a whole, and have ended together. Where that is long, it is what counts, though it may have been
// another task: the next launch runs them piece by piece, and finds out.
func (w *launcher) learn(took time.Duration, tasks []int) {
	for _, i := range tasks {
		p := &w.plans[i]
		if p.units == 0 {
			continue
		}
		most := max(float64(took)/(float64(p.units)*float64(p.each)), 1e-3)
		if w.paces[i] == 0 || most < w.paces[i] || took > 4*w.m.d.piece {
			w.paces[i] = most
		}
	}
}

// alsoFailed is the first error, with the second one if that says something else.
func alsoFailed(err, more error) error {
	if more == nil || more.Error() == err.Error() || errors.Is(err, diag.ErrDevice) && errors.Is(more, diag.ErrDevice) {
		return err
	}
	return errors.Join(err, more)
}
