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
	demotest.GIF(t, result.File, 2)
}
