package gradient_test

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const promised = `
package promised

const N = 640

var (
	X, Y, Z field[f64, D1]
	T, U    field[f64, D2]
	P       field[i32, D1]
	Loss    field[f64, D0]
)

// Scatter moves elements to where P says, and reads what is there twice.
func Scatter() {
	for i := range P {
		j := loopUnique(P[i])
		Y[j] += sin(X[j]) * f64(i)
		if i%3 == 0 {
			Y[j] += X[j] * X[j]
		}
	}
	for i := range Y {
		Loss += Y[i] * f64(i%7)
	}
}

// Rows has several elements of each iteration, in a loop whose length the data say.
func Rows() {
	for i := range N/10 {
		for k := range P[0]%1 + 10 {
			j := loopUnique(P[10*i+k])
			y := X[j]
			for range k {
				y = y*X[j] + 0.5
			}
			Y[j] += y
		}
	}
	for i := range Y {
		Loss += Y[i]
	}
}

// Pairs promises that two numbers together differ.
func Pairs() {
	for i := range P {
		p := loopUnique(ivec2(P[i]/20, P[i]%20))
		T[p] += U[p] * U[p] * X[i]
	}
	for i, j := range T {
		Loss += T[i][j]
	}
}

// Beside reads neighbours, whose adjoints other iterations add to.
func Beside() {
	for i := range P {
		j := loopUnique(P[i])
		Z[j] += X[j] * X[(j+1)%N]
	}
	for i := range Z {
		Loss += Z[i] * f64(i%5)
	}
}

// Around reads neighbours of the iteration, which are gathered, and scatters.
func Around() {
	for i := range span(1, N-1) {
		j := loopUnique(i*7%N)
		Z[j] += X[i-1]*X[i+1] + X[i]*Y[j]
	}
	for i := range Z {
		Loss += Z[i] * f64(i%5)
	}
}
`

// TestPromises compares gradients and tangents of kernels that promise indices of each iteration's own with derivatives by hand.
func TestPromises(t *testing.T) {
	const n = 640
	titest.EachArchWith(t, ti.Config{Threads: 3}, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, Y, Z, T, U, Loss                  ti.Field[float64]
			P                                    ti.Field[int32]
			Scatter, Rows, Pairs, Beside, Around func() error
		}
		both := func(fields ...ti.AnyField) []ti.AnyField { return ti.WithDual(ti.WithGrad(fields...)...) }
		rt.Place(ti.Shape{n}, both(&s.X, &s.Y, &s.Z)...)
		rt.Place(ti.Shape{n / 20, 20}, both(&s.T, &s.U)...)
		rt.Place(ti.Shape{n}, &s.P)
		rt.Place(nil, both(&s.Loss)...)
		titest.Must(t, rt.Load(promised, &s))
		x := func(i int) float64 { return math.Cos(float64(i)) }
		at := make([]int, n) // the iteration of an element
		for i := range n {
			s.X.Set(x(i), i)
			s.U.Set(x(i)*0.7, i/20, i%20)
			s.P.Set(int32(i*37%n), i)
			at[i*37%n] = i
		}
		check := func(what string, f func() error, by *ti.Field[float64], index func(i int) []int, want func(i int) float64) {
			t.Helper()
			for range 2 {
				for _, x := range []*ti.Field[float64]{&s.Y, &s.Z, &s.T, &s.Loss} {
					x.Fill(0)
				}
				if what == "Around" {
					for i := range n {
						s.Y.Set(x(i)*2, i)
					}
				}
				titest.Must(t, rt.Tape(&s.Loss, f))
			}
			along := 0.0
			for i := range n {
				w := want(i)
				if got := by.Grad().At(index(i)...); !(math.Abs(got-w) <= 1e-12*(1+math.Abs(w))) {
					t.Fatalf("%s: derivative %d is %v and not %v", what, i, got, w)
				}
				along += w * math.Sin(float64(i))
			}
			for _, x := range []*ti.Field[float64]{&s.X, &s.Y, &s.Z, &s.T, &s.U, &s.Loss} {
				x.Dual().Fill(0)
			}
			for i := range n {
				by.Dual().Set(math.Sin(float64(i)), index(i)...)
			}
			s.Loss.Set(0)
			titest.Must(t, rt.Tangent(f))
			if got := s.Loss.Dual().At(); !(math.Abs(got-along) <= 1e-10*(1+math.Abs(along))) {
				t.Errorf("%s: the tangent is %v and not %v", what, got, along)
			}
		}
		line := func(i int) []int { return []int{i} }
		check("Scatter", s.Scatter, &s.X, line, func(j int) float64 {
			i := at[j]
			d := math.Cos(x(j)) * float64(i)
			if i%3 == 0 {
				d += 2 * x(j)
			}
			return d * float64(j%7)
		})
		check("Rows", s.Rows, &s.X, line, func(j int) float64 {
			y, d := x(j), 1.0
			for range at[j] % 10 {
				y, d = y*x(j)+0.5, d*x(j)+y
			}
			return d
		})
		check("Pairs", s.Pairs, &s.U, func(i int) []int { return []int{i / 20, i % 20} }, func(j int) float64 { return 2 * x(j) * 0.7 * x(at[j]) })
		check("Beside", s.Beside, &s.X, line, func(j int) float64 {
			before := (j + n - 1) % n
			return x((j+1)%n)*float64(j%5) + x(before)*float64(before%5)
		})
		check("Around", s.Around, &s.X, line, func(i int) float64 {
			d := 0.0
			if i >= 1 && i < n-1 {
				d += 2 * x(i*7%n) * float64(i*7%n%5)
			}
			if k := i + 1; k < n-1 {
				d += x(k+1) * float64(k*7%n%5)
			}
			if k := i - 1; k >= 1 {
				d += x(k-1) * float64(k*7%n%5)
			}
			return d
		})
	})
}
