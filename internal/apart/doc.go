// Package apart is a machine for tests, whose memory is not that of the host. Kernels run on the processors, in memory that the host
// knows no address of. What the host has of an area is a copy, which faults on each access while its door (package device) is closed.
// Launches run on a goroutine of their own, and end later.
//
// So whoever touches an element past the door crashes here, whoever keeps what was there before a launch finds old values, and
// whoever writes without saying so loses what was written. All programs run on this machine as on others, but for those that ask for
// the address of elements, which they get as an error.
//
// In: the machine that the code is for. Out: another one.
//
// Sparse trees have their blocks in the process's memory, as on processors: their blocks name each other by address.
//
// Invariants: an area is open, or a launch runs, never both. In calls that a launch makes between its tasks, areas may be open. Whoever
// waits for a launch to end holds no door.
package apart
