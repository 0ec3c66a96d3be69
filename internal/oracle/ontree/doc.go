// Package ontree interprets the typed tree of a kernel, one iteration after the other, in the order of the source.
//
// It is a second oracle. Package oracle interprets the IR as lowering makes it, so a fault of lowering changes what the
// oracle and compiled code do alike, and a comparison of the two cannot show it. This package starts one step earlier and
// shares nothing with what comes after the tree: it imports neither lowering nor the IR nor a pass.
//
// In: a [typed.Program], one of its kernels, and an [Env] with the memory of fields, the arguments and the random key of
// the launch. Out: the kernel's results, what it hands to the host, whether it fails and where first, and the changed memory.
// A construct that the package does not know ends the run with a [NotCovered]. Nothing is passed over silently.
//
// A value is its components, row-major, each as the bits of its scalar type in the low bits of a word. Arithmetic is Go's
// own, on Go's own types. A variable is a list of components, an element is found by its index in [Memory]: there are
// no addresses. Transcendental functions are called through [Env].Math, as results are to be compared bit for bit.
//
// The order of evaluation is that of docs/language.md: index operands of places, then values, from left to right, then
// the stores. An index is compared with its bounds when the element is read or written, but that of a section where the
// section is made and where its element is named.
//
// Invariants: the tree is not changed; a run that ends with an error may have changed memory.
//
// Tests: beside it, and TestRandomTrees of internal/runtest/random; internal/variant has launches judged by it.
package ontree
