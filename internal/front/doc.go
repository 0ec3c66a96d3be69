// Package front leads from the text of a program to what its kernels are made of.
//
// In: the files of a [Source], and what a host has bound to its declarations. Out: a [Checking], which has the outline
// of the program, what a runtime must know of it; and where that is asked for, the checked [Tree], which the compiler
// lowers ([Tree.Lower]), explains and dumps.
//
// A source is parsed and checked only when that is needed. The outline may be in the cache on disk, or in a file of
// code that was compiled ahead of time ([Shipped]). Then a program neither parses nor checks nor lowers, as long as
// all that it launches is there too. What the sources of a runtime have in common is in its [Env].
//
// A program that is built with the tag ti_ahead has no compiler: front_ahead.go stands for it, and says so wherever a
// source would have to be looked at.
package front
