package launch

import "fmt"

// A Trap is the error of a launch whose code did what the machine forbids, such as an access outside of its memory. It is a fault of the compiler, never of
// the program. Nothing is known of what the task at Place has done.
type Trap struct {
	Place Place
	Err   error
}

func (e *Trap) Error() string {
	return fmt.Sprintf("the machine code of a loop or of serial code was stopped by the runtime that runs it, which is a fault of this package: %v", e.Err)
}

// Unwrap returns what the runtime of the code says.
func (e *Trap) Unwrap() error { return e.Err }
