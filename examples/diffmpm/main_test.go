package main

import (
	"slices"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demotest"
	"github.com/gotaichi/ti/examples/internal/softrobot"
	"github.com/gotaichi/ti/gradcheck"
	"github.com/gotaichi/ti/internal/randtest"
)

// TestGradient is of a small robot on which its muscles work, with all steps kept.
func TestGradient(t *testing.T) {
	rt := demotest.Runtime(t)
	r, err := softrobot.New[ti.Vec2, ti.Vec3, ti.Mat2](rt, walker(64, 0.7, 40))
	demotest.Check(t, err)
	r.Excite(0.2)
	demotest.Check(t, gradcheck.Check(rt, &r.Loss, r.Walk, &r.Weight))
}

// TestSolidGradient is of one in three dimensions, with checkpoints within checkpoints. So is that of liquid, which is
// always tested.
func TestSolidGradient(t *testing.T) {
	if !randtest.All() {
		t.Skip("takes ten seconds; runs with ti test -all")
	}
	rt := demotest.Runtime(t)
	scene := crawler(20, 0.8, 24)
	scene.Segment = 6
	r, err := softrobot.New[ti.Vec3, ti.Vec4, ti.Mat3](rt, scene)
	demotest.Check(t, err)
	r.Excite(0.2)
	demotest.Check(t, gradcheck.Check(rt, &r.Loss, r.Walk, &r.Weight))
}

// TestSegments compares the gradient by segments with that of all steps kept, bit by bit.
func TestSegments(t *testing.T) {
	if !randtest.All() {
		t.Skip("takes some seconds; runs with ti test -all")
	}
	rt, err := ti.New(ti.Config{Deterministic: true, StrictMath: true})
	demotest.Check(t, err)
	defer rt.Close()
	var gradients [][]float32
	for _, segment := range []int{40, 8} {
		scene := walker(64, 0.7, 40)
		scene.Segment = segment
		r, err := softrobot.New[ti.Vec2, ti.Vec3, ti.Mat2](rt, scene)
		demotest.Check(t, err)
		r.Excite(0.2)
		demotest.Check(t, rt.Tape(&r.Loss, r.Walk))
		gradients = append(gradients, demotest.Elements(t, r.Weight.Grad()))
	}
	if !slices.Equal(gradients[0], gradients[1]) || slices.Max(gradients[0]) == 0 {
		t.Errorf("by segments the gradient is %v; want %v", gradients[1], gradients[0])
	}
}

// TestScene trains and shows a small robot.
func TestScene(t *testing.T) {
	result, err := walk(demotest.New(t), walker(64, 0.7, 64), 2, 4)
	demotest.Check(t, err)
	demotest.Moves(t, demotest.GIF(t, result.File, 4))
}

// TestTraining checks that the robot of the scene comes further than untrained after few iterations.
func TestTraining(t *testing.T) {
	scene := walker(64, 0.7, 64)
	r, err := softrobot.New[ti.Vec2, ti.Vec3, ti.Mat2](demotest.Runtime(t), scene)
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
