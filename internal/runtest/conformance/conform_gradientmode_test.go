package conformance

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

// A modeRule is a kernel, and what the modes of differentiation make of it.
type modeRule struct {
	name, head, body string // head has the parameters
	check            func(m *modeHost)
}

// modeHost has fields of 10 elements and of one; those of numbers have adjoints and tangents, but for C.
type modeHost struct {
	X, Y, Z, A, F, C ti.Field[float64]
	P, Q             ti.Field[float64]
	N                ti.Field[int32]
	W, H             ti.Field[float32]
	G                ti.Field[float64] // 10×5
	D                ti.Field[float64] // 7×3×19
	M                ti.Field[ti.DMat2]
	R                ti.Field[ti.DMat3]

	t    *testing.T
	rt   *ti.Runtime
	k    *ti.Kernel
	args []any
}

const modeSource = `package p
var X, Y, Z, A, F, C field[f64, D1]
var P, Q field[f64, D0]
var N field[i32, D1]
var W, H field[f32, D1]
var G field[f64, D2]
var D field[f64, D3]
var M field[dmat2, D1]
var R field[dmat3, D1]
`

// conformModes checks all rows, which may use decls, on all hosts.
func conformModes(t *testing.T, rows []modeRule, decls ...string) {
	var src strings.Builder
	src.WriteString(modeSource + strings.Join(decls, ""))
	for i, row := range rows {
		fmt.Fprintf(&src, "func K%d(%s) { %s }\n", i, row.head, row.body)
	}
	for _, v := range hostVariants {
		rt, err := ti.New(ti.Config{Arch: v.Arch, Threads: v.Threads, Float: 64})
		if err != nil {
			t.Fatal(err)
		}
		defer rt.Close()
		m := &modeHost{rt: rt}
		both := func(shape ti.Shape, fields ...ti.AnyField) {
			rt.Place(shape, ti.WithDual(ti.WithGrad(fields...)...)...)
		}
		both(ti.Shape{10}, &m.X, &m.Y, &m.Z, &m.A, &m.F, &m.W, &m.H)
		rt.Place(ti.Shape{10}, &m.C, &m.N)
		both(nil, &m.P, &m.Q)
		both(ti.Shape{10, 5}, &m.G)
		both(ti.Shape{7, 3, 19}, &m.D)
		both(ti.Shape{5}, &m.M, &m.R)
		p, err := rt.Compile(ti.Text("modes.ti", src.String()), m)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			t.Run(row.name+"/"+v.Label, func(t *testing.T) {
				m.t, m.k, m.args = t, p.Kernel(fmt.Sprint("K", i)), nil
				m.reset()
				row.check(m)
			})
		}
	}
}

// numbers are the fields of f64 with tangents, but for those of several axes.
func (m *modeHost) numbers() []*ti.Field[float64] {
	return []*ti.Field[float64]{&m.X, &m.Y, &m.Z, &m.A, &m.F, &m.P, &m.Q, &m.G, &m.D}
}

// reset makes X[i] 1 + i/10, A[i] 2, N[i] i and all else, with adjoints and tangents, zero.
func (m *modeHost) reset() {
	for _, f := range m.numbers() {
		f.Fill(0)
		f.Grad().Fill(0)
	}
	m.C.Fill(0)
	m.W.Fill(0)
	m.H.Fill(0)
	m.M.Fill(ti.DMat2{})
	m.R.Fill(ti.DMat3{})
	m.A.Fill(2)
	for i := range 10 {
		m.X.Set(1+float64(i)/10, i)
		m.N.Set(int32(i), i)
	}
	m.still()
}

// still makes all tangents zero.
func (m *modeHost) still() {
	for _, f := range m.numbers() {
		f.Dual().Fill(0)
	}
	m.W.Dual().Fill(0)
	m.H.Dual().Fill(0)
	m.M.Dual().Fill(ti.DMat2{})
	m.R.Dual().Fill(ti.DMat3{})
}

func (m *modeHost) launch() error {
	_, err := m.k.Launch(m.t.Context(), m.args...)
	return err
}

func (m *modeHost) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

// tangent launches the kernel with tangents, once for each list of arguments, or once without any.
func (m *modeHost) tangent(args ...[]any) {
	m.t.Helper()
	m.must(m.rt.Tangent(func() error {
		if len(args) == 0 {
			return m.launch()
		}
		for _, m.args = range args {
			if err := m.launch(); err != nil {
				return err
			}
		}
		return nil
	}))
}

// tape takes the gradient of a loss.
func (m *modeHost) tape(loss *ti.Field[float64]) {
	m.t.Helper()
	m.must(m.rt.Tape(loss, m.launch))
}

// near compares a number with what it must be.
func (m *modeHost) near(what string, got, want float64) {
	m.t.Helper()
	if !(math.Abs(got-want) <= 1e-12*(math.Abs(want)+1)) {
		m.t.Errorf("%s is %v and not %v", what, got, want)
	}
}

// all compares the first n elements of a field.
func (m *modeHost) all(what string, n int, at func(i ...int) float64, want func(i int) float64) {
	m.t.Helper()
	for i := range n {
		m.near(fmt.Sprintf("%s[%d]", what, i), at(i), want(i))
	}
}

// Forward mode: what is seeded, what is read, and what tangents are between launches.
//
//conform:theme derivatives
func TestConformGradientForward(t *testing.T) {
	x := func(i int) float64 { return 1 + float64(i)/10 }
	n := func(i int) float64 { return float64(i) }
	ones := func(m *modeHost, f *ti.Field[float64]) {
		m.still()
		f.Dual().Fill(1)
		m.tangent()
	}
	fibonacci := []float64{1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89}
	conformModes(t, []modeRule{
		{"a seed on one element", "", "Y[1] += 2*X[3] + X[4]", func(m *modeHost) {
			m.X.Dual().Set(1, 3)
			m.tangent()
			m.all("Y.dual", 10, m.Y.Dual().At, func(i int) float64 { return map[int]float64{1: 2}[i] })
		}},
		{"a seed on two elements", "", "Y[1] += X[3]*X[4]", func(m *modeHost) {
			m.X.Dual().Set(1, 3)
			m.X.Dual().Set(1, 4)
			m.tangent()
			m.near("Y.dual[1]", m.Y.Dual().At(1), x(3)+x(4))
		}},
		{"a seed that is a direction", "", "for i := range X { P += X[i]*X[i] }", func(m *modeHost) {
			want := 0.0
			for i := range 10 {
				m.X.Dual().Set(n(i)-4, i)
				want += 2 * x(i) * (n(i) - 4)
			}
			m.tangent()
			m.near("P.dual", m.P.Dual().At(), want)
		}},
		{"two losses by two parameters in turn", "", "P += 3*A[1]*A[1] + 5*X[3]*X[3]; Q += 4*A[2]*A[2] + 6*X[4]*X[4]", func(m *modeHost) {
			ones(m, &m.X)
			m.near("P by X", m.P.Dual().At(), 10*x(3))
			m.near("Q by X", m.Q.Dual().At(), 12*x(4))
			ones(m, &m.A)
			m.near("P by A", m.P.Dual().At(), 12)
			m.near("Q by A", m.Q.Dual().At(), 16)
		}},
		{"a kernel that does nothing", "", "", func(m *modeHost) {
			ones(m, &m.X)
			m.near("P.dual", m.P.Dual().At(), 0)
			m.near("X.dual[2]", m.X.Dual().At(2), 1)
		}},
		{"nothing launched", "", "P = X[0]", func(m *modeHost) {
			ones(m, &m.X)
			m.must(m.rt.Tangent(func() error { return nil }))
			m.near("P.dual", m.P.Dual().At(), 1)
		}},
		{"tangents cleared between launches", "", "Y[0] = X[0]*X[0]; P += Y[0]", func(m *modeHost) {
			for range 5 {
				ones(m, &m.X)
				m.near("Y.dual[0]", m.Y.Dual().At(0), 2*x(0))
				m.near("P.dual", m.P.Dual().At(), 2*x(0))
			}
		}},
		{"tangents that add up over launches", "", "P += X[0]*X[0]", func(m *modeHost) {
			m.X.Dual().Fill(1)
			m.tangent()
			m.tangent()
			m.near("P.dual", m.P.Dual().At(), 4*x(0))
		}},
		{"a launch outside leaves tangents alone", "", "P = X[0]*X[0]", func(m *modeHost) {
			m.X.Dual().Fill(1)
			m.P.Dual().Set(7)
			m.must(m.launch())
			m.near("P.dual", m.P.Dual().At(), 7)
		}},
		{"a field without a tangent", "", "for i := range X { C[i] = X[i]*X[i]; Y[i] = C[i]*X[i] }", func(m *modeHost) {
			ones(m, &m.X)
			m.all("Y.dual", 10, m.Y.Dual().At, func(i int) float64 { return x(i) * x(i) })
		}},
		{"a sum over iterations", "", "for i := range X { P += X[i]*X[i] }", func(m *modeHost) {
			ones(m, &m.X)
			m.near("P.dual", m.P.Dual().At(), 2*14.5)
		}},
		{"a sum whose length the data say, of each element", "", "for i := range X { s := f64(1); for range N[i] { s = s + X[i] }; Y[i] = s }", func(m *modeHost) {
			ones(m, &m.X)
			m.all("Y.dual", 10, m.Y.Dual().At, n)
			m.all("X.dual", 10, m.X.Dual().At, func(int) float64 { return 1 })
		}},
		{"powers by multiplication in a loop", "", "for i := range X { p := f64(1); for range N[i] { p *= X[i] }; Y[i] = p }", func(m *modeHost) {
			ones(m, &m.X)
			m.all("Y.dual", 10, m.Y.Dual().At, func(i int) float64 { return n(i) * math.Pow(x(i), n(i)-1) })
		}},
		{"two numbers that a loop exchanges", "", "for i := range X { p, q := A[i], X[i]; for range N[i] { p, q = q, p+q }; F[i] = q }", func(m *modeHost) {
			ones(m, &m.A)
			m.all("F.dual by A", 10, m.F.Dual().At, func(i int) float64 {
				if i == 0 {
					return 0
				}
				return fibonacci[i-1]
			})
			ones(m, &m.X)
			m.all("F.dual by X", 10, m.F.Dual().At, func(i int) float64 { return fibonacci[i] })
		}},
		{"places that a loop computes", "", "for range 5 { p, q := 0, 1; for range 5 { p, q = q, p+q; Y[q] += X[q] } }; for i := range Y { Z[i] += Y[i] }", func(m *modeHost) {
			ones(m, &m.X)
			m.all("Z.dual", 10, m.Z.Dual().At, func(i int) float64 { return map[int]float64{1: 5, 2: 5, 3: 5, 5: 5, 8: 5}[i] })
		}},
		{"a loop that uses what another one has computed", "", "for i := range X { w := f64(1); for range N[i] { w *= A[i] }; s := f64(0); for range N[i]*2 { s += w + X[i] }; F[i] = s }", func(m *modeHost) {
			ones(m, &m.A)
			m.all("F.dual by A", 10, m.F.Dual().At, func(i int) float64 { return 2 * n(i) * n(i) * math.Pow(2, n(i)-1) })
			ones(m, &m.X)
			m.all("F.dual by X", 10, m.F.Dual().At, func(i int) float64 { return 2 * n(i) })
		}},
		{"loops in loops over two axes", "", "for i := range X { for k := range 5 { w := f64(1); for range i + k { w *= A[i] }; s := f64(0); for range 2*(i + k) { s += w + X[i] }; G[i][k] = s } }", func(m *modeHost) {
			ones(m, &m.A)
			m.all("G.dual by A", 50, func(i ...int) float64 { return m.G.Dual().At(i[0]/5, i[0]%5) }, func(i int) float64 {
				c := n(i/5) + n(i%5)
				return 2 * c * c * math.Pow(2, c-1)
			})
			ones(m, &m.X)
			m.all("G.dual by X", 50, func(i ...int) float64 { return m.G.Dual().At(i[0]/5, i[0]%5) }, func(i int) float64 { return 2 * (n(i/5) + n(i%5)) })
		}},
		{"products and sums of neighbours, under a hint", "", "for i := range config(span(0, 7), blockDim(4)) { for k := range 5 { w := f64(1); for j := range 3 { w *= A[i+j] }; s := f64(0); for j := range 3 { s += w + X[i+j] }; G[i][k] = s } }", func(m *modeHost) {
			ones(m, &m.A)
			m.all("G.dual by A", 35, func(i ...int) float64 { return m.G.Dual().At(i[0]/5, i[0]%5) }, func(int) float64 { return 3 * 3 * 4 })
			ones(m, &m.X)
			m.all("G.dual by X", 35, func(i ...int) float64 { return m.G.Dual().At(i[0]/5, i[0]%5) }, func(int) float64 { return 3 })
		}},
		{"conversions in a loop, and what the values of the run were", "", "for i := range X { w, s, all := f64(2), f64(0), f64(0); for range N[i] { all += w + 1; s += (w+1)*X[i]; w = f64(f32((w+1)*4)) }; Z[i] = all; Y[i] = s }", func(m *modeHost) {
			ones(m, &m.X)
			m.all("Y.dual", 10, m.Y.Dual().At, func(i int) float64 { return m.Z.At(i) })
		}},
		{"an if without else", "", "if X[1] > 0 { P = X[1] }", func(m *modeHost) {
			ones(m, &m.X)
			m.near("P.dual", m.P.Dual().At(), 1)
		}},
		{"an if on an element that an argument chooses", "i int", "if X[i] > 1 { Y[i] = X[i] } else { Y[i] = 2*X[i] }", func(m *modeHost) {
			m.X.Dual().Fill(1)
			m.tangent([]any{0}, []any{1})
			m.near("Y.dual[0]", m.Y.Dual().At(0), 2)
			m.near("Y.dual[1]", m.Y.Dual().At(1), 1)
		}},
		{"an if on a variable", "", "for i := range X { t := X[i]; if t > 1.05 { Y[i] = t } else { Y[i] = 2*t } }", func(m *modeHost) {
			ones(m, &m.X)
			m.all("Y.dual", 10, m.Y.Dual().At, func(i int) float64 { return map[bool]float64{true: 2, false: 1}[i == 0] })
		}},
		{"ifs within both branches of an if", "", "for i := range X { if N[i]%4 < 2 { if N[i]%4 == 0 { Y[i] = 0 } else { Y[i] = X[i]*1 } } else { if N[i]%4 == 2 { Y[i] = X[i]*2 } else { Y[i] = X[i]*3 } } }", func(m *modeHost) {
			ones(m, &m.X)
			m.all("Y.dual", 10, m.Y.Dual().At, func(i int) float64 { return n(i % 4) })
		}},
		{"a pole in the branch that is not taken", "", "for i := range X { t := f64(0); if X[i] > 1 { t = 1/(X[i]-1) }; Y[i] = t }", func(m *modeHost) {
			ones(m, &m.X)
			m.all("Y.dual", 10, m.Y.Dual().At, func(i int) float64 {
				if i == 0 {
					return 0
				}
				return -1 / ((x(i) - 1) * (x(i) - 1))
			})
		}},
		{"elements of matrices under run-time indices", "", "for i := range M { for j, k := range ndrange(2, 2) { M[i][j][k] = f64((j+1)*(k+1)) * X[i]; P += M[i][j][k] } }", func(m *modeHost) {
			ones(m, &m.X)
			m.near("P.dual", m.P.Dual().At(), 5*9)
			for i := range 5 {
				if got := m.M.Dual().At(i); got != (ti.DMat2{{1, 2}, {2, 4}}) {
					m.t.Errorf("M.dual[%d] is %v", i, got)
				}
			}
		}},
		{"a loss of 32 bits by a parameter of 64", "", "for i := range X { W[0] += f32(X[i]) }", func(m *modeHost) {
			ones(m, &m.X)
			m.near("W.dual[0]", float64(m.W.Dual().At(0)), 10)
		}},
		{"a loss of 64 bits by a parameter of 32", "", "for i := range W { P += f64(W[i])*f64(i) }", func(m *modeHost) {
			m.W.Dual().Fill(1)
			m.tangent()
			m.near("P.dual", m.P.Dual().At(), 45)
		}},
		{"old values of atomics, and slots", "", "for i := range X { Y[atomicAdd(&N[0], 1)] = X[i]*X[i] }; for i := range Y { P += Y[i] }", func(m *modeHost) {
			ones(m, &m.X)
			m.near("P.dual", m.P.Dual().At(), 2*14.5)
		}},
	})
}

// Both modes beside each other and in one another, and kernels that derivatives have little to do with.
//
//conform:theme derivatives
func TestConformGradientModes(t *testing.T) {
	x := func(i int) float64 { return 1 + float64(i)/10 }
	conformModes(t, []modeRule{
		{"adjoints and tangents leave each other alone", "", "P = X[0]*X[0]", func(m *modeHost) {
			m.tape(&m.P)
			m.X.Dual().Fill(1)
			m.tangent()
			m.near("X.grad[0]", m.X.Grad().At(0), 2*x(0))
			m.P.Dual().Set(5)
			m.tape(&m.P)
			m.near("P.dual", m.P.Dual().At(), 5)
			m.near("X.grad[0]", m.X.Grad().At(0), 2*x(0))
		}},
		{"a tape clears adjoints of all shapes", "", "P = X[0]", func(m *modeHost) {
			m.G.Grad().Fill(3)
			m.D.Grad().Fill(5)
			m.Y.Grad().Fill(6)
			m.Q.Grad().Fill(7)
			m.tape(&m.P)
			m.near("G.grad", m.G.Grad().At(9, 4), 0)
			m.near("D.grad", m.D.Grad().At(6, 2, 18), 0)
			m.near("Y.grad", m.Y.Grad().At(3), 0)
			m.near("Q.grad", m.Q.Grad().At(), 0)
			m.near("X.grad[0]", m.X.Grad().At(0), 1)
			m.near("X.grad[1]", m.X.Grad().At(1), 0)
		}},
		{"an increment of elements along three odd axes", "", "for p := range D { D[p] += 1 }", func(m *modeHost) {
			m.D.Grad().Set(3, 6, 1, 17)
			m.must(m.rt.Adjoint(m.launch))
			m.near("D.grad", m.D.Grad().At(6, 1, 17), 3)
			m.near("D", m.D.At(6, 1, 17), 0)
		}},
		{"sums along three odd axes", "", "for p := range D { i, _, k := p; D[p] = X[i]*f64(k) }; for p := range D { P += D[p] }", func(m *modeHost) {
			m.tape(&m.P)
			for i := range 7 {
				m.near(fmt.Sprintf("X.grad[%d]", i), m.X.Grad().At(i), 3*171)
			}
		}},
		{"remainders of integers only", "", "for i := range X { N[i] = N[i] % 3 }; atomicAdd(&N[0], N[1]%3); P = X[0]", func(m *modeHost) {
			m.tape(&m.P)
			m.near("X.grad[0]", m.X.Grad().At(0), 1)
		}},
		{"an argument is a constant", "v f64", "b := dvec2(v); b.x = v*4; q := b * dvec2(X[0], X[1]); P = q.x + q.y", func(m *modeHost) {
			m.args = []any{10.0}
			m.tape(&m.P)
			m.near("X.grad[0]", m.X.Grad().At(0), 40)
			m.near("X.grad[1]", m.X.Grad().At(1), 10)
		}},
		{"what a slice holds is a constant, as the launch found it", "a []f64", "for i := range a { P += a[i]*X[i]*X[i] }", func(m *modeHost) {
			a := []float64{2, 3, 4}
			m.must(m.rt.Tape(&m.P, func() error {
				_, err := m.k.Launch(m.t.Context(), a)
				a[1] = 100
				return err
			}))
			m.all("X.grad", 4, m.X.Grad().At, func(i int) float64 { return []float64{4, 6, 8, 0}[i] * x(i) })
		}},
		{"losses of 32 bits by parameters of 64 on the backward pass", "", "for i := range X { W[i] = f32(X[i]) }; for i := range W { P += f64(W[i])*2 }", func(m *modeHost) {
			m.tape(&m.P)
			m.all("X.grad", 10, m.X.Grad().At, func(int) float64 { return 2 })
		}},
		{"a second derivative of one number", "", "P += X[0]*X[0]*X[0] + X[0]*X[0] + sin(X[0])", func(m *modeHost) {
			m.X.Dual().Set(1, 0)
			m.must(m.rt.Tangent(func() error { return m.rt.Tape(&m.P, m.launch) }))
			m.near("the first", m.X.Grad().At(0), 3*x(0)*x(0)+2*x(0)+math.Cos(x(0)))
			m.near("the second", m.X.Grad().Dual().At(0), 6*x(0)+2-math.Sin(x(0)))
		}},
		{"a product with a Hessian that mixes two numbers", "", "P = X[1]*X[1]*X[2] + sin(X[1]*X[2])", func(m *modeHost) {
			a, b, u, v := x(1), x(2), 0.3, -2.0
			m.X.Dual().Set(u, 1)
			m.X.Dual().Set(v, 2)
			m.must(m.rt.Tangent(func() error { return m.rt.Tape(&m.P, m.launch) }))
			s, c := math.Sincos(a * b)
			mixed := 2*a + c - a*b*s
			m.near("row 1", m.X.Grad().Dual().At(1), (2*b-b*b*s)*u+mixed*v)
			m.near("row 2", m.X.Grad().Dual().At(2), mixed*u-a*a*s*v)
		}},
		{"a second derivative through a loop and a branch", "", "for i := range X { y := X[i]; for range N[i] { if y > 1 { y *= X[i] } else { y = 2*y*X[i] } }; P += y }", func(m *modeHost) {
			m.X.Dual().Fill(1)
			m.must(m.rt.Tangent(func() error { return m.rt.Tape(&m.P, m.launch) }))
			for i := range 10 {
				f, e := 1.0, float64(i+1)
				if i == 0 { // no iteration
					e = 1
				}
				m.near(fmt.Sprintf("X.grad.dual[%d]", i), m.X.Grad().Dual().At(i), f*e*(e-1)*math.Pow(x(i), e-2))
			}
		}},
		{"a second derivative through a stencil", "", "for i := range span(1, 9) { d := X[i+1] - 2*X[i] + X[i-1]; P += d*d*d }", func(m *modeHost) {
			m.X.Set(3, 5) // elsewhere X is a line, of which all second differences are zero
			m.X.Dual().Set(1, 5)
			m.must(m.rt.Tangent(func() error { return m.rt.Tape(&m.P, m.launch) }))
			h := 3 - x(5)
			m.all("X.grad.dual", 10, m.X.Grad().Dual().At, func(i int) float64 {
				// The second differences at 4, 5 and 6 are h, -2h and h, and each one's third power has 6 of it as its second derivative.
				return 6 * h * map[int]float64{3: 1, 4: -2 + 4, 5: 1 - 8 + 1, 6: 4 - 2, 7: 1}[i]
			})
		}},
		{"the rotation of a matrix of two rows", "", "r, s := polar(M[0]); R[0][0][0] = s[0][1]; P = r[1][0]", func(m *modeHost) {
			f := ti.DMat2{{1.2, -0.3}, {0.5, 0.8}}
			m.M.Set(f, 0)
			m.tape(&m.P)
			// The angle is that of (a+d, c-b).
			p, q := f[0][0]+f[1][1], f[1][0]-f[0][1]
			d := p / math.Pow(p*p+q*q, 1.5)
			g := m.M.Grad().At(0)
			m.near("by the diagonal", g[0][0], -q*d)
			m.near("by the diagonal", g[1][1], -q*d)
			m.near("by the element", g[1][0], p*d)
			m.near("by the other element", g[0][1], -p*d)
		}},
		{"the rotation of a matrix of three rows, at the identity", "", "r, s := polar(R[1]); P = r[0][1] + s[2][2]", func(m *modeHost) {
			m.R.Set(ti.DMat3{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 1)
			m.tape(&m.P)
			g := m.R.Grad().At(1)
			for i := range 3 {
				for j := range 3 {
					m.near(fmt.Sprintf("by element %d %d", i, j), g[i][j], map[[2]int]float64{{0, 1}: 0.5, {1, 0}: -0.5, {2, 2}: 1}[[2]int{i, j}])
				}
			}
		}},
		{"a derivative of one's own in the place of the kernel's", "", "for i := range X { P += X[i]*X[i] }", func(m *modeHost) {
			m.must(m.rt.Tape(&m.P, func() error {
				return m.rt.CustomGrad(m.launch, func() error { m.X.Grad().Fill(9); return nil })
			}))
			m.all("X.grad", 10, m.X.Grad().At, func(int) float64 { return 9 })
		}},
		{"a derivative of one's own that runs the kernel's", "", "for i := range X { P += X[i]*X[i] }", func(m *modeHost) {
			m.must(m.rt.Tape(&m.P, func() error {
				return m.rt.CustomGrad(m.launch, func() error { return m.rt.Adjoint(func() error { return errors.Join(m.launch(), m.launch()) }) })
			}))
			m.all("X.grad", 10, m.X.Grad().At, func(i int) float64 { return 4 * x(i) })
		}},
		{"adjoints of several losses add up", "", "for i := range X { P += X[i]*X[i]; Q += 3*X[i] }", func(m *modeHost) {
			m.P.Grad().Set(1)
			m.Q.Grad().Set(2)
			m.must(m.rt.Adjoint(m.launch))
			m.all("X.grad", 10, m.X.Grad().At, func(i int) float64 { return 2*x(i) + 6 })
		}},
		{"a checkpoint gives what the run without it gives", "", "for i := range X { Y[i] = X[i]*X[i]*X[i]; P += Y[i] }", func(m *modeHost) {
			m.must(m.rt.Tape(&m.P, func() error { return m.rt.Checkpoint(m.launch, &m.X) }))
			m.all("X.grad", 10, m.X.Grad().At, func(i int) float64 { return 3 * x(i) * x(i) })
		}},
		{"promises about indices", "", "for i := range X { j := loopUnique(N[i]*3%10); Y[j] += X[j]*X[j]*f64(i); P += Y[j]*2 }", func(m *modeHost) {
			m.tape(&m.P)
			for i := range 10 {
				m.near(fmt.Sprintf("X.grad[%d]", i*3%10), m.X.Grad().At(i*3%10), 4*x(i*3%10)*float64(i))
			}
		}},
	})
}
