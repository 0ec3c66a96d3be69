package batch

import (
	"slices"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/variant"
)

// Most launches of a program that goes on for long in the same cells find all cells active that they store to. This file finds out where that is certain,
// and has such launches run by code that activates nothing.

// settled is launches whose cells may all be active. The cells that they activate follow from their arguments and from which cells are active
// (launch.Kernel.Repeats). So if they have changed no cell, they change none when they run again with the same arguments, unless something else has
// changed cells in between.
type settled struct {
	code *variant.Linked // which activates nothing
	of   []*variant.Variant

	known   bool     // what follows is that of launches that have changed no cell
	args    []uint64 // of these, one launch behind the other
	changes int64    // of the topology of their trees, by then
}

// settle joins steps of which the launches may find all cells active.
func (p *planner) settle(known *plan, steps []step) (out []step) {
	if _, later := p.maker.Machine.(launch.Overlapping); later || p.maker.Opt.Deterministic && !p.maker.Opt.StrictMath {
		return steps // bits would depend on which code there is, and how often launches have run
	}
	for from := 0; from < len(steps); {
		to, n, grows := from, 0, false
		for to < len(steps) && n+len(steps[to].launches) <= mostParts && p.repeats(known, &steps[to]) {
			for _, i := range steps[to].launches {
				grows = grows || activates(known.kernels[i])
			}
			n += len(steps[to].launches)
			to++
		}
		if to == from {
			out, from = append(out, steps[from]), from+1
			continue
		}
		joined := steps[from:to]
		if grows {
			if s, ok := p.settledStep(known, joined); ok {
				joined = []step{s}
			}
		}
		out, from = append(out, joined...), to
	}
	return out
}

// repeats reports whether the cells that the launches of a step activate follow from their arguments and from which cells are active.
func (p *planner) repeats(known *plan, s *step) bool {
	if s.apart != nil {
		return false
	}
	for _, i := range s.launches {
		if k := known.kernels[i]; k == nil || !k.Repeats || !p.canLink(known.variants[i]) {
			return false
		}
	}
	return true
}

// activates reports whether launches of a kernel may activate cells.
func activates(k *launch.Kernel) bool {
	return slices.ContainsFunc(k.Tasks, func(t launch.Task) bool {
		return slices.ContainsFunc(t.States, func(s launch.State) bool { return s.Mask&launch.Writes != 0 })
	})
}

// settledStep makes a step of others, with code that activates nothing.
func (p *planner) settledStep(known *plan, steps []step) (s step, ok bool) {
	found, alone := &settled{}, 0
	for i := range steps {
		s.launches = append(s.launches, steps[i].launches...)
	}
	for _, i := range s.launches {
		found.of = append(found.of, known.variants[i])
		alone += known.tasks[i]
	}
	code, err := variant.LinkSettled(found.of, known.same(s.launches))
	if err != nil {
		return s, false
	}
	found.code = code
	s.settled, s.apart, s.guard, s.saves = found, slices.Clone(steps), new(guard), alone-code.Tasks()
	return s, true
}

// count is how often the topology has changed of the trees of the launches.
func (t *settled) count() (n int64) {
	for i, v := range t.of {
		if !slices.Contains(t.of[:i], v) {
			n += v.Changes()
		}
	}
	return n
}

// runSettled runs launches by code that activates nothing. It reports false, and has run nothing, if they may have to activate a cell.
func (q *Queue) runSettled(b *batch, s *step) bool {
	t := s.settled
	if !t.known || !t.same(b, s.launches) || t.changes != t.count() {
		return false
	}
	alone := step{launches: s.launches, linked: t.code, saves: s.saves}
	q.runLinked(b, &alone)
	return true
}

// same reports whether launches have the arguments that are known.
func (t *settled) same(b *batch, launches []int) bool {
	known := t.args
	for _, i := range launches {
		e := &b.launches[i]
		if !slices.Equal(b.args[e.at:e.at+e.args], known[:e.args]) {
			return false
		}
		known = known[e.args:]
	}
	return true
}

// observe runs launches that may activate cells, and finds out whether they have.
func (q *Queue) observe(b *batch, s *step) {
	t := s.settled
	before, failed := t.count(), q.failed
	for i := range s.apart {
		q.runStep(b, &s.apart[i])
	}
	t.changes = t.count()
	if t.known = t.changes == before && q.failed == failed; !t.known {
		return
	}
	t.args = t.args[:0]
	for _, i := range s.launches {
		e := &b.launches[i]
		t.args = append(t.args, b.args[e.at:e.at+e.args]...)
	}
}
