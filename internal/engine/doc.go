// Package engine runs compiled kernels: memory for fields, threads, and the
// launch itself.
//
// In: a [Code], the entry addresses of a kernel's tasks with what the engine must
// know of each (its ranges, its frame, its trees); arguments as 64-bit slots; the
// base addresses of the trees. Out: results as slots, and a [Fault] where a
// kernel recorded one. How source becomes Code is the driver's business; this
// package knows no compiler and can run code that was loaded from anywhere.
//
// # The interface of a task
//
// A task is a C function task(ctx, begin, end) that runs the iterations begin ≤ i
// < end of its range, numbered row-major; a serial task is called with (0, 1). ctx
// points to 64-bit slots:
//
//	+0   args    argument slots: one for each component of a parameter passed by
//	             value (low bits), two for a slice (data, length)
//	+8   bases   base address of each tree, in the order of ir.Kernel.Bases
//	+16  frame   the kernel's frame: results, loop bounds, values that cross tasks
//	+24  errs    error record: +0 count, +8 site+1 of the first, +16 its index or
//	             values, 64 numbers, +528 the index of its iteration, 8 numbers,
//	             +592 how many of those count
//	+32  key     key of the launch's random numbers
//	+40  worker  number of the thread, 0 for the one that launched
//	+48  text    the thread's buffer of records: +0 address of the next, +8 of the
//	             end, +16 how many found no room; for print records +24 address of
//	             their end, 0 once one was dropped, +32 how many were dropped, +40
//	             the least number of an iteration that lost one. Each record is a
//	             word site | values<<32, and the values, of which the first is the
//	             number of the iteration
//	+56  stop    address of an i32, which is not 0 once the launch is to end (stop.go)
//
// # Threads
//
// A launch runs on the calling goroutine; a parallel loop that is worth it is
// shared with workers, goroutines that wait a little while in a spin, then
// parked. Each thread owns a part of the range, the same one at every launch so
// that its caches stay warm, cut into chunks; who is done helps the others. The
// chunk size follows from the measured cost of an iteration. Launches of one
// engine run one at a time.
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
// In deterministic mode a range is cut into chunks that follow from the task and
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
