package variant

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/site"
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

// explain says what failed at a site other than an index.
func (e *RuntimeError) explain(s *site.Site, values []uint64) {
	e.Err, e.Msg = siteErrors[s.Kind], string(s.AppendText(nil, values))
	if n := len(s.Shape); s.Kind == site.Section && n > 0 { // an index that is none of the section
		e.Field, e.Index, e.Shape = s.What, signed(values[:n]), signed(values[n:2*n])
	}
}

// describe says which index of what is out of range.
func (e *RuntimeError) describe(what string, index, shape, low []int64) {
	e.Field, e.Index, e.Shape = what, store.Ints(index), store.Ints(shape)
	if what == "" {
		what = "a value" // computed, or a constant
	}
	e.Msg = fmt.Sprintf("index %v of %s is out of range: its shape is %v", e.Index, what, e.Shape)
	if slices.ContainsFunc(low, func(l int64) bool { return l != 0 }) {
		e.Msg += fmt.Sprintf(", its lowest index %v", low)
	}
}

// signed returns numbers that site values are.
func signed(values []uint64) (all []int) {
	for _, v := range values {
		all = append(all, int(v))
	}
	return all
}

// outside reports whether an index is not within a shape whose indices begin at low,
// or at 0 without one.
func outside(index, shape, low []int64) bool {
	for a, i := range index {
		l := int64(0)
		if a < len(low) {
			l = low[a]
		}
		if i < l || i >= l+shape[a] {
			return true
		}
	}
	return false
}

// siteErrors are what errors.Is finds in failures of sites.
var siteErrors = map[site.Kind]error{
	site.Assert: diag.ErrAssert, site.Overflow: diag.ErrOverflow, site.Divide: diag.ErrDivide, site.NaN: diag.ErrNaN, site.Full: diag.ErrFull, site.Length: diag.ErrRange, site.Section: diag.ErrRange,
}
