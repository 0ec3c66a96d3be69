package compiled_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A scaledFunc is a function of a matrix, X times 2^x, and of the columns of another, B times 2^b. Its results are
// products of powers of these two scales with what they are at scale 1.
type scaledFunc struct {
	name, code string
	outs       []scaledOut
	right      bool // there is a B
	constant   bool // there is no derivative
	distinct   bool // singular values have to be distinct for a derivative, as they are in random matrices
	regular    bool // only regular matrices have derivatives
	even       bool // there is a square root of the scale, which has to be a power of 4
}

// A scaledOut is a result, a matrix of rows and columns, with its exponent.
type scaledOut struct {
	name       string
	rows, cols func(n int) int
	exp        func(n, x, b int) int
}

func scaledOutOf(name string, rows, cols int, exp func(n, x, b int) int) scaledOut {
	size := func(k int) func(n int) int {
		return func(n int) int {
			if k < 1 {
				return n + k // n, or so many less
			}
			return k
		}
	}
	return scaledOut{name, size(rows), size(cols), exp}
}

func fixedExp(_, _, _ int) int       { return 0 }
func sameExp(_, x, _ int) int        { return x }
func inverseExp(_, x, _ int) int     { return -x }
func solutionExp(_, x, b int) int    { return b - x }
func rootExp(_, x, _ int) int        { return x / 2 }
func determinantExp(n, x, _ int) int { return n * x }

var scaledFuncs = []scaledFunc{
	{name: "polar", code: "r, s := polar(m)", outs: []scaledOut{scaledOutOf("r", 0, 0, fixedExp), scaledOutOf("s", 0, 0, sameExp)}},
	{name: "svd", code: "u, w, v := svd(m)\n\tvar s [1][N]H\n\ts[0] = w", distinct: true,
		outs: []scaledOut{scaledOutOf("u", 0, 0, fixedExp), scaledOutOf("s", 1, 0, sameExp), scaledOutOf("v", 0, 0, fixedExp)}},
	{name: "symEig", code: "w, q := symEig(m)\n\tvar s [1][N]H\n\ts[0] = w", distinct: true,
		outs: []scaledOut{scaledOutOf("q", 0, 0, fixedExp), scaledOutOf("s", 1, 0, sameExp)}},
	{name: "eig", code: "w, x, y := eig(m)", constant: true,
		outs: []scaledOut{scaledOutOf("w", 0, 2, sameExp), scaledOutOf("x", 0, 0, fixedExp), scaledOutOf("y", 0, 0, fixedExp)}},
	{name: "qr", regular: true, code: "q, r := qr(m)", outs: []scaledOut{scaledOutOf("q", 0, 0, fixedExp), scaledOutOf("r", 0, 0, sameExp)}},
	{name: "qr wide", regular: true, code: "q, r := qr(wide(m))", outs: []scaledOut{scaledOutOf("q", -1, -1, fixedExp), scaledOutOf("r", -1, 0, sameExp)}},
	{name: "qr tall", regular: true, code: "q, r := qr(tall(m))", outs: []scaledOut{scaledOutOf("q", 0, -1, fixedExp), scaledOutOf("r", -1, -1, sameExp)}},
	{name: "svd wide", code: "u, w, v := svd(wide(m))\n\tvar s [1][N-1]H\n\ts[0] = w", distinct: true,
		outs: []scaledOut{scaledOutOf("u", -1, -1, fixedExp), scaledOutOf("s", 1, -1, sameExp), scaledOutOf("v", 0, -1, fixedExp)}},
	{name: "svd tall", code: "u, w, v := svd(tall(m))\n\tvar s [1][N-1]H\n\ts[0] = w", distinct: true,
		outs: []scaledOut{scaledOutOf("u", 0, -1, fixedExp), scaledOutOf("s", 1, -1, sameExp), scaledOutOf("v", -1, -1, fixedExp)}},
	{name: "lstsq", code: "var x [1][N]H\n\tx[0] = lstsq(m, b[0])", right: true, regular: true, outs: []scaledOut{scaledOutOf("x", 1, 0, solutionExp)}},
	{name: "lstsq wide", code: "x := lstsq(wide(m), transpose(shorter(b)))", right: true, regular: true, outs: []scaledOut{scaledOutOf("x", 0, 2, solutionExp)}},
	{name: "lstsq tall", code: "x := lstsq(tall(m), transpose(b))", right: true, regular: true, outs: []scaledOut{scaledOutOf("x", -1, 2, solutionExp)}},
	{name: "cholesky", code: "l := cholesky(definite(m))", regular: true, even: true, outs: []scaledOut{scaledOutOf("l", 0, 0, rootExp)}},
	{name: "solve", code: "var x [1][N]H\n\tx[0] = solve(m, b[0])", right: true, regular: true, outs: []scaledOut{scaledOutOf("x", 1, 0, solutionExp)}},
	{name: "solveColumns", code: "x := solve(m, transpose(b))", right: true, regular: true, outs: []scaledOut{scaledOutOf("x", 0, 2, solutionExp)}},
	{name: "inverse", regular: true, code: "r := inverse(m)", outs: []scaledOut{scaledOutOf("r", 0, 0, inverseExp)}},
	{name: "determinant", code: "var d [1][1]H\n\td[0][0] = determinant(m)", outs: []scaledOut{scaledOutOf("d", 1, 1, determinantExp)}},
}

// width is how many numbers there are in the results.
func (f *scaledFunc) width(n int) (w int) {
	for _, o := range f.outs {
		w += o.rows(n) * o.cols(n)
	}
	return w
}

// source is the kernel that computes f of all matrices, in fields of one kind of floats and computed in another.
func (f *scaledFunc) source(n int, kind, inner string) string {
	code, at := f.code, 0
	for _, o := range f.outs {
		r, c := o.rows(n), o.cols(n)
		code += fmt.Sprintf("\n\tfor j, k := range static(ndrange(%d, %d)) {\n\t\tY[i][%d+j*%[2]d+k] = T(%[4]s[j][k])\n\t}", r, c, at, o.name)
		at += r * c
	}
	return strings.NewReplacer("#N", fmt.Sprint(n), "#T", kind, "#H", inner, "#CODE", strings.ReplaceAll(code, "\n", "\n\t")).Replace(`
package scales

const N = #N

type (
	T = #T // of the fields
	H = #H // of the matrices
)

var X, B, Y field[T, D2]

// wide is a matrix without its last row, and tall one without its last column.
func wide(m [N][N]H) (a [N-1][N]H) {
	for i, j := range static(ndrange(N-1, N)) {
		a[i][j] = m[i][j]
	}
	return
}

func tall(m [N][N]H) [N][N-1]H { return transpose(wide(transpose(m))) }

func shorter(b [2][N]H) (a [2][N-1]H) {
	for i, j := range static(ndrange(2, N-1)) {
		a[i][j] = b[i][j]
	}
	return
}

// definite makes the diagonal of a matrix as large as the sum of the rest.
func definite(m [N][N]H) [N][N]H {
	most := maxOf(abs(m))
	m *= 0.0625
	for i := range static(N) {
		m[i][i] = most
	}
	return m
}

func K() {
	for i := range X.shape[0] {
		var m [N][N]H
		var b [2][N]H
		for j, k := range static(ndrange(N, N)) {
			m[j][k] = H(X[i][j*N+k])
		}
		for j, k := range static(ndrange(2, N)) {
			b[j][k] = H(B[i][j*N+k])
		}
		_ = b
		#CODE
	}
}
`)
}

// scaleKinds are matrices with entries that are 0 or of nearly the same size, so that all may be normal numbers: random ones, and those
// at which decompositions break.
var scaleKinds = []struct {
	name string
	at   func(r *rand.Rand, n, i, j int) float64
}{
	{"random", func(r *rand.Rand, n, i, j int) float64 {
		v := (0.25 + 0.5*r.Float64()) * float64(1-2*r.IntN(2))
		if i == j {
			v += float64(n - i)
		}
		return v
	}},
	{"any", func(r *rand.Rand, _, _, _ int) float64 { return (0.25 + 1.5*r.Float64()) * float64(1-2*r.IntN(2)) }},
	{"reflection", func(r *rand.Rand, _, i, j int) float64 {
		if i != j {
			return 0.25 + 0.1*r.Float64()
		}
		return map[bool]float64{true: -2, false: 2.5 + 0.5*float64(i)}[i == 0]
	}},
	{"singular", func(r *rand.Rand, n, i, j int) float64 {
		return map[bool]float64{true: 1, false: float64(1 - 2*r.IntN(2))}[i < 2]
	}},
	{"rank 1", func(_ *rand.Rand, _, i, j int) float64 { return float64((1 - 2*(i%2)) * (1 + j%2)) }},
	{"equal", func(_ *rand.Rand, n, i, j int) float64 { return map[bool]float64{true: 1.5}[(i+1)%n == j] }},
	{"pairs", func(_ *rand.Rand, _, i, j int) float64 { // with conjugate eigenvalues
		return map[bool]float64{true: 1 + float64(i/2), false: 0}[i/2 == j/2] * map[bool]float64{true: -1, false: 1}[i < j]
	}},
	{"zero", func(*rand.Rand, int, int, int) float64 { return 0 }},
}
