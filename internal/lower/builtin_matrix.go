package lower

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/typed"
)

// matrixFns are the builtins on matrices.
var matrixFns = map[typed.Fn]func(l *lowerer, c *builtin) []*ir.Value{
	typed.Transpose:   func(_ *lowerer, c *builtin) []*ir.Value { return transposed(c.args[0], c.dims(0)[1]) },
	typed.Determinant: func(l *lowerer, c *builtin) []*ir.Value { return one(l.determinant(c.args[0], c.dims(0)[0])) },
	typed.Inverse:     func(l *lowerer, c *builtin) []*ir.Value { return l.inverse(c.args[0], c.dims(0)[0]) },
	typed.Trace:       func(l *lowerer, c *builtin) []*ir.Value { return one(l.reduce(ir.OpAdd, diagonal(c))) },
	typed.Diag:        diag,
	typed.Diagonal:    scalarMatrix,
	typed.Cols:        cols,
	typed.Rotation2:   rotation2,
	typed.Rotation:    rotation,
	typed.Translate:   translate,
	typed.Scale:       scale,
	typed.Homogeneous: homogeneous,
}

// matMul is the linear-algebra product; a vector on the left is a row, one on the
// right a column. The dims are the lengths of the operands' types.
func (l *lowerer) matMul(x, y []*ir.Value, dx, dy []int) []*ir.Value {
	inner, n := dx[len(dx)-1], 1
	if len(dy) == 2 {
		n = dy[1]
	}
	vals := make([]*ir.Value, 0, len(x)/inner*n)
	for r := 0; r < len(x); r += inner {
		for c := range n {
			sum := l.mul(x[r], y[c])
			for k := 1; k < inner; k++ {
				sum = l.add(sum, l.mul(x[r+k], y[k*n+c]))
			}
			vals = append(vals, sum)
		}
	}
	return vals
}

// transposed swaps rows and columns of a matrix of n columns.
func transposed(m []*ir.Value, n int) []*ir.Value {
	t := make([]*ir.Value, 0, len(m))
	for c := range n {
		for i := c; i < len(m); i += n {
			t = append(t, m[i])
		}
	}
	return t
}

// diagonal returns the entries m[i][i].
func diagonal(c *builtin) []*ir.Value {
	d := c.dims(0)
	vals := make([]*ir.Value, min(d[0], d[1]))
	for i := range vals {
		vals[i] = c.args[0][i*d[1]+i]
	}
	return vals
}

// diag is the diagonal matrix of a vector, or the diagonal of a matrix.
func diag(l *lowerer, c *builtin) []*ir.Value {
	if len(c.dims(0)) == 2 {
		return diagonal(c)
	}
	n := len(c.args[0])
	return l.onDiagonal(n, func(i int) *ir.Value { return c.args[0][i] })
}

// scalarMatrix is a scalar times the identity.
func scalarMatrix(l *lowerer, c *builtin) []*ir.Value {
	return l.onDiagonal(typed.Dims(c.T)[0], func(int) *ir.Value { return c.args[0][0] })
}

// onDiagonal makes a square matrix of n rows that is zero off the diagonal.
func (l *lowerer) onDiagonal(n int, at func(i int) *ir.Value) []*ir.Value {
	zero := l.num(at(0), 0)
	m := make([]*ir.Value, n*n)
	for i := range m {
		if m[i] = zero; i/n == i%n {
			m[i] = at(i / n)
		}
	}
	return m
}

// cols makes the matrix whose columns are the arguments.
func cols(_ *lowerer, c *builtin) []*ir.Value {
	var rows []*ir.Value
	for _, a := range c.args {
		rows = append(rows, a...)
	}
	return transposed(rows, len(c.args[0]))
}

// minor2 is the determinant of rows r, s and columns i, j of a matrix of n columns.
func (l *lowerer) minor2(m []*ir.Value, n, r, s, i, j int) *ir.Value {
	return l.sub(l.mul(m[r*n+i], m[s*n+j]), l.mul(m[r*n+j], m[s*n+i]))
}

// exactMinor2 is minor2 with an error of rounding no more than the result's: what
// rounding takes from the second product is computed, and given back (Kahan). So
// the inverse of a matrix with two small singular values is no worse than its
// condition makes it.
func (l *lowerer) exactMinor2(m []*ir.Value, n, r, s, i, j int) *ir.Value {
	a, b := m[r*n+j], m[s*n+i]
	p := l.mul(a, b)
	lost := l.b.Op(ir.OpFma, l.b.Op(ir.OpNeg, a), b, p)
	return l.add(l.b.Op(ir.OpFma, m[r*n+i], m[s*n+j], l.b.Op(ir.OpNeg, p)), lost)
}

// determinant is a closed form, for up to 4 rows.
func (l *lowerer) determinant(m []*ir.Value, n int) *ir.Value {
	if m[0].Type.Kind == ir.F16 {
		return l.convertTo(l.determinant(l.allTo(m, ir.F32), n), ir.F16)
	}
	switch n {
	case 1:
		return m[0]
	case 2:
		return l.minor2(m, 2, 0, 1, 0, 1)
	case 3:
		return l.expand3(m, l.cofactors3(m, l.minor2))
	case 4:
		return l.pair4(l.minors4(m, 0), l.minors4(m, 2))
	}
	panic("lower: the prelude has the determinants of large matrices")
}

// inverse is a closed form, for up to 3 rows. The inverse of a singular matrix has infinities or NaNs. The matrix is scaled by a power of two
// first, lest its determinant overflow, or vanish, where the inverse does not.
func (l *lowerer) inverse(m []*ir.Value, n int) []*ir.Value {
	if n == 1 {
		return one(l.div(l.num(m[0], 1), m[0]))
	}
	if m[0].Type.Kind == ir.F16 {
		return l.allTo(l.inverse(l.allTo(m, ir.F32), n), ir.F16)
	}
	down := l.scaling(m)
	return l.scaled(l.inverseOf(l.scaled(m, down), n), down)
}

// allTo converts numbers: half precision is too little for products of products.
func (l *lowerer) allTo(m []*ir.Value, k ir.Kind) []*ir.Value {
	to := make([]*ir.Value, len(m))
	for i, v := range m {
		to[i] = l.convertTo(v, k)
	}
	return to
}

// scaling returns the power of two that brings the largest magnitude in m near 1:
// with an exponent that mirrors the other's, both kept among the normal numbers.
func (l *lowerer) scaling(m []*ir.Value) *ir.Value {
	big := l.b.Op(ir.OpAbs, m[0])
	for _, v := range m[1:] {
		big = l.b.Op(ir.OpMax, big, l.b.Op(ir.OpAbs, v))
	}
	kind := big.Type.Kind
	fraction := map[ir.Kind]int64{ir.F32: 23, ir.F64: 52}[kind]
	top := int64(1)<<(int64(kind.Bits())-1-fraction) - 1 // the exponent of infinity
	bits := ir.Scalar(kind.Unsigned())
	shift := l.b.Int(bits, fraction)
	e := l.b.Op(ir.OpShr, l.b.Bitcast(big, kind.Unsigned()), shift)
	e = l.b.Op(ir.OpMax, l.b.Op(ir.OpMin, e, l.b.Int(bits, top-2)), l.b.Int(bits, 1))
	e = l.b.Op(ir.OpShl, l.b.Op(ir.OpSub, l.b.Int(bits, top-1), e), shift)
	return l.b.Bitcast(e, kind)
}

// inverseOf is inverse of a matrix with entries of moderate size.
func (l *lowerer) inverseOf(m []*ir.Value, n int) []*ir.Value {
	var adj []*ir.Value
	var det *ir.Value
	switch n {
	case 2:
		neg := func(x *ir.Value) *ir.Value { return l.b.Op(ir.OpNeg, x) }
		adj = []*ir.Value{m[3], neg(m[1]), neg(m[2]), m[0]}
		det = l.minor2(m, 2, 0, 1, 0, 1)
	case 3:
		cof := l.cofactors3(m, l.exactMinor2)
		adj, det = transposed(cof, 3), l.expand3(m, cof)
	}
	return l.scaled(adj, l.div(l.num(det, 1), det))
}

// cofactors3 returns the cofactor of each entry of a 3×3 matrix. Taking rows and
// columns in cyclic order makes their signs right.
func (l *lowerer) cofactors3(m []*ir.Value, minor2 func(m []*ir.Value, n, r, s, i, j int) *ir.Value) []*ir.Value {
	cof := make([]*ir.Value, 9)
	for i := range cof {
		r, c := i/3, i%3
		cof[i] = minor2(m, 3, (r+1)%3, (r+2)%3, (c+1)%3, (c+2)%3)
	}
	return cof
}

// expand3 is the determinant by the first row.
func (l *lowerer) expand3(m, cof []*ir.Value) *ir.Value { return l.dot(m[:3], cof[:3]) }

// pairs4 are the pairs of columns of a 4×4 matrix; pair 5-i has the other two.
var pairs4 = [6][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}

// minors4 returns the minors of rows r and r+1 for each of pairs4.
func (l *lowerer) minors4(m []*ir.Value, r int) []*ir.Value {
	s := make([]*ir.Value, 6)
	for i, p := range pairs4 {
		s[i] = l.minor2(m, 4, r, r+1, p[0], p[1])
	}
	return s
}

// pair4 is Laplace's expansion by the upper two rows: each minor times that of the
// complementary columns below, with the sign of the permutation.
func (l *lowerer) pair4(upper, lower []*ir.Value) *ir.Value {
	var sum *ir.Value
	for i := range upper {
		t := l.mul(upper[i], lower[5-i])
		switch {
		case i == 0:
			sum = t
		case i == 1 || i == 4:
			sum = l.sub(sum, t)
		default:
			sum = l.add(sum, t)
		}
	}
	return sum
}
