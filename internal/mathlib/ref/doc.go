// Package ref computes elementary functions with math/big, slowly and to any precision. The tests of the maths library compare with it, and
// its polynomial coefficients are computed with it; nothing at run time uses it.
//
// In: finite arguments in the function's domain, with a precision of at most that of the [Ctx]. Out: results of which all but
// about ten bits of that precision are correct.
//
// Tests: internal/mathlib/judge compares each function with another one (TestReferences).
package ref
