// Package autodiff differentiates kernels.
//
// In: a kernel lowered for differentiation ([lower.Options].Gradient), with its random
// numbers made explicit, and for each of its fields the field of its adjoint, if it has one. Out:
// another kernel, which the rest of the compiler treats as any other: the adjoint ([Reverse]), or the kernel
// with tangents ([Forward]). Or an [Unsupported] error with the position in the source.
//
// # Normal form
//
// First a copy of the body is transformed into a form without jumps (normal.go): ifs end in yields, a for runs all
// its iterations, and a loop has a single exit condition at the end of its body. A jump becomes a number that says which
// path was taken, and the code that the jump skips is put under an if.
//
// # The backward pass
//
// A span of code is differentiated by two sweeps. The forward sweep computes the values of the span again, without
// effects outside of the iteration. The backward sweep visits the same ops in reverse order.
// Adjoints are SSA values; the rule of an op (rules.go) computes from the adjoint of its result the terms that are
// added to the adjoints of its operands. These hold:
//
//   - The adjoint of a load of a field is an atomic addition to the field's adjoint; the adjoint of a store or an
//     accumulation loads from it. The rules of data access ensure that fields have in the backward sweep the values that
//     were read. A value that an iteration stores and loads again is computed again instead (reload.go). The store adds
//     its adjoint to that of the element, where the program finds the derivative by the value of the last store.
//   - The adjoint of an if is an if on the same condition. Values inside the forward if that it needs become
//     results of the forward if.
//   - The adjoint of a loop visits the iterations in reverse order. Each iteration repeats its forward sweep, from the
//     values carried into it, which the forward sweep of the loop has stored (state.go). So the memory is proportional to
//     the sum of the loops' lengths, not to their product, and each level of a nest costs one more forward sweep.
//   - A local array has an array of adjoints. If the array is overwritten, a loop stores its elements, too.
//   - The adjoint of a parallel loop is a parallel loop over the same range. Adjoints of values from outside of it, and of
//     arrays of the kernel, are sums over its iterations, by atomics on variables of the kernel.
//
// # What loops keep
//
// For a loop of known length, a minimum cut (choose.go) chooses what is stored of each iteration: values that the body
// computes, carried values, or arrays. Everything else is loaded from fields or computed again. If the forward sweep of
// the loop would run only to store values, these are computed again instead. A loop of unknown length stores the carried
// values and the arrays that its iterations change, as far as the backward pass of an iteration reads them.
// It also stores values that a cut chooses, including values of each iteration of the loops of known length in it.
//
// # Gathers
//
// A parallel loop that loads neighbours, at its indices plus constants and with any treatment of borders, would add to
// their adjoints by atomics. Instead, a loop over the elements computes for each element the terms of the iterations
// around it, without atomics (gather.go, shift.go). This loop comes first, since the rest of the backward pass may clear
// adjoints that it reads. If an iteration reads again what it has stored, the terms of these reads are added to the
// adjoint before (settle.go), so that the gathers of neighbours find them there. Serial loops of few iterations over
// neighbours are unrolled first (unroll.go). Where computing iterations again costs more than atomics, atomics are used
// (gathercost.go).
//
// # Promises
//
// A promise of the source about an index holds for each iteration of the backward pass, too (promise.go), and in forward
// mode.
//
// # Functions with a derivative of their own
//
// These functions are calls (call.go, calltangent.go). A value of many components is passed as the lanes of one value,
// which is loaded from an array as a whole and stored to one. The two sweeps treat such a load or store like that of a
// number. When the last call has been inlined, [Inline] replaces these values (whole.go): by the array that the value was
// loaded from, if that array no longer changes; otherwise by a copy, or by code that computes the lanes in the loop that
// needs them. The tangents of long functions, and of functions with such values, are computed in a loop of one
// iteration, or of more if a tangent is not finite (turns.go), so that the code has the function only once.
//
// # Old values
//
// The results of atomics and appends cannot be computed again. Where the backward pass needs them, [Record] makes a
// variant of the launched kernel that stores them, and [Reverse] differentiates loads of the stored values instead
// (oldvalue.go).
//
// # Index checks
//
// The launch has made all accesses that the backward pass repeats. If only arguments and loop indices determine an
// access, it is not checked again (pure.go). If memory does, it is checked, since memory may have changed.
//
// All code is emitted, needed or not, except the code that stores what loops keep (needed.go, slice.go); passes remove
// the rest.
//
// # Loops of unknown length
//
// States are stored in local arrays with a fixed number of entries. A loop with more iterations stores every second,
// fourth, … of its states. Before the backward pass of the segment that follows such a state, the segment runs again, and
// then stores its other values. The time is at most that of one more forward sweep, and the memory is
// fixed. If a segment has more iterations than there are entries, it is processed in batches, and for each batch the
// iterations of the segment before it run again. So more than one additional forward sweep is needed only if there are
// more iterations than the square of the number of entries, and there is no limit on their number.
//
// Sources: Griewank and Walther, Evaluating Derivatives, 2nd edition, SIAM 2008, chapters 3, 5 and 12; Hu et al.,
// DiffTaichi, ICLR 2020.
package autodiff
