package main

import (
	"slices"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/bench/internal/suite"
)

// arrays is the host of async_dense.ti.
type arrays struct {
	X, Y, Z                 ti.Field[float32]
	Init                    func() error
	PlusOne, PlusFour       func() error
	Chain                   func() error
	Increment, IncrementTen func() error
	Fill                    func(v float32) error
}

func newArrays(rt *ti.Runtime) (*arrays, error) {
	s := new(arrays)
	rt.Place(ti.Shape{1 << 21}, &s.X, &s.Y, &s.Z)
	if err := load(rt, "async_dense.ti", s); err != nil {
		return nil, err
	}
	return s, s.Init()
}

// chainCopy times y = x + 1 and z = y + 4.
func chainCopy(rt *ti.Runtime, merged bool) (*suite.Trial, error) {
	s, err := newArrays(rt)
	if err != nil {
		return nil, err
	}
	return checked(s.Init, choose(merged, s.Chain, inTurn(1, s.PlusOne, s.PlusFour)), func() (float64, error) { return total(&s.Z, plain) }), nil
}

// increments times ten increments of each element.
func increments(rt *ti.Runtime, merged bool) (*suite.Trial, error) {
	s, err := newArrays(rt)
	if err != nil {
		return nil, err
	}
	return checked(s.Init, choose(merged, s.IncrementTen, inTurn(10, s.Increment)), func() (float64, error) { return total(&s.X, plain) }), nil
}

// fillArray times filling an array ten times.
func fillArray(rt *ti.Runtime, merged bool) (*suite.Trial, error) {
	s, err := newArrays(rt)
	if err != nil {
		return nil, err
	}
	fill := func() error { return s.Fill(3) }
	return checked(s.Init, choose(merged, fill, inTurn(10, fill)), func() (float64, error) { return total(&s.X, plain) }), nil
}

// autodiffLoss times ten tapes of a loss whose gradient is added up.
func autodiffLoss(rt *ti.Runtime, merged bool) (*suite.Trial, error) {
	var s struct {
		A, Sum, Loss                   ti.Field[float32]
		Init, Compute, Accumulate, All func() error
	}
	rt.Place(ti.Shape{1 << 20}, ti.WithGrad(&s.A)...)
	rt.Place(ti.Shape{1 << 20}, &s.Sum)
	rt.Place(nil, ti.WithGrad(&s.Loss)...)
	if err := load(rt, "async_gradient.ti", &s); err != nil {
		return nil, err
	}
	tape := func() error {
		s.Loss.Set(0)
		return rt.Tape(&s.Loss, s.Compute)
	}
	return checked(s.Init, choose(merged, s.All, inTurn(10, tape, s.Accumulate)), func() (float64, error) {
		sum, err := total(&s.Sum, plain)
		return sum + float64(s.Loss.At()), err
	}), s.Init()
}

// stencilReduction times a stencil and a sum of its results, five times.
func stencilReduction(rt *ti.Runtime, merged bool) (*suite.Trial, error) {
	s := struct {
		X, Y, Total                ti.Field[float32]
		N                          int
		Init, Stencil, Reduce, All func() error
	}{N: 1 << 20}
	rt.Place(ti.Shape{s.N}, &s.X, &s.Y)
	rt.Place(nil, &s.Total)
	if err := load(rt, "async_stencil.ti", &s); err != nil {
		return nil, err
	}
	return checked(s.Init, choose(merged, s.All, inTurn(5, s.Stencil, s.Reduce)), func() (float64, error) {
		sum, err := total(&s.Y, plain)
		return sum + float64(s.Total.At()), err
	}), s.Init()
}

// smallLaunches times launches on 64 arrays of 1,024 elements, each in a program of its own.
func smallLaunches(rt *ti.Runtime, merged bool) (*suite.Trial, error) {
	const rows, length = 64, 1024
	if merged {
		return allRows(rt, rows, length)
	}
	return separateArrays(rt, "async_row.ti", slices.Repeat([]int{length}, rows))
}

// separateArrays times a launch on each of some arrays, which have a program each.
func separateArrays(rt *ti.Runtime, file string, lengths []int) (*suite.Trial, error) {
	all := make([]struct {
		X    ti.Field[float32]
		Step func(s float32) error
	}, len(lengths))
	for i := range all {
		rt.Place(ti.Shape{lengths[i]}, &all[i].X)
		if err := load(rt, file, &all[i]); err != nil {
			return nil, err
		}
	}
	launch := func() error {
		for i := range all {
			if err := all[i].Step(0.5); err != nil {
				return err
			}
		}
		return nil
	}
	reset := func() error {
		for i := range all {
			all[i].X.Fill(3)
		}
		return nil
	}
	return checked(reset, launch, func() (sum float64, err error) {
		for i := range all {
			part, err := total(&all[i].X, plain)
			if err != nil {
				return 0, err
			}
			sum += part
		}
		return sum, nil
	}), reset()
}

// allRows is smallLaunches with one field for all arrays.
func allRows(rt *ti.Runtime, rows, length int) (*suite.Trial, error) {
	var s struct {
		All   ti.Field[float32]
		Scale func(s float32) error
	}
	rt.Place(ti.Shape{rows, length}, &s.All)
	if err := load(rt, "async_rows.ti", &s); err != nil {
		return nil, err
	}
	reset := func() error {
		s.All.Fill(3)
		return nil
	}
	return checked(reset, func() error { return s.Scale(0.5) }, func() (float64, error) { return total(&s.All, plain) }), reset()
}

// independent times launches on eight arrays, whose loops are not fused since they have different lengths. What is merged by hand is one array.
func independent(rt *ti.Runtime, merged bool) (*suite.Trial, error) {
	const count, length, more = 8, 2048, 16
	lengths := make([]int, count)
	for i := range lengths {
		lengths[i] = length + more*i
	}
	if merged {
		lengths = []int{count*length + more*count*(count-1)/2}
	}
	return separateArrays(rt, "async_independent.ti", lengths)
}
