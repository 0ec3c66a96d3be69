// Package autodiff differentiates kernels.
//
// In: a kernel as lowering leaves it for differentiation ([lower.Options].Gradient), with its random
// numbers made explicit, and for each of its fields the field that holds its adjoint, if it has one. Out:
// another kernel of the same kind, which the whole compiler takes as any other: its adjoint ([Reverse]), or what
// does the same and carries tangents along ([Forward]). Or an [Unsupported] error with the place in the source.
//
// # Normal form
//
// First a copy of the body is brought to a form without jumps (normal.go): ifs end in yields, a for runs all
// its iterations, and a loop ends its body with one decision. A jump becomes a number that says which
// way was taken, and what the jump leaps over is put under an if.
//
// # The backward pass
//
// A span of code is differentiated by a forward sweep, which computes again what it computed without
// any effect outside of the iteration, and a backward sweep over the same ops in reverse order.
// Adjoints are values, as everything in SSA; an op adds to the adjoints of its operands what its rule
// (rules.go) makes of that of its result. These hold:
//
//   - A load of a field adds to its adjoint by an atomic; a store takes from it, and an
//     accumulation too. The rules of data access make fields in the backward sweep hold what was read.
//     What an iteration has stored and loads again is computed again instead (reload.go). The store adds its adjoint
//     to that of the element, where the program finds the derivative by what the last store gave.
//   - An if goes back as an if on the same condition. What it needs of the inside of the forward one becomes a
//     result of that.
//   - A loop goes back through its iterations in reverse order. Each computes its forward sweep again, out of the
//     values carried into it, which the forward sweep of the loop has kept (state.go). So the memory is that of
//     the loops' lengths added up, not multiplied, and each level of a nest costs one more forward sweep.
//   - A local array has an array of adjoints. Where the array is overwritten, its elements belong to what a
//     loop keeps.
//   - A parallel loop goes back as the same parallel loop. Adjoints of values from outside of it, and of
//     arrays of the kernel, are sums over its iterations, by atomics on variables of the kernel.
//
// # What loops keep
//
// Of a loop of known length a minimum cut (choose.go) chooses what of an iteration is kept: values that the body
// computes, what is carried, or arrays. All else is loaded from fields or computed again. Where nothing but keeping
// wants a forward sweep of the loop, values are computed again rather than kept. A loop of unknown length keeps what
// is carried and the arrays that its iterations change, as far as the backward pass through one of them reads that,
// and beside it the values that a cut chooses, also those of each iteration of the loops of known length in it.
//
// # Gathers
//
// A parallel loop that loads neighbours, at its indices plus constants, whatever it does at the border, would add to
// their adjoints by atomics. Instead another loop, over the elements, computes what the iterations around each give to
// it (gather.go, shift.go), and none is left. It comes first: the backward pass may clear what it reads. What an
// iteration reads again of what it has stored is added to the adjoint of that before (settle.go), so that neighbours
// find it there. Where neighbours are visited by serial loops of few iterations, these are unrolled before
// (unroll.go), and where computing iterations again costs more than atomics, atomics stay (gathercost.go).
//
// # Promises
//
// What the source promises of an index in each iteration holds on the backward pass, too (promise.go), and in forward
// mode.
//
// # Functions with a derivative of their own
//
// They are calls (call.go, calltangent.go). Values of many components are passed as the lanes of one value, which is
// loaded from an array as a whole and stored to one. To the two sweeps such a load or store is one of a number: what
// is known of arrays holds for it, and so do sums of adjoints. [Inline] takes these values apart when the last call is
// gone (whole.go): a value is the array that it was loaded from, if that does not change any more, else a copy, or
// what computes its lanes in a loop that needs them. The tangents of long functions, and of those with such values,
// are computed in a loop of one turn, and more of them where a tangent is not finite (turns.go): so the function is
// there once.
//
// # Old values
//
// What atomics and appends returned cannot be found again. Where the backward pass needs it, [Record] makes another
// kernel of the one that is launched, which stores it, and [Reverse] differentiates what reads it in their place
// (oldvalue.go).
//
// # Index checks
//
// The launch has made the accesses that the backward pass makes again. Where arguments and loop indices alone decide
// about one, it is not checked again (pure.go); where memory does, which may have changed, it is.
//
// Everything is emitted, needed or not, except for what loops keep (needed.go, slice.go); passes drop the rest.
//
// # Loops of unknown length
//
// What is kept lies in local arrays of a fixed number of entries. A loop with more iterations keeps every second,
// fourth, … of its states, and runs such a segment again before it goes back through it. What else is kept of the
// iterations of the segment is stored then. The time is at most that of one more forward sweep, and the memory is
// fixed. If a segment has more iterations than there are entries, it is taken in batches, and those of the segment
// before a batch run again for each. So there are more than one more forward sweep if there are more iterations than
// the square of the entries, and still no limit.
//
// Sources: Griewank and Walther, Evaluating Derivatives, 2nd edition, SIAM 2008, chapters 3, 5 and 12; Hu et al.,
// DiffTaichi, ICLR 2020.
package autodiff
