// Package session has what package ti is made of: runtimes, programs and kernels. Package ti gives these
// names, documentation, and the type parameters of its fields; each of its methods is one call here or there.
//
// In: what a program passes to package ti, and the targets that code can be compiled for. Out:
// results, and errors with position, cause and remedy.
//
//	Runtime    starts and closes what the rooms below share: maker, store, way, gradients
//	Program    a source bound to a host (package variant), with the kernel functions of the host
//	Kernel     a kernel of package variant, and what calls it (package flow)
//	coverage   counts the blocks of programs
//
// These hold:
//
//   - A launch holds the launch lock of the engine. Whatever a launch reads changes under it.
//   - Runtime.mu guards the list of programs. Locks are taken in the order launch lock, that of a program, Runtime.mu, that
//     of the store.
//   - The types of package ti are known by their parts; see package bind. What they are made of here embeds nothing, since the
//     methods of what it embeds would be public.
//
// Tests: package ti has them, since programs see all of this; internal/bind, internal/flow and internal/variant have those of
// what it is made of. A change is tested in half a minute of two processors by
//
//	go test . ./internal/bind ./internal/flow ./internal/variant ./internal/observe ./internal/aside
package session
