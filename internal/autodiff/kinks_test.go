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
		{"length(dvec2(x, y))", 3e152, 4e152, 0.6, 0.8},
		{"length(dvec2(x, y))", 3e-153, 4e-153, 0.6, 0.8},
		{"normalize(dvec2(x, y))[0]", 3e152, 4e152, 0.128e-152, -0.096e-152},
		{"normalize(dvec2(x, y))[0]", 3e-153, 4e-153, 0.128e153, -0.096e153},
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
		sidesAgree(t, "L += "+c.expr, []float64{c.x, c.y}, []float64{c.dx, c.dy})
	}
}

// sidesAgree compares the derivatives of L after a body, by x and by y, in both modes.
func sidesAgree(t *testing.T, body string, at, want []float64) {
	t.Helper()
	k := lowered(t, "func K() { x, y := X[0], X[1]; _ = y; "+body+" }")
	back, err := adjoint(t, k)
	if err != nil {
		t.Errorf("%s: %v", body, err)
		return
	}
	m := newMemory(at)
	m.run(t, recorded(t, k))
	m["L.grad"].Store(nil, 0, math.Float64bits(1))
	m.run(t, back)
	for i, want := range want {
		for mode, got := range []float64{math.Float64frombits(m["X.grad"].Load([]int64{int64(i)}, 0)), tangentOf(t, k, at, i)} {
			if got != want && !(math.Abs(got-want) <= 1e-14*math.Abs(want)) {
				t.Errorf("the %s of %q at %v by argument %d is %v and not %v", []string{"derivative", "tangent"}[mode], body, at, i, got, want)
			}
		}
	}
}

// TestPassedBy has choices whose arguments come through loops, ifs, arrays and calls. N is 0, 1, 2, 3, 0, 1.
func TestPassedBy(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		body   string
		x, y   float64
		dx, dy float64
	}{
		{"w := y; for range serial(N[1]) { w = ifelse(x > 0, w*(1/x), 0) }; L += w", 0, 3, 0, 0},
		{"z, w := y, 0.0; for range serial(N[2]) { w = ifelse(x > 0, z, 0); z = z*(1/x)*y }; L += w", 0, 3, 0, 0},
		{"z, w := y*(1/x), 0.0; for range serial(N[1]) { w = ifelse(x > 0, z, 0); z = 1 }; L += w", 0, 3, 0, 0},
		{"z, w := y*(1/x), 0.0; for range serial(N[3]) { w = z; z = y*(1/x)*y }; L += ifelse(x > 0, w, y)", 0, 3, 0, 1},
		{"w := y*(1/x); for range serial(N[0]) { w = y }; L += ifelse(x > 0, w, y)", 0, 3, 0, 1},
		{"var a [3]f64; a[N[1]] = y*(1/x)*y; L += ifelse(x > 0, a[N[1]], 0)", 0, 3, 0, 0},
		{"var a [3]f64; w := 0.0; for range serial(N[2]) { w = ifelse(x > 0, a[N[1]], 0); a[N[1]] = y*(1/x)*y }; L += w", 0, 3, 0, 0},
		{"z := y; if N[1] > 0 { z = y*(1/x)*y }; L += ifelse(x > 0, z, 0)", 0, 3, 0, 0},
		{"z := y; if N[1] > 9 { z = 2 } else { z = y*(1/x)*y }; L += ifelse(x > 0, z, 0)", 0, 3, 0, 0},
		{"if N[1] > 9 { return }; L += ifelse(x > 0, -(y*(1/x)), 0)", 0, 3, 0, 0},
		{"Y[0] = 1; Y[0] = min(Y[0], y*(1/x)*y); L += Y[0]", 0, 3, 0, 0},
		{"Y[0] = 1; for k := range 3 { Y[0] = min(Y[0], f64(k+1)*(y*(1/x))) }; L += Y[0]", 0, 3, 0, 0},
		{"z, w, r := y, 1/x, 0.0; for range serial(N[2]) { r = ifelse(x > 0, z*w, y); z = -z; w = -w }; L += r", 0, 3, 0, 1},
		{"L += ifelse(x > 0, inf*x, 0)", 0, 3, 0, 0},
		// An infinite factor that is given.
		{"w := y; for range serial(N[1]) { w = ifelse(x < 9, w*x, 0) }; L += w", inf, 3, 0, 0},
		{"z, w := y, 0.0; for range serial(N[2]) { w = ifelse(x < 9, z, 0); z = z*x*y }; L += w", inf, 3, 0, 0},
		{"z, w := y*x, 0.0; for range serial(N[1]) { w = ifelse(x < 9, z, 0); z = 1 }; L += w", inf, 3, 0, 0},
		{"z, w := y*x, 0.0; for range serial(N[3]) { w = z; z = y*x*y }; L += ifelse(x < 9, w, y)", inf, 3, 0, 1},
		{"w := y*x; for range serial(N[0]) { w = y }; L += ifelse(x < 9, w, y)", inf, 3, 0, 1},
		{"z, w := y*x, 0.0; for k := 0; k < N[3]; k++ { w = z; z = y*x*y }; L += ifelse(x < 9, w, y)", inf, 3, 0, 1},
		{"var a [3]f64; a[N[1]] = y*x*y; L += ifelse(x < 9, a[N[1]], 0)", inf, 3, 0, 0},
		{"var a [3]f64; w := 0.0; for range serial(N[2]) { w = ifelse(x < 9, a[N[1]], 0); a[N[1]] = y*x*y }; L += w", inf, 3, 0, 0},
		{"var a [3]f64; w := 0.0; for range serial(N[2]) { b := ifelse(x < 9, a[N[1]], 0); w += b; a[N[1]] = a[N[2]]; a[N[2]] = y*x }; L += w", inf, 3, 0, 0},
		{"z := y; if N[1] > 0 { z = y*x*y }; L += ifelse(x < 9, z, 0)", inf, 3, 0, 0},
		{"z := y; if N[1] > 9 { z = 2 } else { z = y*x*y }; L += ifelse(x < 9, z, 0)", inf, 3, 0, 0},
		{"L += ifelse(x < 9, -(y*x), 0) + ifelse(x > 9, 0, sin(y*x)) + min(y, y*x) + max(y, y*-x) + min(y*x, y) + max(y*-x, y)", inf, 3, 0, 4},
		{"L += ifelse(x < 9, y*f64(f32(x)), y)", inf, 3, 0, 1},
		{"L += ifelse(x < 9, f64(f16(N[3]*30000)*f16(y)), y)", inf, 3, 0, 1},
		{"Y[0] = 1; Y[0] = min(Y[0], y*x); L += Y[0]", inf, 3, 0, 0},
		{"Y[0] = 1; for k := range 3 { Y[0] = min(Y[0], f64(k+1)*(y*x)) }; L += Y[0]", inf, 3, 0, 0},

		// Fields hand it over, as those of two kernels do.
		{"Y[0] = y*(1/x)*y; L += ifelse(x > 0, Y[0], y)", 0, 3, 0, 1},
		{"z := 1/x; if N[1] > 0 { z = -z }; Y[0] += y*z + sin(z); L += ifelse(x > 0, Y[0], y)", 0, 3, 0, 1},
		{"var a [3]f64; a[N[1]] = rsqrt(x); w := 0.0; for range serial(N[2]) { w += a[N[1]]*y }; Y[0] = w; L += ifelse(x > 0, Y[0], y)", 0, 3, 0, 1},
		{"Y[0] += y*log(x) + y*log2(x) + y*rsqrt(x) + y*pow(x, -1); L += ifelse(x > 0, Y[0], y)", 0, 3, 0, 1},
		{"Y[0] += y*sqrt(x) + y*asin(x-2) + y*acos(x-2) + y*mod(2.0, x+1); L += ifelse(x > 0, Y[0], y)", -1, 3, 0, 1},
		{"m := inverse(dmat2(x, 0, 0, x)); Y[0] += m[0][0]*y + cos(m[1][1])*y; L += ifelse(x > 0, Y[0], y)", 0, 3, 0, 1},
		{"z := 1.0; if N[1] > 0 { z = 1/x }; Y[0] += y*z; L += ifelse(x > 0, Y[0], y)", 0, 3, 0, 1},
		{"z := 1.0; if N[1] > 9 { z = 2 } else { z = 1/x }; Y[0] += y*z; L += ifelse(x > 0, Y[0], y)", 0, 3, 0, 1},
		{"z, w := 1/x, 0.0; for range serial(N[1]) { w += z*y; z = 1 }; Y[0] += w; L += ifelse(x > 0, Y[0], y)", 0, 3, 0, 1},
		{"z, w := 1.0, 0.0; for range serial(N[2]) { w += z*y; z = 1/x }; Y[0] += w; L += ifelse(x > 0, Y[0], y)", 0, 3, 0, 1},
		{"z := 1.0; for range serial(N[1]) { z = 1/x }; Y[0] += z*y; L += ifelse(x > 0, Y[0], y)", 0, 3, 0, 1},
		{"z := 1/x; for range serial(N[0]) { z = 1 }; Y[0] += z*y; L += ifelse(x > 0, Y[0], y)", 0, 3, 0, 1},
		{"s := 1.0; for i := range 2 { s /= f64(N[0]*i) }; Y[0] += s*x; L += ifelse(x > 0, Y[0], y)", 0, 3, 0, 1},
		{"Y[0] = y*log(x) + cos(pow(x, -1))*y; L += min(Y[0]*0, y)", 1, 3, 0, 0},
		{"L += ifelse(x > 0, x*-inf, y) + ifelse(x > 0, sign(sqrt(x-1))*y, y)", 0, 3, 0, 2},
		{"L += ifelse(x > 0, sin(1/x), y)", 0, 3, 0, 1},
		{"L += ifelse(x > 0, cos(1/x)*x, y)", 0, 3, 0, 1},
		{"L += ifelse(x > 0, abs(sqrt(x)), y)", -1, 3, 0, 1},
		{"L += ifelse(x > 0, atan(sqrt(x)), y)", -1, 3, 0, 1},
		{"L += ifelse(x > 0, tanh(sqrt(x)), y)", -1, 3, 0, 1},

		// In forward mode the infinite tangent comes first.
		{"z := sqrt(x); if N[1] > 0 { z = sqrt(x+0)+1 }; L += (z-1)*y", 0, 0, 0, 0},
		{"z := sqrt(x); for range serial(N[2]) { z = -z }; L += z*y", 0, 0, 0, 0},
		{"z, w := 0.0, 0.0; for range serial(N[2]) { w = z*y; z = -sqrt(x) }; L += w", 0, 0, 0, 0},
		{"z := 1.0; if N[0] == 0 { z = -sqrt(x) }; w := 0.0; for range serial(N[1]) { w += z*y }; L += w", 0, 0, 0, 0},
		{"z, w := sqrt(x), 0.0; for range serial(N[1]) { w += z*y; z = 1 }; L += w", 0, 0, 0, 0},
		{"var a [3]f64; a[N[1]] = sqrt(x); L += a[N[1]]*y", 0, 0, 0, 0},
		{"var a [3]f64; w := 0.0; for range serial(N[2]) { w += a[N[1]]*y; a[N[1]] = sqrt(x) }; L += w", 0, 0, 0, 0},
		{"var a [3]f64; a[N[1]] += sqrt(x); z := a[N[1]]; L += z*y + y*z + fma(y, z, y) + fma(z, y, y)", 0, 0, 0, 2},
		{"L += abs(sqrt(x)) + cos(sqrt(y))", 0, 0, 0, 0},
		{"Y[0] = sqrt(x); L += Y[0]*y", 0, 0, 0, 0},
		{"Y[0] = sqrt(x); z := Y[0]; Y[0] += 1; L += z*y", 0, 0, 0, 0},
		{"Y[0] += sqrt(x); z := Y[0]; L += y*z + tanh(1000+z)", 0, 0, 0, 0},
		{"L += tanh(1000+sqrt(x)) + atan(1/x)*y", 0, 0, 0, math.Pi / 2},
		{"L += y/(sqrt(x)+1)", 0, 0, 0, 1},
		{"L += y/(1/x) + 1/(1+1/x)", 0, 1, 0, 0},
		{"L += exp(-1/x) + exp2(-1/x) + pow(2.0, -1/x) + pow(1/x, -2)", 0, 0, 0, 0},
		{"L += rsqrt(1/x)*y + cosh(sqrt(x)) + hypot(sqrt(x), 1)", 0, 0, 0, 0},
		{"L += atan2(0.0*y, sqrt(x)+1) + mod(0.5+y, sqrt(x)+1)", 0, 0, 0, 1},
		{"L += solve(dmat3(1, 0, 0, 0, 1, 0, 0, 0, 1)*(2+sqrt(x)), dvec3(y))[1]*y", 0, 0, 0, 0},
	} {
		sidesAgree(t, c.body, []float64{c.x, c.y}, []float64{c.dx, c.dy})
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

// TestSteepProducts has products and quotients that are accumulated, in forward mode. A factor 0 makes 0 of infinite tangents in them, as it does in
// plain ones, and they may be infinite themselves.
func TestSteepProducts(t *testing.T) {
	for _, c := range []struct {
		body string
		want [2]float64
	}{
		{"Y[0] = sqrt(x); Y[0] *= y; L += Y[0]", [2]float64{0, 0}},
		{"Y[0] = sqrt(x); for i := range 2 { Y[0] *= y * f64(i+1) }; L += Y[0]", [2]float64{0, 0}},
		{"Y[0] = y; Y[0] *= sqrt(x); L += Y[0]", [2]float64{0, 0}},
		{"Y[0] = y; Y[0] /= 1 + sqrt(x); L += Y[0]", [2]float64{0, 1}},
		{"s := 1.0; for i := range 2 { s /= x * f64(i+1) }; L += tanh(s)", [2]float64{0, 0}},
	} {
		k := lowered(t, "func K() { x, y := X[0], X[1]; _ = y; "+c.body+" }")
		for i, want := range c.want {
			if got := tangentOf(t, k, []float64{0, 0}, i); got != want {
				t.Errorf("the tangent of %q at 0 by argument %d is %v and not %v", c.body, i, got, want)
			}
		}
	}
}
