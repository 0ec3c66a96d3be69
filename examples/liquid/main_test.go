package main

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demotest"
	"github.com/gotaichi/ti/examples/internal/softrobot"
	"github.com/gotaichi/ti/gradcheck"
)

// TestGradient is of a small robot in water, with checkpoints within checkpoints.
func TestGradient(t *testing.T) {
	rt := demotest.Runtime(t)
	scene := pool(20, 0.9, 24)
	scene.Segment = 6
	r, err := softrobot.New[ti.Vec3, ti.Vec4, ti.Mat3](rt, scene)
	demotest.Check(t, err)
	r.Excite(0.2)
	demotest.Check(t, gradcheck.Check(rt, &r.Loss, r.Walk, &r.Weight))
}

// TestScene trains and shows one.
func TestScene(t *testing.T) {
	result, err := wade(demotest.New(t), pool(20, 0.9, 32), 1, 2)
	demotest.Check(t, err)
	demotest.Moves(t, demotest.GIF(t, result.File, 2))
}

// TestTraining checks that the robot of the scene comes further than untrained after few iterations.
func TestTraining(t *testing.T) {
	scene := pool(20, 0.9, 32)
	r, err := softrobot.New[ti.Vec3, ti.Vec4, ti.Mat3](demotest.Runtime(t), scene)
	demotest.Check(t, err)
	demotest.Check(t, r.Walk())
	untrained, length := r.Gone(), scene.Pace[0]
	for range 3 {
		demotest.Check(t, r.Train(length))
		length *= scene.Pace[1]
	}
	demotest.Check(t, r.Walk())
	if gone := r.Gone(); !(gone > untrained+1e-4) {
		t.Errorf("trained it comes %v far, and untrained %v", gone, untrained)
	}
}
