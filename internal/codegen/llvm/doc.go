// Package llvm translates the tasks of a kernel into LLVM IR text.
//
// In: an [ir.Kernel] after the passes of internal/pass. Its body is a list of tasks, every
// access is arithmetic on addresses, and transcendental functions are calls of functions
// in IR. Out: the text of one module that defines a function
//
//	void task<N>(ptr ctx, i64 begin, i64 end)
//
// for every task, which runs the iterations begin ≤ n < end of the task's nest,
// numbered row-major. The slots of ctx are the constants in abi.go. [Parts]
// divides a large kernel among several modules. A [Compiler] compiles the modules with libLLVM
// and returns a piece of code for each task.
//
// How the text is made:
//
//   - A nest of loops becomes a loop over rows, whose indices are computed incrementally
//     without division, around a loop over the contiguous last dimension, which
//     LLVM vectorises (task.go).
//   - Structured control becomes blocks and phis; only what is memory in the IR
//     is memory in LLVM IR (control.go).
//   - Iterations of a parallel loop are independent, so accesses to fields and
//     slices are marked as parallel and LLVM needs no checks for overlap; fields
//     are kept apart by alias scopes (memory.go).
//   - Functions with lane variants stay out of line until the loop vectoriser
//     has replaced their calls by the variants, and are inlined after it: [Late] tells
//     internal/llvm at which point (generate.go).
//
// Invariants: the same kernel and options give the same text; operations are
// defined for all operands, as in the IR: no division, shift or conversion is
// undefined behaviour; the module uses no symbols except those that it defines
// and the functions of package sparsert, which are pieces of their own
// (runtime.go).
//
// Floats: without Strict, sums and products may be reassociated and contracted
// (reassoc contract). The fuse pass has contracted the sums of builtins, and made them
// strict. Other flags are not set: nnan and ninf, since the language honours
// NaN and infinities; arcp, since x/y for denormal y would become infinite or
// NaN; nsz on arithmetic, since atan2 and division show the sign of a zero. Only
// min and max may return either of two zeros.
package llvm
