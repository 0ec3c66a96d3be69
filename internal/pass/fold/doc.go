// Package fold computes ops whose operands are constants.
//
// In: an op of the IR. Out: the bits of its result, as the oracle and the machine code have them,
// or word that it has none at compile time. Nothing is changed.
package fold
