package bunny

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
	_ "github.com/gotaichi/ti/internal/randtest" // each error of the compiler ends a launch
)

// TestClosed checks that every edge of the surface has a triangle on either side, which run along it in opposite
// directions, that the bunny fills the cube but for the margin, and that its triangles look outwards.
func TestClosed(t *testing.T) {
	const margin = 0.1
	triangles, err := Triangles(margin)
	if err != nil {
		t.Fatal(err)
	}
	edges := map[[2]ti.Vec3]int{}
	low, high := float32(1), float32(0)
	volume := 0.0
	for _, c := range triangles {
		for a := range c {
			edges[[2]ti.Vec3{c[a], c[(a+1)%3]}]++
			edges[[2]ti.Vec3{c[(a+1)%3], c[a]}]--
			low, high = min(low, c[a][0], c[a][1], c[a][2]), max(high, c[a][0], c[a][1], c[a][2])
		}
		for a := range 3 { // six times that of the tetrahedron to the origin
			b, d := (a+1)%3, (a+2)%3
			volume += float64(c[0][a]) * (float64(c[1][b])*float64(c[2][d]) - float64(c[1][d])*float64(c[2][b])) / 6
		}
	}
	for e, n := range edges {
		if n != 0 {
			t.Fatalf("the edge %v has %d more triangles on one side", e, n)
		}
	}
	if math.Abs(float64(low)-margin) > 1e-6 || math.Abs(float64(high)-1+margin) > 1e-6 {
		t.Errorf("the bunny reaches from %v to %v; want it from %v to %v", low, high, margin, 1-margin)
	}
	if volume < 0.1 || volume > 0.3 {
		t.Errorf("the volume is %v; want about a fifth of the cube", volume)
	}
}

// TestBroken checks that a damaged model is an error and no panic.
func TestBroken(t *testing.T) {
	for _, model := range []string{"v 1 2\n", "f 1 2 3\n", "v 1 2 3\nf 1 1 2\n", "v 1 2 3\nf 1 0 1\n", "f x\n"} {
		if _, _, err := read(model); err == nil {
			t.Errorf("%q: no error", model)
		}
	}
}
