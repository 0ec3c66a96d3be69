package gradient_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gradcheck"
	"github.com/gotaichi/ti/internal/titest"
)

const sparseGradSource = `
package clouds

var (
	P    field[vec2]     // particles
	Mass field[f32]      // of each
	Grid field[vec2, D2] // what they carry
	Heat field[f32, D2]
	Loss field[f32, D0]
)

const N = 64

// Scatter adds each particle to the cells around it, and activates them.
func Scatter() {
	for p := range P {
		base := ivec2(P[p]*N - 0.5)
		d := P[p]*N - vec2(base)
		for o := range 2 {
			for q := range 2 {
				w := ifelse(o == 1, d.x-0.5, 1.5-d.x) * ifelse(q == 1, d.y-0.5, 1.5-d.y)
				Grid[base.x+o][base.y+q] += w * Mass[p] * vec2(1, d.x)
			}
		}
	}
}

// Update loops over the active cells, and looks at neighbours that may not be active.
func Update() {
	for i, j := range Grid {
		g := Grid[i][j]
		if g.x <= 0 {
			continue // in a block that is active for the sake of other cells
		}
		if i < N-1 && isActive(Grid, i+1, j) {
			g += 0.5 * Grid[i+1][j]
		}
		if j < N-1 {
			g += 0.1 * Grid[i][j+1]
		}
		if g.x > 0.01 {
			Heat[i][j] = g.x*g.y + sin(g.y)
		} else {
			Heat[i][j] = g.y
		}
	}
}

func Gather() {
	for p := range P {
		c := ivec2(P[p] * N)
		Loss += Heat[c.x][c.y] * Mass[p]
	}
	for i, j := range Heat {
		Loss += sqr(Heat[i][j])
	}
}

func Wipe() {
	for i, j := range Grid {
		Grid[i][j] = vec2(0)
		Heat[i][j] = 0
	}
	Loss = 0
}
`

type sparseGrad struct {
	P                             ti.Field[ti.Vec2]
	Mass                          ti.Field[float32]
	Grid                          ti.Field[ti.Vec2]
	Heat                          ti.Field[float32]
	Loss                          ti.Field[float32]
	Scatter, Update, Gather, Wipe func() error
	BlockNode                     *ti.Node
}

func (s *sparseGrad) run() error {
	return errors.Join(s.Wipe(), s.Scatter(), s.Update(), s.Gather())
}

// sparseGradLayouts place Grid and Heat with their adjoints.
var sparseGradLayouts = []struct {
	name  string
	place func(rt *ti.Runtime, s *sparseGrad)
}{
	{"dense", func(rt *ti.Runtime, s *sparseGrad) {
		rt.Place(ti.Shape{64, 64}, ti.WithGrad(&s.Grid, &s.Heat)...)
	}},
	{"pointer", func(rt *ti.Runtime, s *sparseGrad) {
		s.BlockNode = rt.NewTree().Pointer("ij", 16, 16)
		s.BlockNode.Dense("ij", 4, 4).Place(ti.WithGrad(&s.Grid, &s.Heat)...)
	}},
	{"bitmasked", func(rt *ti.Runtime, s *sparseGrad) {
		s.BlockNode = rt.NewTree().Pointer("ij", 8, 8).Bitmasked("ij", 8, 8).Place(ti.WithGrad(&s.Grid, &s.Heat)...)
	}},
	{"hash", func(rt *ti.Runtime, s *sparseGrad) {
		s.BlockNode = rt.NewTree().Hash("ij", 16, 16)
		s.BlockNode.Dense("ij", 4, 4).Place(ti.WithGrad(&s.Grid, &s.Heat)...)
	}},
	{"adjoints in a dense tree", func(rt *ti.Runtime, s *sparseGrad) {
		s.BlockNode = rt.NewTree().Pointer("ij", 16, 16)
		s.BlockNode.Dense("ij", 4, 4).Place(&s.Grid, &s.Heat)
		rt.NewTree().Dense("ji", 64, 64).Place(s.Grid.Grad(), s.Heat.Grad())
	}},
	{"adjoints in nodes of their own", func(rt *ti.Runtime, s *sparseGrad) {
		t := rt.NewTree()
		s.BlockNode = t.Pointer("ij", 16, 16)
		n := s.BlockNode.Dense("ij", 4, 4)
		n.Place(&s.Grid)
		n.Place(&s.Heat)
		s.BlockNode.Dense("ij", 4, 4).Place(s.Heat.Grad(), s.Grid.Grad())
	}},
}

func newSparseGrad(t *testing.T, rt *ti.Runtime, place func(rt *ti.Runtime, s *sparseGrad)) *sparseGrad {
	s := new(sparseGrad)
	rt.Place(ti.Shape{40}, ti.WithGrad(&s.P, &s.Mass)...)
	place(rt, s)
	rt.Place(nil, ti.WithGrad(&s.Loss)...)
	titest.Must(t, rt.Load(sparseGradSource, s))
	for p := range 40 {
		s.P.Set(ti.Vec2{0.2 + 0.011*float32(p%7), 0.3 + 0.0137*float32(p%11)}, p)
		s.Mass.Set(1+0.01*float32(p), p)
	}
	return s
}

// TestTapeOfSparse differentiates what particles do to a grid whose cells they activate, in each kind of tree, and compares
// with the gradient of a dense grid.
func TestTapeOfSparse(t *testing.T) {
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var want []ti.Vec2
		for _, l := range sparseGradLayouts {
			t.Run(l.name, func(t *testing.T) {
				s := newSparseGrad(t, rt, l.place)
				titest.Must(t, s.Scatter()) // activates
				for range 2 {
					titest.Must(t, rt.Tape(&s.Loss, s.run))
				}
				got := make([]ti.Vec2, 40)
				titest.Must(t, s.P.Grad().CopyTo(got))
				if want == nil {
					want = got
					titest.Must(t, gradcheck.Check(rt, &s.Loss, s.run, &s.Mass))
				}
				for p := range got {
					if d := math.Hypot(float64(got[p][0]-want[p][0]), float64(got[p][1]-want[p][1])); !(d <= 1e-4*(1+math.Hypot(float64(want[p][0]), float64(want[p][1])))) {
						t.Errorf("the adjoint of particle %d is %v and not %v", p, got[p], want[p])
					}
				}
			})
		}
	})
}

// TestTopologyChanges runs the backward pass after the topology has changed.
func TestTopologyChanges(t *testing.T) {
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		for _, l := range sparseGradLayouts[1:] {
			t.Run(l.name, func(t *testing.T) {
				s := newSparseGrad(t, rt, l.place)
				// The first run of Scatter activates cells after Wipe has looped over none, which gives nothing back.
				titest.Must(t, rt.Tape(&s.Loss, s.run))
				s.BlockNode.Clear()
				err := rt.Tape(&s.Loss, func() error {
					return errors.Join(s.Update(), s.Scatter(), s.Gather())
				})
				if e := new(ti.RuntimeError); !errors.As(err, &e) || e.Kernel != "Update" || !errors.Is(err, ti.ErrAccess) || !strings.Contains(e.Msg, "have changed since") {
					t.Errorf("a tape whose loops have other cells on the backward pass: %v", err)
				}
				titest.Must(t, rt.Tape(&s.Loss, s.run))
				before := s.BlockNode.Count()
				titest.Must(t, rt.Tape(&s.Loss, func() error { return errors.Join(s.Update(), s.Gather()) }))
				if now := s.BlockNode.Count(); now != before {
					t.Errorf("ways back have changed the number of cells from %d to %d", before, now)
				}
				err = rt.Tape(&s.Loss, func() error {
					err := errors.Join(s.Update(), s.Gather())
					s.Grid.Set(ti.Vec2{1, 1}, 60, 60)
					return err
				})
				if !errors.Is(err, ti.ErrAccess) {
					t.Errorf("a tape whose tree changes: %v", err)
				}
			})
		}
	})
}

// TestTapeOfLists differentiates loops over lists, in parallel and serial, forth and back.
func TestTapeOfLists(t *testing.T) {
	const source = `
package lists

var (
	X    field[f32, D2] // lists
	S    field[f32]     // a scale for each
	Y    field[f32]
	Loss field[f32, D0]
)

func Fill() {
	for i := range S {
		for k := range i % 4 + 1 {
			append(X[i], f32(k+i)*0.25)
		}
	}
}

func Weigh() {
	for i, k := range X {
		Y[i] += sin(X[i][k] * S[i])
	}
}

func Sum() {
	p := f32(1)
	for i, k := range serial(X) {
		p = p*0.9 + Y[i]*X[i][k]
	}
	Loss = p
	for i := range Y {
		n := len(X[i])
		for k := range n {
			Loss += Y[i] * f32(n) * X[i][k]
		}
	}
}

func Wipe() {
	for i := range Y {
		Y[i] = 0
	}
}
`
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, S, Y, Loss          ti.Field[float32]
			Fill, Weigh, Sum, Wipe func() error
		}
		rt.NewTree().Dense("i", 12).Dynamic("j", 16).Chunk(4).Place(ti.WithDual(ti.WithGrad(&s.X)...)...)
		rt.Place(ti.Shape{12}, ti.WithDual(ti.WithGrad(&s.S, &s.Y)...)...)
		rt.Place(nil, ti.WithDual(ti.WithGrad(&s.Loss)...)...)
		titest.Must(t, rt.Load(source, &s))
		titest.Must(t, s.Fill())
		for i := range 12 {
			s.S.Set(0.5+0.1*float32(i), i)
		}
		f := func() error { return errors.Join(s.Wipe(), s.Weigh(), s.Sum()) }
		titest.Must(t, gradcheck.Check(rt, &s.Loss, f, &s.S))
		titest.Must(t, rt.Tape(&s.Loss, f))
		for i := range 12 {
			s.S.Dual().Fill(0)
			s.S.Dual().Set(1, i)
			titest.Must(t, rt.Tangent(f))
			if got, want := s.Loss.Dual().At(), s.S.Grad().At(i); !(math.Abs(float64(got-want)) <= 1e-4*math.Abs(float64(want))) {
				t.Errorf("the tangent by S[%d] is %v, and the adjoint %v", i, got, want)
			}
		}
		d := s.X.Grad().At(3, 2)
		s.S.Dual().Fill(0)
		s.X.Dual().Set(1, 3, 2)
		titest.Must(t, rt.Tangent(f))
		if got := s.Loss.Dual().At(); !(math.Abs(float64(got-d)) <= 1e-4*math.Abs(float64(d))) {
			t.Errorf("the tangent by an element of a list is %v, and the adjoint %v", got, d)
		}
	})
}

// TestTopologyOfEach has kernels that only loop over active cells, or only ask about them.
func TestTopologyOfEach(t *testing.T) {
	const source = `
package cells

var (
	X    field[f64, D1] // sparse
	W, Y field[f64, D1]
	Loss field[f64, D0]
)

func Loops() {
	for i := range X {
		Y[i] = X[i] * X[i]
	}
}

func Asks() {
	for i := range Y {
		if isActive(X, i) {
			Y[i] = 3 * W[i]
		}
	}
}

func Counts() {
	for i := range X {
		if X[i] > 100 {
			Y[i] = 1
		}
	}
	for i := range W {
		Y[i] = 3 * W[i]
	}
}

func Sum() {
	for i := range Y {
		Loss += Y[i]
	}
}
`
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, W, Y, Loss            ti.Field[float64]
			Loops, Asks, Counts, Sum func() error
		}
		blocks := rt.NewTree().Pointer("i", 8)
		blocks.Dense("i", 4).Place(ti.WithGrad(&s.X)...)
		rt.Place(ti.Shape{32}, ti.WithGrad(&s.W, &s.Y)...)
		rt.Place(nil, ti.WithGrad(&s.Loss)...)
		titest.Must(t, rt.Load(source, &s))
		for name, f := range map[string]func() error{"Loops": s.Loops, "Asks": s.Asks, "Counts": s.Counts} {
			blocks.Clear()
			s.X.Set(2, 5)
			titest.Must(t, rt.Tape(&s.Loss, func() error { return errors.Join(f(), s.Sum()) }))
			err := rt.Tape(&s.Loss, func() error {
				err := errors.Join(f(), s.Sum())
				s.X.Set(2, 20)
				return err
			})
			if decides := name != "Counts"; errors.Is(err, ti.ErrAccess) != decides {
				t.Errorf("%s, and a cell that becomes active behind it: %v", name, err)
			}
		}
	})
}
