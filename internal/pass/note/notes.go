// Package note collects what passes say to people: what they have made of a loop or an access, or
// why they could not.
//
// In: reasons out of a table, each with a place in the source. Out: the list of notes, in the
// order in which they came.
// They have no influence on code.
//
// Tests: internal/driver has a kernel for each reason (TestEveryReason), internal/pass those of promises (TestPromiseNotes).
package note

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// A Note says, in words for the author of a kernel, what a pass has done at a
// place in the source or why it could not.
type Note struct {
	Pos    ir.Pos
	Text   string
	Advice string   // what would make the code faster; "" if nothing is evident
	Of     []Reason // what is said, and then the causes that it names
}

// Notes collects notes. A nil *Notes takes none, and passes that have to work for
// a note ask for that first.
type Notes struct{ List []Note }

// Say notes a reason with its arguments, of which some may be causes. The advice is that of
// the reason, or else of a cause.
func (n *Notes) Say(pos ir.Pos, r Reason, args ...any) {
	if n != nil {
		n.List = append(n.List, New(pos, r, args...))
	}
}

// New makes a note.
func New(pos ir.Pos, r Reason, args ...any) Note {
	m := Note{Pos: pos, Text: formatted(reasons[r].text, args), Advice: r.advice(args), Of: []Reason{r}}
	for _, a := range args {
		if c, ok := a.(Cause); ok {
			m.Of = append(m.Of, c.Reason)
			if m.Advice == "" {
				m.Advice = c.Reason.advice(c.args)
			}
		}
	}
	return m
}

// Is reports whether the note says r.
func (n *Note) Is(r Reason) bool { return len(n.Of) > 0 && n.Of[0] == r }

// Lookup reports whether the note says how an access finds its place.
func (n *Note) Lookup() bool { return n.about(lookup) }

// about reports whether the note is about a topic.
func (n *Note) about(t topic) bool { return len(n.Of) > 0 && reasons[n.Of[0]].topic == t }

// CheckedAs says, in the place of what was said of the checks in the line of pos, how they are made
// at another place: [CheckedOnce] or [CheckedTogether].
func (n *Notes) CheckedAs(r Reason, pos ir.Pos) {
	if n == nil {
		return
	}
	n.List = slices.DeleteFunc(n.List, func(m Note) bool {
		return m.Pos.File == pos.File && m.Pos.Line == pos.Line && m.about(check)
	})
	n.Say(pos, r)
}

// Obstacles say why ops with effects keep a loop from packets. Those that are lowered before
// packets are made have the reason of what they become.
var Obstacles = map[ir.Code]Reason{
	ir.OpFollow:     SparseLookup,
	ir.OpGrow:       SparseLookup,
	ir.OpFind:       SparseLookup,
	ir.OpEnter:      SparseLookup,
	ir.OpVisit:      SparseLookup,
	ir.OpEntry:      SparseLookup,
	ir.OpListMask:   SparseLookup,
	ir.OpMask:       SparseLookup,
	ir.OpActivate:   SparseLookup,
	ir.OpDeactivate: SparseLookup,
	ir.OpIsActive:   SparseLookup,
	ir.OpAppend:     SparseLookup,
	ir.OpCount:      SparseLookup,
	ir.OpShrink:     SparseLookup,
	ir.OpRand:       CallOrTable,
	ir.OpAtomic:     Atomic,
	ir.OpFail:       CheckMayFail,
	ir.OpRecord:     Printed,
	ir.OpAlloc:      ArrayInMemory,
	ir.OpReturn:     LeavesSeveral,
}
