// Package aside makes and launches kernels that the product itself uses on behalf of the host.
//
// In: a source in the kernel language, and the fields and constants that its declarations are bound to. Out: a
// [Kernel], compiled like any other. Its launches do not change the random numbers of the program, and no count,
// profile or tape sees them. [NewCopier] uses such kernels to copy the elements of large fields.
//
// These kernels are an optimisation. Where there is no compiler, or another launch is under way, Go code does the same
// work with the same bits.
package aside
