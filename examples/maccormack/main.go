// Command maccormack carries three dyes through a tube by small kernels, in batches and one by one.
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/picture"
)

func main() {
	cells := flag.Int("cells", 0, "cells along an edge, a multiple of 8; otherwise 128, or 40 with -short")
	frames := flag.Int("frames", 0, "frames; otherwise 60, or 30 with -short")
	graph := flag.String("graph", "", "`file` for the state-flow graph of a step, for Graphviz; otherwise maccormack.dot beside the pictures")
	demo.Main("maccormack", func(d *demo.Demo) (demo.Result, error) {
		n, count := *cells, *frames
		if n == 0 {
			n = d.Short(40, 128)
		}
		if count == 0 {
			count = d.Short(30, 60)
		}
		if n < 0 || n%edge != 0 || count < 0 {
			return demo.Result{}, fmt.Errorf("there are no %d frames of %d cells; want a multiple of %d cells", count, n, edge)
		}
		if err := draw(cmp.Or(*graph, d.Path("maccormack.dot")), n); err != nil {
			return demo.Result{}, err
		}
		result, _, err := run(d, n, count)
		return result, err
	})
}

const (
	batch     = 64
	steps     = 2    // in a frame
	tolerance = 1e-3 // of numbers from 0 to 1: what is computed together is rounded in other places
)

// run makes a film in batches, goes the same steps launch by launch, and compares the numbers.
func run(d *demo.Demo, n, frames int) (result demo.Result, together outcome, err error) {
	film := d.Film("maccormack.gif", picture.Config{XY: true})
	film.Sheet("maccormack.png", 3, frames/6, frames/2, frames-1)
	if together, err = simulate(d, ti.Config{Batch: batch}, n, frames, film); err != nil {
		return result, together, err
	}
	alone, err := simulate(demo.New("alone", "", nil), ti.Config{Batch: 1}, n, frames, nil)
	if err != nil {
		return result, together, err
	}
	off := together.differs(alone)
	d.Say("batches of %d: %v", batch, together)
	d.Say("one by one: %v; no number differs by more than %.1g", alone, off)
	if !(off <= tolerance) {
		return result, together, fmt.Errorf("batches of %d change a number by %v", batch, off)
	}
	result, err = film.Finish(demo.Result{
		Work:   fmt.Sprintf("%d steps of three dyes in %d of %d³ cells", frames*steps, together.cells, n),
		Amount: float64(frames * steps * len(together.dyes) * together.cells),
		Unit:   "cell",
	})
	return result, together, err
}

// outcome is what a simulation came to.
type outcome struct {
	stats ti.Stats
	frame time.Duration // the fastest
	cells int
	dyes  [][]float32
}

func (o outcome) String() string {
	return fmt.Sprintf("%d launches, %d tasks run and %d removed, the fastest frame in %.1f ms", o.stats.Launches, o.stats.Tasks, o.stats.Removed, o.frame.Seconds()*1e3)
}

// differs returns the largest difference of a number.
func (o outcome) differs(p outcome) (off float64) {
	for i, dye := range o.dyes {
		for k, x := range dye {
			off = max(off, math.Abs(float64(x-p.dyes[i][k])))
		}
	}
	return off
}

// simulate runs so many frames in a runtime of its own. The film is nil if nobody looks.
func simulate(d *demo.Demo, config ti.Config, n, frames int, film *demo.Film) (o outcome, err error) {
	rt, err := ti.New(config)
	if err != nil {
		return o, err
	}
	defer rt.Close()
	s, err := newTube(rt, n)
	if err != nil {
		return o, err
	}
	if err := s.fill(); err != nil {
		return o, err
	}
	var times []time.Duration
	for range d.Steps(frames, "frames") {
		start := time.Now()
		if err := d.Run(rt, s.frame); err != nil {
			return o, err
		}
		times = append(times, time.Since(start))
		if film == nil {
			continue
		}
		if err := s.Paint(); err != nil {
			return o, err
		}
		film.Add(&s.Image)
	}
	o = outcome{stats: rt.Stats(), frame: slices.Min(times), cells: s.cells.Count()}
	for _, dye := range s.Dyes {
		x := make([]float32, n*n*n)
		if err := dye.Now.CopyTo(x); err != nil {
			return o, err
		}
		o.dyes = append(o.dyes, x)
	}
	return o, nil
}

// draw writes the graph of what the kernels of a step hand to each other.
func draw(path string, n int) error {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return err
	}
	defer rt.Close()
	s, err := newTube(rt, n)
	if err != nil {
		return err
	}
	if err := s.fill(); err != nil {
		return err
	}
	var dot bytes.Buffer
	if err := rt.WriteGraph(&dot, s.step); err != nil {
		return err
	}
	return os.WriteFile(path, dot.Bytes(), 0o666)
}
