// Package fold computes ops whose operands are constants.
//
// In: an op of the IR. Out: the bits of its result, as the oracle and the machine code have them,
// or word that it has none at compile time. Nothing is changed. Functions are those of the maths library; the rest is
// computed apart from the oracle, which a test compares it with.
package fold
