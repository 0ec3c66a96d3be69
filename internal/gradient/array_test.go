package gradient_test

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestTapeOfArrays passes arrays of the caller, whole ones and parts with strides, and slices: they are constants, and what the
// caller does to them after a launch is of no matter.
func TestTapeOfArrays(t *testing.T) {
	const source = `
package arrays

var (
	X    field[f32]
	Y    field[f32, D2]
	Loss field[f32, D0]
)

func Weigh(w array[f32, D2], v []vec2) {
	for i, j := range w {
		Y[i][j] = X[i]*w[i][j]*w[i][j] + X[j]*v[j][1]
	}
}

// Scale changes its array, and reads what it stored.
func Scale(w array[f32, D2], by f32) {
	for i, j := range w {
		w[i][j] *= by
	}
	m := -inf
	for i, j := range w {
		Loss += Y[i][j] * w[i][j]
		m = max(m, X[i]*w[i][j])
	}
	Loss += m
}
`
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, Y, Loss ti.Field[float32]
			Weigh      func(w ti.Array[float32], v []ti.Vec2) error
			Scale      func(w ti.Array[float32], by float32) error
		}
		rt.Place(ti.Shape{3}, ti.WithGrad(&s.X)...)
		rt.Place(ti.Shape{3, 2}, ti.WithGrad(&s.Y)...)
		rt.Place(nil, ti.WithGrad(&s.Loss)...)
		if err := rt.Load(source, &s); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			s.X.Set(float32(i+1), i)
		}
		data := make([]float32, 20)
		part := ti.Strided(data[3:], ti.Shape{3, 2}, 5)
		v := make([]ti.Vec2, 2)
		w, want := [3][2]float64{}, [3]float64{}
		for i := range 3 {
			for j := range 2 {
				w[i][j] = float64(i) - float64(j)*0.75 + 0.5
				data[3+5*i+j] = float32(w[i][j])
			}
		}
		v[0][1], v[1][1] = 3, 4
		for i := range 3 {
			for j := range 2 {
				d := w[i][j] * 2 // of Y
				want[i] += d * w[i][j] * w[i][j]
				want[j] += d * float64(v[j][1])
			}
		}
		want[2] += w[2][0] * 2 // the maximum
		titest.Must(t, rt.Tape(&s.Loss, func() error {
			if err := s.Weigh(part, v); err != nil {
				return err
			}
			v[0][1], v[1][1] = 0, 0
			if err := s.Scale(part, 2); err != nil {
				return err
			}
			clear(data)
			return nil
		}))
		for i := range 3 {
			if got := float64(s.X.Grad().At(i)); !(math.Abs(got-want[i]) <= 1e-4) {
				t.Errorf("the derivative by X[%d] is %v, want %v", i, got, want[i])
			}
		}
	})
}
