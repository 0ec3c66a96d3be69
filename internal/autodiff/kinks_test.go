package autodiff_test

import (
	"math"
	"testing"

	"github.com/gotaichi/ti/internal/autodiff"
	"github.com/gotaichi/ti/internal/ir"
)

// TestKinks checks the values that derivatives have where there is none, in both modes: x is X[0], y is X[1].
func TestKinks(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		expr   string
		x, y   float64
		dx, dy float64
	}{
		{"min(x, y)", 2, 2, 1, 0},
		{"max(x, y)", 2, 2, 1, 0},
		{"min(x, y)", 2, 1, 0, 1},
		{"max(x, y)", 2, 1, 1, 0},
		{"abs(x)", 0, 0, 0, 0},
		{"abs(x)", -2, 0, -1, 0},
		{"length(dvec2(x, y))", 0, 0, 0, 0},
		{"length(dvec2(x, y))", 3, 4, 0.6, 0.8},
		{"normalize(dvec2(x, y))[0]", 0, 0, 0, 0},
		{"normalize(dvec2(x, y))[0]", 0, 2, 0.5, 0},
		{"distance(dvec2(x, 1), dvec2(1, y))", 1, 1, 0, 0},
		{"ifelse(x > 1, sqrt(x-1), 0)", 1, 0, 0, 0},
		{"ifelse(x > 1, sqrt(x-1), y)", 1, 0, 0, 1},
		{"ifelse(x > 0, x*log(x), 0)", 0, 0, 0, 0},
		{"ifelse(x > 0, x*log(x), 0)", 1, 0, 1, 0},
		{"ifelse(x > 0, x*(1/x), 0)", 0, 0, 0, 0},
		{"ifelse(x > 0, y*(x/x), 0)", 0, 3, 0, 0},
		{"ifelse(x > 0, y*(x/x), y)", 0, 3, 0, 1},
		{"ifelse(x > 0, fma(y, 1/x, x), 0)", 0, 3, 0, 0},
		{"ifelse(length(dvec2(x, y)) > 0, sum(normalize(dvec2(x, y))*x), 0)", 0, 0, 0, 0},
		{"ifelse(x < 1000, y, sinh(x)*y + cosh(x))", 0, 2, 0, 1},
		{"ifelse(x < 1000, sinh(x)*y + cosh(x), y)", 2000, 2, 0, 1},
		{"ifelse(y <= 0, x, mod(1+y, y))", 1, 0, 1, 0},
		{"ifelse(y > 0, mod(1+x, y)*x, x)", 1, 0, 1, 0},
		{"ifelse(x > 1000, y, y*exp(x))", 2000, 3, 0, 1},
		{"min(1, y*(1/x))", 0, 2, 0, 0},
		{"max(y, log(x)*y)", 0, 2, 0, 1},
		{"ifelse(x > 2, solve(dmat2(x, y, y, x), dvec2(1, 2))[0]*y, 3)", 1, 1, 0, 0},
		{"ifelse(x > 0, determinant(dmat3(x)), sum(solve(dmat3(y-1), dvec3(x))))", 1, 1, 3, 0},
		{"min(2, inverse(dmat2(x, y, y, x))[0][0]*y)", 1, 1, 0, 0},
		{"sqrt(x)", 0, 0, inf, 0},
		{"sqrt(x)*0", 0, 0, 0, 0},
		{"cbrt(x) + log(y)", 0, 0, inf, inf},
		{"cbrt(x)*0 + log(y+1e-300)*0", 0, 0, 0, 0},
		{"asin(x) - acos(y)", 1, -1, inf, inf},
		{"asin(x)*0 + acos(y)*0", -1, 1, 0, 0},
		{"floor(x) + ceil(x) + round(y) + trunc(y) + sign(x)", 1.5, 0.5, 0, 0},
		{"pow(x, y)", 0, 2, 0, 0},
		{"pow(x, y)", 2, 0, 0, math.Ln2},
		{"pow(x, 2)", -3, 0, -6, 0},
		{"x/y", 1, 2, 0.5, -0.25},
		{"mod(x, y)", 5.5, 2, 1, -2},
		{"clamp(x, 0, 1)", 2, 0, 0, 0},
		{"clamp(x, 0, 1)", 0.5, 0, 1, 0},
		{"stopGrad(x)*x", 3, 0, 3, 0},
		{"tanh(x)", 1000, 0, 0, 0},
		{"hypot(x, y)", 0, 0, 0, 0},
		{"hypot(x, y)", 3, -4, 0.6, -0.8},
		{"hypot(x, y)", 0, 2, 0, 1},
		{"hypot(x, y)", inf, 2, 0, 0},
		{"atan2(y, x)", 0, 0, 0, 0},
		{"pow(x, y)", 0, 0, 0, 0},
		{"pow(x, y)", 0, 1, 1, 0},
		{"rsqrt(x)*0 + mod(y, 2)", 0, 4, 0, 1},
		{"ifelse(x != 0, mod(y, x), y)", 0, 4, 0, 1},
		{"atan2(y, x)", 1e200, 1e200, -5e-201, 5e-201},
		{"f64(f32(x))*2", 3, 0, 2, 0},
		{"f64(int(x))", 3.5, 0, 0, 0},
	} {
		k := lowered(t, "func K() { x, y := X[0], X[1]; _ = y; L += "+c.expr+" }")
		back, err := adjoint(t, k)
		if err != nil {
			t.Errorf("%s: %v", c.expr, err)
			continue
		}
		m := newMemory([]float64{c.x, c.y})
		m["L.grad"].Store(nil, 0, math.Float64bits(1))
		m.run(t, back)
		for i, want := range []float64{c.dx, c.dy} {
			got := math.Float64frombits(m["X.grad"].Load([]int64{int64(i)}, 0))
			if got != want && !(math.Abs(got-want) <= 1e-14*math.Abs(want)) {
				t.Errorf("the derivative of %s at (%v, %v) by argument %d is %v and not %v", c.expr, c.x, c.y, i, got, want)
			}
			if got := tangentOf(t, k, []float64{c.x, c.y}, i); got != want && !(math.Abs(got-want) <= 1e-14*math.Abs(want)) {
				t.Errorf("the tangent of %s at (%v, %v) by argument %d is %v and not %v", c.expr, c.x, c.y, i, got, want)
			}
		}
	}
}

// tangentOf is the derivative of L by X[i] in forward mode.
func tangentOf(t *testing.T, k *ir.Kernel, x []float64, i int) float64 {
	t.Helper()
	dual := map[*ir.Field]*ir.Field{}
	for _, f := range k.Fields {
		if f.Comps[0].IsFloat() {
			dual[f] = &ir.Field{Name: f.Name + ".grad", Comps: f.Comps, Shape: f.Shape, Origin: f.Origin}
		}
	}
	on, err := autodiff.Forward(k, dual, autodiff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := newMemory(x)
	m["X.grad"].Store([]int64{int64(i)}, 0, math.Float64bits(1))
	m.run(t, on)
	return math.Float64frombits(m["L.grad"].Load(nil, 0))
}
