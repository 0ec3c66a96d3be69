package autodiff

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
)

// An Unsupported error says what of a kernel has no derivative, and where it stands.
type Unsupported struct {
	Pos ir.Pos
	Msg string

	// Access says that a rule of data access is broken, which makes any derivative wrong.
	Access bool
}

// Error returns the message without the place.
func (e *Unsupported) Error() string { return e.Msg }

// fail notes the first thing that is in the way.
func (f *facts) fail(o *ir.Op, format string, args ...any) {
	if f.err == nil {
		f.err = &Unsupported{Pos: o.Pos, Msg: fmt.Sprintf(format, args...)}
	}
}
