// Package hostmem is the host's memory as a launch on the oracle sees it: elements by index and
// component, and the sets of the active cells of sparse trees.
//
// In: places of elements, and trees. Out: what package oracle works on, and in the end what has
// changed, carried over to the host.
//
// Invariants: nothing that a kernel does passes through a layout; an element is read from the
// host once, and the host has the changes only when the launch is over.
package hostmem
