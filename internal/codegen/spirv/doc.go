// Package spirv translates tasks to SPIR-V, the language of Vulkan's compute shaders.
//
// In: a kernel that the passes have been over, without vectors. Out: for each task a module with one entry point, in the binary form of SPIR-V 1.5.
//
// A module is the code of one thread of a dispatch. It runs the prologue, then every iteration whose number is that of the thread plus a multiple of
// the number of threads, and the epilogue. What threads have accumulated there, those of a workgroup combine before one adds it to memory (combine.go). Of a loop of several axes it runs the iterations at its place in the tiles
// of its workgroup (block.go). Serial code, and a loop that keeps the order of its iterations, run in the first thread alone.
//
// Memory of fields, the kernel's frame and the words that a task is given are reached by device addresses (SPV_KHR_physical_storage_buffer), which are
// numbers of 64 bits as long as nothing is loaded or stored; how far a place is from its base, passes compute in 32 (target.Narrow). Local arrays are variables. What a dispatch is given stands in push constants; see [launch.PushSlots].
//
// SPIR-V wants structured control flow: a loop is left at one place. So a jump over several loops stores a number, and leaves each loop through its own
// merge block, behind which the number decides where to go on (control.go). Values that a construct carries or results in are in variables, which
// drivers make registers of.
//
// Numbers need no more of a device than integers of their width, and f64 for the arithmetic of f64 and of what package mathlib computes in it, such as fma,
// mod and functions of f32. Half-precision numbers are integers of 16 bits, and computed in f32 (half.go). The exact remainder of floats is a function in
// IR (package remainder). Fused products never get here: package mathlib writes them out for a target without an instruction for them.
//
// Under strict maths quotients and roots come from functions with two ways to compute them, of which a specialisation constant chooses one (exact.go): Vulkan lets drivers round both roughly. Whether a device
// keeps subnormal numbers is left to it: modules do not ask for that, since not all can. A machine adds what its device needs (strict.go).
//
// Drivers do not check what they compile, and some are wrong. Guards are named after what they guard against:
//
//   - llvmpipe ends all loops of a subgroup after 65,535 rounds in all, and says nothing. Code counts rounds, and reports that it has come near
//     (limit in control.go). A specialisation constant switches this off for other drivers.
//
//   - It compares a signed number that was extended from fewer bits with a constant wrongly, also where the constant comes out of its own folding. So
//     it must not find that the number was extended (hidden in convert.go).
//
//   - It rounds halves of f64 towards zero where they are to be rounded to an even number (roundEven in arith.go), and takes those from 2^24 on for whole numbers
//     where fractions are to be cut off (trunc).
//
//   - It takes x/0.0 for 0 where it sees the zero (zero in module.go).
//
//   - It takes atomics that order memory for barriers, and loses threads at them. So fences of their own order memory, which the same constant leaves out
//     (acquire and release in atomic.go).
//
// Blocks of sparse trees are named as their words name them, by addresses of the host; a table leads to those of the device (sparse.go). Records go to a
// room that all threads share (record.go). Large local arrays lie in memory of the device (local.go).
//
// What has no translation is an [target.Unsupported] with its place: large local arrays in functions that are called.
//
// Tests: those beside it need no driver; internal/vulkan runs programs on one and compares them with the oracle (TestPrograms, TestNumbers,
// TestCombined).
package spirv
