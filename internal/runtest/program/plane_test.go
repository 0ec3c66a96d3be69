package program

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// A planeCase is a stencil on fields in small blocks.
type planeCase struct {
	axes   string // of a block, in the order of memory
	blocks []int  // along i, j, k
	block  []int
	origin []int
	lo, hi []int   // the range of the loop, from the origin
	near   [][]int // where U is read, from the iteration's own element
	more   string  // terms beside these
	other  []int   // blocks of V, if they are others
	twice  bool    // V is in a block with U
	self   string  // what D adds of itself, if anything
}

var planeCases = []planeCase{
	// Ranges that cut blocks at both ends, at one, and at none.
	{axes: "ijk", blocks: []int{3, 4, 5}, block: []int{4, 4, 4}, lo: []int{1, 1, 1}, hi: []int{11, 15, 19}, near: star(3, 1)},
	{axes: "ijk", blocks: []int{3, 4, 5}, block: []int{4, 4, 4}, lo: []int{4, 4, 4}, hi: []int{8, 12, 16}, near: star(3, 4)},
	{axes: "ijk", blocks: []int{3, 3, 3}, block: []int{4, 4, 4}, lo: []int{0, 3, 0}, hi: []int{12, 5, 7}, near: [][]int{{0, 0, 0}, {0, -3, 5}, {0, 7, 0}}},
	// All neighbours, and far ones.
	{axes: "ijk", blocks: []int{3, 3, 3}, block: []int{4, 4, 4}, lo: []int{1, 1, 1}, hi: []int{11, 11, 11}, near: cube(3)},
	{axes: "ijk", blocks: []int{4, 4, 4}, block: []int{4, 4, 4}, lo: []int{5, 5, 5}, hi: []int{11, 10, 11}, near: star(3, 5)},
	{axes: "ijk", blocks: []int{3, 3, 3}, block: []int{4, 4, 4}, lo: []int{6, 5, 0}, hi: []int{7, 6, 12}, near: [][]int{{-6, -5, 0}, {5, 6, 0}, {1, 0, 0}}},
	// Other shapes of blocks, and orders of axes.
	{axes: "ij", blocks: []int{5, 6}, block: []int{4, 4}, lo: []int{1, 2}, hi: []int{19, 23}, near: cube(2)},
	{axes: "ij", blocks: []int{3, 4}, block: []int{8, 8}, lo: []int{1, 1}, hi: []int{23, 31}, near: cube(2)},
	{axes: "ji", blocks: []int{5, 6}, block: []int{4, 8}, lo: []int{3, 1}, hi: []int{18, 47}, near: [][]int{{-3, -1}, {2, 1}, {0, 0}}},
	{axes: "kij", blocks: []int{3, 3, 3}, block: []int{4, 4, 4}, lo: []int{1, 1, 1}, hi: []int{11, 11, 11}, near: cube(3)},
	{axes: "ijk", blocks: []int{4, 3, 5}, block: []int{2, 2, 2}, lo: []int{1, 1, 1}, hi: []int{7, 5, 9}, near: cube(3)},
	{axes: "ijk", blocks: []int{3, 3, 3}, block: []int{3, 5, 3}, lo: []int{1, 1, 1}, hi: []int{8, 14, 8}, near: cube(3)},
	{axes: "ijk", blocks: []int{2, 3, 4}, block: []int{1, 4, 4}, lo: []int{0, 2, 3}, hi: []int{2, 10, 13}, near: [][]int{{0, -2, -3}, {0, 1, 3}}},
	// Origins, the loop's own index, other fields, and elements in place.
	{axes: "ijk", blocks: []int{3, 3, 3}, block: []int{4, 4, 4}, origin: []int{-4, -5, 2}, lo: []int{1, 1, 1}, hi: []int{11, 11, 11}, near: star(3, 1), more: " + T(100*i+10*j+k)"},
	{axes: "ijk", blocks: []int{3, 3, 3}, block: []int{4, 4, 4}, lo: []int{1, 1, 1}, hi: []int{11, 11, 11}, near: star(3, 1), more: " + 3*V[i][j][k]", twice: true},
	{axes: "ijk", blocks: []int{3, 3, 3}, block: []int{4, 4, 4}, lo: []int{1, 1, 1}, hi: []int{11, 11, 11}, near: star(3, 1), more: " + V[i][j-1][k]", other: []int{2, 4, 4}},
	{axes: "ijk", blocks: []int{3, 3, 3}, block: []int{4, 4, 4}, lo: []int{1, 1, 1}, hi: []int{11, 11, 11}, near: star(3, 1), more: " + V[i][j-1][k]", other: []int{12, 12, 12}},
	{axes: "ijk", blocks: []int{3, 3, 3}, block: []int{4, 4, 4}, lo: []int{1, 0, 1}, hi: []int{11, 12, 11}, near: [][]int{{0, 0, 0}, {1, 0, -1}}, self: " + 2*D[i][j][k]"},
	{axes: "ijk", blocks: []int{3, 3, 3}, block: []int{4, 4, 4}, lo: []int{1, 1, 1}, hi: []int{11, 11, 11}, near: star(3, 1), more: " + V[0][j][3] + V[2][3][4]"},
	{axes: "ijk", blocks: []int{3, 3, 3}, block: []int{4, 4, 4}, lo: []int{1, 1, 1}, hi: []int{11, 11, 11}, near: star(3, 1), more: " + V[2][3][4] + min(U[i][j][k], V[i][j][k-1])"},
}

// star is an element and those on the axes around it.
func star(rank, far int) [][]int {
	all := [][]int{make([]int, rank)}
	for a := range rank {
		for _, d := range []int{-far, far} {
			p := make([]int, rank)
			p[a] = d
			all = append(all, p)
		}
	}
	return all
}

// cube is all elements around one.
func cube(rank int) [][]int {
	all := [][]int{nil}
	for range rank {
		var next [][]int
		for _, p := range all {
			for d := -1; d <= 1; d++ {
				next = append(next, append(p[:len(p):len(p)], d))
			}
		}
		all = next
	}
	return all
}

// source is the kernel of a case for numbers of a type.
func (c *planeCase) source(typ string) string {
	names := "ijkl"[:len(c.block)]
	index := func(p []int) (s string) {
		for a, d := range p {
			s += fmt.Sprintf("[%c%+d]", names[a], d)
		}
		return s
	}
	var terms, spans []string
	for n, p := range c.near {
		terms = append(terms, fmt.Sprintf("%d*U%s", n%5+1, index(p)))
	}
	for a := range c.lo {
		o := 0
		if c.origin != nil {
			o = c.origin[a]
		}
		spans = append(spans, fmt.Sprintf("span(%d, %d)", c.lo[a]+o, c.hi[a]+o))
	}
	sum := strings.ReplaceAll(strings.Join(terms, " + ")+c.more+c.self, "T(", typ+"(")
	return fmt.Sprintf("package p\n\nvar U, V, D field[%s, D%d]\n\nfunc Step() {\n\tfor p := range ndrange(%s) {\n\t\t%s := p\n\t\tD%s = %s\n\t}\n}\n",
		typ, len(names), strings.Join(spans, ", "), strings.Join(strings.Split(names, ""), ", "), index(make([]int, len(names))), sum)
}

// planeHost is the host of a case.
type planeHost[T runtest.Integer | runtest.Float] struct {
	U, V, D ti.Field[T]
	Step    func() error
}

// place makes the trees of a case.
func (h *planeHost[T]) place(r *runtest.Run, c *planeCase) {
	axes := func(order string, sizes []int) (ti.Axes, []int) {
		var out []int
		for _, a := range order {
			out = append(out, sizes[a-'i'])
		}
		return ti.Axes(order), out
	}
	node := func(block []int) *ti.Node {
		t := r.RT.NewTree()
		if c.origin != nil {
			t.Origin(ti.Axes("ijkl"[:len(block)]), c.origin...)
		}
		outer := make([]int, len(block))
		for a := range outer {
			outer[a] = c.blocks[a] * c.block[a] / block[a]
		}
		names := "ijkl"[:len(block)]
		a, sizes := axes(names, outer)
		n := t.Dense(a, sizes...)
		return n
	}
	inner := func(n *ti.Node, block []int) *ti.Node {
		a, sizes := axes(c.axes, block)
		return n.Dense(a, sizes...)
	}
	first := node(c.block)
	inner(first, c.block).Place(&h.U)
	other := c.block
	if c.other != nil {
		other = c.other
	}
	if c.twice {
		inner(first, c.block).Place(&h.V)
	} else {
		inner(node(other), other).Place(&h.V)
	}
	inner(node(c.block), c.block).Place(&h.D)
}

// TestPlanes runs stencils on fields in small blocks, with planes of blocks and without, on small numbers, whose sums
// are exact in any order.
func TestPlanes(t *testing.T) {
	var rts runtest.Runtimes
	defer rts.Close(t)
	variants := []runtest.Variant{
		{Label: "oracle", Arch: ti.Oracle, Threads: 1},
		{Label: "O3 on three threads", Arch: ti.LLVM, Opt: "3", Threads: 3},
		{Label: "O3 streamed", Arch: ti.LLVM, Opt: "3", Threads: 1, Stream: 1},
		{Label: "O3 by rows", Arch: ti.LLVM, Opt: "3", Threads: 1, Without: "planes"},
		{Label: "O0", Arch: ti.LLVM, Opt: "0", Threads: 1},
	}
	got := map[string]string{}
	runtest.RunIn(t, &rts, variants, func(r *runtest.Run) {
		for n := range planeCases {
			if !planeTurn(r.Label, n) {
				continue
			}
			c := &planeCases[n]
			planesOf[float32](r, c, n, "f32", got)
			switch n % 6 {
			case 0:
				planesOf[float64](r, c, n, "f64", got)
			case 1:
				planesOf[int32](r, c, n, "i32", got)
			case 2:
				planesOf[int16](r, c, n, "i16", got)
			case 3:
				planesOf[uint8](r, c, n, "u8", got)
			case 4:
				planesOf[int64](r, c, n, "i64", got)
			}
		}
	})
}

// planeTurn reports whether case n is run in a variant. Each is interpreted, runs on three threads or streams what it stores,
// and runs by rows or without optimisation.
func planeTurn(variant string, n int) bool {
	if runtest.AllVariants() {
		return true
	}
	switch variant {
	case "O3 on three threads":
		return n/2%2 == 0
	case "O3 streamed":
		return n/2%2 == 1
	case "O3 by rows":
		return n%2 == 0
	case "O0":
		return n%2 == 1
	}
	return true
}

// planesOf runs a case and compares what it gives with what the first variant gave.
func planesOf[T runtest.Integer | runtest.Float](r *runtest.Run, c *planeCase, n int, typ string, got map[string]string) {
	var h planeHost[T]
	h.place(r, c)
	r.Load(c.source(typ), &h)
	random := rand.New(rand.NewPCG(uint64(n), 1))
	for _, f := range []*ti.Field[T]{&h.U, &h.V, &h.D} {
		for i := range f.All() {
			f.Set(T(random.IntN(100)), i[:len(c.block)]...)
		}
	}
	runtest.OK(r, h.Step())
	var b strings.Builder
	for i, v := range h.D.All() {
		fmt.Fprintln(&b, i, v)
	}
	key := fmt.Sprint(n, typ)
	if got[key] == "" {
		got[key] = b.String()
	}
	if b.String() == got[key] {
		return
	}
	was := strings.Split(got[key], "\n")
	for k, line := range strings.Split(b.String(), "\n") {
		if line != was[k] {
			r.Fatalf("case %d of %s: %s, want %s, of\n%s", n, typ, line, was[k], c.source(typ))
		}
	}
}
