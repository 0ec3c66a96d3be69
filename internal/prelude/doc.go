// Package prelude holds builtins that are written in the kernel language itself:
// the decompositions of linear algebra, and reductions of whole fields.
//
// The checker instantiates a function of it as it does those of a source, once per
// size and type of numbers (internal/check/linalg.go), in a scope that has, besides
// the predeclared names,
//
//   - N, M and K: rows and columns of the matrix, and the smaller of the two;
//   - P, the columns of the right sides of least squares;
//   - T, the type of the numbers given and returned, and W, the one that is computed
//     with: T, or f32 for a narrower T;
//   - Bits, Mantissa, Top: the unsigned integer as wide as W, the bits of its
//     mantissa, and the highest exponent field of a number;
//   - Eps, the distance from 1 to the next W;
//   - Close, how near to each other singular values count as equal in a derivative;
//   - unroll, a wrapper for what stands behind range: static where matrices are
//     small, so that they stay in registers, nothing where they are not, so that
//     the code does not grow with the cube of their size;
//   - of, where of(f, m, b) is f(m, b) for the size of m and for as many right sides as b has;
//   - origin, where origin(x) is the lowest index of a field.
//
// A function f has its derivative in rules.ti, under the directive of a function with a derivative of its own, and in
// tangents.ti as fTangent what forward mode calls. Where f computes with W what another function gives it as T and
// takes back, it is f that has the derivative: rules call it, and second derivatives then have rules too. Functions
// and derivatives are right at any scale of the matrix, since all divide by the matrix times a power of two that
// brings it near 1; see scaling and factors. A power of two rounds nothing, so scaled matrices give the same bits.
//
// A product of two matrices, where it is more than 125 multiplications, is a call of looped: the compiler would make
// straight code of it, and libLLVM takes half a minute for the second derivatives of an inverse of 12 rows then.
//
// Reductions, in reduce.ti, are kernels with template parameters, so their loops are parallel where a kernel calls
// them. They are made of updates that give the same bits in any order (minima, and sums to which one iteration adds),
// and so need nothing of their own from the passes, or from the backward pass.
//
// Code made of it has the position of the call, so no message points here.
package prelude
