package access

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/note"
)

// This file has the remarks of access lowering on sparse trees: the number of look-ups for an access, the accesses with which it shares
// them, and whether it may activate.

// A lookups counts the look-ups of one access.
type lookups struct {
	made   int      // look-ups made for it
	shared int      // look-ups made for earlier accesses
	with   []ir.Pos // these accesses
	own    bool     // the loop gives the block of its own cell
	steps  int      // steps of all kinds
	proven int      // steps whose cells are known to be active
	visits int      // those of them that the loop visits
}

// A finder records which loop or access proved a fact.
type finder struct {
	pos  ir.Pos
	loop bool
}

// reset begins another access.
func (l *lookups) reset() { *l = lookups{} }

// prove notes that n steps are known to be active.
func (l *lookups) prove(n int, by finder) {
	l.proven += n
	if by.loop {
		l.visits += n
	}
}

// find notes that the results of the first steps of a descent are known.
func (l *lookups) find(steps []layout.Step, by finder) {
	l.prove(len(steps), by)
	switch n := leading(steps); {
	case by.loop:
		l.own = true
	case n > 0:
		l.shared += n
		if !slices.Contains(l.with, by.pos) {
			l.with = append(l.with, by.pos)
		}
	}
}

// leading is the number of steps that lead to other blocks.
func leading(steps []layout.Step) int {
	n := 0
	for i := range steps {
		if Leads(&steps[i]) {
			n++
		}
	}
	return n
}

// text describes how an access finds its block.
func (l *lookups) text(pos ir.Pos) string {
	made := "no look-up"
	if l.made > 0 {
		made = plural(l.made, "look-up")
	}
	var why []string
	if l.shared > 0 {
		why = append(why, fmt.Sprintf("%d shared with %s", l.shared, places(pos, l.with)))
	}
	if l.own {
		why = append(why, "the loop gives the block of its cell")
	}
	if len(why) == 0 {
		return made
	}
	return made + ", " + strings.Join(why, ", ")
}

// places lists the lines of accesses, relative to one of them.
func places(pos ir.Pos, all []ir.Pos) string {
	var out []string
	for _, p := range all {
		text := fmt.Sprintf("line %d", p.Line)
		switch {
		case !p.IsKnown():
			continue
		case p.Line == pos.Line && p.File == pos.File:
			text = "this line"
		}
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	if len(out) == 0 {
		return "another access"
	}
	return strings.Join(out, " and ")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// noteRead adds the remark for a place that is read.
func (a *accessor) noteRead(o *ir.Op) {
	if a.notes == nil {
		return
	}
	again := ""
	if a.moves(o) && a.way.made > 0 {
		again = "; shared until the loop may make blocks"
	}
	a.notes.Say(o.Pos, note.Read, o.Field.Name, a.way.text(o.Pos), again)
}

// settle records the look-ups of a place that has its address, and of the proof that its cell is active.
func (a *accessor) settle(o *ir.Op, proof lookups) {
	if a.notes == nil {
		return
	}
	w := a.way
	w.steps, w.proven, w.visits = proof.steps, proof.proven, proof.visits
	a.settledBy[o] = w
}

// noteSettled adds the remark for a written place that had an address before.
func (a *accessor) noteSettled(place *ir.Op) {
	if a.notes == nil {
		return
	}
	a.way = a.settledBy[place]
	a.noteWrite(place, note.Written)
}

// noteWrite adds the remark for a place that is written.
func (a *accessor) noteWrite(o *ir.Op, what note.Reason) {
	if a.notes == nil {
		return
	}
	a.notes.Say(o.Pos, what, o.Field.Name, a.way.text(o.Pos), a.way.activation(a.visits))
}

// noteCell adds the remark for an operation on a cell or list.
func (a *accessor) noteCell(o *ir.Op) {
	// The mask test at the start of a loop over cells is no access of the source.
	if a.notes == nil || !o.Field.Sparse || o.Code == ir.OpIsActive && o.Pos == a.t.Pos {
		return
	}
	name := o.Field.Name
	switch o.Code {
	case ir.OpActivate:
		a.noteWrite(o, note.Activated)
	case ir.OpAppend:
		a.noteWrite(o, note.Appended)
	case ir.OpIsActive:
		a.notes.Say(o.Pos, note.ActiveTested, name, a.way.text(o.Pos))
	case ir.OpCount:
		a.notes.Say(o.Pos, note.LengthRead, name, a.way.text(o.Pos))
	case ir.OpShrink:
		a.notes.Say(o.Pos, note.ListEmptied, name, a.way.text(o.Pos))
	case ir.OpDeactivate:
		a.notes.Say(o.Pos, note.CellRecorded, name)
	}
}

// activation says whether a write may activate, and why.
func (l *lookups) activation(visits bool) note.Cause {
	switch {
	case l.visits == l.steps:
		return note.VisitedCell.With()
	case l.proven == l.steps: // not only by the loop
		return note.ProvenCell.With()
	case l.own:
		return note.BlockOfLoop.With()
	case visits:
		return note.NotVisited.With()
	}
	return note.NoProof.With()
}
