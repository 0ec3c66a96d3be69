package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demotest"
)

// TestStill checks that things are where they should be, by their colours, and cast shadows.
func TestStill(t *testing.T) {
	const rows, cols = 72, 128 // a fifth of the picture in the README
	_, colors, err := run(demotest.New(t), rows, cols)
	demotest.Check(t, err)
	for i, c := range colors {
		for _, v := range c {
			if !(v >= 0 && v <= 1) {
				t.Fatalf("pixel %d has the colour %v", i, c)
			}
		}
	}
	at := func(row, col int) ti.Vec3 { return colors[row*cols+col] }
	if c := at(41, 66); c[0] < 1.6*c[1] || c[0] < 1.6*c[2] {
		t.Errorf("the die is %v; want it red", c)
	}
	if c := at(36, 33); c[1] < 1.5*c[0] {
		t.Errorf("the drops are %v below; want them green", c)
	}
	if c := at(26, 91); c[2] < 1.2*c[1] {
		t.Errorf("the column is %v; want it violet", c)
	}
	if c := at(1, 64); c[2] < c[0] {
		t.Errorf("the sky is %v above; want it blue", c)
	}
	light, dark := float32(0), float32(1)
	for col := range cols { // a row of the floor between the things and the pearls in front
		light, dark = max(light, at(60, col)[1]), min(dark, at(60, col)[1])
	}
	if light < 1.5*dark {
		t.Errorf("the floor in front has values from %v to %v; want tiles and shadows", dark, light)
	}
}

// TestDistances checks what marching relies on: the distance grows no faster than the way divided by Slope, and
// is right where it is known.
func TestDistances(t *testing.T) {
	rt, err := ti.New(ti.Config{})
	demotest.Check(t, err)
	defer rt.Close()
	var scene Scene
	rt.Place(ti.Shape{1, 1}, &scene.Image)
	demotest.Check(t, rt.Load(source, &scene))

	known := []struct {
		p    ti.Vec3
		away float32
	}{
		{ti.Vec3{20, 3, 20}, 3},          // over the floor
		{ti.Vec3{0, -0.5, 30}, -0.5},     // below
		{ti.Vec3{0, 1, 0}, -0.42},        // within the golden ball
		{ti.Vec3{0, 1.5, 0}, 0.08},       // on its top, in a pipe of the die
		{ti.Vec3{4.2, 0.13, 0}, -0.13},   // in a pearl
		{ti.Vec3{-1.5, 0.5, 2.85}, 0.26}, // over the wire of a link
	}
	var points []ti.Vec3
	for _, k := range known {
		points = append(points, k.p)
	}
	random := rand.New(rand.NewPCG(1, 2))
	const pairs, step = 20000, 0.05
	for range pairs {
		p := ti.Vec3{random.Float32()*10 - 5, random.Float32() * 3, random.Float32()*10 - 5}
		q := p
		for c := range q {
			q[c] += step * (random.Float32()*2 - 1)
		}
		points = append(points, p, q)
	}
	away := make([]float32, len(points))
	demotest.Check(t, scene.Distances(points, away))
	for i, k := range known {
		if !(math.Abs(float64(away[i]-k.away)) <= 1e-5) {
			t.Errorf("from %v it is %v; want %v", k.p, away[i], k.away)
		}
	}
	const slope = 0.8
	for i := len(known); i < len(points); i += 2 {
		p, q := points[i], points[i+1]
		way := math.Hypot(math.Hypot(float64(p[0]-q[0]), float64(p[1]-q[1])), float64(p[2]-q[2]))
		if d := math.Abs(float64(away[i] - away[i+1])); d > way/slope+1e-5 {
			t.Fatalf("from %v to %v, %v apart, the distance changes by %v; want at most %v", p, q, way, d, way/slope)
		}
	}
}
