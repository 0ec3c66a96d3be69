// Package front turns the text of a program into its outline and, if needed, its checked tree.
//
// In: the files of a [Source], and what a host has bound to its declarations. Out: a [Checking]. It has the outline
// of the program, which is all that a runtime must know of it, and on request the checked [Tree], which the compiler
// lowers ([Tree.Lower]), explains and dumps.
//
// A source is parsed and checked only when that is needed. The outline may be in the cache on disk, or in a file of
// code that was compiled ahead of time ([Shipped]). Then a program neither parses nor checks nor lowers, as long as the
// code of all kernels that it launches is there too. [Env] has what all sources of a runtime share.
//
// A program that is built with the tag ti_ahead has no compiler: front_ahead.go takes its place, and returns an error
// wherever a source would have to be parsed.
package front
