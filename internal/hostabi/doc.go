// Package hostabi moves values between Go and kernels.
//
// In: a Go type, and the type that the kernel language has in its place. Out: whether they
// fit, and what moves values of the one to the slots of the other:
//
//   - A [Codec] moves one argument or result to or from slots of 64 bits.
//   - A [Signature] is the type of a kernel function, by codecs. [MakeFunc] makes the function:
//     the common ones without reflection at each call.
//   - [Boxed] is the same for arguments in interfaces, as Kernel.Launch has them.
//   - A [Launcher] is what a function launches: it gives a [Frame] with the slots.
//
// These hold: values of any shape may change while a launch looks at them, so each number is
// read once and checked as it was read; a common function allocates nothing; nothing here knows
// fields, programs or what runs kernels.
package hostabi
