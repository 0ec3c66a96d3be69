package flow

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/variant"
)

// A program that launches in a loop and collects what fails with errors.Join gets the same error once for each launch.
// Where the runtime has called the function that does so, it sees all of them, and returns a joinedError, which prints
// each cause once.
//
// Errors of a source are long, and come from every launch of every kernel until the host is corrected. So elsewhere, where
// the runtime sees one launch at a time, only the first of these in a row is printed as a compiler would print it, and
// the others as repeatedErrors, of one line. That line is complete: who has thrown the first error away still reads
// what is wrong and where.

// A joinedError is what errors.Join has made of errors of which some have the same cause.
type joinedError struct {
	all   error   // what errors.Join returned
	first []error // of each cause
	more  []int   // how many have the same cause as the first
}

// Error returns the first error of each cause, and how many there are more.
func (e *joinedError) Error() string {
	var b strings.Builder
	for i, err := range e.first {
		if i > 0 {
			b.WriteByte('\n')
		}
		text := err.Error()
		b.WriteString(text)
		if e.more[i] == 0 {
			continue
		}
		before, after := " (", ")"
		if strings.Contains(text, "\n") { // the excerpt of a source
			before, after = "\n", ""
		}
		fmt.Fprintf(&b, "%sand %d more failed for the same reason%s", before, e.more[i], after)
	}
	return b.String()
}

// Unwrap returns what errors.Join returned, so that errors.Is and errors.As find all of it.
func (e *joinedError) Unwrap() error { return e.all }

var joinType = reflect.TypeOf(errors.Join(errors.ErrUnsupported))

// Joined returns the error of a function of the program that launches kernels: err itself, unless errors.Join made it
// of errors with one cause.
func Joined(err error) error {
	e := &joinedError{all: err}
	at := map[any]int{}
	repeats := false
	e.each(err, func(err error) {
		key := causeOf(err)
		if i, ok := at[key]; ok {
			e.more[i]++
			repeats = true
			return
		}
		at[key] = len(e.first)
		e.first, e.more = append(e.first, err), append(e.more, 0)
	})
	if !repeats {
		return err
	}
	return e
}

// each calls f with the errors that errors.Join has put together, in their order.
func (*joinedError) each(err error, f func(error)) {
	for pending := []error{err}; len(pending) > 0; {
		last := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if j, ok := last.(*joinedError); ok {
			last = j.all
		}
		if last == nil {
			continue
		}
		if reflect.TypeOf(last) != joinType {
			f(last)
			continue
		}
		parts := last.(interface{ Unwrap() []error }).Unwrap()
		for i := range parts {
			pending = append(pending, parts[len(parts)-1-i])
		}
	}
}

// causeOf is equal for errors with the same cause. Launches that fail at the same place of a kernel in the same way
// have one, whatever the values are.
func causeOf(err error) any {
	type failure struct {
		kernel, place, field string
		err                  error
	}
	switch e := err.(type) {
	case *variant.RuntimeError:
		return failure{e.Kernel, variant.Place(e.Pos), e.Field, e.Err}
	case *repeatedError:
		return e.err.Error()
	}
	return err.Error()
}

// A repeatedError is that of a launch that fails for the errors of a source that the launch before has failed for.
type repeatedError struct {
	err  error
	list diag.ErrorList
}

// Error returns the first error of the source on one line.
func (e *repeatedError) Error() string {
	text := "ti: as before: " + e.list[0].Error()
	if n := len(e.list) - 1; n > 0 {
		text += fmt.Sprintf(" (and %d more errors)", n)
	}
	return text
}

// Unwrap returns the error as the first launch has returned it.
func (e *repeatedError) Unwrap() error { return e.err }

// repeated returns the error of a launch: err, or one of one line if err are errors of a source that the last launch
// to fail for its source has failed for, too.
func (w *Way) repeated(err error) error {
	list, ok := err.(diag.ErrorList)
	if !ok || len(list) == 0 {
		return err
	}
	text := list.Error()
	if last := w.refused.Swap(&text); last == nil || *last != text {
		return err
	}
	return &repeatedError{err, list}
}
