package porttest

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
)

type femSolver struct {
	fem
	Step func(float32)
}

// TestFEMSparse solves for the shape of a bar that is held at one end and pulled at
// the other, with nodes in bit masks and nothing but zeros around.
func TestFEMSparse(t *testing.T) {
	const long, wide, pull = 6, 3, -0.01 // nodes; the bar crosses the border of blocks
	run(t, all, func(t *testing.T, rt *ti.Runtime) {
		var s femSolver
		s.KLambda, s.KMu = elementMatrices()
		block := rt.NewTree().Origin(ti.IJK, -4).Pointer(ti.IJK, 64)
		nodes := block.Bitmasked(ti.IJK, 4).Place(&s.P, &s.Ap, &s.R, &s.X, &s.Fixed)
		block.Dense(ti.IJK, 4).Place(&s.Lambda, &s.Mu)
		load(t, rt, "fem", &s)
		load := 0.0
		for k := range long * wide * wide {
			i, j, l := k/wide/wide, k/wide%wide, k%wide
			s.P.Set(ti.Vec3{}, i, j, l) // activates the node
			s.Fixed.Set(i == 0, i, j, l)
			if i == long-1 {
				s.R.Set(ti.Vec3{0, pull, 0}, i, j, l)
				load += pull * pull
			}
			if i < long-1 && j < wide-1 && l < wide-1 {
				s.Lambda.Set(2, i, j, l)
				s.Mu.Set(1, i, j, l)
			}
		}
		s.Turn(0)
		rr := s.Dot(&s.R, &s.R)
		near(t, "the square of the load", rr, load, 1e-6)
		for it := 0; it < 200 && rr > 1e-12; it++ {
			s.ComputeAp()
			s.Step(float32(rr / s.Dot(&s.P, &s.Ap)))
			old := rr
			rr = s.Dot(&s.R, &s.R)
			s.Turn(float32(rr / old))
		}
		if !(rr <= 1e-12) {
			t.Fatalf("after 200 iterations the square of the residual is %v", rr)
		}
		if n := nodes.Count(); n != long*wide*wide {
			t.Errorf("%d nodes are active; want %d", n, long*wide*wide)
		}
		s.checkSolution(t, long, wide, pull)
	})
}

// checkSolution multiplies the displacements with the matrix, and gets the load.
func (s *femSolver) checkSolution(t *testing.T, long, wide int, pull float64) {
	t.Helper()
	for i := range long {
		for k := range wide * wide {
			at := [3]int{i, k / wide, k % wide}
			s.P.Set(s.X.At(at[:]...), at[:]...)
		}
	}
	last := 0.0
	for i := range long {
		mean := 0.0
		for k := range wide * wide {
			at := [3]int{i, k / wide, k % wide}
			want := [3]float64{}
			if i == long-1 {
				want[1] = pull
			}
			got := s.product(at)
			nearAll(t, "the force at a node", got[:], want[:], 1e-5)
			mean += float64(s.P.At(at[:]...)[1]) / float64(wide*wide)
		}
		switch {
		case i == 0 && mean != 0:
			t.Errorf("the held end moves by %v", mean)
		case i > 0 && !(mean < last):
			t.Errorf("section %d of the bar bends down by %v, the one before by %v", i, mean, last)
		}
		last = mean
	}
}

// elementMatrices integrates the stiffness of a unit cube with two Gauss points along
// each axis: for the two constants of the material, the matrix that couples the
// displacements of each two corners.
func elementMatrices() (la, mu [8][8]ti.Mat3) {
	for point := range 8 {
		var slope [8][3]float64 // of the shape functions
		for c := range 8 {
			for d := range 3 {
				slope[c][d] = 1
				for e := range 3 {
					x := 0.5 + (float64(point>>e&1)-0.5)/math.Sqrt(3)
					far := []int{c / 4, c / 2 % 2, c % 2}[e] == 1
					switch {
					case e == d && !far:
						slope[c][d] = -slope[c][d]
					case e != d && far:
						slope[c][d] *= x
					case e != d:
						slope[c][d] *= 1 - x
					}
				}
			}
		}
		for a := range 8 {
			for b := range 8 {
				for i := range 3 {
					for j := range 3 {
						la[a][b][i][j] += float32(slope[a][i] * slope[b][j] / 8)
						mu[a][b][i][j] += float32(slope[a][j] * slope[b][i] / 8)
						for k := range 3 {
							if i == j {
								mu[a][b][i][j] += float32(slope[a][k] * slope[b][k] / 8)
							}
						}
					}
				}
			}
		}
	}
	return la, mu
}
