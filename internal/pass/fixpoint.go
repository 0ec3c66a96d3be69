package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// Rows of the pass table that stand side by side and repeat are a loop. The driver takes each unit through them, round by
// round, until none of them changes it: what forward finds in memory makes indices equal, cse shares these, and
// then forward finds more places that are one.

// maxRounds bounds how often a unit goes through a loop of stages.
const maxRounds = 8

// minYield is how many ops of a unit a round may look at for each change that it makes. A round that changes less is
// the unit's last.
const minYield = 256

// firstLoop returns the stages at the start of rows that are repeated together: one, unless it says that it repeats.
func firstLoop(rows []row) []row {
	n := 1
	for rows[0].repeat && n < len(rows) && rows[n].repeat {
		n++
	}
	return rows[:n]
}

// loop runs those of some stages that are asked for: round by round if they repeat, else once.
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

// A fixpoint tells which units a loop of stages still has work on.
type fixpoint struct {
	stages int // in a round
	units  map[*ir.Task]*progress
}

// A progress is what a loop of stages has done to a unit.
type progress struct {
	calm    int // how many stages up to the last one have changed nothing; as many as a round has end the loop
	changes int // in this round
}

// open reports whether a stage is to see a unit: some other stage has changed it since it did. Stages in front of
// the loop have done the work of the others, so that a unit is done if the first stage leaves it as it is.
func (f *fixpoint) open(u *unit.Unit) bool {
	p := f.units[u.Task]
	if p == nil {
		p = &progress{calm: f.stages - 1}
		f.units[u.Task] = p
	}
	return p.calm < f.stages
}

// note takes how many changes a stage has made to a unit.
func (f *fixpoint) note(u *unit.Unit, changes int) {
	p := f.units[u.Task]
	if p.changes += changes; changes > 0 {
		p.calm = 0
	}
	p.calm++
}

// again reports whether any of the units is to go through another round, and begins it.
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

// eachReporting makes a pass of a function that sees one unit at a time and returns how many changes it has made to it.
// A loop of stages leaves out units that are done.
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
