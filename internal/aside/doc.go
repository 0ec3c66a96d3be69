// Package aside has kernels that the product itself launches for the host.
//
// In: a source in the language of programs, written for the fields that it is about, and what its declarations stand
// for. Out: a [Kernel], compiled like any other and launched beside the program: the random numbers of the program do
// not shift, and no count, profile or tape sees it. [NewCopier] makes of such kernels what copies the elements of
// large fields.
//
// Nothing depends on them. Where there is no compiler, or another launch is under way, Go does the work, bit for bit
// the same.
package aside
