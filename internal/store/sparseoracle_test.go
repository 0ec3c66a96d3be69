package store_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// onBoth runs f on machine code, optimised and not, and on the oracle: its report on
// the trees afterwards must be the same.
func onBoth(t *testing.T, f func(t *testing.T, rt *ti.Runtime) string) {
	t.Helper()
	want := f(t, titest.New(t, ti.Config{Arch: ti.Oracle}))
	for level, threads := range map[string]int{"0": 3, "3": 1} {
		t.Setenv("TI_OPT", level)
		if got := f(t, titest.New(t, ti.Config{Threads: threads})); got != want {
			t.Errorf("at level %s, on %d threads:\n%s\nthe oracle:\n%s", level, threads, got, want)
		}
	}
}

// cellsOf writes the active cells of a node.
func cellsOf(n *ti.Node) string { return fmt.Sprint(slices.Collect(n.Cells()), n.Count(), "\n") }

// sorted writes the elements of a field.
func sorted[T any](f *ti.Field[T]) string {
	all := maps.Collect(f.All())
	s := ""
	for _, p := range slices.SortedFunc(maps.Keys(all), func(a, b ti.Index) int { return slices.Compare(a[:], b[:]) }) {
		s += fmt.Sprint(p[:2], all[p], " ")
	}
	return s + "\n"
}

// TestMembersApart has the members of a field in nodes of several trees: what is written to one activates the element, which
// is the cell of the first, and nothing of the others.
func TestMembersApart(t *testing.T) {
	type grain struct {
		Mass float32
		Kind int32
		At   ti.Vec2
	}
	onBoth(t, func(t *testing.T, rt *ti.Runtime) string {
		var h struct {
			X       ti.Field[grain]
			P, Q    *ti.Node
			Write   func()
			Drop    func()
			Count   func() (n int32, sum float32)
			Actives func() int32
		}
		m := ti.Members(&h.X)
		tree := rt.NewTree()
		h.P = tree.Pointer(ti.I, 8)
		h.P.Dense(ti.I, 4).Place(m[0])
		h.Q = tree.Pointer(ti.I, 4)
		h.Q.Bitmasked(ti.I, 8).Place(m[1])
		rt.NewTree().Dense(ti.I, 32).Place(m[2])
		if err := rt.Load(`package p

type grain struct {
	Mass f32
	Kind i32
	At vec2
}

var (
	X field[grain]
	P, Q node
)

func Write() {
	for i := range 32 {
		if i%9 == 1 {
			X[i].Kind = i
		}
		if i%9 == 2 {
			X[i].Mass = 0.5
		}
		X[i].At += vec2(X[i].Mass, 1)
	}
	for i := range X {
		X[i].Mass += f32(X[i].Kind)
	}
}

func Drop() {
	for i := range P {
		if i%2 == 0 {
			deactivate(P, i)
		}
	}
	for i := range Q {
		if i > 1 {
			deactivate(Q, i)
		}
	}
}

func Count() (n i32, sum f32) {
	for i := range X {
		n += 1
		sum += X[i].Mass + f32(X[i].Kind) + X[i].At.y
	}
	return
}

func Actives() (n i32) {
	for i := range 32 {
		if isActive(X, i) {
			n += i
		}
	}
	return
}`, &h); err != nil {
			t.Fatal(err)
		}
		state := ""
		for range 2 {
			h.Write()
			n, sum := h.Count()
			state += cellsOf(h.P) + cellsOf(h.Q) + sorted(&h.X) + fmt.Sprint(n, sum, h.Actives(), "\n")
			h.Drop()
			n, sum = h.Count()
			state += cellsOf(h.P) + cellsOf(h.Q) + sorted(&h.X) + fmt.Sprint(n, sum, h.Actives(), "\n")
		}
		return state
	})
}

// TestOddOrigin has a tree whose lowest index is no multiple of what a cell spans: cells as
// such have no index then, elements have; and one with fields at two levels.
func TestOddOrigin(t *testing.T) {
	onBoth(t, func(t *testing.T, rt *ti.Runtime) string {
		var h struct {
			X, Y, B ti.Field[int32]
			Write   func(n int32)
			Drop    func()
			Sum     func() (x, y, b int32)
		}
		tree := rt.NewTree().Origin(ti.IJ, -6, 3)
		tree.Pointer(ti.IJ, 3).Bitmasked(ti.IJ, 4).Place(&h.X)
		block := tree.Pointer(ti.IJ, 6)
		block.Dense(ti.I, 2).Place(&h.Y)
		block.Place(&h.B)
		if err := rt.Load(`package p

var X, Y, B field[i32, D2]

func Write(n i32) {
	for i, j := range ndrange(span(-6, 6), span(3, 15)) {
		if (i*i + j*n) % 11 == 0 {
			X[i][j] = 100*i + j
		}
	}
	for i, j := range X {
		if X[i][j] % 3 == 0 && j < 9 {
			Y[i][j] = X[i][j]
			B[rescaleIndex(Y, B, ivec2(i, j))] += 1
		}
	}
}

func Drop() {
	for i, j := range X {
		if i < 0 || j > 9 {
			deactivate(X, i, j)
		}
	}
	for i, j := range B {
		if (i + j) % 3 == 0 {
			deactivate(B, i, j)
		}
	}
}

func Sum() (x, y, b i32) {
	for i, j := range X {
		x += X[i][j] * (i + 7) + ifelse(isActive(X, i, j), 1, 0)
	}
	for i, j := range Y {
		y += 1 + Y[i][j] * (j + 7)
	}
	for i, j := range B {
		b += 1 + B[i][j] * (i + 3*j)
	}
	return
}`, &h); err != nil {
			t.Fatal(err)
		}
		state := ""
		for n := range int32(3) {
			h.Write(n + 1)
			x, y, b := h.Sum()
			state += sorted(&h.X) + sorted(&h.Y) + sorted(&h.B) + fmt.Sprint(x, y, b, "\n")
			h.Drop()
			x, y, b = h.Sum()
			state += sorted(&h.X) + sorted(&h.Y) + sorted(&h.B) + fmt.Sprint(x, y, b, "\n")
		}
		return state
	})
}
