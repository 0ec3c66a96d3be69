package launch

import "github.com/gotaichi/ti/internal/memory"

// What a module of WebAssembly and the machine that runs it agree on. A module has the code of one task.
const (
	// ModuleEntry is the name of its function, which takes the address of a [Context] (i32), the first iteration and the one behind the last (i64), and the upper
	// end of the thread's stack (i32).
	ModuleEntry = "task"

	// ModuleMemory is the name of its memory, and ModulePages how many pages of 64 KiB that has.
	ModuleMemory = "memory"
	ModulePages  = memory.WindowPages

	// ModuleHost is what it imports ModuleYield from, a function that lets other goroutines run.
	ModuleHost  = "ti"
	ModuleYield = "yield"

	// ModuleStack is how many bytes of stack a thread has.
	ModuleStack = 16 << 20
)
