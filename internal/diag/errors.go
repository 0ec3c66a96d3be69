package diag

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// A Code identifies a kind of error, for good. Package syntax has explanations.
type Code int

// String returns the code as in "TI0123".
func (c Code) String() string { return fmt.Sprintf("TI%04d", int(c)) }

// An Error is one mistake in a source.
type Error struct {
	Code Code
	Pos  token.Position
	Msg  string // what was found and what was expected
	Help string // a remedy; may be ""
	Line string // text of the source line
	// Via is the chain of instantiations and calls that led there, innermost first.
	Via []token.Position
	// Cause, if not nil, is what errors.Is finds in it.
	Cause error
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// At returns e with a position if it has none.
func (e *Error) At(pos token.Position) *Error {
	if e.Pos.Line > 0 {
		return e
	}
	at := *e
	at.Pos = pos
	return &at
}

// Error returns position, message, code and help on one line.
func (e *Error) Error() string {
	s := fmt.Sprintf("%s: %s [%s]", Place(e.Pos), e.Msg, e.Code)
	if e.Help != "" {
		s += "; " + e.Help
	}
	return s
}

// Place formats a position; a source without a name has only line and column.
func Place(p token.Position) string {
	if p.Filename == "" {
		return fmt.Sprintf("source:%d:%d", p.Line, p.Column)
	}
	return p.String()
}

// excerpt returns the source line and a caret.
func (e *Error) excerpt() string { return Excerpt(e.Line, e.Pos.Column) }

// Excerpt returns a source line and a caret under the column, counted from 1, tabs
// kept, so that the caret stands right at any tab width; "" where they are unknown.
func Excerpt(line string, column int) string {
	if line == "" || column < 1 {
		return ""
	}
	col := column - 1
	const longest = 160 // bytes of a line to show
	if len(line) > longest {
		from := max(0, min(col-longest/2, len(line)-longest))
		line, col = strings.ToValidUTF8(line[from:from+longest], ""), col-from
	}
	col = min(col, len(line))
	var pad strings.Builder
	for _, r := range line[:col] {
		if r == '\t' {
			pad.WriteByte('\t')
		} else {
			pad.WriteByte(' ')
		}
	}
	return "    " + line + "\n    " + pad.String() + "^"
}

// An ErrorList is all errors found, sorted by position.
type ErrorList []*Error

// Error returns the errors as a compiler prints them, each with its source line, a
// caret and help.
func (l ErrorList) Error() string {
	var b strings.Builder
	for i, e := range l {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s: %s [%s]", Place(e.Pos), e.Msg, e.Code)
		if x := e.excerpt(); x != "" {
			b.WriteString("\n" + x)
		}
		if e.Help != "" {
			b.WriteString("\n    help: " + e.Help)
		}
		for _, v := range e.Via {
			b.WriteString("\n    instantiated at " + Place(v))
		}
	}
	return b.String()
}

// Unwrap returns the errors one by one.
func (l ErrorList) Unwrap() []error {
	errs := make([]error, len(l))
	for i, e := range l {
		errs[i] = e
	}
	return errs
}

// Err returns the list as an error, nil where it is empty.
func (l ErrorList) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

// Sort orders the list by file, line, column, code and message and removes what is
// there twice. It returns the shortened list.
func (l ErrorList) Sort() ErrorList {
	compare := func(a, b *Error) int {
		return cmp.Or(
			cmp.Compare(a.Pos.Filename, b.Pos.Filename),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column),
			cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Msg, b.Msg))
	}
	slices.SortStableFunc(l, compare)
	return slices.CompactFunc(l, func(a, b *Error) bool { return compare(a, b) == 0 })
}
