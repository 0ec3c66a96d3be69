package main

import (
	"image/png"
	"math"
	"os"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demotest"
)

// TestSystems checks energy, and orbits against what is known of them.
func TestSystems(t *testing.T) {
	all := scenes()
	inner, eight := all[0], all[2]
	inner.years = 1
	eight.years, eight.dt = 6.32591398, 6.32591398/8192 // one period
	result, outcomes, err := run(demotest.New(t), []scene{inner, eight}, 60)
	demotest.Check(t, err)
	for i, o := range outcomes {
		if !(o.drift < 1e-6) {
			t.Errorf("system %d: the energy changed by a part of %v", i, o.drift)
		}
	}

	// A year on, the earth is back.
	earth, was := outcomes[0].bodies[3].Pos, inner.bodies[3].Pos
	if d := distance(earth, was); !(d < 1e-3) {
		t.Errorf("after a year the earth is %v from where it was", d)
	}
	// After a period, so are the three stars.
	for i, b := range outcomes[1].bodies {
		if d := distance(b.Pos, eight.bodies[i].Pos); !(d < 1e-4) {
			t.Errorf("after a period, star %d is %v from where it was", i, d)
		}
	}

	f, err := os.Open(result.File)
	demotest.Check(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	demotest.Check(t, err)
	if got := img.Bounds().Size(); got.X != 120 || got.Y != 60 {
		t.Errorf("the picture is %v; want 120×60", got)
	}
}

// TestTrojans checks that the asteroids stay with their groups: ahead of Jupiter, and behind it.
func TestTrojans(t *testing.T) {
	sc := trojans()
	sc.bodies, sc.years = sc.bodies[:32], 60
	_, outcomes, err := run(demotest.New(t), []scene{sc}, 60)
	demotest.Check(t, err)
	b := outcomes[0].bodies
	from := func(i int) float64 { // angle from Jupiter, in degrees
		a := math.Atan2(b[i].Pos[1], b[i].Pos[0]) - math.Atan2(b[1].Pos[1], b[1].Pos[0])
		return math.Remainder(a, 2*math.Pi) / degree
	}
	for i := 2; i+1 < len(b); i += 3 {
		if a := from(i); !(a > 20 && a < 130) {
			t.Errorf("asteroid %d of those ahead is at %.0f°", i, a)
		}
		if a := from(i + 1); !(a < -20 && a > -130) {
			t.Errorf("asteroid %d of those behind is at %.0f°", i+1, a)
		}
	}
}

// TestSharedCode checks that systems of many sizes share what is compiled for two of them.
func TestSharedCode(t *testing.T) {
	rt, err := ti.New(ti.Config{})
	demotest.Check(t, err)
	defer rt.Close()
	var two int64
	for i, n := range []int{3, 5, 7, 9, 12} {
		s, err := newSystem(rt, trojans().bodies[:n], 16)
		demotest.Check(t, err)
		demotest.Check(t, rt.Prepare(t.Context())) // all kernels, also those that are compiled in the background
		demotest.Check(t, s.Attract())
		demotest.Check(t, s.Step(0.05))
		_, _, err = s.Energy()
		demotest.Check(t, err)
		switch compiled := rt.Stats().Compiled; {
		case i < 1:
		case i == 1:
			two = compiled
		case compiled != two:
			t.Errorf("with %d systems %d kernels are compiled; want %d, as with two", i+1, compiled, two)
		}
	}
}

func distance(a, b ti.DVec3) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}
