package variant

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/store"
)

// SourceErrors are all errors found in a source, or in building a tree, sorted by position.
type SourceErrors = diag.ErrorList

// A SourceError is one mistake in a source, in binding it to a host, or in a layout.
type SourceError = diag.Error

// A Code identifies a kind of SourceError; `ti explain TI0123` tells about it.
type Code = diag.Code

// A RuntimeError is the failure of a launch. errors.Is finds what went wrong
// (diag.ErrRange, …). Where iterations failed in parallel, it describes one of them.
type RuntimeError struct {
	Kernel string
	Pos    token.Position // in the source
	Err    error          // one of the Err variables
	Msg    string         // with the values concerned
	Field  string         // for an index out of range: of which field or array,
	Index  []int          // which index,
	Shape  store.Shape    // and what would have been its limits
	Loop   []int          // index of the parallel iteration that failed
	Count  int            // number of failures counted, at least 1

	// Of a race: where the other access to the element is, and the index of the
	// iteration that made it. Count is the number of elements with a race.
	Other     token.Position
	OtherLoop []int
}

// Error returns kernel, position and message on one line.
func (e *RuntimeError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: kernel %s: %s", Place(e.Pos), e.Kernel, e.Msg)
	if len(e.Loop) > 0 && e.Err != diag.ErrRace {
		fmt.Fprintf(&b, ", in iteration %v", e.Loop)
	}
	switch {
	case e.Count == 2:
		b.WriteString(" (and 1 failure more)")
	case e.Count > 2:
		fmt.Fprintf(&b, " (and %d failures more)", e.Count-1)
	}
	return b.String()
}

// Unwrap returns e.Err.
func (e *RuntimeError) Unwrap() error { return e.Err }
