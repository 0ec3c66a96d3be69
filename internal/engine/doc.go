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
// The Go scheduler treats a call of a task as a system call, and polls processors that stay in one for
// long; if all processors do, this costs a tenth of a processor. Calls that are certain to be short
// ([launch.Task.Steps], and the measured cost) are not announced to the scheduler, just as Go code without
// a safe point is not, and chunks are kept short enough for that.
//
// # Concurrent launches
//
// A schedule (concurrent.go, launch.Schedule) runs several launches together. Their tasks are nodes of a graph; each node runs on one thread, once
// those that it waits for have run. Threads take nodes in program order, first those that they ran the last time, and whoever has run one looks for
// the next: there is no barrier. Each node has its own failure record. Everything else that belongs to the launch under way (records, lists, sums,
// private copies, status) its launches do not have, or it is not kept while they run. A node that would be shared by threads if it ran alone is so
// here, too: it divides the nodes into spans that run concurrently.
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
// Records that a kernel makes for the host, such as printed text, stay in the buffers
// of the threads until its task is over, and go to the code's [Sink] then: kernels
// call no function of the host. A kernel without records has no buffers.
//
// # Sparse trees
//
// Code that works on sparse trees has [Trees]: before each task they make the lists that
// it runs over, whose addresses go into the base table, and after it they note changes of the
// topology and merge the tables of hash nodes. A task only records the cells that it deactivates.
//
// # Memory
//
// Trees lie in address space of their own with a guard page on each side, become
// resident page by page when touched, and are never moved or seen by the garbage
// collector.
package engine
