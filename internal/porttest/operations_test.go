package porttest

import (
	"bytes"
	"testing"

	"github.com/gotaichi/ti"
)

type pair struct {
	A int16
	B int64
}

// operations is the host of the sparse operations one by one.
type operations struct {
	X, Used, Marks        ti.Field[int32]
	Block1, Block2, Pixel *ti.Node
	List                  ti.Field[pair]
	Length                ti.Field[int32]
	Coarse                ti.Field[float32]
	Particles             ti.Field[ti.Vec2]

	Explicit, Lists, Coarsen, Prune func()
	Spawn                           func(n int)
	Plot                            func(c ti.IVec2)
}

func newOperations(t *testing.T, rt *ti.Runtime) *operations {
	s := new(operations)
	s.Block1 = rt.NewTree().Pointer(ti.IJ, 4)
	s.Block2 = s.Block1.Pointer(ti.IJ, 2)
	s.Pixel = s.Block2.Dense(ti.IJ, 2)
	s.Pixel.Place(&s.X)
	s.Block2.Place(&s.Used)
	rt.NewTree().Origin(ti.IJ, -8).Pointer(ti.IJ, 8).Dense(ti.IJ, 2).Place(&s.Marks)
	rt.NewTree().Dense(ti.I, 8).Dynamic(ti.J, 100).Chunk(4).Place(&s.List)
	rt.Place(ti.Shape{8}, &s.Length)
	rt.NewTree().Hash(ti.IJ).Dense(ti.IJ, 4).Place(&s.Coarse)
	rt.NewTree().Dynamic(ti.I, 1<<20).Place(&s.Particles)
	scratch := ti.NewField[float32](rt, 100)
	load(t, rt, "sparse", s)
	if err := scratch.Tree().Close(); err != nil { // a tree can go while the others stay
		t.Fatal(err)
	}
	return s
}

// counts fails unless nodes have as many active cells as wanted.
func (s *operations) counts(t *testing.T, when string, block1, block2 int) {
	t.Helper()
	if a, b := s.Block1.Count(), s.Block2.Count(); a != block1 || b != block2 {
		t.Errorf("%s, %d and %d blocks are active; want %d and %d", when, a, b, block1, block2)
	}
}

const explicitOutput = `x [2 4] 0
x [2 5] 0
x [3 4] 0
x [3 5] 0
block2 1 2
block1 [0 1]
block2[1] 0 false
block2[1] 1 false
block2[1] 2 true
block2[1] 3 false
[2 3]
true
`

// TestSparseExplicit activates and deactivates without writing, twice: the second
// time the memory of the first is used again.
func TestSparseExplicit(t *testing.T) {
	runPrinting(t, checked, func(t *testing.T, rt *ti.Runtime, out *bytes.Buffer) {
		s := newOperations(t, rt)
		for range 2 {
			s.Explicit()
			if err := rt.Sync(); err != nil {
				t.Fatal(err)
			}
			if out.String() != explicitOutput {
				t.Errorf("the kernel printed\n%s\nwant\n%s", out, explicitOutput)
			}
			out.Reset()
			s.counts(t, "after deactivation", 1, 0)
			if s.Block2.Active(1, 2) || s.Pixel.Active(2, 4) || !s.Block1.Active(0, 1) {
				t.Error("not the cell of Block2 alone is inactive")
			}
		}
	})
}

// TestSparseLists fills lists, and again, where they are emptied first.
func TestSparseLists(t *testing.T) {
	run(t, checked, func(t *testing.T, rt *ti.Runtime) {
		s := newOperations(t, rt)
		for range 2 {
			s.Lists()
			total := 0
			for i := range 8 {
				if n, m := s.List.Node().Len(i), s.Length.At(i); n != i*i || int(m) != n {
					t.Fatalf("list %d has %d elements, %d in the kernel; want %d", i, n, m, i*i)
				}
				for j := range i * i {
					if got, want := s.List.At(i, j), (pair{int16(i), 2 * int64(j+1)}); got != want {
						t.Fatalf("element %d of list %d is %v; want %v", j, i, got, want)
					}
				}
				total += i * i
			}
			if n := s.List.Node().Count(); n != total {
				t.Errorf("the lists have %d elements in all; want %d", n, total)
			}
		}
		for n := range 3 {
			s.Spawn(1000)
			if got := s.Particles.Node().Len(); got != 1000*(n+1) {
				t.Errorf("there are %d particles; want %d", got, 1000*(n+1))
			}
		}
		visited := map[ti.Vec2]bool{}
		for _, p := range s.Particles.All() {
			if !(p[0] >= 0 && p[0] < 1 && p[1] >= 0 && p[1] < 1) {
				t.Fatalf("a particle is at %v, outside the unit square", p)
			}
			visited[p] = true
		}
		if len(visited) < 2990 {
			t.Errorf("3000 particles have %d positions", len(visited))
		}
	})
}

// TestSparsePlot draws with negative coordinates, adds up in the parents and drops
// the blocks without a value. Not in debug mode, which reports that pixels of one
// block all mark it as used.
func TestSparsePlot(t *testing.T) {
	run(t, all, func(t *testing.T, rt *ti.Runtime) {
		s := newOperations(t, rt)
		want := map[[2]int]int32{} // of X
		coarse, blocks := map[[2]int]float32{}, map[[2]int]bool{}
		for k := range 40 {
			x, y := k*k%13-7, k*5%11-7
			s.Plot(ti.IVec2{int32(x), int32(y)})
			if s.Marks.At(x-1, y-1) != 1 || s.Marks.At(x, y-1) == 0 {
				t.Fatalf("the marks of (%d, %d) are not there", x, y)
			}
			p := [2]int{x + 8, y + 8}
			want[p]++
			coarse[[2]int{p[0] / 4, p[1] / 4}]++
			blocks[[2]int{p[0] / 2, p[1] / 2}] = true
		}
		s.counts(t, "after drawing", len(coarse), len(blocks))
		s.Coarsen()
		sum := float32(0)
		for _, v := range s.Coarse.All() {
			sum += v
		}
		if sum != 40 {
			t.Errorf("the sums of the blocks are %v in all; want 40", sum)
		}
		for p, v := range coarse {
			if got := s.Coarse.At(p[0], p[1]); got != v {
				t.Errorf("block %v sums to %v; want %v", p, got, v)
			}
		}
		empty := 0
		for i := range 8 { // writing zero activates a block, unless it is active
			if s.X.Set(0, 2*i, 15); !blocks[[2]int{i, 7}] {
				empty++
			}
		}
		if empty == 0 || s.Block2.Count() != len(blocks)+empty {
			t.Errorf("with %d empty blocks, %d are active; want %d more than %d", empty, s.Block2.Count(), empty, len(blocks))
		}
		s.Prune()
		if n := s.Block2.Count(); n != len(blocks) {
			t.Errorf("%d blocks are left; want %d", n, len(blocks))
		}
		for i := range 16 {
			for j := range 16 {
				if got := s.X.At(i, j); got != want[[2]int{i, j}] {
					t.Errorf("pixel %d, %d is %d; want %d", i, j, got, want[[2]int{i, j}])
				}
			}
		}
		s.Block1.Clear()
		s.counts(t, "after Clear", 0, 0)
		if s.X.At(8, 8) != 0 {
			t.Error("a pixel is left after Clear")
		}
	})
}
