package sparse_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const sparseSource = `package sparse

var (
	X, Y   field[f32, D2]
	Block  node
	List   field[i32, D2]
	Far    field[i32, D2]
)

// Spread writes a cross around a place.
func Spread(at ivec2, v f32) {
	for i, j := range ndrange(span(-1, 2), span(-1, 2)) {
		if i*j == 0 {
			X[at + ivec2(i, j)] += v
		}
	}
}

// Sum visits active elements only.
func Sum() (s f32, n i32) {
	for p := range X {
		s += X[p] + Y[p]
		n++
	}
	return
}

// Prune deactivates blocks whose first index is below a limit.
func Prune(limit i32) {
	for b := range Block {
		if b.x < limit {
			deactivate(Block, b)
		}
	}
}

func Wake(at ivec2) bool {
	was := isActive(Block, at)
	activate(Block, at)
	return was
}

// Fill appends i numbers to list i, but for those that find no room.
func Fill() (lost i32) {
	for i := range 8 {
		clear(List[i])
		for k := range i {
			if append(List[i], k*k) < 0 {
				lost++
			}
		}
	}
	return
}

func Total() (s, n i32) {
	for i, k := range List {
		s += List[i][k]
		n++
	}
	for i := range 8 {
		n += 100 * len(List[i])
	}
	return
}

func Scatter() {
	for i := range 100 {
		Far[ivec2(i*100000-5000000, -i)] = i
	}
}

func FarSum() (s i32) {
	for p := range Far {
		if p.y > -50 {
			s += Far[p]
		}
	}
	return
}
`

type sparseHost struct {
	X, Y   ti.Field[float32]
	Block  *ti.Node
	List   ti.Field[int32]
	Far    ti.Field[int32]
	Spread func(at ti.IVec2, v float32) error
	Sum    func() (float32, int32)
	Prune  func(limit int32)
	Wake   func(at ti.IVec2) bool
	Fill   func() int32
	Total  func() (int32, int32)

	Scatter func()
	FarSum  func() int32
}

func newSparseHost(t *testing.T, rt *ti.Runtime) *sparseHost {
	t.Helper()
	h := new(sparseHost)
	h.Block = rt.NewTree().Origin(ti.IJ, -16).Pointer(ti.IJ, 8)
	h.Block.Dense(ti.IJ, 4).Place(&h.X, &h.Y)
	rt.NewTree().Dense(ti.I, 8).Dynamic(ti.J, 5).Chunk(2).Place(&h.List)
	rt.NewTree().Hash(ti.IJ).Dense(ti.IJ, 4).Place(&h.Far)
	if err := rt.Load(sparseSource, h); err != nil {
		t.Fatal(err)
	}
	return h
}

// TestSparseKernels runs all operations on cells and looks at the result from the host.
func TestSparseKernels(t *testing.T) {
	titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
		h := newSparseHost(t, rt)
		if s, n := h.Sum(); s != 0 || n != 0 {
			t.Errorf("an empty tree has %d elements with sum %v", n, s)
		}
		if err := h.Spread(ti.IVec2{0, 0}, 2); err != nil {
			t.Fatal(err)
		}
		want := []ti.Index{{-1, -1}, {-1, 0}, {0, -1}, {0, 0}}
		if got := slices.Collect(h.Block.Cells()); !slices.Equal(got, want[1:]) && !slices.Equal(got, want) {
			t.Errorf("blocks %v, want %v", got, want)
		}
		h.Y.Set(1, 15, -16) // activates a block of its own
		if s, n := h.Sum(); s != 11 || n != 16*int32(h.Block.Count()) || !h.Block.Active(3, -4) {
			t.Errorf("sum %v of %d elements in %d blocks", s, n, h.Block.Count())
		}
		h.Prune(0)
		if s, _ := h.Sum(); s != 9 || h.X.At(-1, 0) != 0 || h.X.At(0, 0) != 2 || h.Block.Active(-1, 0) {
			t.Errorf("after Prune: sum %v, blocks %v", s, slices.Collect(h.Block.Cells()))
		}
		if h.Wake(ti.IVec2{2, 2}) || !h.Wake(ti.IVec2{2, 2}) || !h.Block.Active(2, 2) {
			t.Error("Wake")
		}
		h.Block.Clear()
		if s, n := h.Sum(); s != 0 || n != 0 {
			t.Errorf("after Clear: %d elements with sum %v", n, s)
		}
		var e *ti.RuntimeError
		if err := h.Spread(ti.IVec2{16, 0}, 1); !errors.As(err, &e) || e.Err != ti.ErrRange {
			t.Errorf("out of range: %v", err)
		}
		testSparseLists(t, h)
		h.Scatter()
		if s := h.FarSum(); s != 49*50/2 || h.Far.At(-4900000, -1) != 1 {
			t.Errorf("sum %d, %d elements", s, h.Far.Node().Count())
		}
	})
}

func testSparseLists(t *testing.T, h *sparseHost) {
	t.Helper()
	for range 2 {
		if lost := h.Fill(); lost != 3 {
			t.Errorf("%d appended beyond the end, want 3", lost)
		}
		// Lists of 0, 1, 2, 3, 4, 5, 5, 5 squares.
		if s, n := h.Total(); s != 0+1+5+14+30+30+30 || n != 25+2500 {
			t.Errorf("sum %d of %d elements", s, n)
		}
		if n := h.List.Node().Len(4); n != 4 || h.List.At(4, 3) != 9 || h.List.At(4, 4) != 0 {
			t.Errorf("list 4: %d elements, %d", n, h.List.At(4, 3))
		}
	}
	h.List.Set(7, 0, 2) // makes it longer
	if s, n := h.Total(); s != 110+7 || n != 28+2800 {
		t.Errorf("after Set: sum %d, %d", s, n)
	}
}
