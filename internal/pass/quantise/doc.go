// Package quantise turns accesses to quantised numbers into accesses to the words in which they are packed (Hu, Taichi, chapter 5;
// docs/decisions/0011-quantised-types.md).
//
// In: the body of a kernel with the indices of the source, in which some fields say how their components are stored. Out: the
// same with fields of words in their place ([WordFields]), and ordinary ops that decode and encode ([Kernel]).
//
//	quantise    the pass: what becomes of each op
//	word        members of words, and stores to a word that become one
//	join        assignments and updates of several parts
//	wordfield   the fields that stand for words
//	atomic      updates that one atomic instruction makes
//	fill        loops that store all elements of a word
//	private     sums into bit arrays: each thread adds to numbers of its own
//	sums        sums that clamp: added up apart, and clamped after the loop
//	count       tallies of stores, for Runtime.Ranges
//
// Package adapter writes the arithmetic of codes, and package bits the loops over words that a loop over elements is cut into.
//
// Invariants: a number that is stored has the bits that package quant gives it. Updates of other members of a word are not lost:
// a word that several iterations may write to is replaced by compare-and-swap.
//
// Golden files are beside this file. Package internal/quanttest runs kernels on packed fields against the oracle, bit for bit.
package quantise
