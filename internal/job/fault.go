package job

// A Fault is an error of the compiler, and not of the program: a pass that fails, code that is not well formed, or
// code that libLLVM or the loader does not take. Where parts of the compiler can be left out, it may succeed without them.
type Fault struct{ Err error }

// Error returns the message of what went wrong.
func (f *Fault) Error() string { return f.Err.Error() }

// Unwrap returns what went wrong.
func (f *Fault) Unwrap() error { return f.Err }
