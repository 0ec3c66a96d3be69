// Package session has what package ti is made of: runtimes, programs, and kernels with their variants. Trees and
// fields are those of package store, sources and what a host gives them those of package bind. Package ti gives these
// names, documentation, and the type parameters of its fields; each of its methods is one call here or there.
//
// In: what a program passes to package ti, and the targets that code can be compiled for. Out:
// results, and errors with position, cause and remedy.
//
//	Runtime    options, executor, store, programs; New, Close
//	Program    a checked source, bound to a host: load, program, checking
//	Kernel     its variants: one for each value of the host's constants, for each set of
//	           compile-time arguments (template), and for sizes (extents)
//	executor   makes a variant ready and runs it: compiled code, or the oracle
//	copier     kernels that copy the elements of large fields for the host
//
// These hold:
//
//   - A launch holds the launch lock of the engine. Whatever a launch reads changes under it.
//   - Program.mu guards the lists of variants, Runtime.mu that of programs. Locks are taken in the order launch
//     lock, Program.mu, Runtime.mu, that of the store.
//   - The types of package ti are known by their parts; see package bind.
package session
