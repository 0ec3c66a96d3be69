package store_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestHashExtremes writes, reads, visits and deactivates cells at both ends of the indices
// of a hash node without bounds, from kernels and from the host.
func TestHashExtremes(t *testing.T) {
	for _, rows := range []int{1, 3, 4} {
		t.Run(fmt.Sprint(rows), func(t *testing.T) {
			onBoth(t, func(t *testing.T, rt *ti.Runtime) string {
				var h struct {
					X     ti.Field[int32]
					Cells *ti.Node
					Put   func(i, j, n int32)
					Visit func() (n, sum int32)
					Near  func() int32
					Ask   func(i, j int32) (is bool, v, cell int32)
					Drop  func(i, j int32)
				}
				h.Cells = rt.NewTree().Hash(ti.IJ)
				h.Cells.Dense(ti.I, rows).Place(&h.X)
				if err := rt.Load(`package p

var (
	X     field[i32, D2]
	Cells node
)

func Put(i, j, n int) {
	for k := range n {
		X[i+k][j-k] += k + 1
	}
}

func Visit() (n, sum int) {
	for i, j := range X {
		n += 1
		sum += (i ^ j*3) * X[i][j]
	}
	for p := range serial(Cells) {
		sum = sum*31 + p.x + 7*p.y
	}
	return
}

func Near() (sum int) {
	for i, j := range X {
		sum += X[i-1][j]*3 + X[i+1][j]*5 + X[i][j-1]*7 + X[i][j+1]*11
	}
	return
}

func Ask(i, j int) (is bool, v, cell int) {
	return isActive(X, i, j), X[i][j], rescaleIndex(X, Cells, ivec2(i, j)).x
}

func Drop(i, j int) {
	deactivate(Cells, rescaleIndex(X, Cells, ivec2(i, j)))
}`, &h); err != nil {
					t.Fatal(err)
				}
				const low, high = math.MinInt32, math.MaxInt32
				out := ""
				for _, at := range [][3]int32{{low, high, 9}, {high - 8, low + 8, 9}, {low, low + 5, 6}, {high - 5, high, 6}, {-3, 3, 7}, {0, low, 1}, {high, 0, 1}} {
					h.Put(at[0], at[1], at[2])
					is, v, cell := h.Ask(at[0], at[1])
					out += fmt.Sprintln(at, is, v, cell, h.X.At(int(at[0]), int(at[1])))
				}
				h.X.Set(5, low, low)
				h.X.Set(6, high, high)
				visit := func() {
					n, sum := h.Visit()
					out += fmt.Sprintln(n, sum, h.Near(), h.Cells.Count()) + cellsOf(h.Cells) + sorted(&h.X)
				}
				visit()
				for _, at := range [][2]int32{{low, high}, {high, low}, {high, high}, {low + 1, 77}} {
					h.Drop(at[0], at[1])
					is, v, _ := h.Ask(at[0], at[1])
					out += fmt.Sprintln(at, is, v)
				}
				visit()
				return out
			})
		})
	}
}

// TestUncheckedSparse does without index checks what needs none: reads where nothing is
// active, and of lists beyond their length, appends to full lists; and deactivates cells
// that there are not, which the host looks at in any case.
func TestUncheckedSparse(t *testing.T) {
	for _, level := range []string{"0", "3"} {
		t.Setenv("TI_OPT", level)
		rt := titest.New(t, ti.Config{Unchecked: true, Threads: 3})
		var h struct {
			X, L     ti.Field[int32]
			B, Lists *ti.Node
			Drop     func(i, j int32)
			Fill     func(n int32) (last int32)
			Sum      func() int32
		}
		tree := rt.NewTree().Origin(ti.IJ, -8)
		h.B = tree.Pointer(ti.IJ, 4)
		h.B.Bitmasked(ti.IJ, 4).Place(&h.X)
		h.Lists = rt.NewTree().Pointer(ti.I, 8).Dynamic(ti.J, 5).Chunk(2).Place(&h.L)
		if err := rt.Load(`package p

var (
	X, L     field[i32, D2]
	B, Lists node
)

func Drop(i, j int) {
	for k := range 3 {
		deactivate(B, i+k, j)
		deactivate(X, i, j+k)
	}
}

func Fill(n int) (last int) {
	for k := range serial(n) {
		last = append(L[3], k)
	}
	return
}

func Sum() (s int) {
	for i, j := range ndrange(span(-8, 8), span(-8, 8)) {
		s += X[i][j]
	}
	for i, j := range ndrange(8, 5) {
		s += 100 * L[i][j]
	}
	return
}`, &h); err != nil {
			t.Fatal(err)
		}
		h.X.Set(2, -8, -8)
		h.X.Set(3, 7, 7)
		for _, far := range [][2]int32{{100, 0}, {-100, 0}, {2, 2}, {8, 8}, {-5, -12}, {math.MaxInt32 - 2, math.MinInt32}, {math.MinInt32, math.MaxInt32 - 2}} {
			h.Drop(far[0], far[1])
		}
		if s := h.Sum(); s != 5 || h.B.Count() != 2 {
			t.Errorf("level %s: after deactivating what is not there the sum is %d, in %d cells", level, s, h.B.Count())
		}
		for _, f := range [][3]int32{{3, 2, 3}, {2, 4, 5}, {9, -1, 5}} { // elements, the last index, the length
			if last := h.Fill(f[0]); last != f[1] || h.Lists.Len(3) != int(f[2]) {
				t.Errorf("level %s: %d more elements: the last one is at %d, the length %d", level, f[0], last, h.Lists.Len(3))
			}
		}
		if s := h.Sum(); s != 5+100*(0+1+2+0+1) {
			t.Errorf("level %s: with a list the sum is %d", level, s)
		}
	}
}

// TestDestroyedTree closes one of two trees that kernels work on: those that use it fail
// and say why, others go on.
func TestDestroyedTree(t *testing.T) {
	for _, arch := range []ti.Arch{ti.CPU, ti.Oracle} {
		rt := titest.New(t, ti.Config{Arch: arch})
		var h struct {
			X, Y       ti.Field[float32]
			B          *ti.Node
			Both       func() error
			Blocks     func() (int32, error)
			Mine, Swap func() (float32, error)
		}
		tree := rt.NewTree()
		h.B = tree.Pointer(ti.I, 8)
		h.B.Dense(ti.I, 8).Place(&h.X)
		rt.NewTree().Hash(ti.I).Dense(ti.I, 4).Place(&h.Y)
		if err := rt.Load(`package p

var (
	X, Y field[f32]
	B    node
)

func Both() {
	for i := range 20 {
		X[i] = f32(i)
		Y[i] = X[i] + 1
	}
}

func Blocks() (n int) {
	for range B {
		n += 1
	}
	return
}

func Mine() (s f32) {
	for i := range Y {
		s += Y[i]
	}
	return
}

func Swap() (s f32) {
	for i := range Y {
		Y[i] += X[clamp(i, 0, 63)]
		s += Y[i]
	}
	return
}`, &h); err != nil {
			t.Fatal(err)
		}
		if err := h.Both(); err != nil {
			t.Fatal(err)
		}
		if n, err := h.Blocks(); n != 3 || err != nil {
			t.Fatalf("%d blocks, %v", n, err)
		}
		if err := tree.Close(); err != nil {
			t.Fatal(err)
		}
		_, blocks := h.Blocks()
		_, swap := h.Swap()
		for name, err := range map[string]error{"Both": h.Both(), "Blocks": blocks, "Swap": swap} {
			if !errors.Is(err, ti.ErrClosed) || !strings.Contains(err.Error(), "tree") || !strings.Contains(err.Error(), "closed") {
				t.Errorf("%v: %s on a closed tree: %v", arch, name, err)
			}
		}
		if s, err := h.Mine(); s != 210 || err != nil {
			t.Errorf("%v: a kernel on the other tree gives %v, %v", arch, s, err)
		}
		if _, err := tree.WriteTo(io.Discard); !errors.Is(err, ti.ErrClosed) {
			t.Errorf("writing a closed tree: %v", err)
		}
		if err := rt.Load("package p\nvar X field[f32]\nfunc F() {\n\tX[0] = 1\n}", ti.Bindings{"X": &h.X, "F": new(func())}); !errors.Is(err, ti.ErrClosed) {
			t.Errorf("loading a source for a closed tree: %v", err)
		}
		if err := tree.Close(); err != nil || tree.Bytes() != 0 {
			t.Errorf("closing again: %v; %d bytes", err, tree.Bytes())
		}
		if n := len(slices.Collect(h.Y.Node().Cells())); n != 20 {
			t.Errorf("the other tree has %d cells", n)
		}
	}
}

// TestHashDomain looks at the ends of a field without bounds whose outermost cells span
// more than the indices that there are.
func TestHashDomain(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	var x ti.Field[int32]
	node := rt.NewTree().Hash(ti.I).Dense(ti.IJ, 7, 3)
	node.Place(&x)
	if !slices.Equal(x.Shape(), []int{1 << 32, 3}) || !slices.Equal(x.Origin(), []int{math.MinInt32, 0}) {
		t.Errorf("shape %v, lowest index %v", x.Shape(), x.Origin())
	}
	x.Set(1, math.MinInt32, 0)
	x.Set(2, math.MaxInt32, 2)
	for _, far := range []int{math.MinInt32 - 1, math.MaxInt32 + 1, math.MinInt64, math.MaxInt64} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, "axis 0 runs from -2147483648 to 2147483647") {
					t.Errorf("Set at %d: %v", far, text)
				}
			}()
			x.Set(3, far, 0)
		}()
	}
	sum, n := int32(0), 0
	for p, v := range x.All() {
		if p[0] < math.MinInt32 || p[0] > math.MaxInt32 || x.At(p[:2]...) != v {
			t.Errorf("All has %v at %v", v, p)
		}
		sum += v
		n++
	}
	// The cells at the ends begin 5 before, and end 5 behind.
	if sum != 3 || n != 2*(7-5)*3 {
		t.Errorf("%d elements of sum %d", n, sum)
	}
}

// TestManyTrees closes many trees, of which nothing stays.
func TestManyTrees(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	one := func() {
		var x ti.Field[int32]
		tree := rt.NewTree()
		tree.Pointer(ti.IJK, 64).Dense(ti.IJK, 8).Place(&x)
		x.Set(1, 5, 7, 8)
		if err := tree.Close(); err != nil {
			t.Fatal(err)
		}
	}
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	one()
	const trees = 2000
	before := heap()
	for range trees {
		one()
	}
	if more := heap() - before; more > 200*trees {
		t.Errorf("%d bytes stay of each of %d trees", more/trees, trees)
	}
	if used := rt.Stats().Bytes; used != 0 {
		t.Errorf("%d bytes are in use", used)
	}

	// A field of a closed tree that was never used.
	var x, y ti.Field[int32]
	tree := rt.NewTree()
	tree.Pointer(ti.I, 8).Place(&x, &y)
	x.Set(1, 3)
	if err := tree.Close(); err != nil {
		t.Fatal(err)
	}
	if err := y.CopyTo(make([]int32, 8)); !errors.Is(err, ti.ErrClosed) {
		t.Errorf("a field that was never used: %v", err)
	}
}
