package main

import (
	"image/png"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demotest"
)

// room is the number of points along an edge that the tests' solver has room for. The domains of the tests are in a
// corner of it, and share the compiled code.
const room = 256

// TestSolver checks iterations, errors and memory.
func TestSolver(t *testing.T) {
	rt := demotest.Runtime(t)
	s, err := newSolver(rt, room)
	demotest.Check(t, err)
	t.Run("scarce", func(t *testing.T) { scarce(t, s) })
	t.Run("iterations", func(t *testing.T) { iterations(t, s) })
	t.Run("second order", func(t *testing.T) { secondOrder(t, rt, s) })
}

// solve lets the residual fall by a factor of a million and returns the number of iterations. It checks the residual
// that the solver has computed against the equations themselves.
func solve(t *testing.T, s *Solver, n int) int {
	t.Helper()
	demotest.Check(t, s.Coarsen())
	residuals, err := s.Solve(1e-6)
	demotest.Check(t, err)
	var first, last float64
	for i := range n {
		for j := range n {
			for k := range n {
				b := float64(s.B.At(i, j, k))
				first += b * b
				if !s.L[0].Inside.Active(i, j, k) {
					if x := s.X.At(i, j, k); x != 0 {
						t.Fatalf("point %d, %d, %d is not in the domain, and is %v", i, j, k, x)
					}
					continue
				}
				r := b - 6*s.X.At(i, j, k)
				for d := range 3 {
					for _, step := range []int{-1, 1} {
						p := [3]int{i, j, k}
						p[d] += step
						r += s.X.At(p[:]...)
					}
				}
				last += r * r
			}
		}
	}
	if first == 0 || math.Sqrt(last/first) > 1.001e-6 {
		t.Errorf("with %d points the residual has fallen from %v to %v", n, math.Sqrt(first), math.Sqrt(last))
	}
	demotest.Near(t, "the last residual", residuals[len(residuals)-1], math.Sqrt(last), 1e-4)
	return len(residuals) - 1
}

// iterations checks that finer lattices take no more of them, in the cube and in a domain of another shape.
func iterations(t *testing.T, s *Solver) {
	var cube, cheese []int
	for _, n := range []int{32, 64, 128} {
		demotest.Check(t, s.Cube(n))
		cube = append(cube, solve(t, s, n))
		s.Clear()
		demotest.Check(t, s.Cheese(n))
		cheese = append(cheese, solve(t, s, n))
		s.Clear()
	}
	for _, counts := range [][]int{cube, cheese} {
		if slices.Max(counts) > 10 || slices.Max(counts) > slices.Min(counts)+1 {
			t.Errorf("the iterations are %v; want at most 10, as many on each lattice", counts)
		}
	}
}

// manufactured sets the right side of a solution that is known, in the cube between points -1 and n-1, and measures
// how far from it the solver's is.
const manufactured = `package manufactured

var (
	X      field[f64, D3]
	B      field[f32, D3]
	Inside node
)

func solution(x dvec3) f64 { return exp(x.x) * sin(pi*x.x) * sin(2*pi*x.y) * x.z * (1 - x.z) }

// minus its Laplacian
func source(x dvec3) f64 {
	a, b, c := exp(x.x)*sin(pi*x.x), sin(2*pi*x.y), x.z*(1-x.z)
	da := exp(x.x) * ((1-pi*pi)*sin(pi*x.x) + 2*pi*cos(pi*x.x))
	return -da*b*c + 4*pi*pi*a*b*c + 2*a*b
}

func Fill(n i32) {
	for p := range ndrange(n-1, n-1, n-1) {
		activate(Inside, p)
		B[p] = f32(source((p+1)/f64(n)) / (n * n))
	}
}

func Error(n i32) (most f64) {
	for p := range Inside {
		most = max(most, abs(X[p]-solution((p+1)/f64(n))))
	}
	return
}
`

// secondOrder checks that half the spacing has a quarter of the error.
func secondOrder(t *testing.T, rt *ti.Runtime, s *Solver) {
	host := struct {
		X      *ti.Field[float64]
		B      *ti.Field[float32]
		Inside *ti.Node
		Fill   func(n int) error
		Error  func(n int) (float64, error)
	}{X: &s.X, B: &s.B, Inside: s.L[0].Inside}
	demotest.Check(t, rt.Load(manufactured, &host))
	var errors []float64
	for _, n := range []int{16, 32, 64} {
		demotest.Check(t, host.Fill(n))
		solve(t, s, n)
		e, err := host.Error(n)
		demotest.Check(t, err)
		errors = append(errors, e)
		s.Clear()
	}
	for i := range errors[1:] {
		if ratio := errors[i] / errors[i+1]; !(ratio > 3.8 && ratio < 4.2) {
			t.Errorf("the errors are %v; want each a quarter of the one before", errors)
		}
	}
}

// scarce checks that the memory grows with the domain and not with the room.
func scarce(t *testing.T, s *Solver) {
	demotest.Check(t, s.Cube(16))
	if k := solve(t, s, 20); k > 10 {
		t.Errorf("a corner of the room takes %d iterations", k)
	}
	if got, want := s.L[0].Inside.Count(), 16*16*16; got != want {
		t.Errorf("the domain has %d points; want %d", got, want)
	}
	if got, want := s.L[1].Inside.Count(), 8*8*8; got != want {
		t.Errorf("the coarser domain has %d points; want %d", got, want)
	}
	if bytes := s.X.Tree().Bytes(); bytes > 2<<20 {
		t.Errorf("4096 points take %d bytes", bytes)
	}
	s.Clear()
	if got := s.L[0].Inside.Count(); got != 0 {
		t.Errorf("after Clear, the domain has %d points", got)
	}
}

func TestScene(t *testing.T) {
	const n = 32
	result, err := run(demotest.New(t), n)
	demotest.Check(t, err)
	f, err := os.Open(result.File)
	demotest.Check(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	demotest.Check(t, err)
	if got := img.Bounds().Size(); got.X != 2*n || got.Y != n {
		t.Fatalf("the picture is %v; want %d×%d", got, 2*n, n)
	}
	for _, c := range []struct {
		x, y int
		want string
	}{
		{n / 4, n / 2, "blue"}, {3 * n / 4, n / 2, "red"}, {n / 4, n - 2, "red"}, // the right side's signs
		{n + n/2 - 4, n / 2, "blue"}, {n + n/2 + 4, n / 2, "red"},
		{n, 0, "grey"}, {2*n - 1, n - 1, "grey"}, {n + n*3/10, n * 34 / 100, "grey"}, // a bore
	} {
		r, _, b, _ := img.At(c.x, c.y).RGBA()
		got := "grey"
		if r > b+b/8 {
			got = "red"
		} else if b > r+r/8 {
			got = "blue"
		}
		if got != c.want {
			t.Errorf("pixel %d, %d is %s (red %d, blue %d); want it %s", c.x, c.y, got, r>>8, b>>8, c.want)
		}
	}
}
