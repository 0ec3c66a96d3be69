// Package flow launches kernels: it is the only path from a call of a kernel to the machine.
//
// In: a call, by a kernel function or with boxed arguments ([Caller]). Out: results, or the error of the launch. In
// between the [Way] finds the variant for the current values of the host, lets its observers replace it by another
// variant, waits for the code, takes the launch lock, and runs the frame of the variant.
//
// Code that has to see launches, such as tapes, tangents and counts of stores, is an [Observer] and joins the Way.
// Observers are in a list, and each gets the variant that the one before it has chosen. A call that nobody observes
// loads one pointer more.
//
// Invariants:
//
//   - All launches of a program's calls take this path. The launches of a backward pass, and those of the product itself
//     for the host, are not calls of the program, and do not.
//   - A list of observers is immutable: an observer that joins or leaves makes a new list.
//   - Launches are numbered under the launch lock, in their order.
//
// Tests: beside it are those of waiting, stopping and observers; internal/variant has those of what is launched,
// internal/hostabi those of calls. A change is tested in half a minute of two processors by
//
//	go test ./internal/flow ./internal/variant ./internal/observe ./internal/aside ./internal/hostabi
package flow
