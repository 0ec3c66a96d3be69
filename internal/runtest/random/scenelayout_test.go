package random

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// place lays out the fields at random, in another way for each variant; but for
// the flat one, which is as simple as can be.
func (h *sceneHost) place(r *runtest.Run, s scene) {
	line := []ti.AnyField{&h.A, &h.X, &h.B, &h.Y, &h.C, &h.V, &h.S, &h.E, &h.D, &h.L[0], &h.L[1], &h.L[2],
		&h.M.Pos, &h.M.Src, &h.M.Sub[0], &h.M.Sub[1]}
	grid := ti.Shape{s.rows, s.cols}
	cells := []int{s.rows / s.cell[0], s.cols / s.cell[1]}
	r.Place(ti.Shape{8}, &h.H, &h.F)
	r.Place(ti.Shape{s.n()}, &h.O) // apart, so that threads might have copies of it
	tree := r.RT.NewTree()
	r.Trees = append(r.Trees, tree)
	tree.Origin(ti.IJ, s.origin[:]...)
	if r.Layout == runtest.Flat {
		r.Place(ti.Shape{s.n()}, line...)
		r.PlaceAt(s.origin[:], grid, &h.G, &h.Q)
		h.Blocks = tree.Dense(ti.IJ, cells...)
		h.Blocks.Dense(ti.IJ, s.cell[:]...).Place(&h.P)
		return
	}
	g := &layouter{r: rand.New(rand.NewPCG(s.seed, uint64(len(r.Label))))}
	g.place(r, nil, ti.Shape{s.n()}, line)
	g.place(r, s.origin[:], grid, []ti.AnyField{&h.G, &h.Q})
	h.Blocks = g.grow(&tree.Node, cells)
	g.grow(h.Blocks, s.cell[:]).Place(&h.P)
}

// A layouter makes random trees.
type layouter struct{ r *rand.Rand }

// place puts fields of one shape, some of them in parts, into random trees.
func (g *layouter) place(r *runtest.Run, origin []int, shape ti.Shape, fields []ti.AnyField) {
	var parts []ti.AnyField
	for _, f := range fields {
		parts = append(parts, g.parts(f)...)
	}
	g.r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	var tree *ti.Tree
	for len(parts) > 0 {
		if tree == nil || g.r.IntN(2) == 0 {
			tree = r.RT.NewTree()
			r.Trees = append(r.Trees, tree)
			if origin != nil {
				tree.Origin(runtest.Axes(len(origin)), origin...)
			}
		}
		n := 1 + g.r.IntN(min(len(parts), 5))
		g.grow(&tree.Node, shape).Place(parts[:n]...)
		parts = parts[n:]
	}
}

// parts returns f, or its members, or theirs.
func (g *layouter) parts(f ti.AnyField) []ti.AnyField {
	members := ti.Members(f)
	if len(members) == 1 || g.r.IntN(3) > 0 {
		return []ti.AnyField{f}
	}
	var all []ti.AnyField
	for _, m := range members {
		all = append(all, g.parts(m)...)
	}
	return all
}

// grow adds one node or several below n that together have the extents, and
// returns the last.
func (g *layouter) grow(n *ti.Node, extents []int) *ti.Node {
	rest := slices.Clone(extents)
	missing := make([]bool, len(rest)) // axes that no node has had yet
	for d := range missing {
		missing[d] = true
	}
	for last := false; !last; {
		last = g.r.IntN(2) == 0
		var order []int
		for _, d := range g.r.Perm(len(rest)) {
			if !last && g.r.IntN(2) == 0 || last && rest[d] == 1 && !missing[d] {
				continue
			}
			order = append(order, d)
		}
		if len(order) == 0 {
			continue
		}
		var letters ti.Axes
		var sizes []int
		powers := true
		for _, d := range order {
			size := rest[d]
			if !last {
				size = divisor(g.r, size)
			}
			rest[d] /= size
			missing[d] = false
			letters += runtest.Axes(d + 1)[d:]
			sizes = append(sizes, size)
			powers = powers && bits.OnesCount(uint(size)) == 1
		}
		n = n.Dense(letters, sizes...)
		if powers && g.r.IntN(2) == 0 {
			n.Morton()
		}
	}
	return n
}
