package main

import (
	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/bench/internal/suite"
)

// A ball is the host of ball.ti.
type ball struct {
	X     ti.Field[float32]
	N     int
	Fill  func(r2 int32) error
	Total func(f *ti.Field[float32], r2 int32) (sum, squares float64, err error)
}

// A grid is two fields of one layout, of which the ball is in one.
type grid struct {
	ball
	Y     ti.Field[float32]
	Array bool
}

// newGrid returns one.
func newGrid(d domain, l layout) grid {
	return grid{ball: ball{N: d.n}, Array: l.pointers == nil}
}

// A layout is an array, or a tree of pointers to blocks.
type layout struct {
	pointers func(t *ti.Tree, n int) *ti.Node // to n blocks along an edge; nil for an array
}

var (
	array  = layout{}
	blocks = layout{func(t *ti.Tree, n int) *ti.Node { return t.Pointer(ti.IJK, n) }}

	// Two levels of pointers, and four.
	three = layout{func(t *ti.Tree, n int) *ti.Node { return t.Pointer(ti.IJK, n/8).Pointer(ti.IJK, 8) }}
	five  = layout{func(t *ti.Tree, n int) *ti.Node {
		return t.Pointer(ti.IJK, n/8).Pointer(ti.IJK, 2).Pointer(ti.IJK, 2).Pointer(ti.IJK, 2)
	}}
)

// place gives fields their memory, each in an array or in dense nodes of its own.
func (l layout) place(rt *ti.Runtime, n int, fields ...ti.AnyField) {
	if l.pointers == nil {
		rt.Place(ti.Shape{n, n, n}, fields...)
		return
	}
	block := l.pointers(rt.NewTree(), n/leaf)
	for _, f := range fields {
		block.Dense(ti.IJK, leaf).Place(f)
	}
}

// axpy times y = 2x + y.
func axpy(l layout) start {
	return func(rt *ti.Runtime, d domain) (*suite.Trial, error) {
		s := struct {
			grid
			Axpy func() error
		}{grid: newGrid(d, l)}
		l.place(rt, d.n, &s.X, &s.Y)
		if err := load(rt, &s, "ball", "iterate"); err != nil {
			return nil, err
		}
		r2 := int32(d.ball())
		return &suite.Trial{Launch: s.Axpy, Check: func() (float64, error) {
			s.Y.Fill(0)
			if err := s.Axpy(); err != nil {
				return 0, err
			}
			sum, _, err := s.Total(&s.Y, r2)
			return sum, err
		}}, s.Fill(r2)
	}
}

// weights is how many sums the inner case makes.
const weights = 4

// inner times serial loops over the cells inside a parallel one.
func inner(l layout) start {
	return func(rt *ti.Runtime, d domain) (*suite.Trial, error) {
		s := struct {
			ball
			Sums  ti.Field[float64]
			Array bool
			Weigh func() error
		}{ball: ball{N: d.n}, Array: l.pointers == nil}
		l.place(rt, d.n, &s.X)
		rt.Place(ti.Shape{weights}, &s.Sums)
		if err := load(rt, &s, "ball", "inner"); err != nil {
			return nil, err
		}
		return &suite.Trial{Launch: s.Weigh, Check: func() (total float64, err error) {
			s.Sums.Fill(0)
			if err := s.Weigh(); err != nil {
				return 0, err
			}
			for _, v := range s.Sums.All() {
				total += v
			}
			return total, nil
		}}, s.Fill(int32(d.ball()))
	}
}

// laplace times the stencil.
func laplace(l layout) start {
	return func(rt *ti.Runtime, d domain) (*suite.Trial, error) {
		s := struct {
			grid
			Laplace func() error
		}{grid: newGrid(d, l)}
		l.place(rt, d.n, &s.X, &s.Y)
		if err := load(rt, &s, "ball", "stencil"); err != nil {
			return nil, err
		}
		r2 := int32(d.ball())
		return &suite.Trial{Launch: s.Laplace, Check: func() (float64, error) {
			s.Y.Fill(0)
			if err := s.Laplace(); err != nil {
				return 0, err
			}
			_, squares, err := s.Total(&s.Y, r2)
			return squares, err
		}}, s.Fill(r2)
	}
}

// reads is the number of reads of a reader of the random case.
const reads = 64

// readers returns how many readers there are: 2²⁰ reads in all in the domain of the suite.
func readers(d domain) int { return d.n * d.n * d.n / 16 / reads }

// reading times reads anywhere, or along rows: a kernel that leaves sums in a field of the given shape.
func reading(l layout, file string, shape func(d domain) ti.Shape) start {
	return func(rt *ti.Runtime, d domain) (*suite.Trial, error) {
		s := struct {
			ball
			Out  ti.Field[float32]
			Read func() error
		}{ball: ball{N: d.n}}
		l.place(rt, d.n, &s.X)
		rt.Place(shape(d), &s.Out)
		if err := load(rt, &s, "ball", file); err != nil {
			return nil, err
		}
		return &suite.Trial{Launch: s.Read, Check: func() (total float64, err error) {
			s.Out.Fill(0)
			if err := s.Read(); err != nil {
				return 0, err
			}
			for _, v := range s.Out.All() {
				total += float64(v)
			}
			return total, nil
		}}, s.Fill(int32(d.ball()))
	}
}

func random(l layout) start {
	return reading(l, "random", func(d domain) ti.Shape { return ti.Shape{readers(d)} })
}

func coherent(l layout) start {
	return reading(l, "coherent", func(d domain) ti.Shape { return ti.Shape{d.n / 4, d.n / 4} })
}
