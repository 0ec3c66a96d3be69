// Package llvm translates the tasks of a kernel into LLVM IR text.
//
// What comes in is an [ir.Kernel] as internal/pass leaves it: tasks, every
// access arithmetic on addresses, transcendental functions calls of functions
// in IR. What goes out is the text of one module that defines a function
//
//	void task<N>(ptr ctx, i64 begin, i64 end)
//
// for every task, which runs the iterations begin ≤ n < end of the task's nest,
// numbered row-major. The slots of ctx are the constants in abi.go. [Parts]
// divides a kernel with much to compile among several modules. A [Compiler] has libLLVM make
// code of them, and hands out a piece for each task.
//
// How the text is made:
//
//   - A nest of loops becomes a loop over rows, whose indices are carried along
//     without division, around a loop over the contiguous last dimension, which
//     is what LLVM vectorises (task.go).
//   - Structured control becomes blocks and phis; there is no memory but what
//     the IR calls memory (control.go).
//   - Iterations of a parallel loop are independent, so accesses to fields and
//     slices are marked as parallel and LLVM needs no checks for overlap; fields
//     are kept apart by alias scopes (memory.go).
//   - Functions with lane variants stay out of line until the loop vectoriser
//     has put the variants in place, and are inlined after it: [Late] tells
//     internal/llvm when (generate.go).
//
// Invariants: the same kernel and options give the same text; what is read or
// written is what the IR says, whatever the operands, so that no division,
// shift or conversion is undefined; the module needs no other symbol than those
// it defines and the functions of package sparsert, which are pieces of their own
// (runtime.go).
//
// Floats: without Strict, sums and products may be reassociated and contracted
// (reassoc contract). The fuse pass has contracted the sums of builtins, and made them
// strict. Not allowed are: nnan and ninf, since the language honours
// NaN and infinities; arcp, since x/y for denormal y would become infinite or
// NaN; nsz on arithmetic, since atan2 and division show the sign of a zero. Only
// min and max may take either of two zeros.
package llvm
