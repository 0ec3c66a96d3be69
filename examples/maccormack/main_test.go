package main

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demotest"
)

const size = 40

// tube has wind and dyes.
func tube(t *testing.T, config ti.Config) (*ti.Runtime, *Tube) {
	t.Helper()
	rt, err := ti.New(config)
	demotest.Check(t, err)
	t.Cleanup(func() { demotest.Check(t, rt.Close()) })
	s, err := newTube(rt, size)
	demotest.Check(t, err)
	demotest.Check(t, s.fill())
	return rt, s
}

// grid is a field of vectors, or of numbers with zeros behind, row by row.
type grid [][3]float64

// around returns the eight cells around x, and the weight of each.
func (q grid) around(x [3]float64) (v [8][3]float64, weight [8]float64) {
	for o := range 8 {
		at := 0
		weight[o] = 1
		for d := range 3 {
			y := min(max(x[d], 0), size-1.001)
			low := math.Floor(y)
			if o>>d&1 == 1 {
				at = at*size + int(low) + 1
				weight[o] *= y - low
			} else {
				at = at*size + int(low)
				weight[o] *= 1 - (y - low)
			}
		}
		v[o] = q[at]
	}
	return v, weight
}

func (q grid) sample(x [3]float64) (s [3]float64) {
	v, weight := q.around(x)
	for o := range v {
		s = along(s, weight[o], v[o])
	}
	return s
}

// along returns x + k·v.
func along(x [3]float64, k float64, v [3]float64) [3]float64 {
	return [3]float64{x[0] + k*v[0], x[1] + k*v[1], x[2] + k*v[2]}
}

// origin follows the wind back from cell k, which is at x.
func (q grid) origin(k int, x [3]float64, time float64) [3]float64 {
	a := q[k]
	b := q.sample(along(x, -0.5*time, a))
	c := q.sample(along(x, -0.75*time, b))
	return along(along(along(x, -2*time/9, a), -time/3, b), -4*time/9, c)
}

func numbersOf(t *testing.T, f *numbers) (q grid) {
	for _, x := range demotest.Elements(t, f) {
		q = append(q, [3]float64{float64(x)})
	}
	return q
}

// TestStep compares the kernels with plain Go, each from what the one before left, in a wind that blows anywhere.
func TestStep(t *testing.T) {
	_, s := tube(t, ti.Config{})
	r := rand.New(rand.NewPCG(1, 2))
	for at := range s.cells.Cells() {
		s.V.Set(ti.Vec3{3 * (r.Float32() - 0.5), 3 * (r.Float32() - 0.5), 3 * (r.Float32() - 0.5)}, at[:3]...)
		s.Dyes[0].Now.Set(r.Float32(), at[:3]...)
	}
	d := s.Dyes[0]
	demotest.Check(t, s.step())
	var wind grid
	for _, v := range demotest.Elements(t, &s.V) {
		wind = append(wind, [3]float64{float64(v[0]), float64(v[1]), float64(v[2])})
	}
	now, ahead, back, next := numbersOf(t, d.Now), numbersOf(t, d.Ahead), numbersOf(t, d.Back), numbersOf(t, d.Next)
	cells, limited := 0, 0
	for at := range s.cells.Cells() {
		x := [3]float64{float64(at[0]), float64(at[1]), float64(at[2])}
		k := (at[0]*size+at[1])*size + at[2]
		from, to := wind.origin(k, x, float64(s.Dt)), wind.origin(k, x, -float64(s.Dt))
		demotest.Near(t, "the number ahead", ahead[k][0], now.sample(from)[0], 1e-4)
		demotest.Near(t, "the number back again", back[k][0], ahead.sample(to)[0], 1e-4)
		lo, hi := math.Inf(1), math.Inf(-1)
		v, _ := now.around(from)
		for _, x := range v {
			lo, hi = min(lo, x[0]), max(hi, x[0])
		}
		corrected := ahead[k][0] + (now[k][0]-back[k][0])/2
		if corrected < lo || corrected > hi {
			limited++
		}
		if !onBorder(from) {
			demotest.Near(t, "the corrected number", next[k][0], min(max(corrected, lo), hi), 1e-4)
		}
		cells++
	}
	if cells != s.cells.Count() || cells < size*size*size/3 || limited < 100 {
		t.Errorf("there are %d cells, of which %d are limited; want many of both", cells, limited)
	}
}

// onBorder reports whether rounding decides between which cells a place is.
func onBorder(x [3]float64) bool {
	for _, y := range x {
		if math.Abs(y-math.Round(y)) < 1e-4 {
			return true
		}
	}
	return false
}

// TestVortex carries a smooth dye, of which it is known where it goes, and compares the error with that of steps that are not corrected. No
// number leaves the range of the first ones.
func TestVortex(t *testing.T) {
	const steps = 6
	_, s := tube(t, ti.Config{})
	middle := 0.5 * float64(size-1)
	dye := func(at ti.Index, turned float64) float64 {
		return 0.5 + 0.5*math.Sin(3*(math.Atan2(float64(at[1])-middle, float64(at[0])-middle)-turned))
	}
	for at := range s.cells.Cells() {
		for _, d := range s.Dyes[:2] {
			d.Now.Set(float32(dye(at, 0)), at[:3]...)
		}
	}
	plain := s.Dyes[1]
	for range steps {
		demotest.Check(t, s.Forward(plain.Now, plain.Ahead))
		plain.Now, plain.Ahead = plain.Ahead, plain.Now
	}
	uncorrected := numbersOf(t, plain.Now)
	for range steps {
		demotest.Check(t, s.step())
	}
	var off, plainOff, n float64
	for at := range s.cells.Cells() {
		x := s.Dyes[0].Now.At(at[:3]...)
		if x < 0 || x > 1 {
			t.Fatalf("the dye at %v is %v", at, x)
		}
		r := math.Hypot(float64(at[0])-middle, float64(at[1])-middle)
		if math.Abs(r-0.385*size) > 0.7 {
			continue // the walls are near
		}
		speed := (1 + float64(at[2])/size) * 0.32 * size / r
		want := dye(at, steps*float64(s.Dt)*speed/r)
		off += math.Abs(float64(x) - want)
		plainOff += math.Abs(uncorrected[(at[0]*size+at[1])*size+at[2]][0] - want)
		n++
	}
	t.Logf("off by %.4f, uncorrected by %.4f", off/n, plainOff/n)
	if !(off/n < 0.01) || !(off < 0.6*plainOff) {
		t.Errorf("off by %.4f, uncorrected by %.4f", off/n, plainOff/n)
	}
}

// TestBatch compares batches whose launches are linked with launches one by one: under strict maths all bits are equal. A step takes two
// tasks instead of nine.
func TestBatch(t *testing.T) {
	t.Setenv("TI_LINK_ALWAYS", "1")
	const frames = 3
	var dyes [2]outcome
	for i, size := range []int{1, batch} {
		rt, s := tube(t, ti.Config{Batch: size, StrictMath: true})
		demotest.Check(t, rt.Sync())
		before := rt.Stats()
		for range frames {
			demotest.Check(t, s.frame())
			demotest.Check(t, rt.Sync())
		}
		after := rt.Stats()
		if ran, want := after.Tasks-before.Tasks, []int64{9 * steps * frames, 2 * steps * frames}[i]; ran != want {
			t.Errorf("with batches of %d, %d tasks run; want %d", size, ran, want)
		}
		for _, d := range s.Dyes {
			dyes[i].dyes = append(dyes[i].dyes, demotest.Elements(t, d.Now))
		}
	}
	if off := dyes[0].differs(dyes[1]); off != 0 {
		t.Errorf("numbers differ by %v", off)
	}
}

func TestScene(t *testing.T) {
	const frames = 3
	d := demotest.New(t)
	result, together, err := run(d, size, frames)
	demotest.Check(t, err)
	demotest.Moves(t, demotest.GIF(t, result.File, frames))
	if together.stats.Launches < 9*steps*frames {
		t.Errorf("there were %d launches", together.stats.Launches)
	}
}

// TestDraw: the graph of a step has its nine loops.
func TestDraw(t *testing.T) {
	path := filepath.Join(t.TempDir(), "step.dot")
	demotest.Check(t, draw(path, size))
	dot, err := os.ReadFile(path)
	demotest.Check(t, err)
	for _, name := range []string{"Forward", "Backward", "Correct"} {
		if n := len(regexp.MustCompile(`label="[^"]*`+name).FindAll(dot, -1)); n < 3 {
			t.Errorf("%s is %d times in the graph; want 3:\n%s", name, n, dot)
		}
	}
}
