// Package simulator is a driver for Vulkan with one device, for tests. It runs modules of SPIR-V as the specifications say, and reports what these leave undefined. It shares nothing
// with package codegen/spirv, which makes the modules, nor with a real driver: numbers and rules come from the specifications of SPIR-V 1.5 and Vulkan 1.2.
//
// In: calls of Vulkan's functions, by the addresses that [Driver.Symbol] returns. Out: what the functions return, and a list of faults ([Driver.Faults]).
//
//	module, code    read a module, and compile it for the lanes of a subgroup
//	floats          what a driver may make of floats
//	access, atomics loads, stores, atomics, fences
//	lanes, arith    what instructions compute
//	run             the threads of a dispatch
//	memory          the device's memory, and when the host sees it
//	race            which threads have accessed a byte
//	order           which commands barriers put in order, and what they make visible
//	driver, objects, pipelines, queue, about, structs  the functions of Vulkan
//
// # How threads run
//
// A subgroup has from 1 to 64 lanes. Its threads run an instruction together if they are at the same one; of others, those that are furthest behind come first, so that they
// meet at the merge block. Some workgroups are under way at once. Their subgroups take turns, of a random number of accesses to memory; so do the lanes at an access. All that is
// random comes from one seed. Variables, shared memory and memory that nobody has written hold random numbers.
//
// # What is reported
//
//   - Access outside of a buffer, at an address that is not aligned, outside of a local array or table. Addresses have nothing to do with those of the host.
//   - Races: two threads of a dispatch access a byte, one of them writes, not both accesses are atomic, and neither comes before the other one by a barrier, or by fences and an atomic that
//     both threads access. Of the reads since the last write, two are kept. So a race can be overlooked, but none is reported that is not there. A number of 8 or 16 bits that is stored beside one
//     that an atomic of 32 bits updates is a race by the specification, too.
//   - Reads of what another command has written without a barrier that makes it visible, and writes that no barrier keeps behind earlier accesses.
//   - Results that are not defined: x/0, the least number by -1, shifts by the width or more, conversions out of range.
//   - Barriers that not all threads of a workgroup reach, dispatches that do not end, OpUnreachable.
//   - Buffers that share memory; more than 4,096 allocations, which fail as Vulkan says.
//   - Objects that were destroyed, are in use, or are left when their device ends; push constants that were not set; limits that are exceeded.
//
// What the device has written reaches the host's view of memory when a fence was waited for behind a barrier that makes it visible to the host; else the host keeps reading what was there.
// Commands run when their fence is waited for, no sooner.
//
// # What is not modelled
//
// Floats are rounded to the nearest, and quotients and roots are exact, where Vulkan allows some units in the last place. Subnormal numbers are kept. A [Leeway] changes that for quotients, roots and
// subnormal numbers of f32, not for sums, products and conversions. Subgroup operations are elect and reductions. There
// are no images, descriptors, semaphores or queues beside the one.
//
// Tests: internal/vulkan runs programs on it (TestSimulated), changes modules and barriers and sees that it notices (TestMutants, TestBarriers); internal/runtest/random has random kernels
// (TestRandomSimulated).
package simulator
