package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// Adjacent rows of the pass table that repeat are a fixpoint loop. The driver runs them in turn on each unit until none of them
// changes it. For example, forward replaces loads, so that indices become equal, cse merges these, and then forward finds more places
// that are the same.

// maxRounds bounds the number of rounds for a unit.
const maxRounds = 8

// minYield is the number of ops in a unit for which a round must make one change. A round that changes less is the unit's last.
const minYield = 256

// firstLoop returns the stages at the start of rows that repeat together; one stage if the first does not repeat.
func firstLoop(rows []row) []row {
	n := 1
	for rows[0].repeat && n < len(rows) && rows[n].repeat {
		n++
	}
	return rows[:n]
}

// loop runs those of the stages that the options select, in rounds if they repeat.
func (s *state) loop(stages []row, d *dumper) error {
	stages = slices.DeleteFunc(slices.Clone(stages), func(r row) bool { return !s.opts.wants(&r) })
	if len(stages) > 0 && stages[0].repeat {
		s.fix = &fixpoint{stages: len(stages), units: map[*ir.Task]*progress{}}
		defer func() { s.fix = nil }()
	}
	for round := 0; round == 0 || s.fix != nil && round < maxRounds && s.fix.again(s.units()); round++ {
		for i := range stages {
			select {
			case <-s.opts.Stop:
				return ErrStopped
			default:
			}
			if err := s.stage(&stages[i]); err != nil {
				return err
			}
			d.dump(stages[i].name, s.k)
		}
	}
	return nil
}

// A fixpoint records for which units a fixpoint loop is not done.
type fixpoint struct {
	stages int // in a round
	units  map[*ir.Task]*progress
}

// A progress records what the stages of a fixpoint loop have done to a unit.
type progress struct {
	calm    int // the number of stages since the last change; the loop ends when it is the number of stages in a round
	changes int // of the current round
}

// open reports whether a stage must see a unit, because another stage has changed the unit since. Stages before the loop have done
// the work of all stages but the first, so a unit is done if the first stage does not change it.
func (f *fixpoint) open(u *unit.Unit) bool {
	p := f.units[u.Task]
	if p == nil {
		p = &progress{calm: f.stages - 1}
		f.units[u.Task] = p
	}
	return p.calm < f.stages
}

// note records the number of changes that a stage has made to a unit.
func (f *fixpoint) note(u *unit.Unit, changes int) {
	p := f.units[u.Task]
	if p.changes += changes; changes > 0 {
		p.calm = 0
	}
	p.calm++
}

// again begins another round, and reports whether any unit needs one.
func (f *fixpoint) again(units []*unit.Unit) bool {
	more := false
	for _, u := range units {
		p := f.units[u.Task]
		if p == nil || p.calm >= f.stages {
			continue
		}
		if p.changes*minYield < u.Size() {
			p.calm = f.stages
			continue
		}
		p.changes, more = 0, true
	}
	return more
}

// eachReporting makes a pass out of a function that sees one unit at a time and returns the number of its changes. In a fixpoint
// loop it leaves out units that are done.
func eachReporting(f func(*state, *unit.Unit) int) func(*state) {
	return func(s *state) {
		for _, u := range s.units() {
			switch {
			case s.fix == nil:
				s.clocked(u.Task, func() { f(s, u) })
			case s.fix.open(u):
				s.clocked(u.Task, func() { s.fix.note(u, f(s, u)) })
			}
		}
	}
}
