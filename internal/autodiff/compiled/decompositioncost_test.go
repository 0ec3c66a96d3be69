package compiled_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/gotaichi/ti"
)

// A secondOrder has a kernel of a decomposition of n rows, with all that second derivatives need.
type secondOrder struct {
	rt            *ti.Runtime
	X, W, Y, Loss ti.Field[float64]
	K             func() error
}

const largeMatrixSource = `
package m

const N = #N

type T = f64

var (
	X, W, Y field[T, D1]
	Loss    field[T, D0]
)

func K() {
	for range 1 {
		var m, w [N][N]T
		for i := range serial(N) {
			for j := range N {
				m[i][j], w[i][j] = X[i*N+j], W[i*N+j]
			}
		}
		#CODE
		Loss += y
	}
}
`

func newSecondOrder(t testing.TB, n int, code string) *secondOrder {
	t.Helper()
	rt, err := ti.New(ti.Config{Float: 64, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rt.Close() })
	s := &secondOrder{rt: rt}
	rt.Place(ti.Shape{n * n}, ti.WithDual(ti.WithGrad(&s.X)...)...)
	rt.Place(ti.Shape{n * n}, &s.W, &s.Y)
	rt.Place(nil, ti.WithDual(ti.WithGrad(&s.Loss)...)...)
	if err := rt.Load(strings.NewReplacer("#N", fmt.Sprint(n), "#CODE", code).Replace(largeMatrixSource), s); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	for i := range n * n {
		s.X.Set(rng.Float64()*2-1, i)
		s.W.Set(rng.Float64()*2-1, i)
		s.X.Dual().Set(rng.Float64()*2-1, i)
	}
	return s
}

func (s *secondOrder) tape() error { return s.rt.Tape(&s.Loss, s.K) }

func (s *secondOrder) product() error { return s.rt.Tangent(s.tape) }

// BenchmarkSecondDerivatives runs products with Hessians of large decompositions. It also reports what they take of a
// processor to compile, and how many times as long as a tape they run.
func BenchmarkSecondDerivatives(b *testing.B) {
	for _, c := range []struct {
		n          int
		name, code string
	}{
		{12, "inverse", "y := trace(inverse(m)*w)"},
		{7, "svd", "u, s, v := svd(m)\n\ty := trace(u*w) + 0.3*trace(v*w) + dot(s, s*s)"},
		{7, "symEig", "e, q := symEig(m)\n\ty := trace(q*w) + dot(e, e*e)"},
		{8, "polar", "r, s := polar(m)\n\ty := trace(r*w) + 0.3*trace(s*w)"},
		{8, "qr", "q, r := qr(m)\n\ty := trace(q*w) + 0.3*trace(r*w)"},
		{32, "solve", "x := solve(m, w[0])\n\ty := dot(x, w[1])"},
	} {
		b.Run(fmt.Sprintf("%s/%d", c.name, c.n), func(b *testing.B) {
			s := newSecondOrder(b, c.n, c.code)
			before := processorTime()
			if err := s.product(); err != nil {
				b.Fatal(err)
			}
			compiled := (processorTime() - before).Seconds()
			best := func(f func() error) time.Duration {
				d := time.Hour
				for range 20 {
					began := time.Now()
					if err := f(); err != nil {
						b.Fatal(err)
					}
					d = min(d, time.Since(began))
				}
				return d
			}
			tapes := float64(best(s.product)) / float64(best(s.tape))
			for b.Loop() {
				if err := s.product(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(compiled, "processor-s-to-compile") // the loop resets metrics
			b.ReportMetric(tapes, "tapes")
		})
	}
}
