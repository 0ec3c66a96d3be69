package dist_test

import (
	"fmt"
	"strings"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/dist"
)

// rowsSource has loops of which the compiler runs several rows at a time.
const rowsSource = `
package rows

var A, B, C field[f32]

func Back() {
	for i := range span(6, 62) {
		t := f32(0)
		if i+1 >= 6 && i+1 < 62 {
			t = B[i+1]
		}
		if i-1 >= 6 && i-1 < 62 {
			A[i-1] = 0.01*i - t
		}
		u := f32(0)
		if i+0 >= 6 && i+0 < 62 {
			u = B[i+0]
		}
		if i-3 >= 6 && i-3 < 62 {
			C[i-3] = 0.2*u + 0.5*B[min(max(i+2, 6), 61)]
		}
	}
}
`

// TestRows: the rows of a loop that the compiler has tried to split at borders are where they are.
func TestRows(t *testing.T) {
	run := func(w *dist.World) (string, error) {
		rt, err := w.New(ti.Config{Threads: 1, StrictMath: true})
		if err != nil {
			return "", err
		}
		defer func() { _ = rt.Close() }()
		var h struct {
			A, B, C ti.Field[float32]
			Back    func() error
		}
		g := w.Grid(ti.I, 56).Tile(8)
		for _, f := range []ti.AnyField{&h.A, &h.B, &h.C} {
			g.Divide(rt.NewTree().Origin(ti.I, 6)).Dense(ti.I, 56).Place(f)
		}
		if err := rt.Load(rowsSource, &h); err != nil {
			return "", err
		}
		h.B.Fill(2)
		if err := h.Back(); err != nil {
			return "", err
		}
		return strings.Trim(fmt.Sprint(h.A.Values()), "[]"), nil
	}
	want := results(t, 1, run)
	if !strings.HasPrefix(want, "-1.93 ") {
		t.Fatalf("one rank has %s", want)
	}
	for _, ranks := range []int{2, 4} {
		if got := results(t, ranks, run); got != want {
			t.Errorf("%d ranks have\n%s\nand one\n%s", ranks, got, want)
		}
	}
}
