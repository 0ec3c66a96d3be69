// Package wasm translates tasks to WebAssembly.
//
// In: a kernel that the passes have been over. Out: for each task a module with one exported function,
//
//	task(context i32, begin i64, end i64, stack i32)
//
// which runs the iterations begin ≤ n < end of the task's nest, numbered row-major. The functions that a task calls are in its module, those of the sparse runtime
// (package sparsert) and of the exact remainder too. The only import is a function of the host that lets other goroutines run, which polls call now and then.
//
// # Memory
//
// A module has one memory of [launch.ModulePages] pages, which the machine gives it: the same for all modules. It begins at a multiple of 4 GiB of the host's addresses, so that
// the lower 32 bits of an address of the host are the address for code here. Words in memory keep addresses of 64 bits, since the host and other tasks read them; a
// value of which only the lower half is wanted is a number of 32 bits from the start (plan.go). Nothing lies in the first page, so that the lower half of an address
// is 0 for null alone. There are no globals and no data, so any number of threads can be in an instance at once, each with a stack of its own: the last argument is
// its upper end. Local arrays, and constant tables, which a task writes when it begins, lie there.
//
// The memory is not declared shared, which costs speed. Atomics are atomic there as well, in all runtimes that have the proposal for threads.
//
// # Code
//
// WebAssembly is structured as the IR is: an if is an if, a loop a loop within a block, and a jump over several of them one instruction (control.go). Values are
// locals; one that is used once, in its block, is computed where it is used (values.go). What runs the module is taken to do no more than allocate registers: it hoists
// nothing, inlines nothing (inline.go does so with functions on vectors), and shares nothing but the test of an address that several accesses have in common. So
// offsets are in the instructions that access memory, negative ones too, since pointers are kept less than they are by as much ([plan]), and the first access tests how
// far all of them reach (reach.go).
//
// A narrow integer is kept as a word with its value, a bool as 0 or 1, a half-precision number as a word with its bits, computed in single precision (half.go). No
// operation traps: divisors are replaced before (divide.go).
//
// Vectors of any number of lanes are groups of 128 bits (vector.go). A lane takes 4 or 8 bytes, as the number does by itself, and of a mask it has all bits or none.
// Integers of 8 and 16 bits have lanes of their size where they fill registers, and masks where such integers are compared (narrow.go).
// Gathers, scatters, integer division and what else has no instruction go lane by lane. A load or store with a mask accesses a group at once where all of its lanes
// take part, and touches nothing that a lane beside the mask names.
//
// Floats are those of IEEE 754, without contraction, so strict maths and the other give the same bits, unless the passes differ. A product of f32 that a program fuses with
// a sum is computed in f64, and looked at again where that would be rounded wrongly (fused.go, fusedvector.go).
//
// What has no translation is a [target.Unsupported] with its place.
//
// Tests: internal/codegen/wasm runs modules on wazero, by its compiler and by its interpreter, and compares them with package fold (TestOps, TestVectorOps);
// internal/runtest and its folders run programs with TI_ARCH=wasm.
package wasm
