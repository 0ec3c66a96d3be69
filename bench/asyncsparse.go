package main

import (
	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/bench/internal/suite"
)

// sparseSaxpy times six saxpys on a grid of side² blocks of 16² cells, of which a quarter are active.
func sparseSaxpy(side int) func(rt *ti.Runtime, merged bool) (*suite.Trial, error) {
	return func(rt *ti.Runtime, merged bool) (*suite.Trial, error) {
		s := struct {
			X, Y              ti.Field[float32]
			N                 int
			Start, Reset, All func() error
			There, Back       func(a float32) error
		}{N: 16 * side}
		rt.NewTree().Pointer(ti.IJ, side).Dense(ti.IJ, 16).Place(&s.X, &s.Y)
		if err := load(rt, "async_saxpy.ti", &s); err != nil {
			return nil, err
		}
		there := func(a float32) func() error { return func() error { return s.There(a) } }
		back := func(a float32) func() error { return func() error { return s.Back(a) } }
		apart := inTurn(1, s.Reset, there(2), back(1.1), back(1.1), there(1.1), there(1.1), there(1.1))
		return checked(s.Reset, choose(merged, s.All, apart), func() (float64, error) {
			return activeTotal(&s.X, plain) + activeTotal(&s.Y, plain), nil
		}), s.Start()
	}
}

// multires times making three coarser levels of a sparse array.
func multires(rt *ti.Runtime, merged bool) (*suite.Trial, error) {
	const n, block = 1 << 19, 16
	var s struct {
		A, B, C, D         ti.Field[float32]
		Init               func(n int) error
		ToB, ToC, ToD, All func() error
	}
	for level, f := range []*ti.Field[float32]{&s.A, &s.B, &s.C, &s.D} {
		rt.NewTree().Pointer(ti.I, n>>level/block/block).Pointer(ti.I, block).Dense(ti.I, block).Place(f)
	}
	if err := load(rt, "async_multires.ti", &s); err != nil {
		return nil, err
	}
	reset := func() error { return s.Init(n) }
	return checked(reset, choose(merged, s.All, inTurn(1, s.ToB, s.ToC, s.ToD)), func() (float64, error) {
		return activeTotal(&s.B, plain) + activeTotal(&s.C, plain) + activeTotal(&s.D, plain), nil
	}), reset()
}

// deepHierarchy times five updates in a tree of eight levels.
func deepHierarchy(rt *ti.Runtime, merged bool) (*suite.Trial, error) {
	const n = 1 << 16
	var s struct {
		X                  ti.Field[float32]
		Init               func(n int) error
		Jitter, JitterFive func() error
	}
	node := rt.NewTree().Pointer(ti.I, 4)
	for range 7 {
		node = node.Pointer(ti.I, 4)
	}
	node.Place(&s.X)
	if err := load(rt, "async_deep.ti", &s); err != nil {
		return nil, err
	}
	reset := func() error { return s.Init(n) }
	return checked(reset, choose(merged, s.JitterFive, inTurn(5, s.Jitter)), func() (float64, error) { return activeTotal(&s.X, plain), nil }), reset()
}
