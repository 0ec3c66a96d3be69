// Package flow has the one way from a call of a kernel to the machine.
//
// In: a call, by a kernel function or with boxed arguments ([Caller]). Out: results, or the error of the launch. In
// between the [Way] finds the variant for what the host holds now, asks its observers what is to be launched in its
// place, waits for the code, takes the launch lock, and runs the frame of the variant.
//
// Whoever wants to see launches is an [Observer] and joins the way: tapes, tangents, counts of what is stored.
// Observers stand in a list, and each gets what the one before it has chosen. A call that nobody observes loads one
// pointer more.
//
// Invariants:
//
//   - No kernel of a program is launched by another way. What is launched again, on the backward pass of a tape, and what
//     the product launches for the host, is no call of the program.
//   - A list of observers is never changed: who joins or leaves makes another one.
//   - Launches are numbered under the launch lock, in their order.
//
// Tests: beside it are those of waiting, stopping and observers; internal/variant has those of what is launched,
// internal/hostabi those of calls. A change is tested in half a minute of two processors by
//
//	go test ./internal/flow ./internal/variant ./internal/observe ./internal/aside ./internal/hostabi
package flow
