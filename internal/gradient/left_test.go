package gradient_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// leftSource stores numbers in A, B and V and reads them again in the same iteration. P is added to what A gets, so that the
// adjoint of A is that of P; Q and R do so for B and for V.
const leftSource = `
package left

var (
	X, P, Q, A, B field[f64, D1]
	R, V          field[dvec2, D1]
	S, L          field[f64, D0]
	N             field[i32, D1]
)

func K() {
	for i := range X {
		A[i] = 2*X[i] + P[i]
		L += A[i] * A[i]
		for k := range N[i] {
			if X[k] > 0.3 {
				L += sin(A[i]) * X[k]
			}
		}
		j := N[i]
		if X[i] > 0.5 {
			B[j] = X[i]*X[i] + Q[j]
			L -= B[j] * A[i]
		} else {
			B[j] = 1 + Q[j]
			L += B[j] * B[j]
		}
		L += cos(B[j])
		V[i] = dvec2(0.25, X[i]) + R[i]
		V[i] += dvec2(X[i], 0.5)
		L += V[i].x * V[i].y
	}
	S = 0.5
	for k := range serial(2) {
		L += S * X[k]
	}
}

// Sum reads them in another launch.
func Sum() {
	for i := range A {
		L += A[i]*B[i] + V[i].x*V[i].x
	}
}
`

type left struct {
	X, P, Q, A, B ti.Field[float64]
	R, V          ti.Field[ti.DVec2]
	S, L          ti.Field[float64]
	N             ti.Field[int32]
	K, Sum        func() error
}

func (s *left) run() error { return errors.Join(s.K(), s.Sum()) }

// TestAdjointsLeft looks at the adjoints that a tape leaves in elements which the iteration that stored them has read again: they
// are those of what is added to the stored value. Elements are dense, sparse and stored in few bits.
func TestAdjointsLeft(t *testing.T) {
	for name, place := range map[string]func(rt *ti.Runtime, s *left){
		"dense": func(rt *ti.Runtime, s *left) { rt.Place(ti.Shape{4}, ti.WithGrad(&s.A, &s.B, &s.V)...) },
		"sparse": func(rt *ti.Runtime, s *left) {
			rt.NewTree().Pointer(ti.I, 2).Bitmasked(ti.I, 2).Place(ti.WithGrad(&s.A, &s.B, &s.V)...)
		},
		"packed": func(rt *ti.Runtime, s *left) {
			n := rt.NewTree().Dense(ti.I, 4)
			n.BitStruct(64).Place(&s.A, ti.QuantFixed(48, 8))
			n.BitStruct(64).Place(&s.B, ti.QuantFixed(48, 8))
			n.BitStruct(64).Place(&s.V, ti.QuantFixed(32, 8), ti.QuantFixed(32, 8))
			n.Place(s.A.Grad(), s.B.Grad(), s.V.Grad())
		},
	} {
		t.Run(name, func(t *testing.T) {
			config := ti.Config{Float: 64, Debug: name == "dense"}
			titest.EachArchWith(t, config, func(t *testing.T, rt *ti.Runtime) { leaves(t, rt, place) })
		})
	}
}

func leaves(t *testing.T, rt *ti.Runtime, place func(rt *ti.Runtime, s *left)) {
	s := new(left)
	place(rt, s)
	rt.Place(ti.Shape{4}, ti.WithGrad(&s.X, &s.P, &s.Q, &s.R)...)
	rt.Place(ti.Shape{4}, &s.N)
	rt.Place(nil, ti.WithGrad(&s.S, &s.L)...)
	titest.Must(t, rt.Load(leftSource, s))
	x := []float64{0.1, 0.4, 0.7, 1.3}
	s.X.CopyFrom(x)
	s.N.CopyFrom([]int32{2, 0, 3, 1})
	for i := range 4 {
		s.A.Set(0, i) // so that it exists
		s.B.Set(0, i)
		s.V.Set(ti.DVec2{}, i)
	}
	titest.Must(t, rt.Tape(&s.L, s.run))
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-8) || got == 0 {
			t.Errorf("%s is %v and not %v", what, got, want)
		}
	}
	near("the adjoint of S", s.S.Grad().At(), x[0]+x[1])
	for i := range 4 {
		near("the adjoint of A", s.A.Grad().At(i), s.P.Grad().At(i))
		near("the adjoint of B", s.B.Grad().At(i), s.Q.Grad().At(i))
		for c, v := range s.V.Grad().At(i) {
			near("the adjoint of V", v, s.R.Grad().At(i)[c])
		}
		const h = 1e-4
		at := func(d float64) float64 {
			s.P.Fill(0)
			s.P.Set(d, i)
			s.L.Set(0)
			titest.Must(t, s.run())
			return s.L.At()
		}
		if d := (at(h) - at(-h)) / (2 * h); math.Abs(d-s.P.Grad().At(i)) > 1e-4 {
			t.Errorf("the derivative by P[%d] is %v, and differences give %v", i, s.P.Grad().At(i), d)
		}
	}
}

// TestAdjointOfTwoValues has kernels that store to an element again after its iteration has read it: the adjoint that is left would be that of both values.
func TestAdjointOfTwoValues(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"for i := range X { A[i] = 0.5; L += A[i]*X[i]; A[i] = X[i] }", "stored to after it was given another value that was read"},
		{"for i := range X { A[i] = 0.5; L += A[i]*X[i]; if X[i] > 1 { A[i] = 2 } }", "stored to after it was given another value that was read"},
		{"for i := range X { A[i] = 0.5; L += A[i]*X[i] }; for i := range X { A[i] = 2 }", "stored to after it was given another value that was read"},
		{"for k := range serial(3) { S = 0.5; L += S*X[k] }", "in each iteration of a serial loop"},
		{"for i := range X { if X[i] > 1 { A[i] = 0.5; L += A[i]*X[i] } else { A[i] = 2*X[i]; L += A[i]*A[i] } }", ""},
		{"for i := range X { A[i] = 0.5; N[i] = i32(A[i]); A[i] = 2 }", ""},
	} {
		rt := titest.New(t, ti.Config{Float: 64})
		s := new(left)
		rt.Place(ti.Shape{4}, ti.WithGrad(&s.A, &s.B, &s.V, &s.X, &s.P, &s.Q, &s.R)...)
		rt.Place(ti.Shape{4}, &s.N)
		rt.Place(nil, ti.WithGrad(&s.S, &s.L)...)
		host := &struct {
			*left
			Two func() error
		}{left: s}
		titest.Must(t, rt.Load(leftSource+"func Two() { "+c.body+"; L += X[0] }", host))
		err := rt.Tape(&s.L, host.Two)
		if c.want == "" {
			titest.Must(t, err)
			continue
		}
		if !errors.Is(err, ti.ErrAccess) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v and not about %q", c.body, err, c.want)
		}
		titest.Must(t, rt.Tape(&s.L, func() error { return rt.Checkpoint(host.Two) })) // which leaves no such adjoints
	}
}
