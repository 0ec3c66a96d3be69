package conformance

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// A gradientRule is a kernel that adds to the loss L, and the derivatives of L by the elements of X.
type gradientRule struct {
	name, body string
	want       func(x []float64) []float64
}

// An elementRule is a rule about a function of each element x, whose expression is its name, and its derivative.
type elementRule struct {
	expr string
	d    func(x float64) float64
}

func elementwise(rows []elementRule) (all []gradientRule) {
	for _, r := range rows {
		all = append(all, gradientRule{r.expr, "for i := range X { x := X[i]; L += " + r.expr + " }", each(r.d)})
	}
	return all
}

func each(d func(x float64) float64) func(x []float64) []float64 {
	return func(x []float64) (all []float64) {
		for _, v := range x {
			all = append(all, d(v))
		}
		return all
	}
}

func constants(d ...float64) func(x []float64) []float64 {
	return func([]float64) []float64 { return d }
}

var (
	gradientX = []float64{0.4, 0.9, 1.3, 0.7}
	gradientN = []int32{2, 0, 3, 1}
)

type gradientHost struct {
	X, Y, Z, L ti.Field[float64]
	M          ti.Field[float64]
	H          ti.Field[float32]
	V          ti.Field[ti.DVec2]
	N          ti.Field[int32]
	C          ti.Field[float64] // without an adjoint
}

// conformGradients checks all rows by the reverse and by the forward mode.
func conformGradients(t *testing.T, rows []gradientRule) {
	var src strings.Builder
	src.WriteString("package p\nvar X, Y, Z field[f64]\nvar L field[f64, D0]\nvar M field[f64, D2]\nvar H field[f32]\nvar V field[dvec2]\nvar N field[i32]\nvar C field[f64]\n" +
		"func choose(x f64, n i32) f64 { if n > 1 { return x * x }; for k := range n { if k == 5 { return 0 }; x *= 3 }; return x }\n" +
		"func power(x f64, n i32) f64 { p := f64(1); for range n { p *= x }; return p }\n" +
		"func double(x *f64) { *x *= 2 }\n" +
		"type pair struct { a, b f64 }\nfunc (p pair) product() f64 { return p.a * p.b }\n")
	for i, row := range rows {
		fmt.Fprintf(&src, "func K%d() { %s }\n", i, row.body)
	}
	for _, v := range hostVariants {
		rt, err := ti.New(ti.Config{Arch: v.Arch, Threads: v.Threads, Float: 64})
		if err != nil {
			t.Fatal(err)
		}
		defer rt.Close()
		h := new(gradientHost)
		rt.Place(ti.Shape{4}, ti.WithDual(ti.WithGrad(&h.X, &h.Y, &h.Z)...)...)
		rt.Place(ti.Shape{4, 4}, ti.WithDual(ti.WithGrad(&h.M)...)...)
		rt.Place(ti.Shape{4}, ti.WithDual(ti.WithGrad(&h.H)...)...)
		rt.Place(ti.Shape{4}, ti.WithDual(ti.WithGrad(&h.V)...)...)
		rt.Place(ti.Shape{4}, &h.N, &h.C)
		rt.Place(nil, ti.WithDual(ti.WithGrad(&h.L)...)...)
		p, err := rt.Compile(ti.Text("gradient.ti", src.String()), h)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			if !compiledInTurn(v, row.name) {
				continue
			}
			t.Run(row.name+"/"+v.Label, func(t *testing.T) { h.check(t, rt, p.Kernel(fmt.Sprint("K", i)), row.want(gradientX)) })
		}
	}
}

// reset gives fields the values that rows begin with.
func (h *gradientHost) reset(t *testing.T) {
	runtest.OK(&runtest.Run{TB: t}, h.X.CopyFrom(gradientX))
	runtest.OK(&runtest.Run{TB: t}, h.N.CopyFrom(gradientN))
	for _, f := range []*ti.Field[float64]{&h.Y, &h.Z, &h.M, &h.L} {
		f.Fill(0)
	}
	h.H.Fill(0)
	h.V.Fill(ti.DVec2{})
}

func (h *gradientHost) check(t *testing.T, rt *ti.Runtime, k *ti.Kernel, want []float64) {
	run := func() error { _, err := k.Launch(t.Context()); return err }
	h.reset(t)
	if err := rt.Tape(&h.L, run); err != nil {
		t.Fatal(err)
	}
	near := func(got, want float64) bool {
		return math.Abs(got-want) <= 2e-6*(math.Abs(want)+1) // where numbers have 32 bits
	}
	for i, w := range want {
		if got := h.X.Grad().At(i); !near(got, w) {
			t.Errorf("the adjoint of X[%d] is %v and not %v", i, got, w)
		}
		h.reset(t)
		for _, f := range []*ti.Field[float64]{&h.X, &h.Y, &h.Z, &h.M, &h.L} {
			f.Dual().Fill(0)
		}
		h.H.Dual().Fill(0)
		h.V.Dual().Fill(ti.DVec2{})
		h.X.Dual().Set(1, i)
		if err := rt.Tangent(run); err != nil {
			t.Fatal(err)
		}
		if got := h.L.Dual().At(); !near(got, w) {
			t.Errorf("the tangent by X[%d] is %v and not %v", i, got, w)
		}
	}
}

// Derivatives of functions and operators.
//
//conform:theme derivatives
func TestConformGradientFunctions(t *testing.T) {
	sq := func(x float64) float64 { return x * x }
	conformGradients(t, elementwise([]elementRule{
		{"x", func(float64) float64 { return 1 }},
		{"3*x - 2", func(float64) float64 { return 3 }},
		{"-x", func(float64) float64 { return -1 }},
		{"x*x*x + x*x", func(x float64) float64 { return 3*x*x + 2*x }},
		{"x / (x + 2)", func(x float64) float64 { return 2 / sq(x+2) }},
		{"1 / x", func(x float64) float64 { return -1 / sq(x) }},
		{"mod(-x, 0.3) - mod(x, 0.5)", func(float64) float64 { return -2 }},
		{"min(0, x) + max(0, x) + min(1.5, x) + max(1.5, x)", func(float64) float64 { return 2 }},
		{"(x - 3) * (x - 1)", func(x float64) float64 { return 2*x - 4 }},
		{"sin(x)", math.Cos},
		{"cos(x)", func(x float64) float64 { return -math.Sin(x) }},
		{"tan(x)", func(x float64) float64 { return 1 / sq(math.Cos(x)) }},
		{"asin(x/2)", func(x float64) float64 { return 0.5 / math.Sqrt(1-sq(x/2)) }},
		{"acos(x/2)", func(x float64) float64 { return -0.5 / math.Sqrt(1-sq(x/2)) }},
		{"atan(x)", func(x float64) float64 { return 1 / (1 + sq(x)) }},
		{"sinh(x)", math.Cosh},
		{"cosh(x)", math.Sinh},
		{"tanh(x)", func(x float64) float64 { return 1 - sq(math.Tanh(x)) }},
		{"exp(x)", math.Exp},
		{"exp2(x)", func(x float64) float64 { return math.Ln2 * math.Exp2(x) }},
		{"log(x)", func(x float64) float64 { return 1 / x }},
		{"log2(x)", func(x float64) float64 { return 1 / (x * math.Ln2) }},
		{"sqrt(x)", func(x float64) float64 { return 0.5 / math.Sqrt(x) }},
		{"rsqrt(x)", func(x float64) float64 { return -0.5 / (x * math.Sqrt(x)) }},
		{"cbrt(x)", func(x float64) float64 { return 1 / (3 * sq(math.Cbrt(x))) }},
		{"sqr(x)", func(x float64) float64 { return 2 * x }},
		{"pow(x, 2.5)", func(x float64) float64 { return 2.5 * math.Pow(x, 1.5) }},
		{"pow(2, x)", func(x float64) float64 { return math.Ln2 * math.Exp2(x) }},
		{"pow(x, x)", func(x float64) float64 { return math.Pow(x, x) * (math.Log(x) + 1) }},
		{"pow(x, 3)", func(x float64) float64 { return 3 * x * x }},
		{"atan2(x, 2)", func(x float64) float64 { return 2 / (sq(x) + 4) }},
		{"atan2(2, x)", func(x float64) float64 { return -2 / (sq(x) + 4) }},
		{"hypot(x, 2)", func(x float64) float64 { return x / math.Hypot(x, 2) }},
		{"abs(x - 1)", func(x float64) float64 { return math.Copysign(1, x-1) }},
		{"floor(x*3) + ceil(x) + round(x) + trunc(x) + sign(x)", func(float64) float64 { return 0 }},
		{"fract(x*3)", func(float64) float64 { return 3 }},
		{"mod(x, 0.5)", func(float64) float64 { return 1 }},
		{"mod(5, x)", func(x float64) float64 { return -math.Floor(5 / x) }},
		{"min(x, 0.8)", func(x float64) float64 { return map[bool]float64{true: 1}[x < 0.8] }},
		{"max(0.8, x)", func(x float64) float64 { return map[bool]float64{true: 1}[x > 0.8] }},
		{"min(x, 1) * max(x, 1)", func(float64) float64 { return 1 }},
		{"clamp(x, 0.5, 1)", func(x float64) float64 { return map[bool]float64{true: 1}[x > 0.5 && x < 1] }},
		{"mix(x, 3, 0.25)", func(float64) float64 { return 0.75 }},
		{"mix(1, 3, x)", func(float64) float64 { return 2 }},
		{"smoothstep(0, 2, x)", func(x float64) float64 { return 6 * x / 2 * (1 - x/2) / 2 }},
		{"fma(x, x, x)", func(x float64) float64 { return 2*x + 1 }},
		{"ifelse(x > 0.8, x*x, 5*x)", func(x float64) float64 {
			if x > 0.8 {
				return 2 * x
			}
			return 5
		}},
		{"ifelse(x > 0.8, sqrt(x-0.8), 0)", func(x float64) float64 {
			if x > 0.8 {
				return 0.5 / math.Sqrt(x-0.8)
			}
			return 0
		}},
		{"f64(f32(x)) * 2", func(float64) float64 { return 2 }},
		{"f64(i32(x*10)) * x", func(x float64) float64 { return math.Trunc(x * 10) }},
		{"stopGrad(x) * x", func(x float64) float64 { return x }},
		{"bitcast[f64](bitcast[u64](x)) + x", func(float64) float64 { return 1 }},
		{"radians(degrees(x))", func(float64) float64 { return 1 }},
		{"length(dvec2(x, 1))", func(x float64) float64 { return x / math.Hypot(x, 1) }},
		{"dot(dvec2(x, 2), dvec2(3, x))", func(float64) float64 { return 5 }},
		{"cross(dvec2(x, 2), dvec2(3, x))", func(x float64) float64 { return 2 * x }},
		{"normalize(dvec2(x, 1)).x", func(x float64) float64 { return math.Pow(sq(x)+1, -1.5) }},
		{"sum(dvec3(x, x*x, 1))", func(x float64) float64 { return 1 + 2*x }},
		{"product(dvec3(x, x, 2))", func(x float64) float64 { return 4 * x }},
		{"maxOf(dvec3(x, 0.8, 0.1))", func(x float64) float64 { return map[bool]float64{true: 1}[x > 0.8] }},
		{"trace(outer(dvec2(x, 1), dvec2(x, 1)))", func(x float64) float64 { return 2 * x }},
		{"determinant(dmat2(x, 1, 2, x))", func(x float64) float64 { return 2 * x }},
		{"inverse(dmat2(x, 0, 0, 1))[0][0]", func(x float64) float64 { return -1 / sq(x) }},
		{"(dmat2(x, 1, 0, x) * dvec2(1, x)).x", func(float64) float64 { return 2 }},
		{"transpose(dmat2(x, 1, x*x, 3))[0][1]", func(x float64) float64 { return 2 * x }},
		{"power(x, 4)", func(x float64) float64 { return 4 * x * x * x }},
		{"pair{x, x*x}.product()", func(x float64) float64 { return 3 * x * x }},
	}))
}

// Derivatives of statements: control flow, memory, loops after each other.
//
//conform:theme derivatives
func TestConformGradientStatements(t *testing.T) {
	x := gradientX
	conformGradients(t, []gradientRule{
		{"an if without else", "for i := range X { if X[i] > 0.8 { L += X[i]*X[i] } }", constants(0, 2*x[1], 2*x[2], 0)},
		{"a ladder of ifs", "for i := range X { if X[i] < 0.5 { L += X[i] } else if X[i] < 1 { L += 2*X[i] } else { L += X[i]*X[i] } }", constants(1, 2, 2*x[2], 2)},
		{"ifs within ifs", "for i := range X { y := X[i]; if i > 0 { if y > 0.8 { y *= y }; y *= 2 }; L += y }", constants(1, 4*x[1], 4*x[2], 2)},
		{"a variable changed in an if", "for i := range X { y := X[i]; if i == 1 { y = 7 }; L += y*y }", constants(2*x[0], 0, 2*x[2], 2*x[3])},
		{"a switch", "for i := range X { switch N[i] { case 0: L += X[i]; case 1, 2: L += 5*X[i]; default: L += X[i]*X[i] } }", constants(5, 1, 2*x[2], 5)},
		{"a condition on an index", "for i := range X { if i%2 == 0 { L += X[i] } else { L -= X[i] } }", constants(1, -1, 1, -1)},
		{"a for of constant length", "for i := range X { p := f64(1); for range 3 { p *= X[i] }; L += p }", each(func(x float64) float64 { return 3 * x * x })},
		{"a for whose length the data say", "for i := range X { L += power(X[i], N[i]) }", constants(2*x[0], 0, 3*x[2]*x[2], 1)},
		{"a Fibonacci sequence", "for i := range X { a, b := f64(0), X[i]; for range N[i] + 2 { a, b = b, a+b }; L += b }", constants(5, 2, 8, 3)},
		{"loops in a loop", "for i := range X { y := X[i]; for a := range 2 { for b := range a + 1 { y *= X[i]; _ = b } }; L += y }", each(func(x float64) float64 { return 4 * x * x * x })},
		{"loops after each other in a loop", "for i := range X { y := X[i]; for range 2 { for range 2 { y *= 2 }; for range 1 { y *= X[i] } }; L += y }", each(func(x float64) float64 { return 48 * x * x })},
		{"a while", "for i := range X { y := X[i]; for y < 10 { y *= 2 }; L += y }", constants(32, 16, 8, 16)},
		{"a break", "for i := range X { y := X[i]; for k := range 9 { if k == N[i] { break }; y *= 3 }; L += y }", constants(9, 1, 27, 3)},
		{"a continue", "for i := range X { y := f64(0); for k := range 5 { if k%2 == 1 { continue }; y += X[i]*f64(k) }; L += y }", constants(6, 6, 6, 6)},
		{"a labelled break", "for i := range X { y := X[i]; out: for a := range 4 { for b := range 4 { if a+b == 3 { break out }; y *= 2 } }; L += y }", constants(8, 8, 8, 8)},
		{"returns of a function", "for i := range X { L += choose(X[i], N[i]) }", constants(2*x[0], 1, 2*x[2], 3)},
		{"a return of the kernel", "if X[0] > 5 { return }; for i := range X { L += X[i]*X[i] }", each(func(x float64) float64 { return 2 * x })},
		{"a return before a loop", "if X[0] < 5 { L = X[1]*X[2]; return }; for i := range X { L += X[i]*X[i] }", constants(0, x[2], x[1], 0)},
		{"a reference", "for i := range X { y := X[i]; double(&y); double(&y); L += y }", constants(4, 4, 4, 4)},
		{"a local array", "for i := range X { var a [3]f64; for k := range 3 { a[k] = X[i]*f64(k+1) }; L += a[0]*a[2] }", each(func(x float64) float64 { return 6 * x })},
		{"an array under run-time indices", "for i := range X { var a [4]f64; a[N[i]] = X[i]; a[(N[i]+1)%4] = 2*X[i]; L += a[N[i]]*a[(N[i]+1)%4] }", each(func(x float64) float64 { return 4 * x })},
		{"an array overwritten in a loop", "for i := range X { var a [2]f64; a[0] = X[i]; for range 3 { a[1] = a[0]*a[0]; a[0] = a[1] }; L += a[0] }", each(func(x float64) float64 { return 8 * math.Pow(x, 7) })},
		{"a vector changed by parts", "for i := range X { var v dvec3; v.x = X[i]; v.yz = dvec2(v.x, 2); v.z *= v.y; L += v.z }", constants(2, 2, 2, 2)},
		{"a field between loops", "for i := range X { Y[i] = X[i]*X[i] }; for i := range X { L += Y[i]*Y[i] }", each(func(x float64) float64 { return 4 * x * x * x })},
		{"three loops", "for i := range X { Y[i] = 2*X[i] }; for i := range X { Z[i] = Y[i]*X[i] }; for i := range X { L += Z[i] }", each(func(x float64) float64 { return 4 * x })},
		{"accumulation in a field", "for i := range X { Y[i] += X[i]; Y[i] += X[i]*X[i]; Y[i] -= 3*X[i] }; for i := range X { L += Y[i] }", each(func(x float64) float64 { return 2*x - 2 })},
		{"atomics", "for i := range X { atomicAdd(&L, X[i]*X[i]); atomicSub(&L, X[i]) }", each(func(x float64) float64 { return 2*x - 1 })},
		{"neighbours", "for i := range X { L += X[i]*X[(i+1)%4] }", constants(x[1]+x[3], x[0]+x[2], x[1]+x[3], x[2]+x[0])},
		{"indices of a field", "for i := range X { L += X[N[i]]*f64(i+1) }", constants(2, 4, 1, 3)},
		{"scattering", "for i := range X { Y[N[i]] += X[i]*X[i] }; for i := range X { L += Y[i]*f64(i+1) }", constants(6*x[0], 2*x[1], 8*x[2], 4*x[3])},
		{"a matrix of elements", "for i, j := range M { M[i][j] = X[i]*X[j] }; for i, j := range M { L += M[i][j] }", func(x []float64) []float64 {
			s := 2 * (x[0] + x[1] + x[2] + x[3])
			return []float64{s, s, s, s}
		}},
		{"a reduction into a variable", "s := f64(0); for i := range X { s += X[i] }; L = s*s", func(x []float64) []float64 {
			s := 2 * (x[0] + x[1] + x[2] + x[3])
			return []float64{s, s, s, s}
		}},
		{"a reduction that a later loop reads", "s := f64(0); for i := range X { s += X[i] }; for i := range X { L += s*f64(i) }", constants(6, 6, 6, 6)},
		{"a minimum over iterations", "m := f64(9); for i := range X { m = min(m, X[i]*X[i]) }; L = m", constants(2*x[0], 0, 0, 0)},
		{"a maximum in a field", "for i := range X { Y[1] = max(Y[1], X[i]) }; L = Y[1]*Y[1]", constants(0, 0, 2*x[2], 0)},
		{"an extremum that many attain", "for i := range X { Y[0] = max(Y[0], min(X[i], 0.4)) }; L = Y[0]*2", constants(2, 0, 0, 0)},
		{"serial code", "a := X[0]; for i := range serial(3) { a *= X[i+1] }; L = a", func(x []float64) []float64 {
			p := x[0] * x[1] * x[2] * x[3]
			return []float64{p / x[0], p / x[1], p / x[2], p / x[3]}
		}},
		{"a static loop", "for i := range X { for k := range static(3) { L += X[i]*f64(k) } }", constants(3, 3, 3, 3)},
		{"fields of 32 bits", "for i := range X { H[i] = f32(X[i])*f32(X[i]) }; for i := range X { L += f64(H[i]) }", each(func(x float64) float64 { return 2 * x })},
		{"fields of vectors", "for i := range X { V[i] = dvec2(X[i], X[i]*X[i]) }; for i := range X { L += dot(V[i], dvec2(1, 2)) }", each(func(x float64) float64 { return 1 + 4*x })},
		{"components of a field", "for i := range X { V[i].y = X[i]*3; V[i].x += X[i] }; for i := range X { L += V[i].x*V[i].y }", each(func(x float64) float64 { return 6 * x })},
		{"integers are constant", "for i := range X { n := i32(X[i]*10); L += X[i]*f64(n) }", each(func(x float64) float64 { return math.Trunc(x * 10) })},
		{"old values are constant", "for i := range X { k := atomicAdd(&N[0], 1); Y[i] = X[i]; if k < 0 { N[1] = k } }; for i := range X { L += Y[i] }", constants(1, 1, 1, 1)},
		{"random numbers are those of the launch", "for i := range X { r := random(f64); L += r*X[i] - X[i]*r + X[i] }", constants(1, 1, 1, 1)},
		{"assertions and prints", "for i := range X { assert(X[i] < 9, \"large\"); L += X[i] }", constants(1, 1, 1, 1)},
		{"what is not part of the loss", "for i := range X { Y[i] = X[i]*X[i]; L += 1 }", constants(0, 0, 0, 0)},
		{"hundreds of iterations", "for i := range X { y := X[i]; for range 500 { y = y*0.99 + 0.01*X[i] }; L += y }", constants(1, 1, 1, 1)},
	})
}
