package engine

import (
	"fmt"

	"github.com/gotaichi/ti/internal/memory"
)

// StackSize is the size of the stack that each thread runs tasks on. The threads
// of a process have whatever stack its owner has set (ulimit -s), which may be less than
// a task needs, so tasks run on memory of the engine's own. It is address space
// that becomes resident as it is used.
//
// A code generator has to keep the frames of a task, with those of the functions
// that it calls, below it.
const StackSize = 16 << 20

// openStacks makes the stacks of all threads, once.
func (e *Engine) openStacks() error {
	if e.stacked {
		return nil
	}
	for _, t := range e.threads {
		if t.stack != nil {
			continue
		}
		r, err := memory.Reserve(StackSize)
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

// closeStacks gives the stacks back. No task runs then.
func (e *Engine) closeStacks() {
	for _, t := range e.threads {
		if t.stack != nil {
			_ = t.stack.Free()
			t.stack, t.call.stack = nil, 0
		}
	}
}
