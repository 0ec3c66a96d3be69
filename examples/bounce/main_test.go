package main

import (
	"math"
	"testing"

	"github.com/gotaichi/ti/examples/internal/demotest"
	"github.com/gotaichi/ti/gradcheck"
)

// TestDerivatives compares those of the heights in the end: +1 without the time of impact, -1 with it.
func TestDerivatives(t *testing.T) {
	for impact, want := range map[bool]float64{false: 1, true: -1} {
		rt := demotest.Runtime(t)
		b, err := drop(rt, impact)
		demotest.Check(t, err)
		demotest.Check(t, b.differentiate(rt))
		for i := range count {
			if got := b.Initial.Grad().At(i); !(math.Abs(got-want) <= 1e-9) {
				t.Fatalf("impact %v: the derivative of ball %d is %v and not %v", impact, i, got, want)
			}
		}
		// Both are derivatives of the programs.
		demotest.Check(t, gradcheck.Check(rt, &b.Sum, func() error {
			err := b.Start()
			for t := 1; t <= steps && err == nil; t++ {
				err = b.Step(t)
			}
			if err != nil {
				return err
			}
			return b.End(steps)
		}, &b.Initial))
	}
}

func TestScene(t *testing.T) {
	_, err := run(demotest.New(t))
	demotest.Check(t, err)
}
