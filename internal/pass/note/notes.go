package note

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// A Note tells the author of a kernel what a pass has done at a place in the source, or why it could not.
type Note struct {
	Pos    ir.Pos
	Text   string
	Advice string   // what would make the code faster; "" if nothing is evident
	Of     []Reason // the reason of the note, and then its causes
}

// Notes collects notes. A nil *Notes collects none; passes that would compute something only for a note test for nil first.
type Notes struct{ List []Note }

// Say adds a note with a reason and its arguments, which may include causes. The advice is that of the reason, or else of a cause.
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

// Is reports whether r is the reason of the note.
func (n *Note) Is(r Reason) bool { return len(n.Of) > 0 && n.Of[0] == r }

// Lookup reports whether the note is about the look-ups of an access.
func (n *Note) Lookup() bool { return n.about(lookup) }

// about reports whether the note is about a topic.
func (n *Note) about(t topic) bool { return len(n.Of) > 0 && reasons[n.Of[0]].topic == t }

// CheckedAs replaces the notes on checks in the line of pos by a note that the checks are made elsewhere: [CheckedOnce] or
// [CheckedTogether].
func (n *Notes) CheckedAs(r Reason, pos ir.Pos) {
	if n == nil {
		return
	}
	n.List = slices.DeleteFunc(n.List, func(m Note) bool {
		return m.Pos.File == pos.File && m.Pos.Line == pos.Line && m.about(check)
	})
	n.Say(pos, r)
}

// Obstacles are the reasons why ops with effects prevent packets. An op that is lowered before packets are made has the reason of the
// ops that replace it.
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
