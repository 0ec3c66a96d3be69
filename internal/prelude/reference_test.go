package prelude_test

import "math"

// A dd is the exact sum of two doubles, the second below the rounding of the first:
// about 32 digits, the precision that residuals are computed with.
type dd struct{ hi, lo float64 }

func (a dd) add(b dd) dd {
	s := a.hi + b.hi
	t := s - a.hi
	e := (a.hi - (s - t)) + (b.hi - t) + a.lo + b.lo
	h := s + e
	return dd{h, e - (h - s)}
}

func (a dd) mul(x float64) dd {
	p := a.hi * x
	e := math.FMA(a.hi, x, -p) + a.lo*x
	h := p + e
	return dd{h, e - (h - p)}
}

// A matrix is rows by cols numbers, row by row.
type matrix struct {
	rows, cols int
	a          []float64
}

func newMatrix(rows, cols int) matrix { return matrix{rows, cols, make([]float64, rows*cols)} }

func (m matrix) at(i, j int) float64     { return m.a[i*m.cols+j] }
func (m matrix) set(i, j int, v float64) { m.a[i*m.cols+j] = v }

func (m matrix) transposed() matrix {
	t := newMatrix(m.cols, m.rows)
	for i := range m.rows {
		for j := range m.cols {
			t.set(j, i, m.at(i, j))
		}
	}
	return t
}

func (m matrix) scaled(k float64) matrix {
	t := newMatrix(m.rows, m.cols)
	for i, v := range m.a {
		t.a[i] = v * k
	}
	return t
}

func identity(n int) matrix {
	m := newMatrix(n, n)
	for i := range n {
		m.set(i, i, 1)
	}
	return m
}

func diagonal(s []float64) matrix {
	m := newMatrix(len(s), len(s))
	for i, v := range s {
		m.set(i, i, v)
	}
	return m
}

// times is the product in double precision, for making matrices.
func (m matrix) times(b matrix) matrix {
	p := newMatrix(m.rows, b.cols)
	for i := range m.rows {
		for j := range b.cols {
			var s dd
			for k := range m.cols {
				s = s.add(dd{hi: m.at(i, k)}.mul(b.at(k, j)))
			}
			p.set(i, j, s.hi)
		}
	}
	return p
}

// residual is the largest entry of m - a*diag(s)*b, with no s for the identity.
func residual(m, a matrix, s []float64, b matrix) float64 {
	most := 0.0
	for i := range m.rows {
		for j := range m.cols {
			r := dd{hi: m.at(i, j)}
			for k := range a.cols {
				t := dd{hi: -a.at(i, k)}
				if s != nil {
					t = t.mul(s[k])
				}
				r = r.add(t.mul(b.at(k, j)))
			}
			if d := math.Abs(r.hi); !(d <= most) { // a NaN is the most
				most = d
			}
		}
	}
	return most
}

// determinant by elimination, for its sign.
func determinant(m matrix) float64 {
	a, det := m.scaled(1), 1.0
	for k := range m.rows {
		p := k
		for i := k; i < m.rows; i++ {
			if math.Abs(a.at(i, k)) > math.Abs(a.at(p, k)) {
				p = i
			}
		}
		if a.at(p, k) == 0 {
			return 0
		}
		if p != k {
			det = -det
			for j := range m.cols {
				x, y := a.at(k, j), a.at(p, j)
				a.set(k, j, y)
				a.set(p, j, x)
			}
		}
		det *= a.at(k, k)
		for i := k + 1; i < m.rows; i++ {
			f := a.at(i, k) / a.at(k, k)
			for j := range m.cols {
				a.set(i, j, a.at(i, j)-f*a.at(k, j))
			}
		}
	}
	return det
}
