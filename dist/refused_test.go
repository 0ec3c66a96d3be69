package dist_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/dist"
	"github.com/gotaichi/ti/internal/titest"
)

// TestRefused: what ranks cannot run together is an error of the launch that names the field and a remedy, on one rank, too.
func TestRefused(t *testing.T) {
	const head = "package refused\n\nvar (\n\tA, B field[f32]\n\tAt field[i32]\n\tR field[f32]\n\tN i32\n)\n\n"
	for _, test := range []struct {
		name, body string
		is         error
		want       string
	}{
		{"rows that data choose", "for i, j := range A { B[i][j] = A[At[i]][j] }", dist.ErrReach, "A is accessed at indices that depend on data or arguments"},
		{"writes of rows that data choose", "for i, j := range A { A[At[i]][j] = 1 }", dist.ErrReach, "A is accessed at indices that depend on data"},
		{"a store to a replicated field", "for i, j := range A { R[j] = A[i][j] }", dist.ErrReach, "writes R, which all ranks have, otherwise than by sums"},
		{"an old value of a sum", "for i, j := range A { B[i][j] = atomicAdd(&R[0], A[i][j]) }", dist.ErrReach, "writes R, which all ranks have"},
		{"a float histogram", "for i, j := range A { R[i32(A[i][j]*3)] += A[i][j] }", dist.ErrReach, "sums floats into elements of R that data choose"},
		{"a variable of the kernel", "var h [4]i32\n\tfor i, j := range A { h[(i+i32(A[i][j]))&3] += 1 }\n\tR[0] = f32(h[1])", nil, "changes a variable of the kernel otherwise than by a sum"},
		{"serial code that reads", "R[0] = A[At[0]][0]", dist.ErrReach, "A is accessed at indices that depend on data"},
		{"a border and a sum", "s := 0.0\n\tfor j := range A.shape[1] { A[0][j] = 1\n s += f32(j) }\n\tR[1] = s", dist.ErrReach, "writes certain rows of A, which one rank owns, and a variable"},
		{"rows beside and a sum", "s := 0.0\n\tfor i := range A.shape[0]-1 { A[i+1][0] = 1\n s += 1.0 }\n\tR[1] = s", dist.ErrReach, "writes rows beside its own of A"},
	} {
		for _, ranks := range []int{1, 3} {
			err := dist.Local(ranks, func(w *dist.World) error {
				rt, err := w.New(ti.Config{Threads: 1})
				if err != nil {
					return err
				}
				defer rt.Close()
				var h struct {
					A, B, R ti.Field[float32]
					At      ti.Field[int32]
					N       int32
					K       func() error
				}
				g := w.Grid(ti.IJ, 24, 8).Tile(8, 8)
				g.Divide(rt.NewTree()).Dense(ti.IJ, 24, 8).Place(&h.A)
				g.Divide(rt.NewTree()).Dense(ti.IJ, 24, 8).Place(&h.B)
				rt.Place(ti.Shape{24}, &h.At)
				rt.Place(ti.Shape{8}, &h.R)
				if err := rt.Load(head+"func Fill() {\n\tfor i, j := range A { A[i][j] = random() }\n}\n\nfunc K() {\n\t"+test.body+"\n}\n", &h); err != nil {
					return fmt.Errorf("Load: %w", err)
				}
				h.A.Fill(1)
				return h.K()
			})
			if err == nil || test.is != nil && !errors.Is(err, test.is) || !strings.Contains(fmt.Sprint(err), test.want) {
				t.Errorf("%s, %d ranks: %v\nwant %q", test.name, ranks, err, test.want)
			}
		}
	}
}

// TestSplit: grids that cannot be divided are mistakes that Load reports.
func TestSplit(t *testing.T) {
	for _, test := range []struct {
		name string
		make func(w *dist.World) *dist.Grid
		tree func(t *ti.Tree, f *ti.Field[float32])
		want string
	}{
		{"more ranks than tiles", func(w *dist.World) *dist.Grid { return w.Grid(ti.IJ, 16, 4).Tile(8, 4) }, nil, "16 rows are 2 tiles of 8, and there are 3 ranks"},
		{"no sizes", func(w *dist.World) *dist.Grid { return w.Grid(ti.IJ) }, nil, "give one for each, or one for all"},
		{"a size of 0", func(w *dist.World) *dist.Grid { return w.Grid(ti.IJ, 0, 4) }, nil, "each is at least 1"},
		{"axes in another order", func(w *dist.World) *dist.Grid { return w.Grid(ti.JI, 24, 8) }, nil, "name them in the order of indices"},
		{"a tile of 0", func(w *dist.World) *dist.Grid { return w.Grid(ti.IJ, 24, 8).Tile(0, 8) }, nil, "each extent is at least 1"},
		{"tiles of one axis", func(w *dist.World) *dist.Grid { return w.Grid(ti.IJ, 24, 8).Tile(4) }, nil, "Tile with 1 numbers, and the grid has 2 axes"},
		{"ranks of another number", func(w *dist.World) *dist.Grid { return w.Grid(ti.IJ, 24, 8).Ranks(2, 1) }, nil, "Ranks [2 1], and the job has 3"},
		{"ranks along another axis", func(w *dist.World) *dist.Grid { return w.Grid(ti.IJ, 24, 8).Ranks(1, 3) }, nil, "slabs along the first axis"},
		{"another extent", func(w *dist.World) *dist.Grid { return w.Grid(ti.IJ, 32, 8).Tile(4, 8) }, nil, "has 24 rows along its first axis, and the grid has 32"},
		{"columns first", nil, func(t *ti.Tree, f *ti.Field[float32]) { t.Dense(ti.JI, 8, 24).Place(f) }, "does not have its first axis outermost in memory"},
		{"a Z-order curve", func(w *dist.World) *dist.Grid { return w.Grid(ti.IJ, 32, 32) }, func(t *ti.Tree, f *ti.Field[float32]) { t.Dense(ti.IJ, 32).Morton().Place(f) }, "Z-order curve"},
		{"a sparse tree", nil, func(t *ti.Tree, f *ti.Field[float32]) { t.Pointer(ti.IJ, 3, 1).Dense(ti.IJ, 8).Place(f) }, "lies in a sparse tree"},
		{"blocks of another size", nil, func(t *ti.Tree, f *ti.Field[float32]) { t.Dense(ti.IJ, 2, 2).Dense(ti.IJ, 12, 4).Place(f) }, "lies in blocks of 12 rows, and tiles have 4"},
	} {
		err := dist.Local(3, func(w *dist.World) error {
			rt, err := w.New(ti.Config{Threads: 1})
			if err != nil {
				return err
			}
			defer rt.Close()
			var h struct {
				A ti.Field[float32]
				K func() error
			}
			g := w.Grid(ti.IJ, 24, 8).Tile(4, 8)
			if test.make != nil {
				g = test.make(w)
			}
			tree := g.Divide(rt.NewTree())
			if test.tree != nil {
				test.tree(tree, &h.A)
			} else {
				tree.Dense(ti.IJ, 24, 8).Place(&h.A)
			}
			if err := rt.Load("package split\n\nvar A field[f32]\n\nfunc K() {\n\tfor i, j := range A { A[i][j] = 1 }\n}\n", &h); err != nil {
				return err
			}
			return h.K()
		})
		if !errors.Is(err, dist.ErrSplit) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v\nwant %q", test.name, err, test.want)
		}
	}
}

// TestNew: runtimes that ranks cannot share are refused.
func TestNew(t *testing.T) {
	for _, test := range []struct {
		cfg  ti.Config
		want string
	}{
		{ti.Config{Arch: ti.Oracle}, "they run compiled code on processors"},
		{ti.Config{Debug: true}, "several ranks with Debug or Cover"},
		{ti.Config{Batch: 8}, "several ranks with Batch 8"},
	} {
		titest.Must(t, dist.Local(1, func(w *dist.World) error {
			if _, err := w.New(test.cfg); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%+v: %v, want %q", test.cfg, err, test.want)
			}
			return nil
		}))
	}
	if err := dist.Local(0, nil); err == nil || !strings.Contains(err.Error(), "at least one") {
		t.Errorf("no ranks: %v", err)
	}
}

// TestOwned: a grid says which rank has a cell.
func TestOwned(t *testing.T) {
	titest.Must(t, dist.Local(3, func(w *dist.World) error {
		rt, err := w.New(ti.Config{Threads: 1})
		if err != nil {
			return err
		}
		defer rt.Close()
		g := w.Grid(ti.IJ, 24, 8).Ranks(3, 1).Tile(4, 8)
		if lo, hi := g.Owned(); lo != nil || hi != nil || g.Owner(0, 0) != -1 {
			t.Errorf("before Divide rank %d has %v to %v", w.Rank(), lo, hi)
		}
		g.Divide(rt.NewTree())
		lo, hi := g.Owned()
		if fmt.Sprint(lo, hi) != fmt.Sprintf("[%d 0] [%d 8]", 8*w.Rank(), 8*w.Rank()+8) {
			t.Errorf("rank %d has %v to %v", w.Rank(), lo, hi)
		}
		for row := range 24 {
			if got := g.Owner(row, 7); got != row/8 {
				t.Errorf("row %d is on rank %d", row, got)
			}
		}
		if g.Owner(24, 0) != -1 || g.Owner(3, 8) != -1 || g.Owner(-1, 0) != -1 || g.Owner(3) != -1 {
			t.Error("a cell outside of the grid has a rank")
		}
		if w.Library() != "local" {
			t.Errorf("the library is %q", w.Library())
		}
		return nil
	}))
}

// TestDiverged: ranks that make different launches end with an error that names both.
func TestDiverged(t *testing.T) {
	err := dist.Local(2, func(w *dist.World) error {
		h, err := newHeat(t, w, ti.Config{Threads: 1}, 16, 4)
		if err != nil {
			return err
		}
		if err := errors.Join(h.Start(), h.Step(0.1)); err != nil {
			return err
		}
		if w.Rank() == 1 {
			_, err := h.Sum()
			return err
		}
		_, err = h.Count(0.5)
		return err
	})
	if !errors.Is(err, dist.ErrDiverged) || !strings.Contains(err.Error(), "Sum") || !strings.Contains(err.Error(), "Count") {
		t.Errorf("the ranks say %v", err)
	}
	err = dist.Local(2, func(w *dist.World) error {
		h, err := newHeat(t, w, ti.Config{Threads: 1}, 16, 4)
		if err != nil {
			return err
		}
		return errors.Join(h.Start(), h.Step(0.1*float32(1+w.Rank())), h.Step(0.1))
	})
	if !errors.Is(err, dist.ErrDiverged) || !strings.Contains(err.Error(), "with other arguments") {
		t.Errorf("other arguments: %v", err)
	}
}

// TestOneFails: the failure of one rank ends what all others wait for, and is the error.
func TestOneFails(t *testing.T) {
	broken := errors.New("it is broken")
	err := dist.Local(3, func(w *dist.World) error {
		h, err := newHeat(t, w, ti.Config{Threads: 1}, 16, 4)
		if err != nil {
			return err
		}
		if w.Rank() == 1 {
			return broken
		}
		return errors.Join(h.Start(), h.Step(0.1), h.Step(0.1))
	})
	if !errors.Is(err, broken) || strings.Count(err.Error(), "broken") != 1 || !strings.Contains(err.Error(), "rank 1") {
		t.Errorf("the ranks say %v", err)
	}
	titest.Must(t, dist.Local(3, func(w *dist.World) error {
		var own error
		if w.Rank() == 1 {
			own = broken
		}
		err := w.Agree(own)
		var r *dist.RankError
		if !errors.As(err, &r) || r.Rank != 1 || !errors.Is(err, dist.ErrRank) || errors.Is(err, broken) != (w.Rank() == 1) {
			t.Errorf("rank %d agrees on %v", w.Rank(), err)
		}
		if err := w.Agree(nil); err != nil {
			t.Error(err)
		}
		if s, m := w.Sum(float64(w.Rank()+1)), w.Max(float64(w.Rank())); s != 6 || m != 2 {
			t.Errorf("sum %v, max %v", s, m)
		}
		return nil
	}))
}
