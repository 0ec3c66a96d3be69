package main

import (
	"testing"

	"github.com/gotaichi/ti/examples/internal/demotest"
	"github.com/gotaichi/ti/gradcheck"
)

func TestGradient(t *testing.T) {
	rt := demotest.Runtime(t)
	p := new(Pond)
	p.place(rt, 12, 20)
	demotest.Check(t, rt.Load(source, p))
	p.Symbol()
	p.Initial.Set(1, 4, 5)
	demotest.Check(t, gradcheck.Check(rt, &p.Loss, func() error { p.run(20); return nil }, &p.Initial))
}

func TestTraining(t *testing.T) {
	rt := demotest.Runtime(t)
	p := new(Pond)
	p.place(rt, 32, 60)
	demotest.Check(t, rt.Load(source, p))
	p.Symbol()
	p.run(60)
	before := p.Loss.At()
	for range 40 {
		demotest.Check(t, p.descend(rt, 60, 2))
	}
	if p.Loss.At() > before/2 {
		t.Errorf("off by %v after training, and by %v before", p.Loss.At(), before)
	}
}

func TestScene(t *testing.T) {
	_, err := demotest.New(t).Play("wave", 2, train)
	demotest.Check(t, err)
}
