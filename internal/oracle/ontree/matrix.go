package ontree

import (
	"github.com/gotaichi/ti/internal/typed"
)

// onMatrices computes a builtin on matrices.
func (a *arithmetic) onMatrices(e *typed.Builtin, args [][]uint64) ([]uint64, bool) {
	x := args[0]
	d := typed.Dims(e.Args[0].Type())
	one := func(v uint64) ([]uint64, bool) { return []uint64{v}, true }
	switch e.Fn {
	case typed.Transpose:
		return transpose(x, d[0], d[1]), true
	case typed.Determinant:
		return one(a.halfAs32(func(a *arithmetic, x []uint64) []uint64 { return []uint64{a.determinant(x, d[0])} }, x)[0])
	case typed.Inverse:
		if d[0] == 1 {
			return one(a.div(a.num(1), x[0]))
		}
		return a.halfAs32(func(a *arithmetic, x []uint64) []uint64 { return a.inverse(x, d[0]) }, x), true
	case typed.Trace:
		return one(a.reduce(typed.Add, 0, diagonal(x, d)))
	case typed.Diag:
		if len(d) == 2 {
			return diagonal(x, d), true
		}
		return a.fill(len(x), func(i, j int) (uint64, bool) { return x[i], i == j }), true
	case typed.Diagonal:
		return a.fill(typed.Dims(e.T)[0], func(i, j int) (uint64, bool) { return x[0], i == j }), true
	case typed.Cols:
		var rows []uint64
		for _, c := range args {
			rows = append(rows, c...)
		}
		return transpose(rows, len(args), len(x)), true
	case typed.Rotation2:
		cos, sin := a.m.env.Math(typed.Cos, a.s, x[0]), a.m.env.Math(typed.Sin, a.s, x[0])
		return []uint64{cos, a.neg(sin), sin, cos}, true
	case typed.Rotation:
		return a.rotation(x, args[1][0]), true
	case typed.Translate:
		return a.affine(len(x), func(i, j int) (uint64, bool) { return x[i], j == len(x) }), true
	case typed.Scale:
		return a.affine(len(x), func(i, j int) (uint64, bool) { return x[i], i == j }), true
	case typed.Homogeneous:
		n := d[0]
		return a.affine(n, func(i, j int) (uint64, bool) { return x[n*i+min(j, n-1)], j < n }), true
	}
	return nil, false
}

// transpose swaps rows and columns.
func transpose(x []uint64, rows, cols int) []uint64 {
	v := make([]uint64, len(x))
	for r := range rows {
		for c := range cols {
			v[c*rows+r] = x[r*cols+c]
		}
	}
	return v
}

func diagonal(x []uint64, d []int) []uint64 {
	v := make([]uint64, min(d[0], d[1]))
	for i := range v {
		v[i] = x[i*d[1]+i]
	}
	return v
}

// fill makes a square matrix that is 0 where at has nothing.
func (a *arithmetic) fill(n int, at func(i, j int) (uint64, bool)) []uint64 {
	v := make([]uint64, n*n)
	for i := range n {
		for j := range n {
			v[n*i+j] = a.num(0)
			if x, ok := at(i, j); ok {
				v[n*i+j] = x
			}
		}
	}
	return v
}

// affine makes a matrix of n+1 rows and columns. It is that of the identity in the last row and where at has nothing.
func (a *arithmetic) affine(n int, at func(i, j int) (uint64, bool)) []uint64 {
	return a.fill(n+1, func(i, j int) (uint64, bool) {
		if i < n {
			if x, ok := at(i, j); ok {
				return x, true
			}
		}
		return a.num(1), i == j
	})
}

// rotation is Rodrigues' formula.
func (a *arithmetic) rotation(axis []uint64, angle uint64) []uint64 {
	cos, sin := a.m.env.Math(typed.Cos, a.s, angle), a.m.env.Math(typed.Sin, a.s, angle)
	rest, turn := a.scaled(axis, a.sub(a.num(1), cos)), a.scaled(axis, sin)
	v := make([]uint64, 9)
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		v[4*i] = a.add(a.mul(rest[i], axis[i]), cos)
		both := a.mul(rest[i], axis[j])
		v[3*i+j] = a.sub(both, turn[k])
		v[3*j+i] = a.add(both, turn[k])
	}
	return v
}

// halfAs32 computes a function of a matrix of halves in single precision.
func (a *arithmetic) halfAs32(f func(a *arithmetic, x []uint64) []uint64, x []uint64) []uint64 {
	if a.s != typed.F16 {
		return f(a, x)
	}
	wide := make([]uint64, len(x))
	for i := range x {
		wide[i] = convert(typed.F16, typed.F32, x[i])
	}
	v := f(&arithmetic{a.m, typed.F32}, wide)
	for i := range v {
		v[i] = convert(typed.F32, typed.F16, v[i])
	}
	return v
}

// minor is the determinant of rows r, s and columns i, j of a matrix with n columns.
func (a *arithmetic) minor(m []uint64, n, r, s, i, j int) uint64 {
	return a.sub(a.mul(m[n*r+i], m[n*s+j]), a.mul(m[n*r+j], m[n*s+i]))
}

// exactMinor is minor with what rounding takes from its second product given back (Kahan).
func (a *arithmetic) exactMinor(m []uint64, n, r, s, i, j int) uint64 {
	x, y := m[n*r+j], m[n*s+i]
	p := a.mul(x, y)
	lost := a.fma(a.neg(x), y, p)
	return a.add(a.fma(m[n*r+i], m[n*s+j], a.neg(p)), lost)
}

type minorFunc func(m []uint64, n, r, s, i, j int) uint64

// cofactors are those of a 3×3 matrix; rows and columns in cyclic order give them their signs.
func cofactors(m []uint64, minor minorFunc) []uint64 {
	v := make([]uint64, 9)
	for r := range 3 {
		for c := range 3 {
			v[3*r+c] = minor(m, 3, (r+1)%3, (r+2)%3, (c+1)%3, (c+2)%3)
		}
	}
	return v
}

// determinant is that of up to 4 rows.
func (a *arithmetic) determinant(m []uint64, n int) uint64 {
	switch n {
	case 1:
		return m[0]
	case 2:
		return a.minor(m, 2, 0, 1, 0, 1)
	case 3:
		return a.dot(m[:3], cofactors(m, a.minor)[:3])
	case 4: // Laplace's expansion by the upper two rows
		sum := a.num(0)
		n := 0
		for i := range 4 {
			for j := i + 1; j < 4; j++ {
				var rest []int
				for c := range 4 {
					if c != i && c != j {
						rest = append(rest, c)
					}
				}
				t := a.mul(a.minor(m, 4, 0, 1, i, j), a.minor(m, 4, 2, 3, rest[0], rest[1]))
				switch {
				case n == 0:
					sum = t
				case (i+j)%2 == 0: // of columns counted from 0, as 0 and 1 are even and odd
					sum = a.sub(sum, t)
				default:
					sum = a.add(sum, t)
				}
				n++
			}
		}
		return sum
	}
	notCovered("determinant of %d rows", n)
	return 0
}

// inverse is that of two or three rows. The matrix is scaled by a power of two first.
func (a *arithmetic) inverse(m []uint64, n int) []uint64 {
	down := a.scale(m)
	m = a.scaled(m, down)
	var adjugate []uint64
	var det uint64
	switch n {
	case 2:
		adjugate = []uint64{m[3], a.neg(m[1]), a.neg(m[2]), m[0]}
		det = a.minor(m, 2, 0, 1, 0, 1)
	case 3:
		c := cofactors(m, a.exactMinor)
		adjugate, det = transpose(c, 3, 3), a.dot(m[:3], c[:3])
	default:
		notCovered("inverse of %d rows", n)
	}
	return a.scaled(a.scaled(adjugate, a.div(a.num(1), det)), down)
}

// scale is the power of two that brings the largest magnitude of m to at least 1 and below 2, as far as both are normal numbers.
func (a *arithmetic) scale(m []uint64) uint64 {
	big := a.abs(m[0])
	for _, x := range m[1:] {
		big = a.max(big, a.abs(x))
	}
	fraction := digits(a.s) - 1
	bias := 1<<(a.s.Bits()-2-fraction) - 1
	e := int(big >> fraction) // the exponent, and no sign
	e = min(max(e, 1), 2*bias-1)
	return uint64(2*bias-e) << fraction
}
