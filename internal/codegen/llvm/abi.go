package llvm

// MaxLocal is the limit for the local arrays of a task or function, in bytes. MaxFrame is
// the limit for its whole stack frame, spilled values included; LLVM reports a function
// that exceeds it. The stack of an engine thread has 64 MiB, enough for a task and the
// functions that it calls.
const (
	MaxLocal = 24 << 20
	MaxFrame = 28 << 20
)
