package porttest

import (
	"math"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
)

type pbf struct {
	Pos, Old, Vel, Delta ti.Field[ti.Vec2]
	Lambda               ti.Field[float32]
	Cells                *ti.Node
	Bucket, Neighbour    ti.Field[int32]
	Board                ti.Field[ti.Vec2]
	Grid                 ti.IVec2
	Boundary             ti.Vec2
	MaxNeighbours        int

	Prologue, Iterate, Epilogue, MoveBoard func()
	Stats                                  func() (largest int32, mean float32)
}

const pbfParticles, pbfCell, pbfH = 160, 2.51, 1.1

func newPBF(t *testing.T, rt *ti.Runtime) *pbf {
	s := &pbf{Grid: ti.IVec2{10, 8}, Boundary: ti.Vec2{25, 20}, MaxNeighbours: 100}
	rt.NewTree().Dense(ti.I, pbfParticles).Place(&s.Pos, &s.Old, &s.Vel, &s.Delta, &s.Lambda)
	rt.NewTree().Dense(ti.I, pbfParticles).Dynamic(ti.J, s.MaxNeighbours).Place(&s.Neighbour)
	s.Cells = rt.NewTree().Dense(ti.IJ, int(s.Grid[0]), int(s.Grid[1]))
	s.Cells.Dynamic(ti.K, 100).Place(&s.Bucket)
	rt.Place(nil, &s.Board)
	load(t, rt, "pbf", s)
	start := make([]ti.Vec2, pbfParticles)
	for i := range start {
		start[i] = ti.Vec2{3 + 0.88*float32(i%16), 1 + 0.88*float32(i/16)}
	}
	if err := s.Pos.CopyFrom(start); err != nil {
		t.Fatal(err)
	}
	s.Board.Set(ti.Vec2{25, 0})
	return s
}

// TestPBF compares the lists and the sums over them with Go in each of some frames,
// while the fluid falls.
func TestPBF(t *testing.T) {
	run(t, checked, func(t *testing.T, rt *ti.Runtime) {
		s := newPBF(t, rt)
		for frame := range 10 {
			s.MoveBoard()
			s.Prologue()
			s.checkLists(t)
			s.checkIteration(t)
			s.Iterate()
			s.Epilogue()
			s.checkMotion(t, frame)
		}
	})
}

// checkLists compares the buckets and the lists of neighbours with the positions.
func (s *pbf) checkLists(t *testing.T) {
	t.Helper()
	pos := elements(t, &s.Pos)
	listed, largest, total := 0, 0, 0
	for i := range int(s.Grid[0]) {
		for j := range int(s.Grid[1]) {
			n := s.Bucket.Node().Len(i, j)
			largest = max(largest, n)
			listed += n
			for k := range n {
				if x := pos[s.Bucket.At(i, j, k)]; int(x[0]/pbfCell) != i || int(x[1]/pbfCell) != j {
					t.Fatalf("the bucket of cell %d, %d has a particle at %v", i, j, x)
				}
			}
		}
	}
	if listed != len(pos) {
		t.Fatalf("the buckets have %d particles in all; want %d", listed, len(pos))
	}
	for p := range pos {
		got := make([]int, s.Neighbour.Node().Len(p))
		for k := range got {
			got[k] = int(s.Neighbour.At(p, k))
		}
		total += len(got)
		slices.Sort(got)
		if len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Fatalf("the neighbours of particle %d are %v, not all different", p, got)
		}
		for q := range pos {
			d := math.Hypot(float64(pos[p][0]-pos[q][0]), float64(pos[p][1]-pos[q][1])) - 1.05*pbfH
			if _, is := slices.BinarySearch(got, q); is != (q != p && d < 0) && math.Abs(d) > 1e-5 {
				t.Fatalf("particle %d is among the neighbours of %d: %v; it is %v too far", q, p, is, d)
			}
		}
	}
	n, mean := s.Stats()
	if int(n) != largest {
		t.Errorf("the largest bucket has %d particles; want %d", n, largest)
	}
	near(t, "the mean number of neighbours", float64(mean), float64(total)/pbfParticles, 1e-6)
}

// checkIteration makes an iteration, and another one in Go. Forces between two
// particles are opposite, so the sum of all steps is zero.
func (s *pbf) checkIteration(t *testing.T) {
	t.Helper()
	pos := elements(t, &s.Pos)
	s.Iterate()
	lambda := make([]float64, len(pos))
	each := func(p int, f func(q int, x, y, r float64)) {
		for k := range s.Neighbour.Node().Len(p) {
			q := int(s.Neighbour.At(p, k))
			x, y := float64(pos[p][0]-pos[q][0]), float64(pos[p][1]-pos[q][1])
			f(q, x, y, math.Hypot(x, y))
		}
	}
	for p := range pos {
		var gx, gy, squares, density float64
		each(p, func(q int, x, y, r float64) {
			g := spikyOf(r)
			gx, gy, squares, density = gx+g*x, gy+g*y, squares+g*g*r*r, density+poly6(r)
		})
		lambda[p] = (1 - density) / (squares + gx*gx + gy*gy + 100)
	}
	nearAll(t, "the multipliers", elements(t, &s.Lambda), lambda, 1e-4)
	var sum [2]float64
	delta, after := elements(t, &s.Delta), elements(t, &s.Pos)
	for p := range pos {
		var dx, dy float64
		each(p, func(q int, x, y, r float64) {
			w := lambda[p] + lambda[q] - 0.001*math.Pow(poly6(r)/poly6(0.3*pbfH), 4)
			dx, dy = dx+w*spikyOf(r)*x, dy+w*spikyOf(r)*y
		})
		nearAll(t, "the step", delta[p][:], []float64{dx, dy}, 1e-4)
		for d := range 2 {
			sum[d] += float64(delta[p][d])
			near(t, "a position", float64(after[p][d]), float64(pos[p][d]+delta[p][d]), 1e-6)
		}
	}
	nearAll(t, "the sum of the steps", sum[:], []float64{0, 0}, 1e-3)
}

// checkMotion checks the end of a frame: where the board is, that all are inside, and
// that the velocities are those of the positions.
func (s *pbf) checkMotion(t *testing.T, frame int) {
	t.Helper()
	board := 25.0
	for k := range frame + 1 {
		board -= math.Sin(float64(k+1)*math.Pi/90) * 8 / 20
	}
	b := s.Board.At()
	nearAll(t, "the board", b[:], []float64{board, float64(frame + 1)}, 1e-6)
	pos, old := elements(t, &s.Pos), elements(t, &s.Old)
	for p, v := range elements(t, &s.Vel) {
		if x := pos[p]; !(x[0] > 0.29 && x[0] < b[0]-0.29 && x[1] > 0.29 && x[1] < 19.71) {
			t.Fatalf("particle %d is at %v, in a wall", p, x)
		}
		nearAll(t, "a velocity", v[:], []float64{float64(pos[p][0]-old[p][0]) * 20, float64(pos[p][1]-old[p][1]) * 20}, 1e-4)
	}
}

func poly6(r float64) float64 {
	if r <= 0 || r >= pbfH {
		return 0
	}
	x := (pbfH*pbfH - r*r) / (pbfH * pbfH * pbfH)
	return 315 / (64 * math.Pi) * x * x * x
}

// spikyOf is the gradient of the other kernel, over the vector.
func spikyOf(r float64) float64 {
	if r <= 0 || r >= pbfH {
		return 0
	}
	x := (pbfH - r) / (pbfH * pbfH * pbfH)
	return -45 / math.Pi * x * x / r
}
