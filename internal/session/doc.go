// Package session has what package ti is made of: runtimes, the trees and fields in them,
// sources bound to a host, and kernels with their instances. Package ti gives these names,
// documentation, and the type parameters of its fields; each of its methods is one call here.
//
// In: what a program passes to package ti, and the targets that code can be compiled for. Out:
// results, and errors with position, cause and remedy.
//
//	Runtime    options, executor, memory budget, programs; New, Close
//	Tree       nodes and fields, and the memory that they get when they are first used
//	Field      elements of any type, by address; fieldcore, fieldmem, fieldio, fieldsparse
//	Source     files, and those of the libraries that they import; load, library
//	Program    a checked source, bound to a host by a binder: bind, bundle, swap
//	Kernel     its instances: one for each value of the host's constants, for each set of
//	           compile-time arguments (template), and for sizes (extents)
//	executor   makes an instance ready and runs it: compiled code, or the oracle
//
// These hold:
//
//   - A launch holds the launch lock of the engine. Whatever a launch reads changes under it.
//   - Runtime.mu guards trees while they are built, Program.mu the lists of instances. They are
//     taken in the order launch lock, Program.mu, Runtime.mu.
//   - The types of package ti are known by their parts; see hosttype.go.
//   - Positions of mistakes are those of the innermost call from outside of this package and of
//     package ti.
package session
