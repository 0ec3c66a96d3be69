package diag

import (
	"errors"
	"fmt"
	"go/token"
)

// What went wrong, for errors.Is. Each error returned says more.
var (
	ErrArch   = errors.New("ti: architecture or device not available")
	ErrClosed = errors.New("ti: closed")
	ErrPlace  = errors.New("ti: field not placed")
	ErrLayout = errors.New("ti: layout does not allow this")
	ErrMemory = errors.New("ti: out of memory")
	ErrArgs   = errors.New("ti: wrong arguments")
	ErrBusy   = errors.New("ti: already under way")
	ErrDevice = errors.New("ti: device lost")

	// Failures of kernels, always in an error that names the kernel. A parallel loop of more than
	// 1<<62 iterations is an ErrOverflow.
	ErrRange  = errors.New("ti: index out of range")
	ErrAssert = errors.New("ti: assertion failed")

	// Of differentiation.
	ErrAccess   = errors.New("ti: data access rule of differentiation violated")
	ErrGradient = errors.New("ti: no derivative")

	// Failures that debug mode finds.
	ErrOverflow = errors.New("ti: integer overflow")
	ErrDivide   = errors.New("ti: integer division by zero")
	ErrNaN      = errors.New("ti: not a number")
	ErrFull     = errors.New("ti: dynamic node full") // append gives -1 otherwise
	ErrRace     = errors.New("ti: race between iterations of a parallel loop")
)

// Errorf makes an error out of one of the Err variables and its particulars.
func Errorf(err error, format string, args ...any) error {
	return fmt.Errorf("%w: %w", err, fmt.Errorf(format, args...))
}

// List makes a list of mistakes at pos out of an error that the use of a field or tree can give.
func List(err error, pos token.Position) ErrorList {
	if l, ok := errors.AsType[ErrorList](err); ok {
		return l
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return ErrorList{e.At(pos)}
	}
	out := &Error{Pos: pos, Msg: err.Error(), Cause: err, Code: LayoutParts}
	switch {
	case errors.Is(err, ErrPlace):
		out.Code = NotPlaced
	case errors.Is(err, ErrClosed):
		out.Code = ClosedField
	case errors.Is(err, ErrMemory):
		out.Code = LayoutMemory
	}
	return ErrorList{out}
}
