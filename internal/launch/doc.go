// Package launch describes compiled kernels to the machines that run them.
//
// A [Kernel] is plain data: the tasks of a kernel in their order, with everything that the engine
// must know of each, but without code. The driver makes it from the IR; the engine runs it
// with the addresses of the tasks' code. It has a binary form ([Kernel.Append], [Read]), so
// that it can be stored beside an object file. This package does not depend on a compiler: any compiler
// can describe its kernels with it.
//
// The file abi.go alone defines where generated code finds its data:
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
//   - loop: the number of the source's loop that the task was made from.
//
// A task numbers its own sites from 0; see [Task.Sites].
package launch
