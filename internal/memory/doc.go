// Package memory provides address space outside of the Go heap, and access to memory by address.
//
// In: a number of bytes. Out: a [Region] of zeroed, page-aligned memory with an inaccessible guard zone on each side. The package also
// turns addresses of foreign memory into pointers and slices ([Pointer], [Bytes]), and parses and formats sizes ([ParseSize], [Text]).
//
// Invariants: the garbage collector neither moves nor scans a region. A page is resident only after it is touched. A region is valid until
// [Region.Free]. [Region.Discard], [Region.Offer] and [Region.Large] are only for regions that [Reserve] made.
package memory
