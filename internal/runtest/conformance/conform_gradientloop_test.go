package conformance

import (
	"math"
	"testing"
)

// Derivatives of loops in loops, of what they carry, and of places that they compute.
//
//conform:theme derivatives
func TestConformGradientLoops(t *testing.T) {
	x := gradientX
	const total = "; for i := range X { L += Y[i] }"
	conformGradients(t, []gradientRule{
		{"loops that do nothing", "for i := range X { for j := range 5 { for k := range j { _ = k } }; L += X[i] }", constants(1, 1, 1, 1)},
		{"a sum whose length the data say", "for i := range X { s := f64(1); for range N[i] { s += X[i] }; L += s }", constants(2, 0, 3, 1)},
		{"integers that a loop carries", "for i := range X { w, s := 1, f64(0); for range N[i] { s += f64(w)*X[i]; w *= 10 }; L += s }", constants(11, 0, 111, 1)},
		{"an index that counts", "for i := range X { p := 0; for range 4 { Y[i] += X[p]*X[p]; p++ } }" + total, each(func(x float64) float64 { return 8 * x })},
		{"indices that a loop computes", "for range X { p, q := 0, 1; for range 3 { p, q = q, p+q; Y[q] += X[q] } }" + total, constants(0, 4, 4, 4)},
		{"a loop that uses what the one before has computed", "for i := range X { w := f64(1); for range N[i] { w *= X[i] }; s := f64(0); for range N[i]*2 { s += w + X[i] }; L += s }",
			constants(4*(2*x[0]+1), 0, 6*(3*x[2]*x[2]+1), 4)},
		{"statements and loops side by side", "for range X { L += sin(X[0]); for range 2 { L += sin(X[0]) + 1 } }", constants(12*math.Cos(x[0]), 0, 0, 0)},
		{"variables of each level of a nest", "for i := range X { for range 2 { s := f64(0); for range 3 { u := f64(0); s += sin(X[i]) + 1; for range 2 { u += sin(X[i]) }; L += u }; L += s } }",
			each(func(x float64) float64 { return 18 * math.Cos(x) })},
		{"a nest that carries one number through all levels", "for i := range X { y := X[i]; for range 2 { for range 2 { y *= 2; for range N[i] { y *= X[i] } } }; L += y }",
			each2(func(x float64, n int32) float64 { return 16 * float64(4*n+1) * math.Pow(x, float64(4*n)) })},
		{"conversions there and back in a loop", "for i := range X { w, s := f64(2), f64(0); for range N[i] { s += (w+1)*X[i]; w = f64(f32(w+1)) * 4 }; L += s }", constants(16, 0, 69, 3)},
		{"a condition in a loop on what it carries", "for i := range X { y := X[i]; for range 4 { if y > 2 { y *= 0.5 } else { y *= 3 } }; L += y }", constants(13.5, 2.25, 2.25, 2.25)},
		{"a store, then accumulation", "for i := range X { Y[i] = X[i]*42; for range static(3) { Y[i] += X[i] } }" + total, constants(45, 45, 45, 45)},
		{"accumulation in a loop and behind it", "for i := range X { for range 3 { Y[i] += X[i] }; Y[i] -= X[i]*5 }" + total, constants(-2, -2, -2, -2)},
		{"elements stored and read again", "Y[0] = X[0]; Y[1] = Y[0]*2; Y[2] = Y[1]*3; L = Y[2]*4", constants(24, 0, 0, 0)},
		{"an element read behind its store", "for i := range X { Y[i] = X[i]*X[i]; L += Y[i]*3 }", each(func(x float64) float64 { return 6 * x })},
		{"a choice by an index", "for i := range X { L += ifelse(i%2 == 1, X[i], 3*X[i]) }", constants(3, 1, 3, 1)},
		{"a choice of two functions", "for i := range X { y := X[i]; f := ifelse(y > 0, y-floor(y), y-ceil(y)); L += f*f }", constants(0.8, 1.8, 0.6, 1.4)},
		{"a remainder of integers as a factor", "for i := range X { L += X[i]*f64(N[i]%3) }", constants(2, 0, 0, 1)},
		{"a quotient where it is defined only", "for i := range X { t := f64(0); if N[i] > 0 { t = X[i]/f64(N[i]) }; L += t }", constants(0.5, 0, 1.0/3, 1)},
		{"a pole that is not reached", "for i := range X { t := f64(0); if X[i] > 0.5 { t = 1/(X[i]-0.4) }; L += t }",
			constants(0, -1/math.Pow(x[1]-0.4, 2), -1/math.Pow(x[2]-0.4, 2), -1/math.Pow(x[3]-0.4, 2))},
		{"a matrix under run-time indices", "for i := range X { var m [2][2]f64; m[i%2][1] = X[i]; L += m[i%2][1]*m[i%2][1] }", each(func(x float64) float64 { return 2 * x })},
		{"a component under a run-time index", "for i := range X { V[i][N[i]%2] = X[i]*X[i] }; for i := range X { L += V[i].x + 2*V[i].y }", constants(2*x[0], 2*x[1], 4*x[2], 4*x[3])},
		{"indices along two axes", "for i, j := range M { M[i][j] = X[(i+j)%4] }; for i, j := range M { L += M[i][j]*f64(i) }", constants(6, 6, 6, 6)},
		{"a field as a constant", "for i := range X { Y[i] = 2*X[i] }; for i := range X { L += stopGrad(Y[i])*X[i] }", each(func(x float64) float64 { return 2 * x })},
		{"hints", "for i := range config(X, threads(2)) { L += X[i]*X[i] }", each(func(x float64) float64 { return 2 * x })},
		{"loops of several depths side by side", "for range serial(2) { for range 3 { L += X[0] }; for range 3 { for range 2 { L += X[1] }; for range 2 { L += X[0]; for range 2 { L += X[2] } } } }", constants(18, 12, 24, 0)},
		{"nests after one another, and a statement between", "for range serial(2) { for range 3 { L += X[0]*X[0] } }; L += X[1]; for range serial(2) { for range 2 { L += X[0] }; L += X[2] }", constants(12*x[0]+4, 1, 2, 0)},
		{"lengths that the index of an outer loop gives", "for i := range X { for range i { L += X[i] }; for range 3 { for k := range i { L += X[k] } } }", constants(9, 7, 5, 3)},
		{"two numbers that a loop passes on", "for i := range X { a, b := X[0], X[i]; for range N[i] { a, b = b, a+b }; L += b }", constants(3+2+1, 1, 3, 1)},
		{"a loop that carries what it does not compute", "for i := range X { a, s := X[i], f64(0); for k := range 6 { if k%2 == 0 { s += a*a; a = s } }; L += s }", each(func(x float64) float64 { s := x * x; ds := 2 * x; t := s + s*s; dt := ds + 2*s*ds; return dt + 2*t*dt })},
		{"a store over what constants were added to", "for i := range X { x := X[i]; for range N[i] { Y[i] += 3 }; Y[i] = x*f64(i) }" + total, constants(0, 1, 2, 3)},
		{"a field without an adjoint", "for i := range X { C[i] = X[i]*X[i] }; for i := range X { L += C[i]*X[i] }", each(func(x float64) float64 { return x * x })},
		{"iterations of two axes that add up to one", "for i, j := range M { L += X[i]*X[j] }", constants(2*(x[0]+x[1]+x[2]+x[3]), 2*(x[0]+x[1]+x[2]+x[3]), 2*(x[0]+x[1]+x[2]+x[3]), 2*(x[0]+x[1]+x[2]+x[3]))},
		{"a diagonal in a loop over two axes", "for i, j := range M { M[i][j] = X[i]*X[j] }; for i, j := range ndrange(3, 4) { L += M[i][i+1]*X[j] }", func(x []float64) []float64 {
			s, q := x[0]+x[1]+x[2]+x[3], x[0]*x[1]+x[1]*x[2]+x[2]*x[3]
			return []float64{x[1]*s + q, (x[0]+x[2])*s + q, (x[1]+x[3])*s + q, x[2]*s + q}
		}},
		{"neighbours with the border of a shorter loop and without", "for i := range 2 { L += X[i+2]*X[(i+1)%2] }", constants(x[3], x[2], x[1], x[0])},
		{"an unsigned index, and the neighbour below", "for i := range u32(4) { if i > 0 { L += X[i]*X[i-1] } }", constants(x[1], x[0]+x[2], x[1]+x[3], x[2])},
		{"a range and an index of it", "for i := range span(1, 3) { L += X[i]*X[i-1] }", constants(x[1], x[0]+x[2], x[1], 0)},
	})
}

// each2 is for functions of x and of the integer beside it.
func each2(d func(x float64, n int32) float64) func(x []float64) []float64 {
	return func(x []float64) (all []float64) {
		for i, v := range x {
			all = append(all, d(v, gradientN[i]))
		}
		return all
	}
}
