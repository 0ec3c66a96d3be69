package dist_test

import (
	"fmt"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/dist"
)

// pastSource has loops over rows that are not there, but on a ring.
const pastSource = `
package past

var A, B field[i32]

func Fill() {
	for i, j := range A {
		A[i][j] = i*10 + j
	}
}

func Sum() (n i32) {
	for i, j := range ndrange(span(-7, 60), 3) {
		n += A[mod(i, 20)][j] * (i + 10)
	}
	return n
}

func Bound() {
	for i := range span(40, 42) {
		B[7][0] += A[mod(i, 20)][1]
	}
}
`

// TestPast: iterations beyond the field read rows on a ring.
func TestPast(t *testing.T) {
	run := func(w *dist.World) (string, error) {
		w.Spoil(spoil)
		rt, err := w.New(ti.Config{Threads: 1})
		if err != nil {
			return "", err
		}
		defer func() { _ = rt.Close() }()
		var h struct {
			A, B        ti.Field[int32]
			Sum         func() (int32, error)
			Fill, Bound func() error
		}
		g := w.Grid(ti.IJ, 20, 3).Tile(4, 3)
		for _, f := range []ti.AnyField{&h.A, &h.B} {
			g.Divide(rt.NewTree()).Dense(ti.IJ, 20, 3).Place(f)
		}
		if err := rt.Load(pastSource, &h); err != nil {
			return "", err
		}
		if err := h.Fill(); err != nil {
			return "", err
		}
		n, err := h.Sum()
		text := fmt.Sprint(n, err)
		err = h.Bound()
		return fmt.Sprint(text, err, h.B.Values()), nil
	}
	want := results(t, 1, run)
	for _, ranks := range []int{2, 5} {
		if got := results(t, ranks, run); got != want {
			t.Errorf("%d ranks say\n%s\nand one\n%s", ranks, got, want)
		}
	}
}
