// Package wgsl prints tasks as compute shaders in WGSL, the shading language of WebGPU.
//
// In: a task that the passes have been over for a target with 32-bit places (target.Narrow), without vectors. Out: the text of a shader with one entry point, or a [target.Unsupported] that
// says what WGSL lacks, with its place. No machine runs these shaders yet; people read them as a stage of package codegen/spirv's target.
//
//	stage   shaders as a stage of a target
//	shader  bindings, and the loop over the iterations of a thread
//	control ifs, loops and jumps
//	memory  places, accesses, atomics
//	arith   numbers
//	helpers functions for what WGSL defines differently
//
// A thread runs the iterations whose numbers are its own plus multiples of the number of threads. The buffer given has the number of the first iteration, that of the one behind the last, and the words of arguments.
// Each entry of the base table is a buffer of words. A place is such a buffer and a distance in bytes. Distances have 64 bits in the IR; their lower words are enough, since a buffer has less than 4 GiB. So of 64-bit
// integers only these are kept, and an op for which that is not enough is refused. Buffers that a task updates atomically have atomic words.
//
// What differs from other targets: an implementation of WGSL may assume that there are no infinities and NaNs, and rounds quotients and roots roughly. Loops do not look whether the launch is to end.
//
// WGSL has integers and floats of 32 bits, and bools that are in no buffer. What is refused: other widths (f64, i64 as numbers, f16, small integers), bools in fields, sparse trees, records, random numbers, calls, exact remainders
// of floats, results kept in order.
//
// Tests: internal/codegen/wgsl compares shaders with goldens (TestGolden), and has naga and tint accept them where these are installed (TestAccepted). Nothing runs them.
package wgsl
