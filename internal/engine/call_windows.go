package engine

import (
	"syscall"
)

// callTask runs a task on the thread's stack.
func callTask(c *call) {
	_, _, _ = syscall.SyscallN(c.fn, c.ctx, uintptr(c.begin), uintptr(c.end))
}

// callBrief runs a short task.
func callBrief(c *call) { callTask(c) }

func callHandingOff(c *call) { callTask(c) }
