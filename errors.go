package ti

import (
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/session"
)

// What went wrong, for errors.Is. Each error returned says more.
var (
	ErrArch   = session.ErrArch
	ErrClosed = session.ErrClosed
	ErrPlace  = session.ErrPlace
	ErrLayout = session.ErrLayout
	ErrMemory = session.ErrMemory
	ErrArgs   = session.ErrArgs
	ErrBusy   = session.ErrBusy

	// Failures of kernels, always in a *RuntimeError. A parallel loop of more than
	// 1<<62 iterations is an ErrOverflow.
	ErrRange  = session.ErrRange
	ErrAssert = session.ErrAssert

	// Of differentiation: see Runtime.Checkpoint, and what has no derivative.
	ErrAccess   = session.ErrAccess
	ErrGradient = session.ErrGradient

	// Failures that debug mode finds; see Config.Debug and Config.CheckNaN.
	ErrOverflow = session.ErrOverflow
	ErrDivide   = session.ErrDivide
	ErrNaN      = session.ErrNaN
	ErrFull     = session.ErrFull // append gives -1 otherwise
	ErrRace     = session.ErrRace
)

// SourceErrors are all errors found in a source, or in building a tree, sorted by
// position. Error returns them as a compiler prints them, each with its source
// line and a caret. errors.As also finds the first *SourceError in them.
type SourceErrors = diag.ErrorList

// A SourceError is one mistake in a source, in binding it to a host, or in a
// layout. Error returns position, message, code and help on one line.
type SourceError = diag.Error

// A Code identifies a kind of SourceError; `ti explain TI0123` tells about it.
type Code = diag.Code

// A RuntimeError is the failure of a launch. errors.Is finds what went wrong
// (ErrRange, …). Where iterations failed in parallel, it describes one of them:
//
//	Kernel string         // its name
//	Pos    token.Position // in the source
//	Err    error          // one of the Err variables
//	Msg    string         // with the values concerned
//	Field  string         // for an index out of range: of which field or array,
//	Index  []int          // which index,
//	Shape  Shape          // and what would have been its limits
//	Loop   []int          // index of the parallel iteration that failed
//	Count  int            // number of failures counted, at least 1
//
// Of a race it has where the other access to the element is, and the index of the
// iteration that made it. Count is the number of elements with a race then.
//
//	Other     token.Position
//	OtherLoop []int
//
// Error returns kernel, position and message on one line, and Unwrap Err.
type RuntimeError = session.RuntimeError
