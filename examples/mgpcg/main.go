// Command mgpcg solves Poisson's equation in a cube, and in a ball with bores.
package main

import (
	_ "embed"
	"fmt"
	"image"
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/picture"
)

//go:embed mgpcg.ti
var source string

// Solver is the host of mgpcg.ti.
type Solver struct {
	X    ti.Field[float64]
	B, P ti.Field[float32]
	L    [6]Level

	Cube, Cheese                      func(n int) error
	Coarsen                           func() error
	Residual, Precondition, Curvature func() (float64, error)
	Turn                              func(beta float32) error
	Advance                           func(alpha float64) error
}

// Level is a lattice.
type Level struct {
	Inside               *ti.Node
	R, Z, Left, Diagonal ti.Field[float32]
	Finest               bool
}

func main() {
	demo.Main("mgpcg", func(d *demo.Demo) (demo.Result, error) { return run(d, d.Short(64, 256)) })
}

// run solves both problems with n points along an edge.
func run(d *demo.Demo, n int) (result demo.Result, err error) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return result, err
	}
	defer rt.Close()
	solver, err := newSolver(rt, n)
	if err != nil {
		return result, err
	}
	domains := []func(n int) error{solver.Cube, solver.Cheese}
	var slices []image.Image
	iterations, points := 0, 0.0
	for i := range d.Steps(len(domains), "domains") {
		var residuals []float64
		err := d.Run(rt, func() error {
			if err := domains[i](n); err != nil {
				return err
			}
			if err := solver.Coarsen(); err != nil {
				return err
			}
			residuals, err = solver.Solve(1e-6)
			return err
		})
		if err != nil {
			return result, err
		}
		iterations += len(residuals) - 1
		points += float64(len(residuals)-1) * float64(solver.L[0].Inside.Count())
		slices = append(slices, solver.slice(n))
		solver.Clear()
	}
	file := d.Path("mgpcg.png")
	return demo.Result{
		Work:   fmt.Sprintf("%d domains in %d³ points, %d iterations", len(domains), n, iterations),
		Amount: points,
		Unit:   "point",
		File:   file,
	}, picture.SaveImage(file, picture.Sheet(len(slices), 0, slices...))
}

// newSolver returns a solver with room for n points along an edge.
func newSolver(rt *ti.Runtime, n int) (*Solver, error) {
	s := new(Solver)
	for l := range s.L {
		v := &s.L[l]
		fields := []ti.AnyField{&v.R, &v.Z, &v.Left}
		if v.Finest = l == 0; v.Finest {
			fields = append(fields, &s.X, &s.B, &s.P)
			rt.Place(ti.Shape{1, 1, 1}, &v.Diagonal) // nothing reads it
		} else {
			fields = append(fields, &v.Diagonal)
		}
		v.Inside = lattice(rt, n>>l, fields...)
	}
	return s, rt.Load(source, s)
}

// lattice places fields on a lattice of n points along an edge, with room around them for zeros, and returns the node
// that knows which points there are. Only blocks that have points take memory.
func lattice(rt *ti.Runtime, n int, fields ...ti.AnyField) *ti.Node {
	const edge = 8
	block := rt.NewTree().Origin(ti.IJK, -edge).Pointer(ti.IJK, (n+edge-1)/edge+2)
	for _, f := range fields {
		block.Dense(ti.IJK, edge).Place(f)
	}
	return block.Bitmasked(ti.IJK, edge)
}

// mostIterations is far more than any domain needs.
const mostIterations = 100

// Solve starts from 0 and stops when the residual has fallen by the factor. It returns the length of the residual
// before the first iteration and after each.
func (s *Solver) Solve(factor float64) (residuals []float64, err error) {
	before := math.Inf(1) // the first direction has no part of one before
	for {
		rr, err := s.Residual()
		if err != nil {
			return residuals, err
		}
		residuals = append(residuals, math.Sqrt(rr))
		switch k := len(residuals) - 1; {
		case residuals[k] <= factor*residuals[0]:
			return residuals, nil
		case k == mostIterations:
			return residuals, fmt.Errorf("after %d iterations the residual is still %.2g of what it was", k, residuals[k]/residuals[0])
		}
		zr, err := s.Precondition()
		if err != nil {
			return residuals, err
		}
		if err := s.Turn(float32(zr / before)); err != nil {
			return residuals, err
		}
		before = zr
		pap, err := s.Curvature()
		if err != nil {
			return residuals, err
		}
		if err := s.Advance(zr / pap); err != nil {
			return residuals, err
		}
	}
}

// slice paints a slice of the solution: red where it is positive, blue where it is negative.
func (s *Solver) slice(n int) image.Image {
	colours := picture.Gradient(255, 0x10306a, 0x5aa0e0, 0xf4f1ea, 0xe0803a, 0x7a1018)
	most := 0.0
	for x := range n {
		for y := range n {
			most = max(most, math.Abs(s.X.At(x, y, n/4)))
		}
	}
	img := image.NewPaletted(image.Rect(0, 0, n, n), append(colours, picture.RGB(0x8a8f98)))
	for x := range n {
		for y := range n {
			shade := len(colours)
			if s.L[0].Inside.Active(x, y, n/4) {
				shade = min(int((0.5+0.5*s.X.At(x, y, n/4)/most)*float64(len(colours))), len(colours)-1)
			}
			img.SetColorIndex(x, n-1-y, uint8(shade))
		}
	}
	return img
}

// Clear makes the domain empty.
func (s *Solver) Clear() {
	for l := range s.L {
		s.L[l].R.Tree().Clear()
	}
}
