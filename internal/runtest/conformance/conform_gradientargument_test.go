package conformance

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

// with launches the kernel with fields as its arguments, and then takes adjoints of 1 back from all elements of y.
func (m *modeHost) with(y *ti.Field[float64], args ...any) {
	m.t.Helper()
	m.args = args
	m.must(m.launch())
	y.Grad().Fill(1)
	m.must(m.rt.Adjoint(m.launch))
}

// Fields that a kernel takes as arguments have the derivatives of fields that it names, whatever the kernel does with them.
//
//conform:theme derivatives
func TestConformGradientArguments(t *testing.T) {
	x := func(i int) float64 { return 1 + float64(i)/10 }
	n := func(i int) float64 { return float64(i) }
	fibonacci := []float64{1, 1, 2, 3, 5, 8, 13, 21, 34, 55}
	isFibonacci := map[int]float64{1: 1, 2: 1, 3: 1, 5: 1, 8: 1}
	// tape takes the gradient of P by the field that is the first argument, whose elements all have the same derivative.
	tape := func(want float64) func(m *modeHost) {
		return func(m *modeHost) {
			m.args = []any{&m.X, &m.P}
			m.tape(&m.P)
			m.near("X.grad[0]", m.X.Grad().At(0), want)
			m.near("X.grad[1]", m.X.Grad().At(1), 0)
		}
	}
	conformModes(t, []modeRule{
		{"a sum that begins at a constant", "a, p template", "for i := range a { s := f64(2); for range 1 { s += a[i]/3 }; p += s }", func(m *modeHost) {
			m.args = []any{&m.X, &m.P}
			m.tape(&m.P)
			m.all("X.grad", 10, m.X.Grad().At, func(int) float64 { return 1.0 / 3 })
		}},
		{"a sum of squares", "a, p template", "for i := range a { p += pow(a[i], 2) }", func(m *modeHost) {
			m.args = []any{&m.X, &m.P}
			m.tape(&m.P)
			m.all("X.grad", 10, m.X.Grad().At, func(i int) float64 { return 2 * x(i) })
		}},
		{"a choice between the elements of two", "a, b, c template", "for i := range a { c[i] = ifelse(i%2 == 1, a[i], 3*b[i]) }", func(m *modeHost) {
			m.with(&m.Y, &m.X, &m.A, &m.Y)
			m.all("X.grad", 10, m.X.Grad().At, func(i int) float64 { return n(i % 2) })
			m.all("A.grad", 10, m.A.Grad().At, func(i int) float64 { return 3 * n(1-i%2) })
		}},
		{"a function of each element", "a, y template", "for i := range a { x := a[i]; y[i] = (x+1)*(x+2)/((x+3)*(x+4)) }", func(m *modeHost) {
			m.with(&m.Y, &m.X, &m.Y)
			m.all("X.grad", 10, m.X.Grad().At, func(i int) float64 {
				v := x(i)
				up, down := (v+1)*(v+2), (v+3)*(v+4)
				return ((2*v+3)*down - up*(2*v+7)) / (down * down)
			})
		}},
		{"one kernel with other fields in each launch", "a, y template", "for i := range a { y[i] = a[i]*a[i] }", func(m *modeHost) {
			both := func() error {
				m.args = []any{&m.X, &m.Y}
				err := m.launch()
				m.args = []any{&m.Y, &m.Z}
				return errors.Join(err, m.launch())
			}
			m.must(both())
			m.Z.Grad().Fill(1)
			m.must(m.rt.Adjoint(both))
			m.all("X.grad", 10, m.X.Grad().At, func(i int) float64 { return 4 * math.Pow(x(i), 3) })
		}},
		{"one field as two arguments", "a, b, p template", "for i := range a { p += a[i]*b[9-i] }", func(m *modeHost) {
			m.args = []any{&m.X, &m.X, &m.P}
			m.tape(&m.P)
			m.all("X.grad", 10, m.X.Grad().At, func(i int) float64 { return 2 * x(9-i) })
		}},
		{"one field as two arguments, stored by one and read by the other", "a, b, c, p template", "for i := range a { b[i] = a[i]*a[i] }; for i := range c { p += c[i]*c[9-i] }", func(m *modeHost) {
			m.args = []any{&m.X, &m.Y, &m.Y, &m.P}
			m.tape(&m.P)
			m.all("X.grad", 10, m.X.Grad().At, func(i int) float64 { return 4 * x(i) * x(9-i) * x(9-i) })
		}},
		{"one field as two arguments, stored and read in one iteration", "a, b, c, p template", "for i := range a { b[i] = a[i]*a[i]; c[i] += 2*a[i]; p += sin(b[i])*c[i] }", func(m *modeHost) {
			m.args = []any{&m.X, &m.Y, &m.Y, &m.P}
			m.tape(&m.P)
			m.all("X.grad", 10, m.X.Grad().At, func(i int) float64 {
				y := x(i)*x(i) + 2*x(i)
				return (math.Cos(y)*y + math.Sin(y)) * (2*x(i) + 2)
			})
		}},
		{"one field as two arguments, of which neighbours are read", "a, b, p template", "for i := range span(1, 9) { p += a[i-1]*b[i]*b[i+1] }", func(m *modeHost) {
			m.args = []any{&m.X, &m.X, &m.P}
			m.tape(&m.P)
			m.all("X.grad", 10, m.X.Grad().At, func(i int) float64 {
				d := 0.0
				if i <= 7 {
					d += x(i+1) * x(i+2)
				}
				if 1 <= i && i <= 8 {
					d += x(i-1) * x(i+1)
				}
				if i >= 2 {
					d += x(i-2) * x(i-1)
				}
				return d
			})
		}},
		{"lengths that an argument of integers says", "a, n, y template", "for i := range a { s := f64(1); for range n[i] { s = s + a[i] }; y[i] = s }", func(m *modeHost) {
			m.with(&m.Y, &m.X, &m.N, &m.Y)
			m.all("Y", 10, m.Y.At, func(i int) float64 { return 1 + n(i)*x(i) })
			m.all("X.grad", 10, m.X.Grad().At, n)
		}},
		{"powers", "a, n, y template", "for i := range a { p := f64(1); for range n[i] { p *= a[i] }; y[i] = p }", func(m *modeHost) {
			m.with(&m.Y, &m.X, &m.N, &m.Y)
			m.all("X.grad", 10, m.X.Grad().At, func(i int) float64 { return n(i) * math.Pow(x(i), n(i)-1) })
		}},
		{"two numbers that a loop exchanges, on the backward pass", "a, b, n, y template", "for i := range a { p, q := a[i], b[i]; for range n[i] { p, q = q, p+q }; y[i] = q }", func(m *modeHost) {
			m.with(&m.Y, &m.X, &m.A, &m.N, &m.Y)
			m.all("X.grad", 10, m.X.Grad().At, func(i int) float64 {
				if i == 0 {
					return 0
				}
				return fibonacci[i-1]
			})
			m.all("A.grad", 10, m.A.Grad().At, func(i int) float64 { return fibonacci[i] })
		}},
		{"places that a loop computes, on the backward pass", "a, y, p template", "for range 5 { p, q := 0, 1; for range 5 { p, q = q, p+q; y[q] += a[q] } }; for i := range y { p += y[i] }", func(m *modeHost) {
			m.args = []any{&m.X, &m.Y, &m.P}
			m.tape(&m.P)
			m.all("Y", 10, m.Y.At, func(i int) float64 { return 5 * isFibonacci[i] * x(i) })
			m.all("X.grad", 10, m.X.Grad().At, func(i int) float64 { return 5 * isFibonacci[i] })
		}},
		{"integers that a loop carries as factors", "a, b, n, y template", "for i := range a { w, s := 1, f64(0); for range n[i] { s += f64(w)*a[i] + b[i]; w *= 10 }; y[i] = s }", func(m *modeHost) {
			m.with(&m.Y, &m.X, &m.A, &m.N, &m.Y)
			ones := 0.0
			for i := range 10 {
				m.near("X.grad", m.X.Grad().At(i), ones)
				ones = 10*ones + 1
			}
			m.all("A.grad", 10, m.A.Grad().At, n)
		}},
		{"a loop that uses what the loop before it has computed, over two axes", "a, b, g template", "for i, k := range g { w := f64(1); for range i + k { w *= a[i] }; s := f64(0); for range 2*(i + k) { s += w + b[i] }; g[i][k] = s }", func(m *modeHost) {
			m.with(&m.G, &m.A, &m.X, &m.G)
			byA, byX := [10]float64{}, [10]float64{}
			for i := range 10 {
				for k := range 5 {
					c := n(i + k)
					byA[i] += 2 * c * c * math.Pow(2, c-1)
					byX[i] += 2 * c
				}
			}
			m.all("A.grad", 10, m.A.Grad().At, func(i int) float64 { return byA[i] })
			m.all("X.grad", 10, m.X.Grad().At, func(i int) float64 { return byX[i] })
		}},
		{"conversions in a loop, and a second result", "a, n, y, z template", "for i := range a { w, s, all := f64(2), f64(0), f64(0); for range n[i] { all += w + 1; s += (w+1)*a[i]; w = f64(f32((w+1)*4)) }; z[i] = all; y[i] = s }", func(m *modeHost) {
			m.with(&m.Y, &m.X, &m.N, &m.Y, &m.Z)
			m.all("X.grad", 10, m.X.Grad().At, func(i int) float64 { return m.Z.At(i) })
		}},
		{"sums beside loops of sums", "a, p template", "for range 5 { p += sin(a[0]); for range 2 { p += sin(a[0]) + 1 } }", tape(15 * math.Cos(1))},
		{"a variable of each iteration of a loop in a loop", "a, p template", "for range 2 { for range 3 { s, t := f64(0), f64(0); for range 3 { s += sin(a[0]) + 1; t += sin(a[0]) }; p += s + t } }", tape(36 * math.Cos(1))},
		{"variables of two levels, the sums of both", "a, p template", "for range 2 { for range 2 { s := f64(0); for range 3 { u := f64(0); s += sin(a[0]) + 1; for range 2 { u += sin(a[0]) }; p += u }; p += s } }", tape(36 * math.Cos(1))},
		{"nests with a variable after nests without one", "a, p template", "for range 2 { p += sin(a[0]); for range 3 { for range 3 { p += sin(a[0]) + 1 } }; for range 3 { s := f64(0); for range 3 { s += sin(a[0]) + 1 }; p += s }; for range 3 { for range 3 { p += sin(a[0]) } } }", tape(56 * math.Cos(1))},
		{"a hundred thousand iterations of a nest", "a, p template", "for range 5 { for range 200 { for range 100 { p += sin(a[0]) + 1 } } }", tape(1e5 * math.Cos(1))},
		{"loops of several depths, twice over", "a, p template", "for range 2 { for range 3 { p += a[0] }; for range 3 { p += a[0] } }; for range 2 { for range 3 { p += a[0] }; for range 3 { p += a[0]; for range 3 { p += a[0] } } }", tape(12 + 30)},
		{"a loop in the middle one of three", "a, p template", "for range 2 { for range 3 { p += a[0] }; for range 3 { p += a[0]; for range 2 { p += a[0] } }; for range 3 { p += a[0] } }", tape(30)},
		{"three nests, each deeper than the one before", "a, p template", "for range 2 { for range 3 { p += a[0] }; for range 3 { for range 2 { p += a[0] } }; for range 3 { for range 2 { for range 2 { p += a[0] } } } }", tape(42)},
		{"nests of different depths within one", "a, p template", "for range 2 { for range 3 { p += a[0] }; for range 3 { for range 2 { p += a[0] }; for range 2 { p += a[0]; for range 2 { p += a[0] } } }; for range 3 { for range 2 { for range 2 { p += a[0] } } } }", tape(78)},
		{"nests as long as the index of the iteration", "a, y template", "for j := range a { for range j { y[j] += a[j] }; for range 3 { for range j { y[j] += a[j] } }; for range 3 { for range 2 { for range j { y[j] += a[j] } } } }", func(m *modeHost) {
			m.with(&m.Y, &m.X, &m.Y)
			m.all("Y", 10, m.Y.At, func(i int) float64 { return 10 * n(i) * x(i) })
			m.all("X.grad", 10, m.X.Grad().At, func(i int) float64 { return 10 * n(i) })
		}},
		{"an element read in front of a loop, for a store behind it", "a, n, y template", "for i := range a { v := a[i]; for range n[i] { y[i] += f64(i) }; y[i] = v*f64(i) }", func(m *modeHost) {
			m.with(&m.Y, &m.X, &m.N, &m.Y)
			m.all("X.grad", 10, m.X.Grad().At, n)
		}},
		{"a store under an if", "a, y template", "if a[0] > 0 { y[0] = a[0] }; if a[1] < 0 { y[1] = a[1] }", func(m *modeHost) {
			m.with(&m.Y, &m.X, &m.Y)
			m.all("X.grad", 10, m.X.Grad().At, func(i int) float64 { return map[int]float64{0: 1}[i] })
		}},
		{"an if on the element that another argument chooses", "i int, a, y template", "if a[i] > 1 { y[i] = a[i] } else { y[i] = 2*a[i] }", func(m *modeHost) {
			for _, i := range []int{0, 1} {
				m.with(&m.Y, i, &m.X, &m.Y)
			}
			m.near("X.grad[0]", m.X.Grad().At(0), 2)
			m.near("X.grad[1]", m.X.Grad().At(1), 1)
		}},
		{"ifs in both branches of an if", "a, n, y template", "for i := range a { if n[i]%4 < 2 { if n[i]%4 == 0 { y[i] = 0 } else { y[i] = a[i]*1 } } else { if n[i]%4 == 2 { y[i] = a[i]*2 } else { y[i] = a[i]*3 } } }", func(m *modeHost) {
			m.with(&m.Y, &m.X, &m.N, &m.Y)
			m.all("X.grad", 10, m.X.Grad().At, func(i int) float64 { return n(i % 4) })
		}},
		{"a pole in a branch that is not taken, on one thread", "a, y template", "for i := range config(a, threads(1)) { t := f64(0); if a[i] > 1 { t = 1/(a[i]-1) }; y[i] = t }", func(m *modeHost) {
			m.with(&m.Y, &m.X, &m.Y)
			m.all("X.grad", 10, m.X.Grad().At, func(i int) float64 {
				if i == 0 {
					return 0
				}
				return -1 / ((x(i) - 1) * (x(i) - 1))
			})
		}},
		{"elements of 32 bits", "a, y template", "for i := range 2 { t := a[i]; if t > 0 { y[i] = t*3 } else { y[i] = 2*t } }", func(m *modeHost) {
			m.W.Set(0, 0)
			m.W.Set(1, 1)
			m.H.Grad().Fill(1)
			m.args = []any{&m.W, &m.H}
			m.must(m.rt.Adjoint(m.launch))
			m.near("W.grad[0]", float64(m.W.Grad().At(0)), 2)
			m.near("W.grad[1]", float64(m.W.Grad().At(1)), 3)
		}},
		{"elements that are matrices", "a, b template", "for i := range b { b[i] = a[i] * 2 }", func(m *modeHost) {
			m.M.Fill(ti.DMat2{{1, 2}, {3, 4}})
			var y ti.Field[ti.DMat2]
			m.rt.Place(ti.Shape{5}, ti.WithGrad(&y)...)
			y.Grad().Fill(ti.DMat2{{1, 1}, {1, 5}})
			m.M.Grad().Fill(ti.DMat2{})
			m.args = []any{&m.M, &y}
			m.must(m.rt.Adjoint(m.launch))
			for i := range 5 {
				if got := m.M.Grad().At(i); got != (ti.DMat2{{2, 2}, {2, 10}}) {
					m.t.Errorf("the adjoint of element %d is %v", i, got)
				}
			}
		}},
		{"components of elements, by one tape after another", "a, p template", "for i := range a { p += a[i][0][1]*2 + a[i][1][0]*3 }", func(m *modeHost) {
			m.M.Fill(ti.DMat2{{0, 3}, {3, 0}})
			m.args = []any{&m.M, &m.P}
			for range 2 {
				m.P.Set(0)
				m.tape(&m.P)
				m.near("P", m.P.At(), 5*5*3)
				for i := range 5 {
					if got := m.M.Grad().At(i); got != (ti.DMat2{{0, 2}, {3, 0}}) {
						m.t.Errorf("the adjoint of element %d is %v", i, got)
					}
				}
			}
		}},
		{"an argument's adjoint as a number", "a, y template", "for i := range a { y[i] = 3*a.grad[i] }", func(m *modeHost) {
			m.X.Grad().Fill(2)
			m.args = []any{&m.X, &m.Y}
			m.must(m.launch())
			m.all("Y", 10, m.Y.At, func(int) float64 { return 6 })
		}},
		{"an argument's adjoint as a factor is an error of the backward pass", "a, y template", "for i := range a { y[i] = a[i]*a.grad[i] }", func(m *modeHost) {
			m.args = []any{&m.X, &m.Y}
			m.wrong(m.rt.Adjoint(m.launch), ti.ErrGradient, "the derivative depends on")
		}},
		{"an argument that has no adjoint is a constant", "a, c, p template", "for i := range a { p += a[i]*c[i] }", func(m *modeHost) {
			m.C.Fill(7)
			m.args = []any{&m.X, &m.C, &m.P}
			m.tape(&m.P)
			m.all("X.grad", 10, m.X.Grad().At, func(int) float64 { return 7 })
		}},
		{"a loss of several elements is an error", "a, y template", "for i := range a { y[0] += a[i]*2 }", func(m *modeHost) {
			m.args = []any{&m.X, &m.Y}
			m.wrong(m.rt.Tape(&m.Y, m.launch), ti.ErrArgs, "10 numbers")
		}},
		{"a loss without an adjoint is an error", "a, p template", "for i := range a { p += a[i]*2 }", func(m *modeHost) {
			var q ti.Field[float64]
			m.rt.Place(nil, &q)
			m.args = []any{&m.X, &q}
			m.wrong(m.rt.Tape(&q, m.launch), ti.ErrPlace, "Grad()")
		}},
		{"a loss of integers is an error", "a, n template", "n = i32(a[0])", func(m *modeHost) {
			var k ti.Field[int32]
			m.rt.Place(nil, &k)
			m.args = []any{&m.X, &k}
			m.wrong(m.rt.Tape(&k, m.launch), ti.ErrArgs, "no real number")
		}},
	})
}

// wrong checks that an error is of a kind and says something.
func (m *modeHost) wrong(err, kind error, text string) {
	m.t.Helper()
	if !errors.Is(err, kind) || !strings.Contains(err.Error(), text) {
		m.t.Errorf("the error is %v", err)
	}
}
