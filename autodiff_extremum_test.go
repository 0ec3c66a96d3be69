package ti_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gradcheck"
)

// TestTapeOfExtrema differentiates minima and maxima over iterations: of elements, through any index, of components and
// of variables.
func TestTapeOfExtrema(t *testing.T) {
	const source = `
package pool

var (
	X, Y field[f32]
	V    field[vec3]
	Lo   field[f64, D0]
	Loss field[f32, D0]
)

func Pool() {
	for i := range Y {
		Y[i] = -inf
	}
	V[1] = vec3(9)
	Lo = 3
	for i := range X {
		Y[(i*7)%Y.shape[0]] = max(Y[(i*7)%Y.shape[0]], sin(X[i]*3)*X[i])
		V[1] = min(V[1], vec3(X[i], X[(i+1)%X.shape[0]]*X[i], cos(X[i])))
		Lo = min(Lo, f64(X[i]*X[i])+0.1)
	}
}

func Sum() {
	m := -inf
	for i := range Y {
		m = max(m, Y[i]*2)
	}
	for i := range Y {
		Loss += sqr(Y[i]-m)*0.01
	}
	Loss += dot(V[1], vec3(1, 2, 3)) + f32(Lo)
}
`
	eachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, Y      ti.Field[float32]
			V         ti.Field[ti.Vec3]
			Lo        ti.Field[float64]
			Loss      ti.Field[float32]
			Pool, Sum func() error
		}
		const n = 1000
		rt.Place(ti.Shape{n}, ti.WithGrad(&s.X)...)
		rt.Place(ti.Shape{37}, ti.WithGrad(&s.Y)...)
		rt.NewTree().Origin("i", -1).Dense("i", 4).Place(ti.WithGrad(&s.V)...)
		rt.Place(nil, ti.WithGrad(&s.Lo, &s.Loss)...)
		if err := rt.Load(source, &s); err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for i := range n {
			s.X.Set(float32(rng.Float64()*4-2), i)
		}
		err := gradcheck.Check(rt, &s.Loss, func() error {
			s.Loss.Fill(0)
			if err := s.Pool(); err != nil {
				return err
			}
			return s.Sum()
		}, &s.X)
		if err != nil {
			t.Error(err)
		}
	})
}

// TestLowestIteration has many iterations attain an extremum: the first one gets the adjoint, at any number of threads.
func TestLowestIteration(t *testing.T) {
	const source = `
package ties

var (
	X    field[f32, D2]
	Y    field[f32]
	Loss field[f32, D0]
)

func Rows() {
	for i := range Y {
		Y[i] = 0
	}
	for i, j := range X {
		Y[i] = max(Y[i], X[i][j])
	}
}

func Columns() {
	for i := range Y {
		Y[i] = 8
		for j := range X.shape[1] {
			Y[i] = min(Y[i], X[i][j]*X[i][j])
		}
	}
}

func Sum() {
	for i := range Y {
		Loss += Y[i]
	}
}
`
	eachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, Y, Loss         ti.Field[float32]
			Rows, Columns, Sum func() error
		}
		rt.Place(ti.Shape{8, 300}, ti.WithGrad(&s.X)...)
		rt.Place(ti.Shape{8}, ti.WithGrad(&s.Y)...)
		rt.Place(nil, ti.WithGrad(&s.Loss)...)
		if err := rt.Load(source, &s); err != nil {
			t.Fatal(err)
		}
		for i := range 8 {
			for j := range 300 {
				s.X.Set(float32((j+3*i)%20), i, j) // 19 at j = 19-3i, 39-3i, …
			}
		}
		for _, c := range []struct {
			f      func() error
			at     func(i int) int
			factor float32
		}{
			{s.Rows, func(i int) int { return (39 - 3*i) % 20 }, 1},
			{s.Columns, func(i int) int { return (40 - 3*i) % 20 }, 0},
		} {
			s.Loss.Fill(0)
			if c.factor == 0 { // so that the derivative of the square is not 0
				for i := range 8 {
					for j := range 300 {
						s.X.Set(s.X.At(i, j)+1, i, j)
					}
				}
				c.factor = 2
			}
			if err := rt.Tape(&s.Loss, func() error { return errors.Join(c.f(), s.Sum()) }); err != nil {
				t.Fatal(err)
			}
			for i := range 8 {
				for j := range 300 {
					want := float32(0)
					if j == c.at(i) {
						want = c.factor
					}
					if got := s.X.Grad().At(i, j); got != want {
						t.Errorf("the adjoint of (%d, %d) is %v and not %v", i, j, got, want)
					}
				}
			}
		}
	})
}

// TestTangentOfExtrema carries the tangent of the value that is the extremum.
func TestTangentOfExtrema(t *testing.T) {
	const source = `
package tangents

var (
	X field[f64]
	Y field[f64, D0]
)

func Most() {
	Y = X[0]
	for i := range X {
		Y = max(Y, sin(X[i]))
	}
}
`
	eachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, Y ti.Field[float64]
			Most func() error
		}
		rt.Place(ti.Shape{100}, ti.WithDual(&s.X)...)
		rt.Place(nil, ti.WithDual(&s.Y)...)
		if err := rt.Load(source, &s); err != nil {
			t.Fatal(err)
		}
		best := 0
		for i := range 100 {
			s.X.Set(math.Mod(float64(i)*0.37, 1.5), i)
			s.X.Dual().Set(float64(i), i)
			if s.X.At(i) > s.X.At(best) {
				best = i
			}
		}
		if err := rt.Tangent(s.Most); err != nil {
			t.Fatal(err)
		}
		if got, want := s.Y.Dual().At(), math.Cos(s.X.At(best))*float64(best); math.Abs(got-want) > 1e-12 {
			t.Errorf("the tangent is %v and not %v", got, want)
		}
	})
}
