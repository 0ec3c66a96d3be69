package program

import (
	"errors"
	"fmt"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// wantRace checks that err is a race in debug variants: its message, and the number
// of elements.
func wantRace(r *runtest.Run, err error, msg string, line, other, count int) {
	r.Helper()
	if !r.Debug {
		runtest.OK(r, err)
		return
	}
	var e *ti.RuntimeError
	switch {
	case !errors.As(err, &e) || !errors.Is(err, ti.ErrRace):
		r.Errorf("the error is %v, not a race", err)
	case e.Msg != msg || e.Pos.Line != line || e.Other.Line != other || e.Count != count:
		r.Errorf("the error is %q, lines %d and %d, %d elements, not %q, lines %d and %d, %d elements", e.Msg, e.Pos.Line, e.Other.Line, e.Count, msg, line, other, count)
	}
}

var races = []program{
	{"races", `
var X, Y field[f32]
var V field[vec2, D2]
func Stencil() { for i := range span(1, len(X)-1) { X[i] = X[i-1] + X[i+1] } }
func Apart() { for i := range X { Y[i] = X[i] }; for i := range X { X[len(X)-1-i] = Y[i] } }
func Same() { for i := range 10 { X[i/2] = f32(i) } }
func Two() {
	for i := range 12 {
		X[i] = 1
		if i == 7 {
			X[3] = 2
		}
	}
}
func Mark() { for i := range 12 { X[i/3] = 7; V[i%4][i/6] = vec2(1, -1) } }
func Varied() { for i := range 4 { if i != 2 { X[5] = 3 }; if i == 1 { X[5] = 4 } } }
func Mixed() { for i := range 6 { X[0] += 1; if i == 4 { Y[i] = X[0] } } }
func Atomic() (s f32) {
	for i := range X { X[i%4] += 1; s += X.shape[0] }
	for i, j := range ndrange(4, 4) { V[i][j].x = 1; V[j][i].y = 2 }
	for i, j := range V { V[i][j] *= 2; Y[j] = max(Y[j], f32(i)) }
	return s
}
func Cross() { for i, j := range ndrange(4, 4) { V[i][j].x = 1; V[j][i].x = 2 } }
func Cells() { for i := range X { X[len(X)-1-i] = X[i] + 1 } }
func Slice(x []i32, n i32) { for i := range len(x) { x[i] = x[(i+n)%len(x)] } }
`, func(r *runtest.Run, src string) {
		var h struct {
			X, Y                                                         ti.Field[float32]
			V                                                            ti.Field[ti.Vec2]
			Stencil, Apart, Same, Two, Mixed, Cross, Cells, Mark, Varied func() error
			Atomic                                                       func() (float32, error)
			Slice                                                        func([]int32, int32) error
		}
		r.Place(ti.Shape{12}, &h.X, &h.Y)
		r.Place(ti.Shape{4, 4}, &h.V)
		r.Load(src, &h)
		runtest.OK(r, h.Apart())
		runtest.OK(r, h.Mark())
		_, err := h.Atomic()
		runtest.OK(r, err)
		runtest.OK(r, h.Slice(make([]int32, 5), 0))
		wantRace(r, h.Slice(make([]int32, 5), 1), "iteration [1] writes x[1] here, and iteration [0] read it at case.ti:27:61", 27, 27, 5)
		if !r.Debug {
			return // what the others leave depends on the order
		}
		at := func(line, col int) string { return fmt.Sprintf("case.ti:%d:%d", line, col) }
		for _, c := range []struct {
			f                  func() error
			msg                string
			line, other, count int
		}{
			{h.Same, "iteration [1] writes X[0] here, and iteration [0] wrote it at " + at(7, 42), 7, 7, 5},
			{h.Two, "iteration [7] writes X[3] here, and iteration [3] wrote it at " + at(10, 8), 12, 10, 1},
			{h.Varied, "iteration [1] writes X[5] here, and iteration [0] wrote it at " + at(17, 53), 17, 17, 1},
			{h.Mixed, "iteration [4] reads X[0] here, and iteration [0] updated it at " + at(18, 40), 18, 18, 1},
			{h.Cross, "iteration [1 0] writes V[1 0] here, and iteration [0 1] wrote it at " + at(25, 75), 25, 25, 12},
		} {
			wantRace(r, c.f(), c.msg, c.line, c.other, c.count)
		}
		var e *ti.RuntimeError
		if err := h.Cells(); !errors.As(err, &e) || !errors.Is(err, ti.ErrRace) || e.Count != 12 {
			r.Errorf("a loop over a field that reverses it in place gives %v", err)
		}
		if err := h.Stencil(); !errors.As(err, &e) || !errors.Is(err, ti.ErrRace) || e.Count != 10 {
			r.Errorf("a stencil in place gives %v", err)
		}
		runtest.OK(r, h.Apart())
	}},
}
