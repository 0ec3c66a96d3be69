package main

import (
	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/bench/internal/suite"
)

// layers is the host of network.ti.
type layers struct {
	X, Y, W, B, A, H, M, Bias, Q, K, V, O, S, P, Weight, Loss ti.Field[float32]

	Init, Convolve, Squares, Dense, RowSquares, Score, Softmax, Mix func() error
}

// newLayers places layers: of batch pictures of side² cells, of rows, and attention in sequences of tokens. What a case
// does without has size 1.
func newLayers(rt *ti.Runtime, batch, side, before, after, rows, channels, sequences, tokens int) (*layers, error) {
	const heads, width = 4, 32
	l := new(layers)
	rt.Place(ti.Shape{batch, side, side, before}, ti.WithGrad(&l.X)...)
	rt.Place(ti.Shape{batch, side - 2, side - 2, after}, ti.WithGrad(&l.Y)...)
	rt.Place(ti.Shape{3, 3, before, after}, ti.WithGrad(&l.W)...)
	rt.Place(ti.Shape{after}, ti.WithGrad(&l.B)...)
	rt.Place(ti.Shape{rows, channels}, ti.WithGrad(&l.A, &l.H)...)
	rt.Place(ti.Shape{channels, channels}, ti.WithGrad(&l.M)...)
	rt.Place(ti.Shape{channels}, ti.WithGrad(&l.Bias)...)
	rt.Place(ti.Shape{sequences, heads, tokens, width}, ti.WithGrad(&l.Q, &l.K, &l.V, &l.O)...)
	rt.Place(ti.Shape{sequences, heads, tokens, width}, &l.Weight)
	rt.Place(ti.Shape{sequences, heads, tokens, tokens}, ti.WithGrad(&l.S, &l.P)...)
	rt.Place(nil, ti.WithGrad(&l.Loss)...)
	if err := load(rt, "network.ti", l); err != nil {
		return nil, err
	}
	return l, l.Init()
}

// gradients returns the sum of the squares of gradients.
func gradients(fields ...*ti.Field[float32]) func() (float64, error) {
	return func() (float64, error) {
		all := 0.0
		for _, f := range fields {
			n, err := total(f.Grad(), square)
			if err != nil {
				return 0, err
			}
			all += n
		}
		return all, nil
	}
}

// autodiffConvolution times a layer of 3×3 weights from 8 to 16 channels, of 64 pictures of 16² cells, there and back.
func autodiffConvolution(rt *ti.Runtime) (*suite.Trial, error) {
	l, err := newLayers(rt, 64, 16, 8, 16, 1, 1, 1, 1)
	if err != nil {
		return nil, err
	}
	there := func() error { return suite.InOrder(l.Convolve, l.Squares) }
	return thereAndBack(rt, &l.Loss, there, gradients(&l.X, &l.W, &l.B)), nil
}

// autodiffDense times a layer of 128 channels, of 256 rows, there and back.
func autodiffDense(rt *ti.Runtime) (*suite.Trial, error) {
	l, err := newLayers(rt, 1, 3, 1, 1, 256, 128, 1, 1)
	if err != nil {
		return nil, err
	}
	there := func() error { return suite.InOrder(l.Dense, l.RowSquares) }
	return thereAndBack(rt, &l.Loss, there, gradients(&l.A, &l.M, &l.Bias)), nil
}

// autodiffAttention times 4 heads of 32 channels, in 8 sequences of 64 tokens, there and back.
func autodiffAttention(rt *ti.Runtime) (*suite.Trial, error) {
	l, err := newLayers(rt, 1, 3, 1, 1, 1, 1, 8, 64)
	if err != nil {
		return nil, err
	}
	there := func() error { return suite.InOrder(l.Score, l.Softmax, l.Mix) }
	return thereAndBack(rt, &l.Loss, there, gradients(&l.Q, &l.K, &l.V)), nil
}
