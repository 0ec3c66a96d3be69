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
//   - args: one slot for each component of a parameter passed by value (low bits), two
//     for a slice (data, length).
//   - bases: the base address of each tree, of a list or of scratch memory.
//   - frame: results, bounds of loops, values that cross tasks.
//   - errs: an [ErrorRecord].
//   - key: the key of the launch's random numbers; worker: the number of the thread, 0 for
//     the one that launched.
//   - text: the thread's [Buffer] of records. Each record is a word site | values<<32,
//     and the values, of which the first is the number of the iteration.
//   - stop: the address of an i32, which is not 0 once the launch is to end.
package launch
