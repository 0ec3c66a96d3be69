package pass

import (
	"slices"
	"time"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// units returns the units of the kernel in order.
func (s *state) units() []*unit.Unit {
	if s.k.Body != nil {
		return []*unit.Unit{{Blocks: []*ir.Block{s.k.Body}}}
	}
	us := make([]*unit.Unit, 0, len(s.k.Tasks))
	for _, t := range s.k.Tasks {
		us = append(us, &unit.Unit{Task: t, Blocks: t.Blocks()})
	}
	return us
}

// each makes a pass out of a function that sees one unit at a time.
func each(f func(*state, *unit.Unit)) func(*state) {
	return func(s *state) {
		for _, u := range s.units() {
			s.clocked(u.Task, func() { f(s, u) })
		}
	}
}

// eachTask makes a pass out of a function that sees one task at a time. Tasks that f appends are not visited.
func eachTask(f func(*state, *ir.Task)) func(*state) {
	return func(s *state) {
		for _, t := range slices.Clone(s.k.Tasks) {
			s.clocked(t, func() { f(s, t) })
		}
	}
}

// clocked runs the work of a pass on t, and reports its duration. t is nil before the split.
func (s *state) clocked(t *ir.Task, work func()) {
	if s.opts.TimeTask == nil || t == nil {
		work()
		return
	}
	began := time.Now()
	work()
	s.opts.TimeTask(t, s.stageName, time.Since(began))
}

// insertTask inserts a task after number at, and updates Private and Partial, which name tasks by number.
func insertTask(k *ir.Kernel, at int, t *ir.Task) {
	k.Tasks = slices.Insert(k.Tasks, at+1, t)
	for i, t := range k.Tasks {
		t.Index = i
		t.Private = slices.Clone(t.Private)
		for j := range t.Private {
			if t.Private[j].Merge > at {
				t.Private[j].Merge++
			}
		}
		if q := t.Partial; q != nil && q.Merge > at {
			t.Partial = &ir.Partial{Scratch: q.Scratch, Words: q.Words, Merge: q.Merge + 1}
		}
	}
}
