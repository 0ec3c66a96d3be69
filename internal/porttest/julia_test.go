package porttest

import (
	"math"
	"math/cmplx"
	"testing"

	"github.com/gotaichi/ti"
)

type julia struct {
	Pixels ti.Field[float32]
	N      int
	Paint  func(t float32)
}

// TestJulia compares each pixel with complex arithmetic in Go. Rounding may move
// the step at which a point near the border escapes.
func TestJulia(t *testing.T) {
	run(t, all, func(t *testing.T, rt *ti.Runtime) {
		j := julia{N: 24}
		rt.Place(ti.Shape{2 * j.N, j.N}, &j.Pixels)
		load(t, rt, "julia", &j)
		j.Paint(0.7)
		differ, shades := 0, map[float32]bool{}
		for x := range 2 * j.N {
			for y := range j.N {
				got, want := j.Pixels.At(x, y), 1-0.02*float64(escape(x, y, j.N, 0.7))
				if !(math.Abs(float64(got)-want) <= 1e-6) {
					differ++
				}
				shades[got] = true
			}
		}
		if differ > j.N*j.N/100 {
			t.Errorf("%d of %d pixels differ", differ, 2*j.N*j.N)
		}
		if len(shades) < 10 {
			t.Errorf("the picture has only %d shades", len(shades))
		}
	})
}

func escape(x, y, n int, t float64) int {
	c := complex(-0.8, 0.2*math.Cos(t))
	z := complex(2*float64(x)/float64(n)-2, 2*float64(y)/float64(n)-1)
	k := 0
	for cmplx.Abs(z) < 20 && k < 50 {
		z = z*z + c
		k++
	}
	return k
}
