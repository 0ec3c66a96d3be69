package main

import (
	"testing"

	"github.com/gotaichi/ti/examples/internal/demotest"
	"github.com/gotaichi/ti/gradcheck"
)

func TestGradient(t *testing.T) {
	rt := demotest.Runtime(t)
	f, err := newFog(rt, 8, 12)
	demotest.Check(t, err)
	for i := range f.Density.All() {
		f.Density.Set(0.02*float32((i[0]*7+i[1]*3+i[2])%11), i[0], i[1], i[2])
	}
	demotest.Check(t, gradcheck.Check(rt, &f.Loss, f.look, &f.Density))
}

func TestTraining(t *testing.T) {
	rt := demotest.Runtime(t)
	f, err := newFog(rt, 16, 32)
	demotest.Check(t, err)
	before := f.unseen()
	for i := range 30 {
		demotest.Check(t, rt.Tape(&f.Loss, f.look))
		f.Adam(0.05, i+1)
	}
	if after := f.unseen(); !(after < before/4) {
		t.Errorf("the view that is not learnt from is off by %v after training, and by %v before", after, before)
	}
}

func TestScene(t *testing.T) {
	_, err := demotest.New(t).Play("volumerenderer", 1, train)
	demotest.Check(t, err)
}
