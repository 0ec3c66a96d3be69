package main

import (
	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/bench/internal/suite"
)

// ringSize is the extent of the domain of the sparse cases along each axis.
const ringSize = 4096

// A ring is the grid of the sparse cases and its kernels.
type ring struct {
	X, Y                            ti.Field[float32]
	Block                           *ti.Node
	N                               int
	Ones, Wave, Drop, Axpy, Laplace func() error
}

func newRing(rt *ti.Runtime) (*ring, error) {
	s := &ring{N: ringSize}
	s.Block = rt.NewTree().Pointer(ti.IJ, ringSize/16)
	s.Block.Dense(ti.IJ, 16).Place(&s.X)
	s.Block.Dense(ti.IJ, 16).Place(&s.Y)
	return s, load(rt, "sparse.ti", s)
}

// activeTotal adds up a term for each active element.
func activeTotal(f *ti.Field[float32], term func(float32) float64) (s float64) {
	for _, v := range f.All() {
		s += term(v)
	}
	return s
}

// sparseActivate times writing the ring into an empty grid.
func sparseActivate(rt *ti.Runtime) (*suite.Trial, error) {
	s, err := newRing(rt)
	if err != nil {
		return nil, err
	}
	launch := func() error {
		if err := s.Drop(); err != nil {
			return err
		}
		return s.Ones()
	}
	return &suite.Trial{Launch: launch, Check: func() (float64, error) {
		err := launch()
		return activeTotal(&s.X, plain), err
	}}, nil
}

// sparseIterate times a loop over the active cells of the ring.
func sparseIterate(rt *ti.Runtime) (*suite.Trial, error) {
	s, err := newRing(rt)
	if err != nil {
		return nil, err
	}
	return &suite.Trial{Launch: s.Axpy, Check: func() (float64, error) {
		s.Y.Fill(0)
		err := s.Axpy()
		return activeTotal(&s.Y, plain), err
	}}, s.Ones()
}

// sparseStencil times a stencil of five points over the active cells of the ring.
func sparseStencil(rt *ti.Runtime) (*suite.Trial, error) {
	s, err := newRing(rt)
	if err != nil {
		return nil, err
	}
	return &suite.Trial{Launch: s.Laplace, Check: func() (float64, error) {
		err := s.Laplace()
		return activeTotal(&s.Y, square), err
	}}, s.Wave()
}

// sparseBitmasked times a loop over cells of which half are active.
func sparseBitmasked(rt *ti.Runtime) (*suite.Trial, error) {
	s := struct {
		X               ti.Field[float32]
		N               int
		Init, Increment func() error
	}{N: ringSize}
	rt.NewTree().Pointer(ti.IJ, ringSize/16).Bitmasked(ti.IJ, 16).Place(&s.X)
	if err := load(rt, "bitmasked.ti", &s); err != nil {
		return nil, err
	}
	return &suite.Trial{Launch: s.Increment, Check: func() (float64, error) {
		s.X.Fill(1)
		err := s.Increment()
		return activeTotal(&s.X, plain), err
	}}, s.Init()
}

// dynamicAppend times filling lists with 2²⁰ numbers.
func dynamicAppend(rt *ti.Runtime) (*suite.Trial, error) {
	s := struct {
		List        ti.Field[int32]
		Cell        *ti.Node
		N           int
		Clear, Fill func() error
	}{N: 1 << 20}
	s.Cell = rt.NewTree().Dense(ti.IJ, 128)
	s.Cell.Dynamic(ti.K, 4096).Chunk(64).Place(&s.List)
	if err := load(rt, "append.ti", &s); err != nil {
		return nil, err
	}
	launch := func() error {
		if err := s.Clear(); err != nil {
			return err
		}
		return s.Fill()
	}
	return &suite.Trial{Launch: launch, Check: func() (float64, error) {
		err := launch()
		sum := 0.0
		for _, v := range s.List.All() {
			sum += float64(v)
		}
		return sum, err
	}}, nil
}
