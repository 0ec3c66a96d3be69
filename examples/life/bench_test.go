package main

import (
	"flag"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demotest"
)

var side = flag.Int("side", 8192, "cells along an edge of the worlds that are measured")

// BenchmarkStep has generations of random cells: as bits, as bytes, and as bits of the active blocks of a sparse world. The
// bytes are left out of large worlds.
func BenchmarkStep(b *testing.B) {
	for _, c := range []struct {
		name    string
		place   func(rt *ti.Runtime) *board
		scatter func(l *Life, w *board) error
		step    func(l *Life) step
	}{
		{"bits", func(rt *ti.Runtime) *board { return newBoard(rt, *side, *side) },
			func(l *Life, w *board) error { return w.randomise(1) }, func(l *Life) step { return l.Step }},
		{"bytes", func(rt *ti.Runtime) *board { return newBytes(rt, *side, *side) },
			func(l *Life, w *board) error { return l.Scatter(w.now) }, func(l *Life) step { return l.Step }},
		{"active", func(rt *ti.Runtime) *board { return newSparseBoard(rt, (*side+block-1)/block+2) },
			func(l *Life, w *board) error {
				w.activate(1, 1, (*side+block-1)/block)
				return l.Scatter(w.now)
			}, func(l *Life) step { return l.StepActive }},
	} {
		if c.name == "bytes" && *side > 1<<15 {
			continue
		}
		b.Run(c.name, func(b *testing.B) {
			rt := demotest.Runtime(b)
			var life Life
			rt.Place(ti.Shape{1, 1}, &life.Image)
			world := c.place(rt)
			demotest.Check(b, rt.Load(source, &life))
			demotest.Check(b, c.scatter(&life, world))
			step := c.step(&life)
			_, err := world.advance(step) // which touches all memory
			demotest.Check(b, err)
			demotest.Bench(b, nil, func() error {
				_, err := world.advance(step)
				return err
			})
			b.ReportMetric(float64(2*world.now.Tree().Bytes()), "bytes")
		})
	}
}

// newBytes places a board with a byte for each cell.
func newBytes(rt *ti.Runtime, rows, cols int) *board {
	w := &board{now: new(ti.Field[uint8]), next: new(ti.Field[uint8])}
	rt.Place(ti.Shape{rows, cols}, w.now)
	rt.Place(ti.Shape{rows, cols}, w.next)
	return w
}
