// Package judge computes elementary functions with 200 correct bits and more, to test those of the maths library. Only tests use it.
//
// It shares nothing with the library: neither arithmetic nor constants, nor the algorithms of package ref, which computed the library's
// coefficients. Logarithms are arithmetic-geometric means, exponentials and arcs
// are Newton's method on logarithms and sines, sines are doubled angles.
//
// Arguments are finite numbers for which the function is finite and no special case. Results are good to 200 bits,
// relative to the result, over the whole domain of f64: an argument may be next to a pole, a zero, 1 or a multiple of π/2.
package judge
