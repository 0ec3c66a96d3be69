package prelude_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

// part is the upper left part of a matrix.
func (m matrix) part(rows, cols int) matrix {
	p := newMatrix(rows, cols)
	for i := range rows {
		for j := range cols {
			p.set(i, j, m.at(i, j))
		}
	}
	return p
}

// forShapes runs a test for parts of square matrices, most of them higher or wider than they are wide or high. The body of
// the kernel finds the part as a, with R rows and C columns.
func forShapes[F float32 | float64](t *testing.T, p precision, body string, f func(t *testing.T, b *bench[F], rows, cols int)) {
	rt := runtimeOf(t)
	shapes, count := [][2]int{{3, 1}, {2, 3}, {6, 4}}, 8*len(kinds)
	if p.name == double.name {
		shapes = [][2]int{{1, 3}, {3, 2}, {2, 5}}
	}
	if *long {
		shapes, count = nil, 20_000
		for rows := range 8 {
			for cols := range 8 {
				shapes = append(shapes, [2]int{rows + 1, cols + 1})
			}
		}
	}
	for _, s := range shapes {
		t.Run(fmt.Sprintf("%d×%d", s[0], s[1]), func(t *testing.T) {
			text := strings.NewReplacer("#R", fmt.Sprint(s[0]), "#C", fmt.Sprint(s[1]), "#BODY", body).Replace(`var a [#R][#C]T
		for j, k := range static(ndrange(#R, #C)) {
			a[j][k] = m[j][k]
		}
		#BODY`)
			f(t, newBench[F](t, rt, p, max(s[0], s[1]), count, text), s[0], s[1])
		})
	}
}

func TestRectangularSvd(t *testing.T) {
	inBoth(t, testRectangularSvd[float32], testRectangularSvd[float64])
}

func testRectangularSvd[F float32 | float64](t *testing.T, p precision) {
	forShapes(t, p, "u, s, v := svd(a); put(i, wide(u), long(s), wide(v))", func(t *testing.T, b *bench[F], rows, cols int) {
		y := &tally{t: t}
		k := min(rows, cols)
		b.each(t, nil, func(r result) {
			m, u, v := r.m.part(rows, cols), r.u.part(rows, k), r.v.part(cols, k)
			r.s = r.s[:k]
			y.error(r, "m", residual(m, u, r.s, v.transposed())/p.ulp(math.Abs(r.s[0])))
			y.error(r, "U", residual(identity(k), u.transposed(), nil, u)/p.eps)
			y.error(r, "V", residual(identity(k), v.transposed(), nil, v)/p.eps)
			for i, s := range r.s {
				if s > r.s[max(0, i-1)] || s < 0 && rows != cols {
					t.Errorf("%s: the singular values %v do not fall to 0", r.kind, r.s)
				}
			}
			for _, x := range []matrix{u, v} {
				if x.rows == x.cols && determinant(x) < 0 {
					t.Errorf("%s: %v of %v is a reflection", r.kind, x.a, m.a)
				}
			}
		})
		y.report("m", "U", "V")
	})
}

func TestRectangularQr(t *testing.T) {
	inBoth(t, testRectangularQr[float32], testRectangularQr[float64])
}

func testRectangularQr[F float32 | float64](t *testing.T, p precision) {
	forShapes(t, p, "q, r := qr(a); var z [N]T; put(i, wide(q), z, wide(r))", func(t *testing.T, b *bench[F], rows, cols int) {
		y := &tally{t: t}
		k := min(rows, cols)
		b.each(t, nil, func(r result) {
			m, q, u := r.m.part(rows, cols), r.u.part(rows, k), r.v.part(k, cols)
			y.error(r, "m", residual(m, q, nil, u)/p.ulp(size(m)))
			y.error(r, "Q", residual(identity(k), q.transposed(), nil, q)/p.eps)
			for i := range k {
				if u.at(i, i) < 0 && (i < k-1 || rows > cols) {
					t.Errorf("%s: an entry of R's diagonal is negative: %v", r.kind, u.a)
				}
			}
		})
		y.report("m", "Q")
	})
}

func TestLstsq(t *testing.T) { inBoth(t, testLstsq[float32], testLstsq[float64]) }

// The residual of what has more equations than unknowns is orthogonal to the columns, as far as the rounding of residual
// and solution allows. Of less equations there is none, and the solution is a combination of the rows: that one exists is
// shown by the numbers that combine them, however these were found.
func testLstsq[F float32 | float64](t *testing.T, p precision) {
	body := "var b [a.n]T; for k := range static(a.n) { b[k] = T(1-k%3)/(k+1) }; x := lstsq(a, b); put(i, wide(a), long(x), diag(long(lstsq(transpose(a), x))))"
	forShapes(t, p, body, func(t *testing.T, b *bench[F], rows, cols int) {
		y := &tally{t: t}
		met := 0
		b.each(t, nil, func(r result) {
			m, x := r.m.part(rows, cols), matrix{cols, 1, r.s[:cols]}
			big := size(m)
			if !finite(x) || most(x) == 0 || big > p.huge/16 || big < p.smallest/p.eps/p.eps || r.kind == "huge and denormal" {
				return
			}
			met++
			right := newMatrix(rows, 1)
			for k := range rows {
				right.a[k] = p.round(float64(1-k%3) / float64(k+1))
			}
			m = m.scaled(1 / big)
			x = x.scaled(big)
			if rows < cols {
				y.error(r, "b", residual(right, m, nil, x)/(p.eps*math.Hypot(norm(x), 1)))
				z := newMatrix(rows, 1)
				for k := range rows {
					z.a[k] = r.v.at(k, k) * big * big
				}
				if finite(z) {
					y.error(r, "row", residual(x, m.transposed(), nil, z)/(p.eps*(norm(x)+norm(z))))
				}
				return
			}
			left := newMatrix(rows, 1)
			for k := range rows {
				d := dd{hi: right.a[k]}
				for j := range cols {
					d = d.add(dd{hi: -m.at(k, j)}.mul(x.a[j]))
				}
				left.a[k] = d.hi
			}
			y.error(r, "column", most(m.transposed().times(left))/(p.eps*(norm(x)+norm(left)+norm(right))))
		})
		if met < b.count/3 {
			t.Errorf("only %d of %d matrices have solutions", met, b.count)
		}
		y.report("b", "row", "column")
	})
}

func norm(m matrix) (n float64) {
	for _, v := range m.a {
		n = math.Hypot(n, v)
	}
	return n
}

func TestCholesky(t *testing.T) { inBoth(t, testCholesky[float32], testCholesky[float64]) }

// Positive definite matrices are products of a matrix and its transpose, with a bit of the identity. Their opposites have
// no factor.
func testCholesky[F float32 | float64](t *testing.T, p precision) {
	definite := func(m matrix) matrix {
		if big := most(m); big > 0 {
			m = m.scaled(math.Ldexp(1, -math.Ilogb(big)/2)).scaled(math.Ldexp(1, -math.Ilogb(big)+math.Ilogb(big)/2))
		}
		m = add(m.times(m.transposed()), identity(m.rows).scaled(32*float64(m.rows*m.rows)*p.eps))
		return withEntries(m.rows, func(i, j int) float64 { return p.round(m.at(max(i, j), min(i, j))) })
	}
	forSizes(t, p, func(t *testing.T, rt *ti.Runtime, n, count int) {
		b := newBench[F](t, rt, p, n, count, "l := cholesky(m); put(i, l, diag(l), cholesky(-m))")
		y := &tally{t: t}
		b.each(t, definite, func(r result) {
			y.error(r, "m", residual(r.m, r.u, nil, r.u.transposed())/p.ulp(size(r.m)))
			for i := range n {
				if !(r.s[i] > 0) {
					t.Errorf("%s: the diagonal of L is %v", r.kind, r.s)
				}
				for j := range i {
					if r.u.at(j, i) != 0 {
						t.Errorf("%s: L is not triangular: %v", r.kind, r.u.a)
					}
				}
			}
			if !math.IsNaN(r.v.at(n-1, n-1)) {
				t.Errorf("%s: what is not positive definite has a factor: %v", r.kind, r.v.a)
			}
		})
		y.report("m")
	})
}
