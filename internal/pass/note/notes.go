// Package note collects what passes say to people: what they have made of a loop or an access, or
// why they could not.
//
// In: notes, each with a place in the source. Out: their list, in the order in which they came.
// They have no influence on code.
package note

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
)

// A Note says, in words for the author of a kernel, what a pass has done at a
// place in the source or why it could not.
type Note struct {
	Pos    ir.Pos
	Text   string
	Advice string // what would make the code faster; "" if nothing is evident

	// NoPackets marks a note that says why the loop does not run in packets. Nobody needs
	// it for a loop that LLVM has vectorised.
	NoPackets bool

	Lookup bool // marks a note that says how an access finds its place
}

// Notes collects notes. A nil *Notes takes none, and passes that have to work for
// a note ask for that first.
type Notes struct{ List []Note }

// Add notes something.
func (n *Notes) Add(pos ir.Pos, format string, args ...any) {
	if n != nil {
		n.List = append(n.List, Note{Pos: pos, Text: fmt.Sprintf(format, args...)})
	}
}

// Lookup notes how an access finds its place.
func (n *Notes) Lookup(pos ir.Pos, format string, args ...any) {
	n.List = append(n.List, Note{Pos: pos, Text: fmt.Sprintf("look-up: "+format, args...), Lookup: true})
}

// Advise is add with an advice.
func (n *Notes) Advise(pos ir.Pos, advice, format string, args ...any) {
	if n != nil {
		n.List = append(n.List, Note{Pos: pos, Text: fmt.Sprintf(format, args...), Advice: advice})
	}
}

// CheckedOnce says, in the place of what noteCheck said of the line of pos, that a copy
// of the loop needs no check there.
func (n *Notes) CheckedOnce(pos ir.Pos) {
	if n == nil {
		return
	}
	once := "checked before the loop starts, once for all iterations"
	n.List = slices.DeleteFunc(n.List, func(m Note) bool {
		return m.Pos.File == pos.File && m.Pos.Line == pos.Line && (strings.HasPrefix(m.Text, "checked:") || m.Text == once)
	})
	n.Add(pos, "%s", once)
}

// NoPackets adds a note that says why a loop does not run in packets.
func (n *Notes) NoPackets(pos ir.Pos, why string) {
	if n != nil {
		n.List = append(n.List, Note{Pos: pos, Text: "no packets of iterations: " + why, NoPackets: true})
	}
}

// Obstacle says, in words of the source, why an op with this code keeps a loop from packets.
func Obstacle(c ir.Code) string {
	if why, ok := Obstacles[c]; ok {
		return why
	}
	return "the body does something that is done for one iteration at a time"
}

// obstacles are ops with effects that packets do not have.
var Obstacles = map[ir.Code]string{
	ir.OpFollow:     aSparseTree,
	ir.OpGrow:       aSparseTree,
	ir.OpFind:       aSparseTree,
	ir.OpEnter:      aSparseTree,
	ir.OpVisit:      aSparseTree,
	ir.OpEntry:      aSparseTree,
	ir.OpListMask:   aSparseTree,
	ir.OpMask:       aSparseTree,
	ir.OpActivate:   "cells are activated",
	ir.OpDeactivate: "cells are deactivated",
	ir.OpIsActive:   "whether a cell is active is asked",
	ir.OpAppend:     "there is an append to a list",
	ir.OpCount:      "the length of a list is read",
	ir.OpEmpty:      "a list is cleared",
	ir.OpRand:       "random numbers are drawn",
	ir.OpAtomic:     "there is an atomic",
	ir.OpFail:       "a check may fail",
	ir.OpRecord:     "something is printed",
	ir.OpAlloc:      "there is an array in memory",
	ir.OpReturn:     "the kernel may return",
}

const aSparseTree = "each iteration looks up its own block of a sparse tree"
