// Package launch describes compiled kernels to what runs them.
//
// A [Kernel] is plain data: the tasks of a kernel in their order with all that the engine
// must know of each, but not its code. The driver makes it from the IR; the engine runs it
// with the addresses of the tasks' code. It has a binary form ([Kernel.Append], [Read]), so
// that it can be kept beside an object file. This package knows no compiler, and what
// describes a kernel here may have been compiled by anything.
//
// The file abi.go is the one place that says where generated code finds what:
//
// # The interface of a task
//
// A task is a C function task(ctx, begin, end) that runs the iterations begin ≤ i
// < end of its range, numbered row-major; a serial task is called with (0, 1). ctx
// points to a [Context]: slots of 64 bits, of which each names an area.
//
//   - slots: a word for each [Slot] of the task: an argument, a base address, or an address
//     in the kernel's frame. A parameter passed by value is an argument for each component
//     (low bits), a slice two (data, length). A base address is that of a tree, of a list or
//     of scratch memory. The frame has results, bounds of loops, values that cross tasks.
//   - errs: an [ErrorRecord].
//   - key: the key of the launch's random numbers; worker: the number of the thread, 0 for
//     the one that launched.
//   - text: the thread's [Buffer] of records. Each record is a word site | values<<32,
//     and the values, of which the first is the number of the iteration.
//   - stop: the address of an i32, which is not 0 once the launch is to end.
//   - loop: the number of the loop in the source that the task is of.
//
// Sites are known to a task by their place among its own; see [Task.Sites].
package launch
