package prelude_test

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
)

func TestSvd(t *testing.T) { inBoth(t, testSvd[float32], testSvd[float64]) }

func testSvd[F float32 | float64](t *testing.T, p precision) {
	forSizes(t, p, func(t *testing.T, rt *ti.Runtime, n, count int) {
		b := newBench[F](t, rt, p, n, count, "u, s, v := svd(m); put(i, u, s, v)")
		y := &tally{t: t}
		b.each(t, nil, func(r result) {
			y.error(r, "m", residual(r.m, r.u, r.s, r.v.transposed())/p.ulp(math.Abs(r.s[0])))
			y.rotation(p, r, "U", r.u)
			y.rotation(p, r, "V", r.v)
			for i, s := range r.s {
				if last := i == n-1; math.Abs(s) > math.Abs(r.s[max(0, i-1)]) || s < 0 && !last {
					t.Errorf("%s: the singular values %v do not fall", r.kind, r.s)
				}
			}
		})
		y.report("m", "U", "V")
	})
}
