// Package apart is a machine for tests whose memory is separate from the host's. Kernels run on the processors, in memory whose addresses
// the host does not know. The host has a copy of each area, and every access to the copy faults while the area is not mapped (package
// device). Each launch runs on a goroutine of its own, and ends later.
//
// So code that touches elements of an unmapped area crashes here, code that keeps values from before a launch finds old ones, and
// code that writes to an area mapped for reading loses what it has written. All programs run on this machine as on others, except
// that asking for the address of elements is an error.
//
// In: the machine for which the code was compiled. Out: another one, which runs it.
//
// Sparse trees have their blocks in the process's memory, as on processors: the blocks name each other by address.
//
// Invariants: either areas are mapped, or tasks run, never both. In the calls that a launch makes between its tasks, areas may be mapped.
// Nobody who waits for the end of a launch has an area mapped.
package apart
