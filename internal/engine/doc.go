// Package engine runs compiled kernels: memory for fields, threads, and the
// launch itself.
//
// In: a [Code], made of a kernel's descriptor (package launch, which also says how tasks are
// called), the addresses of its tasks, and the base addresses of its trees; arguments as
// slots of 64 bits. Out: results as slots, and a [Fault] where a kernel recorded one. How
// source becomes these is the driver's business: this package knows no compiler and can run
// code that was loaded from anywhere.
//
// # Threads
//
// A launch runs on the calling goroutine; a parallel loop that is worth it is
// shared with workers, goroutines that wait a little while in a spin, then
// at rest (rest.go). Each thread owns a part of the range, the same one at every launch so
// that its caches stay warm, cut into chunks; who is done helps the others. The
// chunk size follows from the measured cost of an iteration. Launches of one
// engine run one at a time.
//
// The Go scheduler takes a call of a task for a system call, and looks after processors that are
// in one for long: where all of them are, this takes a tenth of a processor. Calls that are over
// soon for certain ([launch.Task.Steps], and the measured cost) it does not learn of, as of
// any Go code without a safe point, and chunks are short enough for them.
//
// # Stopping
//
// A launch ends early when its context is done or the engine is stopped. The engine
// checks this between tasks and between chunks; code that may run longer polls the stop
// word. The private copies of trees are merged all the same, so that a tree has the
// updates of the iterations that did run.
//
// # Stacks
//
// Tasks run on stacks that the engine makes for its threads (stack.go).
//
// # Deterministic results
//
// Where the descriptor asks for them, a range is cut into chunks that follow from the task and
// the range alone (fixed.go); what chunks accumulate is merged in their order, and
// copies of trees belong to parts of the range rather than to threads.
//
// # Records
//
// What a kernel hands to the host, such as text to be printed, lies in the buffers
// of the threads until its task is over, and goes to the code's [Sink] then: kernels
// call nothing. A kernel without records has none of this.
//
// # Sparse trees
//
// Code that works on sparse trees has [Trees]: before each task they make the lists that
// it runs over, whose addresses come into the base table, and after it they come into
// order. What a task deactivates it records.
//
// # Memory
//
// Trees lie in address space of their own with a guard page on each side, become
// resident page by page when touched, and are never moved or seen by the garbage
// collector.
package engine
