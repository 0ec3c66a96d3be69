// Package driver takes a checked kernel through lowering, the passes, code
// generation and the loader: the whole compiler behind one call.
//
// In: a [typed.Program], the name of a kernel, a [Layout] that says where its
// fields lie, and [Options]. Out: a [Compiled] kernel, whose tasks have addresses
// in this process, or its text at any stage ([Dump]).
//
// Invariants: equal inputs give equal object bytes; nothing is shared between
// compilations, so several may run at once; a panic anywhere in the compiler
// becomes an error that names the kernel.
package driver
