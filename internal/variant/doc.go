// Package variant has the variants of kernels, and finds or compiles their code.
//
// In: a [Program], a source with what a host has bound to its declarations. Out: for each of its kernels a [Variant].
// A variant is a kernel for certain values of the host's constants and pointers, or of compile-time arguments, in a
// role: the plain kernel, an adjoint, a kernel that counts stores or records accesses. A variant is compiled at its
// first use ([Variant.Hold]). Its code comes from memory, the cache on disk, a file of code that was compiled ahead of
// time, or the compiler; for tests, the oracle takes the place of all of these. A [TreeJudge] compares its launches with a second oracle.
//
// Launches of several variants can be compiled as one kernel ([Link]). What comes of that is in the cache, too, also that it does not pay.
//
// A [Maker] has what all variants of a runtime share.
//
// Invariants:
//
//   - The constants, pointers and arguments of a variant do not change: other values make another variant.
//   - The frame and the executable of a variant, which launches fill and read, belong to the holder of the launch lock.
//   - Program.Mu guards the bindings of a program, and the lists of variants.
//   - The package does not know who launches, or with which arguments.
//
// Tests: beside it are those of which code a launch gets; internal/flow has those of launches that wait for it, internal/ahead
// those of code from files. A change is tested in half a minute of two processors by
package variant
