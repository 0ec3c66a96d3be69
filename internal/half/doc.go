// Package half converts between half-precision numbers, in the 16-bit format of IEEE 754, and other widths.
//
// In: a number, the bits of a half-precision number, or its text. Out: the same number in another width, or as text.
//
// Invariants: every conversion rounds once, to the nearest number, ties to even.
package half
