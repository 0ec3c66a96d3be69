package prelude_test

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
)

func TestSymEig(t *testing.T) { inBoth(t, testSymEig[float32], testSymEig[float64]) }

func testSymEig[F float32 | float64](t *testing.T, p precision) {
	mirrored := func(m matrix) matrix {
		return withEntries(m.rows, func(i, j int) float64 { return m.at(min(i, j), max(i, j)) })
	}
	forSizes(t, p, func(t *testing.T, rt *ti.Runtime, n, count int) {
		b := newBench[F](t, rt, p, n, count, "w, q := symEig(m); put(i, q, w, q)")
		y := &tally{t: t}
		b.each(t, mirrored, func(r result) {
			largest := math.Max(math.Abs(r.s[0]), math.Abs(r.s[n-1]))
			y.error(r, "m", residual(r.m, r.u, r.s, r.u.transposed())/p.ulp(largest))
			y.rotation(p, r, "Q", r.u)
			for i, w := range r.s {
				if w > r.s[max(0, i-1)] {
					t.Errorf("%s: the eigenvalues %v do not fall", r.kind, r.s)
				}
			}
		})
		y.report("m", "Q")
	})
}

func TestPolar(t *testing.T) { inBoth(t, testPolar[float32], testPolar[float64]) }

func testPolar[F float32 | float64](t *testing.T, p precision) {
	forSizes(t, p, func(t *testing.T, rt *ti.Runtime, n, count int) {
		b := newBench[F](t, rt, p, n, count, "r, s := polar(m); put(i, r, diag(s), s)")
		y := &tally{t: t}
		b.each(t, nil, func(r result) {
			y.error(r, "m", residual(r.m, r.u, nil, r.v)/p.ulp(size(r.m)))
			y.rotation(p, r, "R", r.u)
			for i := range n {
				for j := range i {
					if r.v.at(i, j) != r.v.at(j, i) {
						t.Errorf("%s: S is not symmetric: %v", r.kind, r.v.a)
					}
				}
			}
		})
		y.report("m", "R")
	})
}

func TestQr(t *testing.T) { inBoth(t, testQr[float32], testQr[float64]) }

func testQr[F float32 | float64](t *testing.T, p precision) {
	forSizes(t, p, func(t *testing.T, rt *ti.Runtime, n, count int) {
		b := newBench[F](t, rt, p, n, count, "q, r := qr(m); put(i, q, diag(r), r)")
		y := &tally{t: t}
		b.each(t, nil, func(r result) {
			y.error(r, "m", residual(r.m, r.u, nil, r.v)/p.ulp(size(r.m)))
			y.rotation(p, r, "Q", r.u)
			for i := range n {
				if r.v.at(i, i) < 0 && i < n-1 {
					t.Errorf("%s: an entry of R's diagonal is negative: %v", r.kind, r.v.a)
				}
				for j := range i {
					if r.v.at(i, j) != 0 {
						t.Errorf("%s: R is not triangular: %v", r.kind, r.v.a)
					}
				}
			}
		})
		y.report("m", "Q")
	})
}

// size is the largest singular value, or a little less, by the power method.
func size(m matrix) float64 {
	scale := 0.0
	for _, v := range m.a {
		scale = math.Max(scale, math.Abs(v))
	}
	if scale == 0 {
		return 0
	}
	a := newMatrix(m.rows, m.cols)
	for i, v := range m.a {
		a.a[i] = v / scale
	}
	x := newMatrix(m.cols, 1)
	for i := range x.a {
		x.a[i] = 1 + 0.1*float64(i)
	}
	norm := 0.0
	for range 20 {
		x = a.transposed().times(a.times(x))
		norm = 0
		for _, v := range x.a {
			norm = math.Hypot(norm, v)
		}
		if norm == 0 {
			return scale
		}
		for i := range x.a {
			x.a[i] /= norm
		}
	}
	return scale * math.Sqrt(norm)
}
