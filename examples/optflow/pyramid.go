package main

import (
	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
)

// A level is a step of the pyramid: both frames, the second one moved back along the flow, and the flow.
type level struct {
	first, second, moved Scalars
	flow, next           Vectors
	slope                Colors
}

const (
	moves  = 6  // how often the second frame is moved back, in each level,
	sweeps = 20 // and how often the flow is improved twice after that
)

// newPyramid returns levels from a given size down, each half as large as the one before.
func newPyramid(rt *ti.Runtime, height, width int) []*level {
	var pyramid []*level
	for ; min(height, width) >= 8; height, width = height/2, width/2 {
		l := new(level)
		rt.Place(ti.Shape{height, width}, &l.first, &l.second, &l.moved, &l.flow, &l.next, &l.slope)
		pyramid = append(pyramid, l)
	}
	return pyramid
}

// find computes the flow between the frames of the largest level, from the smallest one up.
func (k *Kernels) find(d *demo.Demo, pyramid []*level) error {
	for i, l := range pyramid[1:] {
		if err := k.Shrink(&l.first, &pyramid[i].first); err != nil {
			return err
		}
		if err := k.Shrink(&l.second, &pyramid[i].second); err != nil {
			return err
		}
	}
	for i := range d.Steps(len(pyramid), "levels") {
		l := pyramid[len(pyramid)-1-i]
		if i > 0 {
			if err := k.Prolong(&l.flow, &pyramid[len(pyramid)-i].flow); err != nil {
				return err
			}
		}
		for range moves {
			if err := k.improve(l); err != nil {
				return err
			}
		}
	}
	return nil
}

// improve moves the second frame back along the flow so far, and corrects the flow by what still differs.
func (k *Kernels) improve(l *level) error {
	if err := k.Move(&l.moved, &l.second, &l.flow); err != nil {
		return err
	}
	if err := k.Linearize(&l.first, &l.moved, &l.flow, &l.slope); err != nil {
		return err
	}
	for range sweeps {
		if err := k.Relax(&l.next, &l.flow, &l.slope); err != nil {
			return err
		}
		if err := k.Relax(&l.flow, &l.next, &l.slope); err != nil {
			return err
		}
	}
	if err := k.Median(&l.next, &l.flow); err != nil {
		return err
	}
	return k.Median(&l.flow, &l.next)
}

// work returns how many vectors Relax computes.
func work(pyramid []*level) float64 {
	n := 0
	for _, l := range pyramid {
		shape := l.flow.Shape()
		n += shape[0] * shape[1] * moves * 2 * sweeps
	}
	return float64(n)
}
