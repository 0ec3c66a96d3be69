package prelude_test

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
)

func TestInverse(t *testing.T) { inBoth(t, testInverse[float32], testInverse[float64]) }

// What is left of the identity is at most as much as the condition of m makes of
// an ulp.
func testInverse[F float32 | float64](t *testing.T, p precision) {
	forSizes(t, p, func(t *testing.T, rt *ti.Runtime, n, count int) {
		b := newBench[F](t, rt, p, n, count, "var z [N]T; put(i, inverse(m), z, m)")
		y := &tally{t: t}
		b.each(t, nil, func(r result) {
			inv, condition := inverted(r.m)
			largest := most(inv)
			if !finite(r.u) {
				// A matrix that is singular but for rounding, or whose inverse has
				// entries too large for the type.
				if condition < 0.01/p.eps && largest < p.huge/16 {
					t.Errorf("%s: the inverse of %v is %v, but should be %v", r.kind, r.m.a, r.u.a, inv.a)
				}
				return
			}
			below := float64(n) * p.smallest * most(r.m) // entries that are denormal
			left := residual(identity(n), r.m, nil, r.u)
			y.error(r, "one", math.Max(0, left-below)/(p.eps*size(r.m)*size(r.u)))
		})
		y.report("one")
	})
}

func TestSolve(t *testing.T) { inBoth(t, testSolve[float32], testSolve[float64]) }

func testSolve[F float32 | float64](t *testing.T, p precision) {
	forSizes(t, p, func(t *testing.T, rt *ti.Runtime, n, count int) {
		b := newBench[F](t, rt, p, n, count, "var b [N]T; for k := range static(N) { b[k] = T(1-k%3)/(k+1) }; put(i, diag(b), solve(m, b), m)")
		y := &tally{t: t}
		b.each(t, nil, func(r result) {
			x := matrix{n, 1, r.s}
			if _, condition := inverted(r.m); !finite(x) || most(x) == 0 {
				if condition < 0.01/p.eps && r.kind != "denormal" && r.kind != "huge" && r.kind != "huge and denormal" {
					t.Errorf("%s: of %v, %v", r.kind, r.m.a, r.s)
				}
				return
			}
			right := newMatrix(n, 1)
			for k := range n {
				right.a[k] = r.u.at(k, k)
			}
			below := float64(n) * p.smallest * most(r.m)
			left := residual(right, r.m, nil, x)
			y.error(r, "b", math.Max(0, left-below)/(p.eps*size(r.m)*math.Hypot(most(x), 0)))
		})
		y.report("b")
	})
}

func TestDeterminant(t *testing.T) { inBoth(t, testDeterminant[float32], testDeterminant[float64]) }

// The error is at most 10 ulps of what the lengths of the rows allow a determinant
// to be (Hadamard).
func testDeterminant[F float32 | float64](t *testing.T, p precision) {
	forSizes(t, p, func(t *testing.T, rt *ti.Runtime, n, count int) {
		b := newBench[F](t, rt, p, n, count, "var s [N]T; s[0] = determinant(m); put(i, m, s, m)")
		for _, scale := range []float64{1, math.Pow(p.huge, 0.9/float64(n)), math.Pow(p.huge, -0.9/float64(n))} {
			scale = math.Ldexp(1, math.Ilogb(scale))
			y := &tally{t: t}
			b.each(t, func(m matrix) matrix {
				if big := most(m); big > 0 { // comes to be about scale
					e := -math.Ilogb(big)
					m = m.scaled(math.Ldexp(1, e/2)).scaled(math.Ldexp(1, e-e/2)).scaled(scale)
				}
				for i := range m.a {
					m.a[i] = p.round(m.a[i])
				}
				return m
			}, func(r result) {
				bound := 1.0
				for i := range n {
					row := 0.0
					for j := range n {
						row = math.Hypot(row, r.m.at(i, j)/scale)
					}
					bound *= row
				}
				got := r.s[0]
				for range n {
					got /= scale
				}
				below := p.smallest
				for range n {
					below /= math.Min(scale, 1)
				}
				want, _ := eliminated(r.m.scaled(1 / scale))
				y.error(r, "det", math.Max(0, math.Abs(got-want)-10*below)/math.Max(p.eps*bound, 0x1p-1000))
			})
			y.report("det")
		}
	})
}

func most(m matrix) float64 {
	big := 0.0
	for _, v := range m.a {
		big = math.Max(big, math.Abs(v))
	}
	return big
}

func finite(m matrix) bool {
	for _, v := range m.a {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// inverted is the inverse in many digits, with the product of its size and m's.
func inverted(m matrix) (inv matrix, condition float64) {
	big := most(m)
	if big == 0 {
		return m, math.Inf(1)
	}
	down := math.Ldexp(1, -math.Ilogb(big)/2) // twice, since the reciprocal of a denormal number overflows
	_, inv = eliminated(m.scaled(down).scaled(math.Ldexp(1, -math.Ilogb(big)) / down))
	condition = size(inv) * 2 * float64(m.rows)
	return inv.scaled(down).scaled(math.Ldexp(1, -math.Ilogb(big)) / down), condition
}

// eliminated returns determinant and inverse in many digits, by the method of Gauss
// and Jordan.
func eliminated(m matrix) (det float64, inv matrix) {
	n := m.rows
	a := make([][]dd, n)
	for i := range a {
		a[i] = make([]dd, 2*n)
		for j := range n {
			a[i][j].hi = m.at(i, j)
		}
		a[i][n+i].hi = 1
	}
	det = 1
	for k := range n {
		top := k
		for i := k; i < n; i++ {
			if math.Abs(a[i][k].hi) > math.Abs(a[top][k].hi) {
				top = i
			}
		}
		if top != k {
			a[top], a[k] = a[k], a[top]
			det = -det
		}
		pivot := a[k][k]
		det *= pivot.hi
		if pivot.hi == 0 {
			return 0, withEntries(n, func(int, int) float64 { return math.Inf(1) })
		}
		for j := range a[k] {
			a[k][j] = a[k][j].over(pivot)
		}
		for i := range n {
			if i != k {
				f := a[i][k]
				for j := range a[i] {
					a[i][j] = a[i][j].add(a[k][j].mul(-f.hi)).add(a[k][j].mul(-f.lo))
				}
			}
		}
	}
	return det, withEntries(n, func(i, j int) float64 { return a[i][n+j].hi })
}

func (a dd) over(b dd) dd {
	q := dd{hi: a.hi / b.hi}
	for range 2 {
		left := a.add(b.mul(-q.hi)).add(b.mul(-q.lo))
		q = q.add(dd{hi: left.hi / b.hi})
	}
	return q
}
