// Package variant has kernels in all that they are compiled as, and their code.
//
// In: a [Program], a source with what a host has bound to its declarations. Out: for each of its kernels a [Variant]
// for the values that the host's constants and pointers have now, or for compile-time arguments, in a role: what a
// program launches, an adjoint, a kernel that counts or that is watched. A variant is compiled when it is first wanted
// ([Variant.Hold]). Its code comes from memory, the cache on disk, a file of code that was compiled ahead of time, or
// the compiler; for tests the oracle stands for all of these.
//
// What all variants of a runtime are made with is in its [Maker].
//
// Invariants:
//
//   - A variant does not change what it is of: other constants, pointers or arguments make another one.
//   - What a launch fills and reads, the frame and the executable, belongs to the holder of the launch lock.
//   - Program.Mu guards what a program has bound, and the lists of variants.
//   - Who launches, and with which arguments, is not known here.
//
// Tests: beside it are those of which code a launch gets; internal/flow has those of launches that wait for it, internal/ahead
// those of code from files. A change is tested in half a minute of two processors by
//
//	go test ./internal/variant ./internal/flow ./internal/ahead ./internal/bind
package variant
