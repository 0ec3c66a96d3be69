// Package prelude holds builtins that are written in the kernel language itself:
// the decompositions of linear algebra.
//
// The checker instantiates a function of it as it does those of a source, once per
// size and type of numbers (internal/check/linalg.go), in a scope that has, besides
// the predeclared names,
//
//   - N, M and K: rows and columns of the matrix, and the smaller of the two;
//   - T, the type of the numbers given and returned, and W, the one that is computed
//     with: T, or f32 for a narrower T;
//   - Bits, Mantissa, Top: the unsigned integer as wide as W, the bits of its
//     mantissa, and the highest exponent field of a number;
//   - Eps, the distance from 1 to the next W;
//   - unroll, a wrapper for what stands behind range: static where matrices are
//     small, so that they stay in registers, nothing where they are not, so that
//     the code does not grow with the cube of their size.
//
// Code made of it has the position of the call, so no message points here.
package prelude

import (
	"embed"
	"io/fs"
)

//go:embed *.ti
var sources embed.FS

// Linalg returns the sources of svd, polar, symEig, eig, qr, solve, inverse and
// determinant: files of one package.
func Linalg() fs.ReadFileFS { return sources }
