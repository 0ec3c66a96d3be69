package store_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestOriginOfLists has a grid of blocks, each with a list of particles, around index 0: the
// lists have the indices of the blocks, on the host as in kernels.
func TestOriginOfLists(t *testing.T) {
	onBoth(t, func(t *testing.T, rt *ti.Runtime) string {
		var h struct {
			Mass  ti.Field[int32]
			List  ti.Field[int32]
			Block *ti.Node
			Fill  func()
			Sum   func() (mass, list, blocks int32)
			Drop  func()
		}
		tree := rt.NewTree().Origin(ti.IJ, -64)
		h.Block = tree.Pointer(ti.IJ, 8)
		h.Block.Dense(ti.IJ, 16).Place(&h.Mass)
		h.Block.Dynamic(ti.K, 1024).Place(&h.List)
		if err := rt.Load(`package p

var Mass field[i32, D2]
var List field[i32, D3]
var Block node

func Fill() {
	for i, j := range ndrange(span(-64, 64), span(-20, 0)) {
		if (i + j) % 7 == 0 {
			Mass[i][j] = i - j
		}
	}
	for p := range Mass {
		if Mass[p] > 0 {
			append(List[rescaleIndex(Mass, Block, p)], Mass[p])
		}
	}
}

// Sum has as mass what the grid has more than the lists of its blocks.
func Sum() (mass, list, blocks i32) {
	for p := range List {
		q := rescaleIndex(List, Mass, p)
		list += List[p]
		mass -= List[p]
		for i, j := range ndrange(16, 16) {
			if p.z == 0 && Mass[q.x + i][q.y + j] > 0 {
				mass += Mass[q.x + i][q.y + j]
			}
		}
	}
	for p := range Block {
		blocks += 1 + len(List[p])
	}
	return
}

func Drop() {
	for p := range Block {
		if p.x < 1 {
			deactivate(Block, p)
		}
	}
}`, &h); err != nil {
			t.Fatal(err)
		}
		if low := h.Mass.Origin(); !slices.Equal(low, ti.Shape{-64, -64}) {
			t.Errorf("the grid begins at %v", low)
		}
		if low := h.List.Origin(); !slices.Equal(low, ti.Shape{-4, -4, 0}) {
			t.Errorf("the lists begin at %v", low)
		}
		h.Mass.Set(-5, -64, 63)
		h.List.Set(1000, -4, 3, 0)
		h.Fill()
		state := sorted(&h.Mass) + sorted(&h.List) + cellsOf(h.Block)
		for idx, v := range h.List.All() {
			if h.List.At(idx[0], idx[1], idx[2]) != v || !h.Block.Active(idx[0], idx[1]) {
				t.Errorf("element %v of the lists", idx[:3])
			}
		}
		mass, list, blocks := h.Sum()
		if mass != -1000 || list <= 1000 || h.List.At(-4, 3, 0) != 1000 || h.Mass.At(-64, 63) != -5 {
			t.Errorf("masses differ by %d of %d, of %d blocks", mass, list, blocks)
		}
		state += fmt.Sprint(mass, list, blocks, "\n")
		h.Drop()
		mass, list, blocks = h.Sum()
		if mass != 0 || list == 0 {
			t.Errorf("after deactivation masses differ by %d of %d, of %d blocks", mass, list, blocks)
		}
		return state + sorted(&h.Mass) + sorted(&h.List) + cellsOf(h.Block) + fmt.Sprint(mass, list, blocks)
	})
}

// TestOriginWithoutIndex binds fields and nodes whose cells have no index, since the Origin
// is no multiple of what they span.
func TestOriginWithoutIndex(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	var h struct {
		Mass, List ti.Field[int32]
		Block      *ti.Node
	}
	tree := rt.NewTree().Origin(ti.IJ, -64, -60)
	h.Block = tree.Pointer(ti.IJ, 8)
	h.Block.Dense(ti.IJ, 16).Place(&h.Mass)
	h.Block.Dynamic(ti.K, 1024).Place(&h.List)
	_, err := rt.Compile(ti.Text("p.ti", "package p\n\nvar Mass field[i32, D2]\nvar List field[i32, D3]\nvar Block node\n\nfunc F() { append(List[0][0], Mass[0][0]); activate(Block, 0, 0) }"), &h)
	list, _ := errors.AsType[ti.SourceErrors](err)
	if len(list) != 2 || !errors.Is(err, ti.ErrLayout) {
		t.Fatalf("not two errors of the layout, but %v", err)
	}
	for _, what := range []string{"var List: ", "var Block: the pointer node"} {
		if !slices.ContainsFunc(list, func(e *ti.SourceError) bool {
			return e.Code.String() == "TI0805" && strings.HasPrefix(e.Msg, what) && e.Pos.Line > 0 && strings.Contains(e.Help, "a multiple of 16 along axis j") &&
				strings.Contains(e.Msg, "has no lowest index along axis j: each of its cells spans 16 cells of Mass, and the Origin -60, which counts the cells of Mass, is no multiple of 16")
		}) {
			t.Errorf("%s: %v", what, err)
		}
	}
	h.Mass.Set(3, -64, -60)
	if got := h.Mass.At(-64, -60); got != 3 {
		t.Errorf("the grid has %d", got)
	}
}

// TestLastIndices has loops over a field that ends where the end is still an index, and does so over one that begins at 0 and over one that begins
// with the lowest index there is. One element more is too many.
func TestLastIndices(t *testing.T) {
	const last = math.MaxInt32
	for _, arch := range []ti.Arch{ti.LLVM, ti.Oracle} {
		for _, low := range []int{0, last - 90, math.MinInt32} {
			rt := titest.New(t, ti.Config{Arch: arch, Threads: 2})
			var s struct {
				X, L              ti.Field[float64]
				Sum, Most, Serial func() error
			}
			rt.NewTree().Origin("i", low).Dense("i", 90).Place(ti.WithDual(ti.WithGrad(&s.X)...)...)
			rt.Place(nil, ti.WithDual(ti.WithGrad(&s.L)...)...)
			titest.Must(t, rt.Load(`
package last

var (
	X field[f64]
	L field[f64, D0]
)

func Sum() {
	for i := range X {
		L += X[i]*X[i]
	}
}

func Most() {
	for i := range X {
		L = max(L, X[i]*X[i])
	}
}

func Serial() {
	s := f64(0)
	for i := range serial(X) {
		s += X[i]*X[i]
		if s > 1e5 {
			break
		}
	}
	L += s
}
`, &s))
			for i := range 90 {
				s.X.Set(float64(i+1), low+i)
				s.X.Dual().Set(1, low+i)
			}
			for _, c := range []struct {
				name                       string
				run                        func() error
				loss, fourth, end, tangent float64
			}{
				{"sum", s.Sum, 247065, 8, 180, 8190},
				{"most", s.Most, 8100, 0, 180, 180},
				{"serial", s.Serial, 102510, 8, 0, 4556},
			} {
				s.L.Set(0)
				titest.Must(t, rt.Tape(&s.L, c.run))
				if s.L.At() != c.loss || s.X.Grad().At(low+3) != c.fourth || s.X.Grad().At(low+89) != c.end {
					t.Errorf("%v, from %d on, %s: %v with derivatives %v and %v", arch, low, c.name, s.L.At(), s.X.Grad().At(low+3), s.X.Grad().At(low+89))
				}
				s.L.Set(0)
				s.L.Dual().Set(0)
				titest.Must(t, rt.Tangent(c.run))
				if s.L.At() != c.loss || s.L.Dual().At() != c.tangent {
					t.Errorf("%v, from %d on, %s: %v with tangent %v", arch, low, c.name, s.L.At(), s.L.Dual().At())
				}
			}
		}
	}
	tree := titest.New(t, ti.Config{}).NewTree().Origin("i", last-89)
	tree.Dense("i", 90)
	if err := tree.Err(); err == nil || !strings.Contains(err.Error(), "from 2147483558 on reach to 2147483647") {
		t.Errorf("the error is %v", err)
	}
}
