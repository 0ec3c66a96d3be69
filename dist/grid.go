package dist

import (
	"fmt"
	"slices"
	"unsafe"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/domain"
	"github.com/gotaichi/ti/internal/store"
)

// A Grid is an index space divided among the ranks into slabs of whole tiles along its first axis. The
// methods that shape it chain, must precede the first Divide, and report mistakes
// through Load, as layout does.
type Grid struct {
	w     *World
	axes  ti.Axes
	size  []int
	ranks []int
	tile  []int
	err   error // the first mistake
	made  *domain.Grid
}

// Grid returns an index space of the given size along each axis.
func (w *World) Grid(axes ti.Axes, size ...int) *Grid {
	g := &Grid{w: w, axes: axes, size: size}
	if len(size) == 1 {
		for len(g.size) < len(axes) {
			g.size = append(g.size, size[0])
		}
	}
	switch sorted := slices.IsSorted([]byte(axes)); {
	case len(axes) == 0 || len(g.size) != len(axes):
		g.fail("a grid of axes %q with %d sizes; give one for each, or one for all", axes, len(size))
	case !sorted:
		g.fail("a grid of axes %q; name them in the order of indices, of which the first is divided", axes)
	case slices.ContainsFunc(g.size, func(n int) bool { return n < 1 }):
		g.fail("a grid of sizes %v; each is at least 1", g.size)
	}
	return g
}

// fail keeps the first mistake.
func (g *Grid) fail(format string, args ...any) {
	if g.err == nil {
		g.err = fmt.Errorf("%w: %s", ErrSplit, fmt.Sprintf(format, args...))
	}
}

// Ranks sets how many ranks divide each axis: all of them the first one, as they do by default, and 1 each other axis.
func (g *Grid) Ranks(n ...int) *Grid {
	g.shape("Ranks", n)
	for k, r := range n {
		if want := 1; r != want && k > 0 || k == 0 && r != g.w.Size() {
			g.fail("Ranks %v, and the job has %d; slabs along the first axis are what there is: Ranks(%d, 1 …)", n, g.w.Size(), g.w.Size())
		}
	}
	g.ranks = n
	return g
}

// Tile sets the unit of division along each axis: 64, 8 or 4 by default for one,
// two or three axes, or as much more as gives 256 tiles along the first axis, and a multiple of the blocks that
// its nodes have. Sums add up tiles in their order, so results depend on it, and not on the ranks.
func (g *Grid) Tile(n ...int) *Grid {
	g.shape("Tile", n)
	if slices.ContainsFunc(n, func(n int) bool { return n < 1 }) {
		g.fail("tiles of %v; each extent is at least 1", n)
	}
	g.tile = n
	return g
}

func (g *Grid) shape(what string, n []int) {
	if len(n) != len(g.size) {
		g.fail("%s with %d numbers, and the grid has %d axes", what, len(n), len(g.size))
	}
	if g.made != nil {
		g.fail("%s behind Divide; shape a grid before it divides trees", what)
	}
}

// Divide makes t a divided tree: its nodes are given their global sizes, Origin
// included, and each rank computes its own rows and has pages of memory where it touches them. It returns t.
func (g *Grid) Divide(t *ti.Tree) *ti.Tree {
	tree := (*store.Tree)(unsafe.Pointer(t)) // as package ti has it
	if t == nil || tree.Store() == nil {
		panic(diag.Errorf(ti.ErrArgs, "Divide of a tree of no runtime; use what NewTree returns"))
	}
	r := g.w.of[tree.Store()]
	if r == nil {
		g.fail("the tree is of a runtime that World.New has not made")
	}
	if g.made == nil && g.err == nil {
		tile := domain.DefaultTile(len(g.size), int64(g.size[0]))
		if g.tile != nil {
			tile = int64(g.tile[0])
		}
		var err error
		if g.made, err = domain.NewGrid(int64(g.size[0]), tile, g.w.Size(), g.w.Rank()); err != nil {
			g.err = err
		}
	}
	if g.err != nil {
		tree.Misplace(g.err)
		return t
	}
	tree.Divide(r.domain)
	r.domain.Divide(tree, g.made)
	return t
}

// Owned returns this rank's box, lowest index and the one past the highest; both are nil before the first Divide. An Origin is not counted. Local.
func (g *Grid) Owned() (lo, hi ti.Shape) {
	if g.made == nil {
		return nil, nil
	}
	lo, hi = make(ti.Shape, len(g.size)), slices.Clone(ti.Shape(g.size))
	rank := g.w.Rank()
	lo[0], hi[0] = int(g.made.Cuts[rank]), int(g.made.Cuts[rank+1])
	return lo, hi
}

// Owner returns the rank that owns a cell; -1 if the cell is not in the grid, or before the first Divide. Local.
func (g *Grid) Owner(idx ...int) int {
	if g.made == nil || len(idx) != len(g.size) {
		return -1
	}
	for k, i := range idx {
		if i < 0 || i >= g.size[k] {
			return -1
		}
	}
	return g.made.RankOf(int64(idx[0]))
}

// Window returns this rank's own cells of a divided field where they are one stretch
// of memory, with their lowest index and extents. It fails with [ti.ErrLayout] where they
// are not. The host may change them at any time, so rows travel before each launch that reads them from then on. All ranks
// call it.
func Window[T any](f *ti.Field[T]) (mem []T, lowest, extent ti.Shape, err error) {
	if f == nil || f.Tree() == nil {
		return nil, nil, nil, diag.Errorf(ti.ErrPlace, "Window of a field that is not placed")
	}
	core := (*store.Tree)(unsafe.Pointer(f.Tree())).FieldAt(unsafe.Pointer(f), unsafe.Sizeof(*f))
	if core == nil || core.Division() == nil {
		return nil, nil, nil, diag.Errorf(ti.ErrLayout, "Window of %s, which is not divided or not in use yet; use Slice", f.Name())
	}
	if !core.Contiguous() {
		return nil, nil, nil, diag.Errorf(ti.ErrLayout, "the elements of %s do not follow each other in row-major order without a gap; use CopyTo", f.Name())
	}
	if err := core.HandOwn(); err != nil {
		return nil, nil, nil, err
	}
	lo, hi, err := core.Division().Own(core)
	if err != nil {
		return nil, nil, nil, err
	}
	lowest, extent = slices.Clone(f.Origin()), slices.Clone(f.Shape())
	row := f.Len() / extent[0]
	all := unsafe.Slice((*T)(core.Start()), f.Len())
	mem = all[(lo-lowest[0])*row : (hi-lowest[0])*row]
	lowest[0], extent[0] = lo, hi-lo
	return mem, lowest, extent, nil
}
