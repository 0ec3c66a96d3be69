package main

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/examples/internal/demotest"
)

// roomOf loads a room with the given objects and size of the picture.
func roomOf(t *testing.T, objects []Object, size int) *Room {
	t.Helper()
	rt := demotest.Runtime(t)
	room := new(Room)
	rt.Place(ti.Shape{len(objects)}, &room.Objects)
	rt.Place(ti.Shape{size, size}, &room.Buffer, &room.Pixels)
	demotest.Check(t, rt.Load(source, room))
	for i, o := range objects {
		room.Objects.Set(o, i)
	}
	room.BuildScene()
	return room
}

// TestFurnace makes all walls alike and dark: a path that hits them three times
// comes back as a cube of their albedo, any other not at all.
func TestFurnace(t *testing.T) {
	const size, samples, albedo = 16, 8, 0.5
	furnace := append([]Object(nil), objects...)
	for i := range furnace {
		furnace[i].Albedo, furnace[i].Emission = ti.Vec3{albedo, albedo, albedo}, one
	}
	room := roomOf(t, furnace, size)
	for range samples {
		room.Render(ti.Vec3{0, 0, 3.5}, ti.Vec3{0, 0, -1}, ti.Vec3{0, 1, 0})
	}
	back := 0
	for _, b := range demotest.Elements(t, &room.Buffer) {
		paths := float64(b[0]) / (albedo * albedo * albedo)
		if whole := math.Round(paths); math.Abs(paths-whole) > 1e-5 || whole > samples || b[3] != samples || b[0] != b[1] || b[1] != b[2] {
			t.Fatalf("a pixel has %v; want the light of whole paths", b)
		}
		back += int(math.Round(paths))
	}
	if part := float64(back) / (size * size * samples); part < 0.6 || part > 0.99 {
		t.Errorf("%v of the paths stay in the box; want most, not all: it is open at the front", part)
	}
}

// TestColors looks at the picture: the lamp is white, the left wall red, the right
// one green, the ceiling lit less than the floor. It checks a turned box, too.
func TestColors(t *testing.T) {
	const size, samples = 32, 60
	room := roomOf(t, objects, size)
	m := room.Objects.At(5).Matrix // turned by 112 degrees about y
	c, s := math.Cos(112*math.Pi/180), math.Sin(112*math.Pi/180)
	for i, row := range [3][3]float64{{c, 0, -s}, {0, 1, 0}, {s, 0, c}} {
		for j, want := range row {
			demotest.Near(t, "the matrix of a box", float64(m[i][j]), want, 1e-5)
		}
	}
	for range samples {
		room.Render(ti.Vec3{0, 0, 3.5}, ti.Vec3{0, 0, -1}, ti.Vec3{0, 1, 0})
	}
	mean := func(x0, x1, y0, y1 int) (sum ti.Vec3) {
		for x := x0; x < x1; x++ {
			for y := y0; y < y1; y++ {
				for d, v := range room.Buffer.At(x, y) {
					if d < 3 {
						sum[d] += v / float32(samples*(x1-x0)*(y1-y0))
					}
				}
			}
		}
		return sum
	}
	if lamp := room.Buffer.At(16, 27); lamp[0] != 100*samples || lamp[2] != 100*samples {
		t.Errorf("the lamp is %v; want all samples of it white", lamp)
	}
	left, right := mean(0, 5, 8, 24), mean(27, 32, 8, 24)
	if !(left[0] > 0 && left[1] == 0 && left[2] == 0) || !(right[1] > 0 && right[0] == 0 && right[2] == 0) {
		t.Errorf("the walls are %v and %v; want red and green alone", left, right)
	}
	if p := room.Pixels.At(16, 27); !(p[0] > 0.95 && p[1] > 0.95 && p[2] > 0.95) {
		t.Errorf("the pixel of the lamp is %v; want white", room.Pixels.At(16, 27))
	}
}

// TestScene runs the program with one sample and writes its picture.
func TestScene(t *testing.T) {
	var d *demo.Demo = demotest.New(t)
	result, err := d.Play("cornellbox", 1, paint)
	demotest.Check(t, err)
	if result.File != d.Path("cornellbox.png") {
		t.Errorf("it wrote %s", result.File)
	}
}
