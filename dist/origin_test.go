package dist_test

import (
	"fmt"
	"math"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/dist"
)

const originSource = `
package origin

var A field[f32]

func Fill() {
	for i, j := range A {
		A[i][j] = random()
	}
}

func Sum() (s f32) {
	for i, j := range A {
		s += A[i][j]
	}
	return s
}

func Part() (s f32) {
	for i, j := range ndrange(span(6, 17), 3) {
		s += A[i][j]
	}
	return s
}
`

// TestOrigin: sums follow tiles that begin at the lowest index.
func TestOrigin(t *testing.T) {
	run := func(w *dist.World) (string, error) {
		rt, err := w.New(ti.Config{Threads: 1})
		if err != nil {
			return "", err
		}
		defer func() { _ = rt.Close() }()
		var h struct {
			A         ti.Field[float32]
			Fill      func() error
			Sum, Part func() (float32, error)
		}
		w.Grid(ti.IJ, 20, 3).Tile(4, 3).Divide(rt.NewTree().Origin(ti.IJ, 3, 0)).Dense(ti.IJ, 20, 3).Place(&h.A)
		if err := rt.Load(originSource, &h); err != nil {
			return "", err
		}
		if err := h.Fill(); err != nil {
			return "", err
		}
		all, err := h.Sum()
		if err != nil {
			return "", err
		}
		part, err := h.Part()
		return fmt.Sprint(math.Float32bits(all), math.Float32bits(part)), err
	}
	want := results(t, 1, run)
	for _, ranks := range []int{2, 5} {
		if got := results(t, ranks, run); got != want {
			t.Errorf("%d ranks have %s, and one %s", ranks, got, want)
		}
	}
}
