package porttest

import (
	"testing"

	"github.com/gotaichi/ti"
)

type mpmSorted struct {
	X, V                   ti.Field[ti.Vec3]
	C, F                   ti.Field[ti.Mat3]
	GridV                  ti.Field[ti.Vec3]
	GridM                  ti.Field[float32]
	Block                  *ti.Node
	List                   ti.Field[int32]
	N                      int
	Dt                     float32
	Force                  ti.Field[float32]
	Sort, P2G, GridOp, G2P func()
}

// newMPMSorted has 216 particles in a cube, stretched a little, in blocks that are
// pointers or, where dense, all there.
func newMPMSorted(t *testing.T, rt *ti.Runtime, dense bool) *mpmSorted {
	const n, block, most = 32, 4, 1 << 20
	sim := &mpmSorted{N: n, Dt: 1e-5}
	rt.NewTree().Dynamic(ti.I, most).Chunk(64).Place(&sim.X, &sim.V, &sim.C, &sim.F)
	if dense {
		sim.Block = rt.NewTree().Dense(ti.IJK, n/block)
	} else {
		sim.Block = rt.NewTree().Pointer(ti.IJK, n/block)
	}
	for _, c := range ti.Members(&sim.GridV) { // structure of arrays inside a block
		sim.Block.Dense(ti.IJK, block).Place(c)
	}
	sim.Block.Dense(ti.IJK, block).Place(&sim.GridM)
	sim.Block.Dynamic(ti.L, block*block*block*128).Chunk(64).Place(&sim.List)
	rt.Place(nil, &sim.Force)
	load(t, rt, "mpmsorted", sim)
	for p := range sortedParticles {
		sim.X.Set(ti.Vec3{0.43 + 0.024*float32(p%6), 0.4 + 0.024*float32(p/6%6), 0.5 + 0.024*float32(p/36)}, p)
		sim.F.Set(ti.Mat3{{1.02, 0, 0}, {0, 1, 0}, {0, 0, 1}}, p)
	}
	sim.Force.Set(300)
	return sim
}

const sortedParticles = 216

// step makes a step, and checks what it leaves on the grid.
func (s *mpmSorted) step(t *testing.T, dense bool) {
	t.Helper()
	s.Block.Clear()
	s.Sort()
	s.checkLists(t, dense)
	s.P2G()
	mass := 0.0
	for _, m := range s.GridM.All() {
		mass += float64(m)
	}
	near(t, "the mass of the grid", mass, sortedParticles, 1e-5)
	s.GridOp()
	s.G2P()
}

// checkLists checks that each particle is in the list of its block, and only there.
func (s *mpmSorted) checkLists(t *testing.T, dense bool) {
	t.Helper()
	home := map[[3]int]bool{}
	visited := map[int32]bool{}
	for at, p := range s.List.All() {
		x := s.X.At(int(p))
		for d := range 3 {
			if b := int(x[d]*32-0.5) / 4; b != at[d] {
				t.Fatalf("particle %d at %v is in the list of block %v", p, x, at[:3])
			}
		}
		home[[3]int(at[:3])], visited[p] = true, true
	}
	if n := s.List.Node().Count(); n != sortedParticles || len(visited) != n {
		t.Fatalf("%d entries of the lists name %d particles; want %d", n, len(visited), sortedParticles)
	}
	if n := s.Block.Count(); !dense && n != len(home) {
		t.Fatalf("%d blocks are active after sorting; want %d", n, len(home))
	}
}

// TestMPMSorted lists particles in blocks: the force alone changes the momentum, and
// blocks that are all there give the same positions.
func TestMPMSorted(t *testing.T) {
	const steps = 3
	run(t, long, func(t *testing.T, rt *ti.Runtime) {
		var x, v [2][]ti.Vec3
		for k, dense := range []bool{false, true} {
			sim := newMPMSorted(t, rt, dense)
			for range steps {
				sim.step(t, dense)
			}
			var sum [3]float64
			for p := range sortedParticles {
				x[k], v[k] = append(x[k], sim.X.At(p)), append(v[k], sim.V.At(p))
				for d := range 3 {
					sum[d] += float64(v[k][p][d]) / sortedParticles
				}
			}
			fall := steps * float64(sim.Dt)
			nearAll(t, "the mean velocity", sum[:], []float64{300 * fall, (300 - 1000) * fall, 0}, 1e-4)
			if spread := v[k][5][0] - v[k][0][0]; !(spread < 0) {
				t.Errorf("the ends of a stretched cube move apart by %v; want them to approach", spread)
			}
		}
		for p := range x[0] {
			nearAll(t, "the position on sparse blocks", x[0][p][:], x[1][p][:], 1e-6)
			nearAll(t, "the velocity on sparse blocks", v[0][p][:], v[1][p][:], 1e-3)
		}
	})
}
