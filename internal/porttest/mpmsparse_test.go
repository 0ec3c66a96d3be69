package porttest

import (
	"testing"

	"github.com/gotaichi/ti"
)

// TestMPM3DSparse runs the source of mpm3d on blocks that exist where particles are,
// in two and in three dimensions: it computes what it does on an array.
func TestMPM3DSparse(t *testing.T) {
	run(t, long, func(t *testing.T, rt *ti.Runtime) {
		t.Run("2-D", func(t *testing.T) {
			sparseAsDense[ti.Vec2, ti.Mat2](t, rt, 2, ti.IJ, func(v ti.Vec2) []float32 { return v[:] })
		})
		t.Run("3-D", func(t *testing.T) {
			sparseAsDense[ti.Vec3, ti.Mat3](t, rt, 3, ti.IJK, func(v ti.Vec3) []float32 { return v[:] })
		})
	})
}

// sparseAsDense compares some steps on both layouts, from the same particles.
func sparseAsDense[Vec, Mat any](t *testing.T, rt *ti.Runtime, dim int, axes ti.Axes, slice func(Vec) []float32) {
	const n = 32
	dense := newMPM3D[Vec, Mat](t, rt, dim, n, axes)
	s := &mpm3d[Vec, Mat]{Dim: dim, N: n, Dt: dense.Dt}
	rt.Place(ti.Shape{100}, &s.X, &s.V, &s.C, &s.F)
	grid := rt.NewTree().Pointer(axes, s.N/4) // one size for all axes
	grid.Dense(axes, 4).Place(&s.GridV, &s.GridM)
	load(t, rt, "mpm3d", s)
	s.Init() // scatters otherwise than it did for the dense one
	if err := s.X.CopyFrom(elements(t, &dense.X)); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		touched := blocksAround(elements(t, &s.X), n, slice)
		dense.step()
		grid.Clear()
		s.P2G()
		s.GridOp()
		s.G2P()
		if got := grid.Count(); got != touched {
			t.Fatalf("%d blocks are active; the particles touch %d", got, touched)
		}
	}
	x, v, wantX, wantV := elements(t, &s.X), elements(t, &s.V), elements(t, &dense.X), elements(t, &dense.V)
	for p := range x {
		nearAll(t, "a position", slice(x[p]), slice(wantX[p]), 1e-5)
		nearAll(t, "a velocity", slice(v[p]), slice(wantV[p]), 1e-3)
	}
}

// blocksAround counts the blocks of 4 nodes a side that have one of the nodes around
// a particle, three along each axis.
func blocksAround[Vec any](x []Vec, n int, slice func(Vec) []float32) int {
	touched := map[[3]int]bool{}
	for _, p := range x {
		for o := range 27 {
			var b [3]int
			for d, c := range slice(p) {
				b[d] = (int(c*float32(n)-0.5) + []int{o / 9, o / 3 % 3, o % 3}[d]) / 4
			}
			touched[b] = true
		}
	}
	return len(touched)
}
