package random

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// A scene is what the random kernel of a seed works on, as far as the kernel can
// know: how many elements there are, in a line and as a grid.
type scene struct {
	seed       uint64
	rows, cols int
	origin     [2]int // the lowest index of grids
	cell       [2]int // how much of a grid a cell of the node Blocks has

	// Not every kernel does everything; what few do would otherwise be hidden
	// behind what many do.
	safe  bool // all indices are in range
	exact bool // the oracle gives the same bits; else floats are summed up in parallel
	anew  bool // the constants of the host change between launches
	size  int  // of the kernel, from 1 to 3
	tight bool // the kernel is one for vectors

	ordered bool // expressions change variables and print, so that the order of evaluation shows
}

func newScene(seed uint64) scene {
	r := rand.New(rand.NewPCG(seed, 29))
	shapes := [][2]int{{6, 8}, {8, 6}, {4, 12}, {3, 16}, {1, 48}, {48, 1}, {2, 24}, {8, 8}, {16, 8}}
	s := scene{seed: seed, safe: r.IntN(2) == 0, exact: true, anew: r.IntN(6) == 0, size: 1}
	for s.size < 3 && r.IntN(3) == 0 {
		s.size++
	}
	s.tight = r.IntN(5) == 0
	s.exact = s.tight || r.IntN(8) > 0
	shape := shapes[r.IntN(len(shapes))]
	switch k := r.IntN(10); {
	case k == 0 || !s.exact:
		shape = [2]int{30, 48} // enough for several threads
	case k == 1:
		shape = [2]int{7, 40}
	}
	s.rows, s.cols = shape[0], shape[1]
	for d, n := range shape {
		s.cell[d] = divisor(r, n)
		if r.IntN(3) == 0 {
			s.origin[d] = (r.IntN(9) - 4) * s.cell[d]
		}
	}
	return s
}

// n is the number of elements of all but the histogram.
func (s scene) n() int { return s.rows * s.cols }

// divisor returns a divisor of n.
func divisor(r *rand.Rand, n int) int {
	var all []int
	for d := 1; d <= n; d++ {
		if n%d == 0 {
			all = append(all, d)
		}
	}
	return all[r.IntN(len(all))]
}

// randomPair is the struct of random kernels.
type randomPair struct {
	A int32    `ti:"a"`
	B float32  `ti:"b"`
	V ti.Vec2  `ti:"v"`
	W [3]int64 `ti:"w"`
}

func (p randomPair) plain() randomPair {
	p.B, p.V = plain(p.B), plain2(p.V)
	return p
}

// plain makes the zeros alike.
func plain[F float32 | float64](f F) F { return f + 0 }

func plain2(v ti.Vec2) ti.Vec2 { return ti.Vec2{plain(v[0]), plain(v[1])} }

// sceneHost has the memory of a scene, bound to the vars that random kernels declare
// (sceneVars).
type sceneHost struct {
	A, X, H ti.Field[int32]
	B, Y, F ti.Field[float32]
	O       ti.Field[float32] // loops add to it, each iteration to its own element
	C       ti.Field[int64]
	V       ti.Field[ti.Vec2]
	S       ti.Field[randomPair]
	E       ti.Field[ti.Float16]
	D       ti.Field[bool]

	// The grids, and the node above P.
	G      ti.Field[ti.Vec3]
	P      ti.Field[int32]
	Q      ti.Field[ti.Mat2]
	Blocks *ti.Node

	L [3]ti.Field[int32]
	M sceneBundle
	N int32
}

// sceneBundle is the struct of fields and constants of random kernels.
type sceneBundle struct {
	Pos ti.Field[ti.Vec2]
	Src ti.Field[float32]
	Sub [2]ti.Field[float32]
	K   int32
	O   ti.Vec2
}

// sceneVars declares what sceneHost has.
const sceneVars = `var (
	A, X, H field[i32]
	B, Y, F field[f32]
	O       field[f32]
	C       field[i64]
	V       field[vec2]
	S       field[pair]
	E       field[f16]
	D       field[bool]
	G       field[vec3]
	P       field[i32, D2]
	Q       field[mat2]
	Blocks  node
	L       [3]field[i32]
	M       bundle
	N       i32
)

type bundle struct {
	Pos field[vec2]
	Src field[f32]
	Sub [2]field[f32]
	K   i32
	O   vec2
}
`

// sceneParameters are those of Run.
const sceneParameters = "p i32, q f32, W []u16, T array[f32, D2], TA array[i32, D2], U []vec2, Z []pair"

// An outcome is what two launches of a kernel give, as text.
type outcome struct {
	results [2]string // empty for a launch that failed
	printed [2]string
	failed  [2]*ti.RuntimeError
	fields  string
}

// launchRandom launches the random kernel src twice.
func launchRandom(r *runtest.Run, src string, s scene) (out outcome) {
	r.Helper()
	h := &sceneHost{N: int32(s.n()), M: sceneBundle{K: 5, O: ti.Vec2{0.5, -2}}}
	h.place(r, s)
	p, err := r.RT.Compile(sourceOf(src), h)
	if err != nil {
		r.Errorf("%v\n%s", err, src)
		return out
	}
	n := s.n()
	h.fill(s)
	w, u, z := make([]uint16, n), make([]ti.Vec2, n), make([]randomPair, n)
	// Every other scene has gaps between the rows of its arrays.
	stride := s.cols + int(s.seed%2)*int(1+s.seed%5)
	t := ti.Strided(make([]float32, s.rows*stride), ti.Shape{s.rows, s.cols}, stride)
	ta := ti.Strided(make([]int32, s.rows*stride), t.Shape, stride)
	for i := range t.Data {
		t.Data[i], ta.Data[i] = float32(i)/2, int32(i*7919%101-50)
	}
	for i := range n {
		w[i] = uint16(i * i)
		u[i], z[i] = ti.Vec2{1, float32(i)}, randomPair{A: int32(i), W: [3]int64{1, int64(i) << 33, 3}}
	}
	for l, args := range [][2]any{{int32(3), float32(1.5)}, {int32(-100), float32(0)}} {
		results, err := p.Kernel("Run").Launch(context.Background(), args[0], args[1], w, t, ta, u, z)
		var fault *ti.RuntimeError
		switch {
		case err == nil:
			out.results[l] = fmt.Sprint(results...)
		case !errors.As(err, &fault):
			r.Errorf("%v\n%s", err, src)
			return out
		}
		out.failed[l] = fault
		out.printed[l] = r.Out.String()
		r.Out.Reset()
		if s.anew {
			h.M.K, h.M.O = -3, ti.Vec2{0, 4}
		}
	}
	var b strings.Builder
	for i := range n {
		fmt.Fprintln(&b, i, w[i], plain2(u[i]), z[i].plain())
	}
	for _, x := range t.Data {
		fmt.Fprintln(&b, plain(x))
	}
	h.print(&b, s)
	out.fields = b.String()
	return out
}

// fill gives the fields that a kernel reads their numbers, and some of the others.
func (h *sceneHost) fill(s scene) {
	random := rand.New(rand.NewPCG(s.seed, 3))
	for i := range s.n() {
		h.A.Set(int32(random.Uint32())>>random.IntN(32), i)
		h.B.Set(float32(random.IntN(64)-20)/4, i)
		h.C.Set(int64(random.Uint64())>>random.IntN(64), i)
		h.X.Set(int32(i), i)
		h.V.Set(ti.Vec2{float32(i), 0.5}, i)
		h.O.Set([]float32{1e8, -1e8, 0.1, 0}[i%4], i)
		h.D.Set(i%3 == 0, i)
		h.L[2].Set(int32(random.IntN(9))-4, i)
		h.M.Src.Set(float32(random.IntN(8)), i)
		r, c := i/s.cols+s.origin[0], i%s.cols+s.origin[1]
		h.G.Set(ti.Vec3{float32(r), float32(c), float32(random.IntN(100)) / 8}, r, c)
	}
}

// print writes what is in the fields that a kernel may write.
func (h *sceneHost) print(b *strings.Builder, s scene) {
	for i := range s.n() {
		fmt.Fprintln(b, i, h.X.At(i), plain(h.Y.At(i)), plain2(h.V.At(i)), h.S.At(i).plain(), plain(h.E.At(i).Float32()), h.D.At(i),
			h.L[0].At(i), h.L[1].At(i), plain2(h.M.Pos.At(i)), plain(h.M.Sub[0].At(i)), plain(h.M.Sub[1].At(i)), plain(h.O.At(i)))
		r, c := i/s.cols+s.origin[0], i%s.cols+s.origin[1]
		q := h.Q.At(r, c)
		fmt.Fprintln(b, r, c, h.P.At(r, c), plain2(q[0]), plain2(q[1]))
	}
	for i := range 8 {
		fmt.Fprintln(b, "H", i, h.H.At(i), plain(h.F.At(i)))
	}
}
