package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
)

// An outlet is standard output as commands see it. It keeps the first failure to write, so
// that commands need not check each Printf: run checks once, when the command has
// ended. After a failure nothing more is written, since readers would not notice the gap.
type outlet struct {
	w   io.Writer
	err error // a *writeError
}

// A writeError is a failure to write to standard output.
type writeError struct{ err error }

func (e *writeError) Error() string {
	return fmt.Sprintf("standard output is not complete: %v; make room, or send it elsewhere", e.err)
}

func (e *writeError) Unwrap() error { return e.err }

// Write implements [io.Writer].
func (o *outlet) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	if err != nil {
		o.err = &writeError{err}
	}
	return n, o.err
}

// end closes the underlying writer, since some file systems report only then that there was
// no room. If output is missing, it says so on errs, unless reported, the error that the
// command has reported, is about that. It returns the exit status.
func (o *outlet) end(errs io.Writer, status int, reported error) int {
	if c, ok := o.w.(io.Closer); ok {
		if err := c.Close(); err != nil {
			o.err = cmp.Or[error](o.err, &writeError{err})
		}
	}
	if o.err == nil {
		return status
	}
	if !errors.Is(reported, o.err) {
		fmt.Fprintf(errs, "ti: %v\n", o.err)
	}
	return max(status, 1)
}
