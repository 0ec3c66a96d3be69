package engine

import (
	"fmt"
)

// StackSize is the size in bytes of the stack that each thread runs tasks on. The stack
// of an operating system's thread may be smaller than a task needs, since its size is set
// outside of the process (ulimit -s). So the engine reserves stacks itself: address space
// that becomes resident as it is used.
//
// The code generator has to keep the frame of a task, together with the frames of the
// functions that it calls, below this size.
const StackSize = 64 << 20

// openStacks reserves the stacks of all threads, once.
func (e *Engine) openStacks() error {
	if e.stacked {
		return nil
	}
	for _, t := range e.threads {
		if t.stack != nil {
			continue
		}
		r, err := e.place.Space().Reserve(e.stackSize())
		if err != nil {
			return fmt.Errorf("no stack for a thread: %w", err)
		}
		// The system would zero a large page for the few bytes that most tasks use.
		r.Large(0, r.Len(), false)
		t.stack = r
		t.call.stack = uintptr(r.Base()) + uintptr(r.Len())
	}
	e.stacked = true
	return nil
}

// stackSize is how large a stack is.
func (e *Engine) stackSize() int64 {
	if e.embedder != nil {
		return e.embedder.Stack()
	}
	return StackSize
}

// closeStacks frees the stacks. No task may be running.
func (e *Engine) closeStacks() {
	for _, t := range e.threads {
		if t.stack != nil {
			_ = t.stack.Free()
			t.stack, t.call.stack = nil, 0
		}
	}
}
