package quanttest

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

// TestExtremumGradients takes minima and maxima over iterations in packed elements: the derivative goes to the number that is stored, rounded, and is 0 where
// that was clamped.
func TestExtremumGradients(t *testing.T) {
	const source = `
package g

var (
	X    field[f32, D1]
	Y, Z field[f32, D1]
	L    field[f32, D0]
)

func Start() {
	for p := range Y {
		Y[p], Z[p] = X[p]*0.1, X[p] + 3
	}
}

func Extrema() {
	for p := range X {
		Y[p/3] = max(Y[p/3], X[p])
		Z[p/3] = min(Z[p/3], 2*X[p])
	}
}

func Loss() {
	for p := range Y {
		L += 2*Y[p] + f32(p+1)*Z[p]
	}
}
`
	x := []float32{0.3203125, 0.21, -0.1, 1.7, 7.984375, 2.2, 9.1, -9, 8.5, -4, -1.1, -0.9} // two are at ends, and the first is between two codes
	for _, c := range []struct {
		name string
		y, z ti.Quant
	}{
		{"fixed", ti.QuantFixed(10, 8), ti.QuantFixed(12, 8)},
		{"fixed without a sign", ti.QuantFixed(10, 8).Unsigned(), ti.QuantFixed(14, 6).Unsigned()},
		{"float", ti.QuantFloat(5, 8), ti.QuantFloat(4, 9)},
		{"stochastic", ti.QuantFixed(11, 8).Stochastic(), ti.QuantFixed(13, 8)},
	} {
		for _, threads := range []int{1, 3} {
			rt := newRuntime(t, ti.Config{Threads: threads})
			var s struct {
				X, Y, Z, L           ti.Field[float32]
				Start, Extrema, Loss func() error
			}
			rt.Place(ti.Shape{12}, ti.WithGrad(&s.X)...)
			rt.NewTree().Dense(ti.I, 4).BitStruct(32).Place(&s.Y, c.y).Place(&s.Z, c.z)
			rt.Place(ti.Shape{4}, s.Y.Grad(), s.Z.Grad())
			rt.Place(nil, ti.WithGrad(&s.L)...)
			if err := rt.Load(source, &s); err != nil {
				t.Fatal(err)
			}
			for p, v := range x {
				s.X.Set(v, p)
			}
			if err := rt.Tape(&s.L, func() error { return errors.Join(s.Start(), s.Extrema(), s.Loss()) }); err != nil {
				t.Fatal(err)
			}
			want := make([]float64, len(x))
			lo := -8.0
			if c.name == "fixed without a sign" {
				lo = 0
			} else if c.name == "float" {
				lo = -1e4
			}
			hi := map[bool]float64{false: 7.99, true: 1e4}[c.name == "float"]
			give := func(to int, v, d, by float64) {
				if v >= lo && v <= hi {
					want[to] += d * by
				}
			}
			for q := range 4 {
				y, z := float64(x[q])*0.1, float64(x[q])+3
				yFrom, zFrom, yBy, zBy := q, q, 0.1, 1.0
				for p := 3 * q; p < 3*q+3; p++ {
					if v := float64(x[p]); v > y {
						y, yFrom, yBy = v, p, 1
					}
					if v := 2 * float64(x[p]); v < z {
						z, zFrom, zBy = v, p, 2
					}
				}
				give(yFrom, y, 2, yBy)
				give(zFrom, z, float64(q+1), zBy)
			}
			for p, d := range want {
				if got := float64(s.X.Grad().At(p)); !(math.Abs(got-d) <= 1e-5*(1+math.Abs(d))) {
					t.Errorf("%s: the derivative by element %d is %v, not %v", fmt.Sprint(c.name, ", ", threads, " threads"), p, got, d)
				}
			}
		}
	}
}

// TestExtremumOfSharedExponent has a maximum over iterations where another number may round it again: it has no derivative.
func TestExtremumOfSharedExponent(t *testing.T) {
	const source = `
package g

var (
	X field[f32, D1]
	S field[vec2, D1]
	L field[f32, D0]
)

func Extrema() {
	for p := range X {
		S[p/3].x = max(S[p/3].x, X[p])
	}
	for p := range S {
		L += S[p].x
	}
}
`
	rt := newRuntime(t, ti.Config{})
	var s struct {
		X, L    ti.Field[float32]
		S       ti.Field[ti.Vec2]
		Extrema func() error
	}
	rt.Place(ti.Shape{12}, ti.WithGrad(&s.X)...)
	rt.NewTree().Dense(ti.I, 4).BitStruct(32).PlaceShared(ti.QuantFloat(5, 13), &s.S)
	rt.Place(ti.Shape{4}, s.S.Grad())
	rt.Place(nil, ti.WithGrad(&s.L)...)
	if err := rt.Load(source, &s); err != nil {
		t.Fatal(err)
	}
	if err := rt.Tape(&s.L, s.Extrema); !errors.Is(err, ti.ErrGradient) || !strings.Contains(fmt.Sprint(err), "shares its exponent") {
		t.Errorf("the error is %v", err)
	}
}
