// Package algebra simplifies: it folds constants, applies the identities of the algebra of each
// kind of number, and takes apart control flow whose course is known ([Simplify]).
//
// In: a unit of IR in any form. Out: the same unit with fewer or cheaper ops, with the same
// results, also for NaN, infinities and integers that wrap. What is left unused stays for dead
// code elimination.
package algebra
