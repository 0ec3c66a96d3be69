// Package device is memory by handle: what a machine has for the data of programs, wherever that lies.
//
// In: sizes. Out: an [Area] for each dense tree, and a [Space] from which sparse trees take their pools.
//
// The memory of a machine is that of the host (a CPU), or partly shared with it, or separate (most GPUs). So the host maps an area
// before it reads or writes there:
//
//   - [Area.Host] are bytes in the host's address space, at an address that does not change. If the area is shared they are the
//     area itself; otherwise they are a host copy of it.
//   - [Area.Map] waits for launches under way, and updates the host copy. Between Map and Unmap the host may read these bytes, and
//     write them if it has asked for that. At other times it may do neither, unless the area is shared.
//   - What the host has written reaches the machine before the next launch.
//   - Code that keeps an address for later, as Field.At and Slice do, asks [Area.Shared] first.
//
// The host keeps no area mapped while it launches. Calls of the host that a launch makes between its tasks (lists for loops, records)
// may map areas: they find the memory as the tasks before have left it.
//
// Blocks of sparse trees name each other by address, in kernels and on the host. So a [Space] is memory with the same addresses
// for both, and the holder of the launch lock may use it. It is shared, or ([Mirrored]) the machine has it to itself, and a copy for the host is at these addresses: then the
// host asks a [Mirror] before each access.
//
// The package knows no trees and no kernels.
package device
