package autodiff_test

import (
	"math"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/autodiff"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/oracle"
)

// TestFirstExtremum sees that of several accumulations that attain the extremum, the first one in the order of the program takes the adjoint.
func TestFirstExtremum(t *testing.T) {
	const loop = "for i := range 6 { L = max(L, X[i]) }; "
	x := []float64{0.3, 2, 0.4, 2, 2, 2}
	for _, c := range []struct {
		body  string
		first int
	}{
		{loop, 1},
		{"for i := range 6 { L = max(L, X[5-i]) }", 5},
		{"L = max(L, X[4]); L = max(L, X[3]); L = max(L, X[5])", 4},
		{"L = max(L, X[0], X[4]); if X[1] > 1 { L = max(L, X[5]); L = max(L, X[3]) }", 4},
		{"if X[1] > 1 { L = max(L, X[5]); L = max(L, X[3]) }; L = max(L, X[1])", 5},
		{"for k := range serial(3) { L = max(L, X[k*2+1]); L = max(L, X[4]) }; L = max(L, X[5])", 1},
		{"L = max(L, X[3]); " + loop, 3},
		{loop + "L = max(L, X[3])", 1},
		{"L = max(L, X[4]); for k := range serial(6) { L = max(L, X[k]) }; " + loop, 4},
		{"L = max(L, X[0]); for k := range serial(6) { L = max(L, X[5-k]) }; L = max(L, X[4])", 5},
		{"for i := range 6 { L = max(L, X[i/5*5]) }; " + loop, 5},
		{loop + "for i := range 6 { L = max(L, X[5-i]) }", 1},
		{"for i := range 6 { L = max(L, X[5-i], X[1]) }", 5},
		{"for i, j := range ndrange(2, span(1, 4)) { L = max(L, X[5-i*3-(j-1)]) }", 5},
		{"for i, j := range ndrange(span(1, 3), 3) { L = max(L, X[5-(i-1)*3-j]) }", 5},
		{"for i, j := range ndrange(3, 2) { L = max(L, X[(i*2+j+2)%6]) }", 3},
		{"for i, j := range ndrange(N[1]+1, span(N[1], 4)) { L = max(L, X[(i*3+j+4)%6]) }", 5},
		{"for i := range span(3, 9) { L = max(L, X[8-i]) }; for i := range O { L = max(L, X[i+2]) }", 5},
		{"for i, j := range P { if i+j < -2 { L = max(L, X[(i*4+j+19)%6]) } }", 3},
		{"for i := range 6 { for k := range serial(2) { L = max(L, X[(5-i+k*2)%6]) } }", 5},
		{"for i := range 6 { k := 0; for { L = max(L, X[(5-i+k*2)%6]); k++; if k*N[1] > 1 { break } } }", 5},
		{"for i := range 6 { for { L = max(L, X[5-i]); if X[1] > 1 { break } } }", 5},
		{"L = max(L, X[3]); for i := range 6 { L = max(L, X[5-i]) }", 3},
		{"m := X[0]; for i := range 6 { v := X[5-i]; if i < 5 { m = max(m, v) } }; L = m", 5},

		// Behind more serial code, and in more of it, than the keys have numbers of loops.
		{"s := X[1]; for k := range static(600) { s = s*1.5 + X[2] - s*0.5 - 0.4 }; Y[0] = s; " + loop, 1},
		{"m := X[0]; s := X[1]; for k := range static(600) { s = s*1.5 + X[2] - s*0.5 - 0.4 }; Y[0] = s; for i := range 6 { m = max(m, X[5-i]) }; L = m", 5},
		{"for k := range static(600) { L = max(L, X[k%6]) }; L = max(L, X[5])", 1},
	} {
		k := lowered(t, "func K() { "+c.body+" }")
		back, err := adjoint(t, k)
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		launched := newMemory(x)
		launched.run(t, k) // what attained the extremum is found by its value
		launched["L.grad"].Store(nil, 0, math.Float64bits(1))
		for _, backward := range []bool{false, true} {
			m := launched.copied()
			m.startWith(t, prepared(t, back), oracle.Env{Backward: backward}, nil)
			for i := range x {
				want := 0.0
				if i == c.first {
					want = 1
				}
				if got := math.Float64frombits(m["X.grad"].Load([]int64{int64(i)}, 0)); got != want {
					t.Errorf("%s, backward %v: the adjoint of X[%d] is %v and not %v", c.body, backward, i, got, want)
				}
				if got := tangentOf(t, k, x, i); got != want && !backward {
					t.Errorf("%s: the tangent by X[%d] is %v and not %v", c.body, i, got, want)
				}
			}
		}
	}
	_, err := adjoint(t, lowered(t, "func K() { for range static(513) { for k := range serial(2) { L = max(L, X[k]) } } }"))
	if err == nil || !strings.Contains(err.Error(), "more than 512 loops") {
		t.Errorf("513 loops: the error is %v", err)
	}
	if _, err = adjoint(t, lowered(t, "func K() { for range static(512) { for k := range serial(2) { L = max(L, X[k]) } } }")); err != nil {
		t.Errorf("512 loops: %v", err)
	}
}

// TestNearExtremum moves what the backward pass compares a little, as another order of a sum does: what is near to the extremum takes the adjoint
// unless something else attains it.
func TestNearExtremum(t *testing.T) {
	for _, c := range []struct {
		body  string
		x     []float64 // of the backward pass, where it was 0.3, -2, 0.4, 2, 0.5, 1
		taker int       // -1 for none
	}{
		{"L = max(L, X[i])", []float64{0.3, -2, 0.4, 2 + 1e-13, 0.5, 1}, 3},
		{"L = max(L, X[i])", []float64{0.3, -2, 0.4, 2 - 1e-13, 0.5, 1}, 3},
		{"L = max(L, X[i])", []float64{2 - 1e-13, -2, 0.4, 2, 0.5, 1}, 3},
		{"L = max(L, X[i])", []float64{0.3, -2, 0.4, 2 - 1e-10, 0.5, 1}, -1},
		{"L = max(L, X[i])", []float64{0.3, -2, 0.4, 2 + 1e-10, 0.5, 1}, -1},
		{"L = min(L, X[i])", []float64{0.3, -2 + 1e-13, 0.4, 2, 0.5, 1}, 1},
		{"L = min(L, X[i])", []float64{0.3, -2 - 1e-13, 0.4, 2, 0.5, 1}, 1},
		{"L = min(L, X[i])", []float64{0.3, -2 - 1e-10, 0.4, 2, 0.5, 1}, -1},
		{"W[0] = max(W[0], f32(X[i]))", []float64{0.3, -2, 0.4, 2 + 1e-5, 0.5, 1}, 3},
		{"W[0] = max(W[0], f32(X[i]))", []float64{0.3, -2, 0.4, 2 + 1e-4, 0.5, 1}, -1},
	} {
		k := lowered(t, "var W field[f32, D1]\nfunc K() { for i := range X { "+c.body+" } }")
		back, err := adjoint(t, k)
		if err != nil {
			t.Fatal(err)
		}
		m := newMemory([]float64{0.3, -2, 0.4, 2, 0.5, 1})
		m.run(t, k)
		m["L.grad"].Store(nil, 0, math.Float64bits(1))
		m["W.grad"].Store([]int64{0}, 0, ir.FloatBits(ir.F32, 1))
		for i, v := range c.x {
			m["X"].Store([]int64{int64(i)}, 0, math.Float64bits(v))
		}
		m.run(t, back)
		for i := range c.x {
			want := 0.0
			if i == c.taker {
				want = 1
			}
			if got := math.Float64frombits(m["X.grad"].Load([]int64{int64(i)}, 0)); got != want {
				t.Errorf("%s at %v: the adjoint of X[%d] is %v and not %v", c.body, c.x, i, got, want)
			}
		}
	}
}

// TestExtremaWithoutAdjoint has minima in a field without an adjoint: nothing claims them, and no keys are wanted.
func TestExtremaWithoutAdjoint(t *testing.T) {
	k := lowered(t, "func K() { for i := range X { L = max(L, X[i]); Y[i] = X[i]*X[i] } }")
	grad := adjointsOf(k)
	for f := range grad {
		if f.Name == "L" {
			delete(grad, f)
		}
	}
	back, err := autodiff.Reverse(k, grad, autodiff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := newMemory([]float64{1, 2, 3, 4, 5, 6})
	m["Y.grad"].Store([]int64{2}, 0, math.Float64bits(1))
	m.run(t, back)
	if got := math.Float64frombits(m["X.grad"].Load([]int64{2}, 0)); got != 6 {
		t.Errorf("the adjoint is %v and not 6\n%s", got, back)
	}
}
