// Package hostabi moves values between Go and kernels.
//
// In: a Go type, and the corresponding type of the kernel language. Out: whether they
// match, and code that moves Go values to and from slots:
//
//   - A [Codec] moves one argument or result to or from slots of 64 bits.
//   - A [Signature] is the type of a kernel function, by codecs. [MakeFunc] makes the function:
//     the common ones without reflection at each call.
//   - [Boxed] is the same for arguments in interfaces, as Kernel.Launch has them.
//   - A kernel function launches through a [Launcher], which gives it a [Frame] with the slots.
//
// Invariants: the caller may change values while a launch reads them, so each number is
// read once, and the number that was read is checked; common kernel functions do not allocate; the package
// does not know fields, programs or engines.
package hostabi
