package porttest

import (
	"bytes"
	"math"
	"testing"

	"github.com/gotaichi/ti"
)

type body struct {
	X, V ti.Vec3
	M    float32
}

type params struct {
	Dt      float32
	Gravity ti.Vec3
	Box     struct{ Lo, Hi ti.Vec3 }
	Steps   int32
}

type meta struct {
	A, B   ti.Field[float32]
	P, Q   ti.Field[ti.Vec3]
	Levels [3]ti.Field[float32]
	Bodies ti.Field[body]
	Debug  bool

	Copy, Convert, Laplace func(dst, src ti.AnyField)
	Norm                   func(x ti.AnyField) float32
	Smooth                 func(level int) // a template parameter that is a number
	Relax                  func()
	Integrate              func(params)
	Total                  func() (float32, ti.Vec3, int32)
	Roots                  func()
}

const metaLen = 20

func newMeta(t *testing.T, rt *ti.Runtime) *meta {
	t.Helper()
	m := &meta{Debug: true}
	rt.Place(ti.Shape{metaLen}, &m.A, &m.B)
	rt.Place(ti.Shape{4, 6}, &m.P, &m.Q)
	for l := range m.Levels {
		rt.Place(ti.Shape{16 >> l}, &m.Levels[l])
	}
	rt.Place(ti.Shape{10}, &m.Bodies)
	load(t, rt, "meta", m)
	for i := range metaLen {
		m.B.Set(float32(i*i), i)
	}
	for i := range 4 {
		for j := range 6 {
			m.Q.Set(ti.Vec3{float32(i * i), float32(j * j), float32(i * j)}, i, j)
		}
	}
	return m
}

// TestMetaTemplates checks the kernels that serve every rank and element type.
func TestMetaTemplates(t *testing.T) {
	run(t, all, func(t *testing.T, rt *ti.Runtime) {
		m := newMeta(t, rt)
		m.Copy(&m.A, &m.B)
		m.Copy(&m.P, &m.Q)
		for i := range metaLen {
			near(t, "a copy", float64(m.A.At(i)), float64(i*i), 0)
		}
		p := m.P.At(3, 5)
		nearAll(t, "a copy of a vector", p[:], []float32{9, 25, 15}, 0)

		ints, halves := ti.NewField[int32](rt, metaLen), ti.NewField[float32](rt, metaLen)
		halves.Fill(-2.5)
		m.Convert(ints, halves)
		near(t, "a float converted to an integer", float64(ints.At(3)), -2, 0)
		m.Convert(&m.A, ints)
		near(t, "an integer converted to a float", float64(m.A.At(3)), -2, 0)
		near(t, "the norm of numbers", float64(m.Norm(&m.A)), 2, 1e-6)
		square := 0.0
		for i := range 4 {
			for j := range 6 {
				square += float64(i*i*i*i+j*j*j*j+i*i*j*j) / 24
			}
		}
		near(t, "the norm of vectors", float64(m.Norm(&m.Q)), math.Sqrt(square), 1e-6)

		// The second difference of i*i is 2; at the border one neighbour repeats the cell.
		m.Laplace(&m.A, &m.B)
		near(t, "the second difference", float64(m.A.At(7)), 2, 0)
		near(t, "the second difference at the low end", float64(m.A.At(0)), 1, 0)
		near(t, "the second difference at the high end", float64(m.A.At(metaLen-1)), -(2*metaLen - 3), 0)
		m.Laplace(&m.P, &m.Q)
		p = m.P.At(2, 3)
		nearAll(t, "the Laplacian", p[:], []float32{2, 2, 0}, 0)
		p = m.P.At(0, 5)
		nearAll(t, "the Laplacian in a corner", p[:], []float32{1, -9, 5}, 0)
	})
}

// TestMetaFunctions checks functions as arguments, a number as one, a kernel that
// calls kernels, and a function that is not inlined.
func TestMetaFunctions(t *testing.T) {
	run(t, all, func(t *testing.T, rt *ti.Runtime) {
		m := newMeta(t, rt)
		m.Copy(&m.A, &m.B)
		m.Copy(&m.P, &m.Q)
		m.Relax()
		for i := range metaLen {
			near(t, "half the root", float64(m.A.At(i)), float64(i)/2, 1e-6)
		}
		p := m.P.At(3, 5)
		nearAll(t, "half a vector", p[:], []float32{4.5, 12.5, 7.5}, 0)

		m.Levels[0].Fill(8)
		for l := range m.Levels {
			m.Smooth(l)
		}
		for l, want := range []float64{4, 4, 4} { // each takes half of two cells above: (0+4+4)/2
			for _, v := range elements(t, &m.Levels[l]) {
				near(t, "a level", float64(v), want, 0)
			}
		}

		m.P.Set(ti.Vec3{2, -2, -12}, 1, 2) // 2(x-3)(x+2)
		m.P.Set(ti.Vec3{1, 0, 1}, 0, 0)    // no root: the vertex twice
		m.Roots()
		q := m.Q.At(1, 2)
		nearAll(t, "the roots", q[:], []float32{-2, 3, 0}, 1e-6)
		q = m.Q.At(0, 0)
		nearAll(t, "the roots of what has none", q[:], []float32{0, 0, 0}, 0)
	})
}

// TestMetaBodies checks structs: methods by value and by reference, a named place,
// an argument with a struct inside, several results, and what is printed.
func TestMetaBodies(t *testing.T) {
	for _, name := range all {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			cfg := devices[name]
			cfg.Stdout = &out
			rt, err := ti.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer rt.Close()
			m := newMeta(t, rt)
			for i := range 10 {
				m.Bodies.Set(body{X: ti.Vec3{float32(i), 5, 0}, M: float32(1 + i)}, i)
			}
			arg := params{Dt: 0.1, Gravity: ti.Vec3{0, -10, 0}, Steps: 4}
			arg.Box.Lo, arg.Box.Hi = ti.Vec3{0, 0, 0}, ti.Vec3{6, 100, 100}
			m.Integrate(arg)
			var centre [3]float64
			for i := range 10 {
				b := m.Bodies.At(i)
				nearAll(t, "a velocity", b.V[:], []float32{0, -4, 0}, 1e-6)
				nearAll(t, "a position", b.X[:], []float32{float32(min(i, 6)), 5 - 0.1*(1+2+3+4), 0}, 1e-6)
				centre[0] += float64(1+i) / 55 * float64(min(i, 6))
			}
			centre[1] = 4
			energy, c, count := m.Total()
			near(t, "the energy", float64(energy), 0.5*55*16, 1e-5)
			nearAll(t, "the centre", c[:], centre[:], 1e-5)
			if count != 10 {
				t.Errorf("the count is %d; want 10", count)
			}
			if got, want := out.String(), "mass 55 of 10\ncentre [274.000 220.000 0.000]\n"; got != want {
				t.Errorf("it printed %q; want %q", got, want)
			}
			m.Debug = false // Total is instantiated anew, without the prints
			out.Reset()
			m.Total()
			if out.Len() > 0 {
				t.Errorf("without Debug it printed %q", out.String())
			}
		})
	}
}
