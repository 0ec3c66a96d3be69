// Package ahead writes and reads files of kernels that were compiled ahead of time, for processors of chosen levels.
//
// In: descriptors and pieces of code by key, from the compiler; or files that a program has embedded.
// Out: a file for each level ([Builder]); or the kernel of a key ([Set]).
//
// # Levels
//
// Code is made for a [Level]: all processors that have certain instructions. A program may have
// files of several levels. It takes a kernel from the file of the highest level that its processor supports. One level is that of modules
// ([Wasm]), which run on any machine, as WebAssembly, and in pages.
//
// # The file
//
// A line with the format, the interface between code and runtime ([ABI]), the level and the version of
// the compiler; a line with the SHA-256 of the rest; a table of kernels; and the descriptors
// and pieces, each stored once even if several kernels share it. Files are embedded as strings: only the parts of
// kernels that run are read and copied.
//
// Invariants: any bytes are either a file or an error; a file of another ABI is an error,
// since its code would not fit this runtime; equal input gives equal files.
package ahead
