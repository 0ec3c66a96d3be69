package job

import (
	"fmt"

	"github.com/gotaichi/ti/internal/launch"
)

// An Apart error says why a launch cannot be linked with others, and where in its kernel that is. It is launched by itself instead, so
// that this is no failure of the program.
type Apart struct {
	launch.Place
	Kernel string
	Part   int    // its number among the launches that were to be linked
	Reason string // as in "it has results"
}

// Error returns the reason in a sentence.
func (e *Apart) Error() string {
	at := ""
	if e.Line > 0 {
		at = fmt.Sprintf(" (%s:%d:%d)", e.File, e.Line, e.Column)
	}
	return fmt.Sprintf("%s%s is not linked with other launches: %s", e.Kernel, at, e.Reason)
}
