package main

import (
	"math"
	"runtime"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demotest"
)

// size is the edge of the tests' domain. They share compiled code.
const size = 48

// after returns smoke after some frames.
func after(t *testing.T, frames int, plain bool) *Smoke {
	t.Helper()
	s, err := newSmoke(demotest.Runtime(t), size, plain)
	demotest.Check(t, err)
	for range frames {
		demotest.Check(t, s.frame())
	}
	return s
}

func survey(t *testing.T, s *Smoke) Summary {
	t.Helper()
	sum, err := s.Survey()
	demotest.Check(t, err)
	return sum
}

// apart returns the largest difference between components of a field at p and of another field at the place at(p), with
// the latter changed by turn, and the largest component.
func apart(a, b *vectors, at func(p ti.Index) [3]int, turn func(v ti.Vec3) ti.Vec3) (difference, most float64) {
	for p, v := range a.All() {
		q := at(p)
		w := turn(b.At(q[:]...))
		for c := range v {
			difference = max(difference, math.Abs(float64(v[c]-w[c])))
			most = max(most, math.Abs(float64(v[c])))
		}
	}
	return difference, most
}

func here(p ti.Index) [3]int     { return [3]int{p[0], p[1], p[2]} }
func same(v ti.Vec3) ti.Vec3     { return v }
func sideways(p ti.Index) [3]int { return [3]int{size - 1 - p[0], p[1], p[2]} }
func behind(p ti.Index) [3]int   { return [3]int{p[0], p[1], size - 1 - p[2]} }

// TestSmoke compares packed numbers with plain ones, and looks at the laws that both obey.
func TestSmoke(t *testing.T) {
	const frames = 12
	packed, plain := after(t, frames, false), after(t, frames, true)
	t.Run("packed like plain", func(t *testing.T) { alike(t, packed, plain) })
	t.Run("mirrored", func(t *testing.T) { mirrored(t, packed) })
	t.Run("mass", func(t *testing.T) { mass(t, packed) })
	t.Run("sparse", func(t *testing.T) { sparse(t, packed) })
	t.Run("divergence", func(t *testing.T) { divergence(t, packed) })
}

// alike checks that numbers of few bits make no difference that can be seen, and 40 bytes that can.
func alike(t *testing.T, packed, plain *Smoke) {
	for _, c := range []struct {
		what   string
		a, b   *vectors
		within float64
	}{{"velocity", &packed.U, &plain.U, 0.01}, {"dye", &packed.Dye, &plain.Dye, 0.02}} {
		if d, most := apart(c.a, c.b, here, same); !(d <= c.within*most) || most == 0 {
			t.Errorf("%s: packed and plain are %.3g apart, of %.3g", c.what, d, most)
		}
	}
	a, b := survey(t, packed), survey(t, plain)
	for c := range a.Dye {
		demotest.Near(t, "the dye", a.Dye[c], b.Dye[c], 0.01)
	}
	demotest.Near(t, "the height", a.Height, b.Height, 0.002)
	demotest.Near(t, "the energy", a.Energy, b.Energy, 0.005)
	if packed.cells() != plain.cells() {
		t.Errorf("%d cells are active packed, and %d plain", packed.cells(), plain.cells())
	}
	least, most := float64(packed.bytes())/float64(packed.cells()), float64(plain.bytes())/float64(plain.cells())
	// A thread may have a block in reserve and another one left over: how many do depends on when each had work.
	reserve := 2 * float64(runtime.GOMAXPROCS(0)) * most * edge * edge * edge / float64(plain.cells())
	if saved := most - least; math.Abs(saved-(84-44)) > min(reserve, 20) {
		t.Errorf("packing saves %.1f bytes a cell; want 40, within the %.1f of blocks in reserve", saved, reserve)
	}
	if least > 75 {
		t.Errorf("cells take %.1f bytes; want at most 75", least)
	}
}

// mirrored checks that the left half is a mirror image of the right one, but for colour, and the front one of the back.
func mirrored(t *testing.T, s *Smoke) {
	for _, c := range []struct {
		what string
		f    *vectors
		at   func(p ti.Index) [3]int
		turn func(v ti.Vec3) ti.Vec3
	}{
		{"velocity sideways", &s.U, sideways, func(v ti.Vec3) ti.Vec3 { return ti.Vec3{-v[0], v[1], v[2]} }},
		{"dye sideways", &s.Dye, sideways, func(v ti.Vec3) ti.Vec3 { return ti.Vec3{v[2], v[1], v[0]} }},
		{"velocity behind", &s.U, behind, func(v ti.Vec3) ti.Vec3 { return ti.Vec3{v[0], v[1], -v[2]} }},
		{"dye behind", &s.Dye, behind, same},
	} {
		if d, most := apart(c.f, c.f, c.at, c.turn); !(d <= 0.01*most) || most == 0 {
			t.Errorf("%s: the sides are %.3g apart, of %.3g", c.what, d, most)
		}
	}
}

// mass checks that there is as much more dye as the jets let in, and nowhere more than in them.
func mass(t *testing.T, s *Smoke) {
	const frames, radius, speed = 4, 0.06 * size, 3
	before := survey(t, s)
	for range frames {
		demotest.Check(t, s.frame())
	}
	now := survey(t, s)
	for c, light := range []float64{1, 0.8, 1} { // of both jets
		inflow := math.Pi * radius * radius * speed * light * frames
		demotest.Near(t, "the dye let in", now.Dye[c]-before.Dye[c], inflow, 0.1)
	}
	if _, most := apart(&s.Dye, &s.Dye, here, same); most > 0.901 {
		t.Errorf("there is dye of %v; the jets have 0.9", most)
	}
	if !(now.Height > before.Height) {
		t.Errorf("the smoke sinks from %v to %v", before.Height, now.Height)
	}
}

// sparse checks which blocks are active: those near smoke and wind, and at the jets alone where there is neither.
func sparse(t *testing.T, s *Smoke) {
	const n = size / edge
	check := func(near func(i, j, k int) bool) {
		t.Helper()
		demotest.Check(t, s.Adapt())
		for b := range n * n * n {
			i, j, k := b/n/n, b/n%n, b%n
			if got, want := s.Block.Active(i, j, k), near(i, j, k) || fed(i, j, k); got != want {
				t.Fatalf("block %d, %d, %d is active: %v; want %v", i, j, k, got, want)
			}
		}
	}
	check(func(i, j, k int) (busy bool) {
		for o := range 27 {
			busy = busy || s.Busy.At(i+o/9-1, j+o/3%3-1, k+o%3-1)
		}
		return busy
	})
	s.U.Fill(ti.Vec3{})
	s.Dye.Fill(ti.Vec3{})
	check(func(i, j, k int) bool { return false })
	if s.cells() == 0 || s.cells() > size*size*size/4 {
		t.Errorf("the jets keep %d cells active", s.cells())
	}
}

// fed reports whether a jet reaches a block.
func fed(block ...int) bool {
	for side := -1.0; side <= 1; side += 2 {
		sum := 0.0
		for a, mouth := range []float64{0.5*(size-1) + 0.3*size*side, 0.3 * size, 0.5 * (size - 1)} {
			low := float64(edge * block[a])
			d := mouth - min(max(mouth, low), low+edge-1)
			sum += d * d
		}
		if math.Sqrt(sum) < 0.06*size+1 {
			return true
		}
	}
	return false
}

// divergence checks the projection of a flow out of the middle of the domain, whose waves are long: nothing is left of
// it, as differences across two cells have it.
func divergence(t *testing.T, s *Smoke) {
	for p := range size * size * size {
		i, j, k := p/size/size, p/size%size, p%size
		d := ti.Vec3{float32(i) - 0.5*(size-1), float32(j) - 0.5*(size-1), float32(k) - 0.5*(size-1)}
		fall := float32(math.Exp(-float64(d[0]*d[0]+d[1]*d[1]+d[2]*d[2]) / (2 * 36)))
		s.Carried.Set(ti.Vec3{0.3 * d[0] * fall, 0.3 * d[1] * fall, 0.3 * d[2] * fall}, i, j, k)
	}
	demotest.Check(t, inOrder(s.coarsen, s.solve, s.Project))
	before, err := s.Leak(&s.Carried)
	demotest.Check(t, err)
	left, err := s.Leak(&s.U)
	demotest.Check(t, err)
	if !(left < 0.03*before) {
		t.Errorf("the divergence falls from %v to %v", before, left)
	}
	// The equation of pressure, with numbers of the host.
	residual, right := 0.0, 0.0
	for p := range size * size * size {
		i, j, k := p/size/size, p/size%size, p%size
		b, r := 0.0, 6*float64(s.X.At(i, j, k))
		for a := range 3 {
			for _, step := range []int{-1, 1} {
				q := []int{i, j, k}
				q[a] += step
				r -= float64(s.X.At(q...))
				b -= 0.5 * float64(step) * float64(s.Carried.At(q...)[a])
			}
		}
		residual += (b - r) * (b - r)
		right += b * b
	}
	if !(math.Sqrt(residual) < 1.1*tolerance*math.Sqrt(right)) {
		t.Errorf("the residual is %v of the right side", math.Sqrt(residual/right))
	}
}

func TestScene(t *testing.T) {
	const frames = 3
	result, err := run(demotest.New(t), size, frames, false)
	demotest.Check(t, err)
	movie := demotest.GIF(t, result.File, frames)
	last := movie.Image[frames-1]
	y := 256 - 256*3/10
	r, _, b, _ := last.At(256/5, y).RGBA()
	s, _, c, _ := last.At(256*4/5, y).RGBA()
	if !(r > b && s < c) {
		t.Errorf("the jets are red %d, blue %d, and red %d, blue %d; want one of each", r>>8, b>>8, s>>8, c>>8)
	}
}
