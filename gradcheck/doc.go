// Package gradcheck tests derivatives: those of the compiler, those of
// [ti.Runtime.CustomGrad] and those given by //ti:grad.
//
// In: a function that launches kernels, its loss, and fields that the loss depends on. Out: nil, or an error
// that names the first kernel whose derivative is wrong.
//
// # Method
//
// A derivative is compared with a difference quotient along a random direction. Both are formed for several steps h,
// and what is extrapolated to h = 0 is their discrepancy, by the scheme of Ridders (Accurate computation of F'(x) and
// F'(x)F”(x), Advances in Engineering Software 4, 1982): it is 0 if the derivative is right, even where rounding makes
// the step that was taken another one than the step that was meant. A derivative
// is wrong if steps that differ by a factor of eight give about the same discrepancy. Where neither is so, as beside a kink
// or a jump, nothing is concluded from that direction.
//
// The gradient is that by what the fields hold before the function. A tape leaves something else in the adjoint of an
// element that a launch stores to: the derivative by the value stored. A second tape clears that, and tells these elements, by whose first values the
// derivative is 0. Of a sparse field the active elements are numbered, since a step elsewhere would activate more of them, and change what loops run
// over.
//
// For a single launch F, with Jacobian J, the quotient of ⟨F(x), w⟩ along v is compared with ⟨v, Jᵀ w⟩: v and w are
// random, over all fields that have an adjoint. So the launch whose derivative is wrong is told from those that only pass
// a wrong number on.
package gradcheck
