// Command gen computes the constants of the maths library.
//
// In: the list of polynomials (polys.go). Out: coef.go, with minimax polynomials found by Remez' exchange, and numbers such as π split
// into several floats.
//
// Invariants: functions are computed by package ref, with 320 bits.
//
// Tests: internal/mathlib/judge compares the functions that use the constants with exact values.
package main
