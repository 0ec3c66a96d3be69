package compiled_test

import (
	"math"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

// infiniteKinds are matrices of which most results do not depend on most arguments: a diagonal one, and one of blocks.
var infiniteKinds = []func(i, j int) float64{
	func(i, j int) float64 {
		if i == j {
			return float64(3-i) + 0.5
		}
		return 0
	},
	func(i, j int) float64 {
		if i == j {
			return float64(3-i) + 0.5
		}
		if i/2 == j/2 {
			return 0.25
		}
		return 0
	},
}

// TestInfiniteTangents gives one argument of a function of matrices a tangent that is infinite or no number. Results that do not depend on it
// keep their tangents. Determinants of few rows are sums of products in which infinite numbers meet, and so are inverses of up to three.
func TestInfiniteTangents(t *testing.T) {
	for i := range scaledFuncs {
		f := &scaledFuncs[i]
		if f.constant || f.name == "determinant" {
			continue
		}
		n := 3
		if f.name == "inverse" {
			n = 4
		}
		t.Run(strings.ReplaceAll(f.name, " ", "_"), func(t *testing.T) {
			s := newScaledSubject[float64](t, f, n, kindOf[float64](), ti.Config{Threads: 1})
			for kind, entry := range infiniteKinds {
				testInfiniteTangents(t, s, kind, entry)
			}
		})
	}
}

func testInfiniteTangents(t *testing.T, s *scaledSubject[float64], kind int, entry func(i, j int) float64) {
	t.Helper()
	n := s.n
	in := n * n
	if s.right {
		in += 2 * n
	}
	change := func(at int, v, others float64) []float64 {
		d := make([]float64, n*n+2*n)
		for i := range d {
			d[i] = others * (1 + float64(i%5))
		}
		d[at] = v
		return d
	}
	for from := 0; from < in; from += scaledRows / 4 {
		d, count := scaledData{}, min(scaledRows/4, in-from)
		for at := from; at < from+count; at++ { // what does not depend on it, how others do, and then with it
			for _, c := range [][]float64{change(at, 1, 0), change(at, 0, 1), change(at, math.Inf(1), 1), change(at, math.NaN(), 1)} {
				d.x, d.b = append(d.x, make([]float64, n*n)), append(d.b, make([]float64, 2*n))
				for i := range n * n {
					d.x[len(d.x)-1][i] = entry(i/n, i%n)
				}
				for i := range 2 * n {
					d.b[len(d.b)-1][i] = float64(i%2) * (1 + float64(i))
				}
				d.dx, d.db = append(d.dx, c[:n*n]), append(d.db, c[n*n:])
				d.seed = append(d.seed, make([]float64, s.width(n)))
			}
		}
		s.run(t, &d)
		for k := range count {
			alone, without, infinite, nan := d.dy[4*k], d.dy[4*k+1], d.dy[4*k+2], d.dy[4*k+3]
			for o, change := range alone {
				got := [2]float64{infinite[o], nan[o]}
				switch near := math.Abs(change) < 1e-12; {
				case change == 0 && !(math.Abs(got[0]-without[o]) <= 1e-12) || change == 0 && !(math.Abs(got[1]-without[o]) <= 1e-12):
					t.Errorf("matrix %d: tangent %d is %v where argument %d has none, and %v where that is infinite or no number", kind, o, without[o], from+k, got)
				case !near && (got[0] != math.Inf(int(math.Copysign(1, change))) || !math.IsNaN(got[1])):
					t.Errorf("matrix %d: tangent %d changes by %v with argument %d, and is %v where that is infinite or no number", kind, o, change, from+k, got)
				}
			}
		}
	}
}
