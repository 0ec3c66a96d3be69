// Package hostmem is the host's memory as a launch on the oracle sees it: elements by index and
// component, and the sets of the active cells of sparse trees.
//
// In: places of elements, and trees of the host. Out: the memory that package oracle works on; after a launch, its
// changes are copied to the host.
//
// Invariants: no access of a kernel uses a layout; an element is read from the
// host once, and the host gets the changes only when the launch is over.
package hostmem
