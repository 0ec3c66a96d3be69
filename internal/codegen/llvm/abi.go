package llvm

// MaxLocal is the limit for the local arrays of a task or function, in bytes. MaxFrame is
// the limit for its whole stack frame, spilled values included; LLVM reports a function
// that exceeds it. The stack of an engine thread has 64 MiB, enough for a task and the
// functions that it calls. Windows runs tasks on the stacks of its own threads, which are smaller: there
// maxLocalWindows and maxFrameWindows hold.
const (
	MaxLocal = 24 << 20
	MaxFrame = 28 << 20

	maxLocalWindows = 4 << 20
	maxFrameWindows = 6 << 20
)
