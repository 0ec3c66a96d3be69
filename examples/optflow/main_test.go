package main

import (
	"image"
	"image/draw"
	"image/jpeg"
	"os"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demotest"
	"github.com/gotaichi/ti/examples/internal/photo"
)

// TestFlow checks that the flow is right to a small part of a pixel.
func TestFlow(t *testing.T) {
	img, err := photo.Chelsea()
	demotest.Check(t, err)
	part := image.NewNRGBA(image.Rect(0, 0, 200, 150)) // an eye
	draw.Draw(part, part.Rect, img, image.Pt(80, 40), draw.Src)
	result, found, err := run(demotest.New(t), part)
	demotest.Check(t, err)
	if !(found.way > 4) {
		t.Errorf("the true flow is %v pixels long; want more, for a test of the pyramid", found.way)
	}
	if !(found.miss < 0.1) {
		t.Errorf("the flow misses the true one by %v pixels on average", found.miss)
	}

	f, err := os.Open(result.File)
	demotest.Check(t, err)
	defer f.Close()
	picture, err := jpeg.Decode(f)
	demotest.Check(t, err)
	if got, want := picture.Bounds().Size(), image.Pt(2*200+gap, 2*150+gap); got != want {
		t.Errorf("the picture is %v; want %v", got, want)
	}
}

// TestTruth checks the true flow where it is known: it is a turn and a zoom around the middle, far from the eye and
// the nose, and Compare measures the distance from it.
func TestTruth(t *testing.T) {
	rt, err := ti.New(ti.Config{})
	demotest.Check(t, err)
	defer rt.Close()
	var k Kernels
	demotest.Check(t, rt.Load(source, &k))
	var truth, other Vectors
	rt.Place(ti.Shape{300, 400}, &truth, &other)
	demotest.Check(t, k.Truth(&truth))
	miss, way, err := k.Compare(&other, &truth)
	demotest.Check(t, err)
	if miss != way || !(way > 5) {
		t.Errorf("no flow misses the true one by %v, whose length is %v; want the same", miss, way)
	}
	v := truth.At(0, 0) // 0.06 radians and 3 % of (-149.5, -199.5)
	if want := (ti.Vec2{7.7, -15}); abs(v[0]-want[0]) > 0.5 || abs(v[1]-want[1]) > 0.5 {
		t.Errorf("the corner moves by %v; want about %v", v, want)
	}
	shifted := truth.At(10, 20)
	demotest.Check(t, other.CopyFrom(values(&truth, t)))
	other.Set(ti.Vec2{shifted[0] + 3, shifted[1] + 4}, 10, 20)
	miss, _, err = k.Compare(&other, &truth)
	demotest.Check(t, err)
	if !(miss > 5.0/(300*400)*0.99 && miss < 5.0/(300*400)*1.3) {
		t.Errorf("one vector that is wrong by 5 pixels gives a mean of %v", miss)
	}
}

func values(f *Vectors, t *testing.T) []ti.Vec2 {
	all := make([]ti.Vec2, 300*400)
	demotest.Check(t, f.CopyTo(all))
	return all
}

func abs(v float32) float32 { return max(v, -v) }
