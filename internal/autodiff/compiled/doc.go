// Package compiled has the tests of derivatives as programs get them: kernels with their adjoints are compiled, launched under
// tapes and tangents of package ti, and compared with the oracle's tape, difference quotients or the same derivative
// made in another way. Tests beside package autodiff compare adjoints in the IR.
//
// In: kernels written by hand, or made up by package madeup from seeds. Out: failures, with the seed that repeats them.
package compiled
