package mpi

import (
	"errors"
	"fmt"
	"time"
)

// What went wrong, for errors.Is.
var (
	ErrLibrary  = errors.New("no usable MPI")
	ErrRank     = errors.New("another rank failed")
	ErrLength   = errors.New("a message of another length")
	ErrDiverged = errors.New("ranks made different calls")
	ErrLimit    = errors.New("waited too long")
	ErrRequest  = errors.New("no such rank or tag")
)

// A RankError is the failure of a rank.
type RankError struct {
	Rank int
	Err  error
}

// Error returns the rank and its failure.
func (e *RankError) Error() string { return fmt.Sprintf("rank %d: %v", e.Rank, e.Err) }

// Unwrap returns [ErrRank] and e.Err.
func (e *RankError) Unwrap() []error { return []error{ErrRank, e.Err} }

// A LengthError is a message whose length is not that of the memory for it.
type LengthError struct {
	From, Tag int
	Want      int  // bytes of memory
	Got       int  // bytes that came
	More      bool // the message may go on after these
}

// Error names both lengths.
func (e *LengthError) Error() string {
	least := ""
	if e.More {
		least = "at least "
	}
	return fmt.Sprintf("rank %d sent %s%d bytes (tag %d), and %d were expected: the ranks disagree on what they exchange",
		e.From, least, e.Got, e.Tag, e.Want)
}

// Unwrap returns [ErrLength].
func (e *LengthError) Unwrap() error { return ErrLength }

// limitError is the failure of a wait that took too long.
func limitError(r *Request, waited time.Duration) error {
	return fmt.Errorf("%w: %s", ErrLimit, stallOf(r, waited))
}
