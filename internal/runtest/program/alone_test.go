package program

import (
	"fmt"
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// TestAlone runs programs for a target of which nothing but the passes makes vectors. Each program has some of the variants.
func TestAlone(t *testing.T) {
	rts := &runtest.Runtimes{}
	defer rts.Close(t)
	all := runtest.AloneVariants
	for i, p := range programs() {
		variants := []runtest.Variant{all[i%len(all)], all[(i+1)%len(all)]}
		if runtest.AllVariants() {
			variants = all
		}
		t.Run(p.name, func(t *testing.T) {
			runtest.RunIn(t, rts, variants, func(r *runtest.Run) { p.run(r, "package p\n"+p.src) })
		})
	}
}

// TestAloneLargestIndex has a vector whose last lanes would have indices beyond the largest number.
func TestAloneLargestIndex(t *testing.T) {
	rts := &runtest.Runtimes{}
	defer rts.Close(t)
	runtest.RunIn(t, rts, runtest.AloneVariants, func(r *runtest.Run) {
		var h struct {
			Sum func(lo, hi int32) (int32, error)
		}
		r.Load(`package p

func Sum(lo, hi i32) i32 {
	s := 0
	for i := range span(lo, hi) {
		s += i - lo
	}
	return s
}
`, &h)
		for _, n := range []int32{0, 1, 7, 16, 77} {
			got, err := h.Sum(math.MaxInt32-n, math.MaxInt32)
			runtest.OK(r, err)
			runtest.Eq(r, fmt.Sprint("the sum of ", n, " numbers"), got, n*(n-1)/2)
		}
	})
}

// TestAloneComponents reads components of an element in an order in which those of the next one come first.
func TestAloneComponents(t *testing.T) {
	const n = 300
	rts := &runtest.Runtimes{}
	defer rts.Close(t)
	runtest.RunIn(t, rts, runtest.AloneVariants, func(r *runtest.Run) {
		var h struct {
			V    ti.Field[ti.Vec2]
			X, Y ti.Field[float32]
			Mix  func() error
		}
		r.Place(ti.Shape{n + 1}, &h.V)
		r.Place(ti.Shape{n}, &h.X, &h.Y)
		r.Load(`package p

var V field[vec2]
var X, Y field[f32]

func Mix() {
	for i := range X {
		X[i] = 2*V[i].y + V[i+1].x
		Y[i] = V[i].x
	}
}
`, &h)
		for i := range n + 1 {
			h.V.Set(ti.Vec2{float32(i), float32(1000 + i)}, i)
		}
		runtest.OK(r, h.Mix())
		for i := range n {
			runtest.Eq(r, fmt.Sprintf("X[%d]", i), h.X.At(i), float32(2*(1000+i)+i+1))
			runtest.Eq(r, fmt.Sprintf("Y[%d]", i), h.Y.At(i), float32(i))
		}
	})
}

// TestAloneComponentTwice stores one component twice in an iteration, and the element as a whole last.
func TestAloneComponentTwice(t *testing.T) {
	const n = 300
	rts := &runtest.Runtimes{}
	defer rts.Close(t)
	runtest.RunIn(t, rts, runtest.AloneVariants, func(r *runtest.Run) {
		var h struct {
			V   ti.Field[ti.Vec2]
			K   ti.Field[int32]
			Mix func(a, b float32) error
		}
		r.Place(ti.Shape{n}, &h.V, &h.K)
		r.Load(`package p

var V field[vec2]
var K field[i32]

func Mix(a, b f32) {
	for i := range V {
		var m [2]f32
		V[i].x = f32(K[i]) + a
		if K[i] == 3*i {
			m[K[i]&1] = b
		}
		V[i] = vec2(b, b)
		V[i].y += m[0]
	}
}
`, &h)
		for i := range n {
			h.K.Set(int32(i), i)
		}
		runtest.OK(r, h.Mix(1, 5))
		for i := range n {
			want := ti.Vec2{5, 5}
			if i == 0 {
				want[1] = 10
			}
			runtest.Eq(r, fmt.Sprintf("V[%d]", i), h.V.At(i), want)
		}
	})
}
