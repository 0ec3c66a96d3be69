// Package session implements package ti: runtimes, programs and kernels. Package ti adds
// names, documentation, and the type parameters of its fields; each of its methods is one call of this package or of one below.
//
// In: the arguments of a program's calls of package ti, and the targets that code can be compiled for. Out:
// results, and errors with position, cause and remedy.
//
//	Runtime    starts and closes what the packages below share: maker, store, way, gradients
//	Program    a source bound to a host (package variant), with the kernel functions of the host
//	Kernel     a kernel of package variant, and its caller (package flow)
//	coverage   counts the blocks of programs
//
// Invariants:
//
//   - A launch holds the launch lock of the engine. All data that a launch reads is changed under this lock only.
//   - Runtime.mu guards the list of programs. Locks are taken in this order: launch lock, the program's lock, Runtime.mu, the
//     store's lock.
//   - Package bind recognises the types of package ti by their parts. The types here that they are made of embed nothing, since
//     the methods of embedded types would be public.
//
// Tests: package ti has them, since programs see all of this; internal/bind, internal/flow and internal/variant have those of
// what it is made of. A change is tested in half a minute of two processors by
package session
