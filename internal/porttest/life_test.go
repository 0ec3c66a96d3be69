package porttest

import (
	"slices"
	"testing"

	"github.com/gotaichi/ti"
)

type life struct {
	Birth, Survival int
	Image           ti.Field[float32]
	Zoom            int

	Seed  func(grid *ti.Field[int32], density float32)
	Step  func(cur, next *ti.Field[int32])
	Paint func(grid *ti.Field[int32])
}

// TestLife compares generations on a torus with Go's, under two rules: the second
// takes effect without loading again.
func TestLife(t *testing.T) {
	const w, h, zoom = 20, 36, 3
	run(t, all, func(t *testing.T, rt *ti.Runtime) {
		l := life{Birth: 1 << 3, Survival: 1<<2 | 1<<3, Zoom: zoom}
		rt.Place(ti.Shape{w * zoom, h * zoom}, &l.Image)
		load(t, rt, "life", &l)
		cur, next := ti.NewField[int32](rt, w, h), ti.NewField[int32](rt, w, h)
		l.Seed(cur, 0.3)
		want := elements(t, cur)
		if alive := count(want); alive < w*h*2/10 || alive > w*h*4/10 {
			t.Errorf("%d of %d cells are seeded; want about 3 of 10", alive, w*h)
		}
		for gen := range 12 {
			if gen == 6 {
				l.Birth |= 1 << 6
			}
			want = generation(want, w, h, l.Birth, l.Survival)
			l.Step(cur, next)
			cur, next = next, cur
			if !slices.Equal(elements(t, cur), want) {
				t.Fatalf("generation %d differs", gen)
			}
		}
		if count(want) == 0 {
			t.Error("nothing lives; the test shows nothing")
		}
		l.Paint(cur)
		for i, v := range elements(t, &l.Image) {
			x, y := i/(h*zoom)/zoom, i%(h*zoom)/zoom
			if v != float32(want[x*h+y]) {
				t.Fatalf("the pixel of cell %d, %d is %v", x, y, v)
			}
		}
	})
}

func generation(cur []int32, w, h, birth, survival int) []int32 {
	next := make([]int32, len(cur))
	for x := range w {
		for y := range h {
			n := -cur[x*h+y]
			for dx := range 3 {
				for dy := range 3 {
					n += cur[(x+dx+w-1)%w*h+(y+dy+h-1)%h]
				}
			}
			rule := birth
			if cur[x*h+y] == 1 {
				rule = survival
			}
			next[x*h+y] = int32(rule >> n & 1)
		}
	}
	return next
}

func count(cells []int32) (n int) {
	for _, c := range cells {
		n += int(c)
	}
	return n
}
