package prelude_test

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
)

func TestEig(t *testing.T) { inBoth(t, testEig[float32], testEig[float64]) }

// The kernel hands over X, Y and the real parts as columns of S; the imaginary
// parts are in the last of the kernel's fields.
func testEig[F float32 | float64](t *testing.T, p precision) {
	forSizes(t, p, func(t *testing.T, rt *ti.Runtime, n, count int) {
		b := newBench[F](t, rt, p, n, count, "w, x, y := eig(m); var s [N]T; for k := range static(N) { s[k] = w[k][0]; W[i][k] = w[k][1] }; put(i, x, s, y)")
		y := &tally{t: t}
		im := make([]F, count*n)
		i := 0
		b.each(t, nil, func(r result) {
			if i == 0 {
				if err := b.host.W.CopyTo(im); err != nil {
					t.Fatal(err)
				}
			}
			checkEig(y, p, r, doubles(im[i*n:][:n]))
			i++
		})
		y.report("m", "length", "trace")
	})
}

// checkEig checks m*(X+iY) == (X+iY)*diag(w) and what else is said of w, X and Y.
func checkEig(y *tally, p precision, r result, im []float64) {
	n := r.m.rows
	scale := p.ulp(size(r.m))
	trace, sum := 0.0, 0.0
	for k, re := range r.s {
		trace += r.m.at(k, k) / float64(n)
		sum += re / float64(n)
		left, length := 0.0, 0.0
		for i := range n {
			var a, b dd
			for j := range n {
				a = a.add(dd{hi: r.m.at(i, j)}.mul(r.u.at(j, k)))
				b = b.add(dd{hi: r.m.at(i, j)}.mul(r.v.at(j, k)))
			}
			a = a.add(dd{hi: -re}.mul(r.u.at(i, k))).add(dd{hi: im[k]}.mul(r.v.at(i, k)))
			b = b.add(dd{hi: -re}.mul(r.v.at(i, k))).add(dd{hi: -im[k]}.mul(r.u.at(i, k)))
			left = math.Max(left, math.Hypot(a.hi, b.hi))
			length = math.Hypot(length, math.Hypot(r.u.at(i, k), r.v.at(i, k)))
		}
		y.error(r, "m", left/scale)
		y.error(r, "length", math.Abs(length-1)/p.eps)
		if k > 0 && re > r.s[k-1] {
			y.t.Errorf("%s: the real parts %v do not fall", r.kind, r.s)
		}
		if im[k] > 0 && (k+1 == n || im[k+1] != -im[k] || r.s[k+1] != re) || im[k] < 0 && (k == 0 || im[k-1] != -im[k]) {
			y.t.Errorf("%s: %v, %v are no conjugate pairs", r.kind, r.s, im)
		}
	}
	y.error(r, "trace", math.Abs(trace-sum)/scale)
}
