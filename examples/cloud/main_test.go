package main

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/bunny"
	"github.com/gotaichi/ti/examples/internal/demotest"
)

const rows, cols = 18, 20

// white is weather in which all light comes from the sky, the same from everywhere, and none is lost.
var white = Weather{N: 64, Thickness: 8, Albedo: 1, Low: ti.Vec3{1, 1, 1}, High: ti.Vec3{1, 1, 1}}

func scene(t *testing.T, w Weather) (*ti.Runtime, *Cloud) {
	t.Helper()
	rt, cloud, err := build(rows, cols, w)
	demotest.Check(t, err)
	t.Cleanup(func() { demotest.Check(t, rt.Close()) })
	return rt, cloud
}

// middle is the mean of the middle of the picture, which shows nothing but the cloud.
func middle(t *testing.T, cloud *Cloud) (mean float64) {
	t.Helper()
	light := demotest.Elements(t, &cloud.Image)
	const n = 4
	for i := range n * n {
		mean += float64(light[(rows/2+i/n)*cols+cols/2+i%n][1]) / (n * n)
	}
	return mean
}

// TestFurnace checks that a cloud which absorbs nothing cannot be seen where the same light comes from everywhere.
func TestFurnace(t *testing.T) {
	rt, cloud := scene(t, white)
	_, light, err := run(demotest.New(t), rt, cloud, 1, 4)
	demotest.Check(t, err)
	for i, v := range light {
		for a := range v {
			if !(math.Abs(float64(v[a])-1) < 1e-5) {
				t.Fatalf("pixel %d has the light %v; want that of the sky, 1", i, v)
			}
		}
	}
}

// TestSuns lets the sun stand everywhere in turn, in a black sky: what the cloud scatters, and what comes through it,
// are the light of a white sky. So the light that is looked for in the direction of the sun must be as much as that of
// paths which are scattered there by chance, at each collision.
func TestSuns(t *testing.T) {
	black, opaque := white, white
	black.Low, black.High, black.Sun = ti.Vec3{}, ti.Vec3{}, ti.Vec3{1, 1, 1}
	opaque.Albedo = 0
	_, scattered := scene(t, black)
	_, through := scene(t, opaque)
	const suns, paths = 100, 8
	for k := range suns {
		y := (2*float64(k)+1)/suns - 1
		s, c := math.Sincos(float64(k) * math.Pi * (3 - math.Sqrt(5)))
		r := math.Sqrt(1 - y*y)
		sun := ti.Vec3{float32(r * c), float32(y), float32(r * s)}
		demotest.Check(t, scattered.Render(paths, sun))
		demotest.Check(t, through.Render(paths, sun))
	}
	a := middle(t, scattered) * 4 * math.Pi / (suns * paths)
	b := middle(t, through) / (suns * paths)
	if a < 0.2 || b < 0.02 {
		t.Errorf("the cloud scatters %v and lets through %v; want much of both", a, b)
	}
	demotest.Near(t, "the light that is scattered or comes through", a+b, 1, 0.015)
}

// TestThrough checks how much light comes straight through the cloud against an integral over its density.
func TestThrough(t *testing.T) {
	_, cloud := scene(t, white)
	for _, ray := range [][2]ti.Vec3{
		{{0.45, 0.4, 2}, {0, 0, -1}},
		{{-0.5, -0.55, -0.5}, {0.57735, 0.57735, 0.57735}},
		{{0.55, 0.45, 0.5}, {1, 0, 0}}, // from inside
	} {
		through, expected, err := cloud.Through(ray[0], ray[1], 100_000)
		demotest.Check(t, err)
		if expected < 0.01 || expected > 0.9 {
			t.Errorf("the ray %v comes through with %v; want one that tells more", ray, expected)
		}
		demotest.Near(t, "the light that comes through", float64(through), float64(expected), 0.006)
	}
}

// TestSolid checks the volume of the solid against that of the surface.
func TestSolid(t *testing.T) {
	_, cloud := scene(t, white)
	triangles, err := bunny.Triangles(margin)
	demotest.Check(t, err)
	want := 0.0
	for _, c := range triangles {
		for a := range 3 { // six times the volume of the tetrahedron to the origin
			b, d := (a+1)%3, (a+2)%3
			want += float64(c[0][a]) * (float64(c[1][b])*float64(c[2][d]) - float64(c[1][d])*float64(c[2][b])) / 6
		}
	}
	got, err := cloud.Volume()
	demotest.Check(t, err)
	demotest.Near(t, "the volume", float64(got), want, 0.002)
}
