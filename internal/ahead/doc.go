// Package ahead has kernels that were compiled ahead of time, for processors of chosen levels.
//
// In: descriptors and pieces of code by key, from the compiler. Out: a file for each level
// ([Builder]), and from files that a program has embedded the kernel of a key ([Set]).
//
// # Levels
//
// Code is made for a [Level]: all processors that have certain instructions. A program may have
// files of several levels. It takes the kernel from the highest one that its processor runs.
//
// # The file
//
// A line with the format, the interface between code and runtime ([ABI]), the level and the version of
// the compiler; a line with the SHA-256 of the rest; a table of kernels; and the descriptors
// and pieces, each once however many kernels have it. Files are embedded as strings: only what
// is run is read and copied.
//
// These hold: any bytes whatever are a file or an error; a file of another ABI is an error,
// since its code would not fit this runtime; equal input gives equal files.
package ahead
