package main

import (
	"math"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demotest"
)

const (
	height, width = 90, 120
	radius        = 4
)

// sampled runs the example on a grey picture.
func sampled(t *testing.T) samples {
	pixels := make([]ti.Vec3, height*width)
	_, sam, err := run(demotest.New(t), pixels, height, width, radius)
	demotest.Check(t, err)
	return sam
}

// TestPoints checks what makes points a Poisson disk sample: they keep their distance, there is no room for more,
// and waves much longer than a radius do not show.
func TestPoints(t *testing.T) {
	sam := sampled(t)
	for i, p := range sam.points {
		for _, q := range sam.points[:i] {
			if d := distance(p, q); !(d > radius*0.99999) {
				t.Errorf("%v and %v are only %v apart", p, q, d)
			}
		}
	}
	const step = 0.5
	for y := float32(0); y < height; y += step {
		for x := float32(0); x < width; x += step {
			near := math.Inf(1)
			for _, p := range sam.points {
				near = min(near, distance(p, ti.Vec2{y, x}))
			}
			if !(near < radius*1.0002) {
				t.Errorf("at %v, %v there is room for a point: the nearest one is %v away", x, y, near)
			}
		}
	}
	if sam.filled == 0 {
		t.Error("nothing was left to fill; this does not test Fill")
	}

	if got, want := band(sam, sam.power, 0, 0), float64(len(sam.points)); !(math.Abs(got/want-1) <= 1e-3) {
		t.Errorf("the power of frequency 0 is %v; want %v, the number of points", got, want)
	}
	if low := band(sam, sam.power, 0.05, 0.45); !(low < 0.2) {
		t.Errorf("long waves have %v of the power of white noise; want little", low)
	}
	if peak := band(sam, sam.power, 0.85, 1.15); !(peak > 1.4) {
		t.Errorf("waves as long as the distance of neighbours have %v of the power of white noise; want more", peak)
	}
	if white := band(sam, sam.white, 0.05, 1.15); !(white > 0.9 && white < 1.1) {
		t.Errorf("the random points have %v of the power of white noise; want 1", white)
	}
}

// TestThreads checks that the points do not depend on how many threads look for them.
func TestThreads(t *testing.T) {
	t.Setenv("TI_THREADS", "1")
	one := sampled(t).points
	t.Setenv("TI_THREADS", "3")
	if three := sampled(t).points; !slices.Equal(one, three) {
		t.Errorf("one thread finds %d points, and three find others, %d", len(one), len(three))
	}
}

// band returns the mean power of the frequencies from low to high, in waves for a radius.
func band(sam samples, power []float32, low, high float64) float64 {
	sum, n := 0.0, 0.0
	for i, p := range power {
		y, x := i/sam.frequencies-sam.frequencies/2, i%sam.frequencies-sam.frequencies/2
		f := radius * math.Hypot(float64(y)/height, float64(x)/width)
		if low <= f && f <= high {
			sum += float64(p)
			n++
		}
	}
	return sum / n
}

// distance is that on the torus.
func distance(p, q ti.Vec2) float64 {
	return math.Hypot(math.Remainder(float64(p[0])-float64(q[0]), height), math.Remainder(float64(p[1])-float64(q[1]), width))
}
