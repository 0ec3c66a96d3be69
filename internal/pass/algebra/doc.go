// Package algebra simplifies: it folds constants, applies the identities of the algebra of each kind of number, and resolves control flow
// whose conditions are known ([Simplify]).
//
// In: a unit of IR in any form. Out: the same unit with fewer or cheaper ops, and with the same results, also for NaN, infinities and
// integers that wrap. Unused values stay for dead code elimination.
package algebra
