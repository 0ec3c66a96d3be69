// Package quantise replaces accesses to quantised numbers by accesses to the words in which they are packed (Hu, Taichi, chapter 5;
// docs/decisions/0011-quantised-types.md).
//
// In: the body of a kernel with the indices of the source, in which some fields describe how their components are stored. Out: the same
// with fields of words ([WordFields]) instead of these, and ordinary ops that decode and encode ([Kernel]).
//
//	quantise    the pass: how each op is rewritten
//	word        members of words, and the fusion of stores to a word
//	join        assignments and updates of several parts
//	wordfield   the fields that stand for words
//	atomic      updates by one atomic instruction
//	fill        loops that store all elements of a word
//	private     sums into bit arrays, in private copies of numbers
//	sums        sums that clamp: accumulated without clamping, and clamped after the loop
//	count       tallies of stores, for Runtime.Ranges
//
// Package adapter emits the arithmetic of codes. Package bits strip-mines loops over elements into loops over words.
//
// Invariants: a stored number has the bits that package quant gives it. Updates of other members of a word are not lost: an update of a
// word that several iterations may write to is a compare-and-swap, or one atomic instruction.
//
// Golden files are beside this file. Package internal/quanttest runs kernels on packed fields against the oracle, bit for bit.
package quantise
