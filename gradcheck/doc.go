// Package gradcheck tests derivatives: those of the compiler, those of
// [ti.Runtime.CustomGrad] and those given by //ti:grad.
//
// In: a function that launches kernels, its loss, and fields that the loss depends on. Out: nil, or an error
// that names the first kernel whose derivative is wrong.
//
// # Method
//
// A derivative is compared with a difference quotient along a random direction, for several steps h. The discrepancy of
// the two is extrapolated to h = 0, by the scheme of Ridders (Accurate computation of F'(x) and
// F'(x)F”(x), Advances in Engineering Software 4, 1982). It is 0 if the derivative is right, even if rounding changes
// the size of the step. A derivative is wrong if steps that differ by a factor of eight give about the same discrepancy.
// If neither is the case, as beside a kink or a jump, nothing is concluded from that direction.
//
// The gradient is the derivative by the values that the fields have before the function. A tape leaves something else in
// the adjoint of an element that a launch stores to: the derivative by the stored value. A second tape finds these
// elements; the derivative by their initial values is 0. Of a sparse field only the active elements are changed, since a
// step elsewhere would activate elements, and change the ranges of loops.
//
// For a single launch F, with Jacobian J, the quotient of ⟨F(x), w⟩ along v is compared with ⟨v, Jᵀ w⟩: v and w are
// random, over all fields that have an adjoint. This distinguishes a launch whose derivative is wrong from launches that
// only pass a wrong number on.
package gradcheck
