package ti

import (
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/variant"
)

// What went wrong, for errors.Is. Each error returned says more.
var (
	ErrArch   = diag.ErrArch
	ErrClosed = diag.ErrClosed
	ErrPlace  = diag.ErrPlace
	ErrLayout = diag.ErrLayout
	ErrMemory = diag.ErrMemory
	ErrArgs   = diag.ErrArgs
	ErrBusy   = diag.ErrBusy
	ErrDevice = diag.ErrDevice // the runtime can only be closed; others live on

	// Failures of kernels, always in a *RuntimeError. A parallel loop of more than
	// 1<<62 iterations is an ErrOverflow.
	ErrRange  = diag.ErrRange
	ErrAssert = diag.ErrAssert

	// Of differentiation: see Runtime.Checkpoint, and what has no derivative.
	ErrAccess   = diag.ErrAccess
	ErrGradient = diag.ErrGradient

	// Failures that debug mode finds; see Config.Debug and Config.CheckNaN.
	ErrOverflow = diag.ErrOverflow
	ErrDivide   = diag.ErrDivide
	ErrNaN      = diag.ErrNaN
	ErrFull     = diag.ErrFull // append gives -1 otherwise
	ErrRace     = diag.ErrRace
)

// SourceErrors are all errors found in a source, or in building a tree, sorted by
// position. Error returns them as a compiler prints them, each with its source
// line and a caret. errors.As also finds the first *SourceError in them.
type SourceErrors = diag.ErrorList

// A SourceError is one mistake in a source, in binding it to a host, or in a
// layout. Error returns position, message, code and help on one line.
type SourceError = diag.Error

// A Code identifies a kind of SourceError; `ti explain TI0123` explains it.
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
type RuntimeError = variant.RuntimeError
