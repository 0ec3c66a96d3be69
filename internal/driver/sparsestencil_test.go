package driver_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/layout"
)

// A stencil is a kernel that reads neighbours of the cells of blocks.
type stencil struct {
	name  string
	nodes func() []*plotNode
	rank  int
	size  int    // of the field along each axis
	fill  string // which cells are made active: a condition on their indices
	body  string // of the loop; i, j, k, l, m are the indices, s is a sum
	inner bool   // no index is out of range
}

// stencils read at constant and other offsets, in blocks of all shapes.
var stencils = []stencil{
	{"27 cells in blocks of 4", blocksOf(3, 4, 4, layout.Bitmasked), 3, 16, "inside && (i*7+j*3+k*5)%4 != 0", cube(3), true},
	{"27 cells around all that there are", blocksOf(3, 4, 4, layout.Dense), 3, 16, "(i/4+j/4+k/4)%3 != 1", cube(3), false},
	{"27 cells in blocks of 3, masked", blocksOf(3, 3, 4, layout.Bitmasked), 3, 12, "(i*j+k)%3 != 0", cube(3), false},
	{"7 cells in blocks of 8", blocksOf(3, 8, 3, layout.Bitmasked), 3, 24, "inside && (i/5+j/3+k)%3 != 0", star(3), true},
	{"few cells in each block", blocksOf(2, 8, 4, layout.Bitmasked), 2, 32, "inside && (i/8+j/8)%2*((i+3*j)%2) + (i*13+j*7)%37 < 2", star(2), true},
	{"5 cells in blocks of 16", blocksOf(2, 16, 4, layout.Dense), 2, 64, "(i/11+j/7)%2 == 0", star(2), false},
	{"5 cells in blocks of 2", blocksOf(2, 2, 10, layout.Bitmasked), 2, 20, "(i+j)%5 != 0", star(2), false},
	{"a row", blocksOf(1, 6, 9, layout.Dense), 1, 54, "i%4 != 0", `
		s += X1[i-2] - 3*X1[i+1] + X1[i]`, false},
	{"pointers to single cells", blocksOf(2, 1, 9, layout.Dense), 2, 9, "(i+2*j)%3 != 0", star(2), false},
	{"offsets in a loop", blocksOf(2, 4, 6, layout.Bitmasked), 2, 24, "inside && i%3 != 0", `
		for a, b := range ndrange(3, 3) {
			s = s*3 + X1[i+a-1][j+b-1]*(a+1) + X1[i+1-b][j-1]
		}`, true},
	{"conditions around reads", blocksOf(2, 4, 6, layout.Bitmasked), 2, 24, "true", `
		if i > 0 && j < 23 {
			s += X1[i-1][j+1]
		} else {
			s -= X1[i][j]
		}
		if X1[i][j]%2 == 0 && i < 23 {
			s += 5 * X1[i+1][j]
		}
		if s%7 == 3 {
			continue
		}`, true},
	{"elements of the other colour, in place", blocksOf(2, 4, 6, layout.Bitmasked), 2, 24, "inside", `
		if (i+j)%2 == 0 {
			X1[i][j] = X1[i-1][j] + 2*X1[i+1][j] - X1[i][j-1] + X1[i][j] + X1[i][j+1]
			s = X1[i][j]
		}`, true},
	{"81 cells in blocks of 2", blocksOf(4, 2, 4, layout.Dense), 4, 8, "(i+j*3+k*5+l*7)%4 != 0", cube(4), false},
	{"81 cells in blocks of 3, masked", blocksOf(4, 3, 3, layout.Bitmasked), 4, 9, "inside && (i+j*3+k*5+l*7)%3 != 0", cube(4), true},
	{"9 cells in four dimensions", blocksOf(4, 3, 3, layout.Dense), 4, 9, "(i+j+k*2+l)%5 != 0", star(4), false},
	{"cells that become active meanwhile", blocksOf(2, 4, 6, layout.Bitmasked), 2, 24, "inside && (i/4+j/4)%2 == 0", `
		s = X1[i-1][j] + X1[i+1][j+1] + n
		activate(N0, (i/4+1)%6, j/4)`, true},
}

// blocksOf returns nodes for n blocks of size along each axis.
func blocksOf(rank int, size, n int64, kind layout.NodeKind) func() []*plotNode {
	return func() []*plotNode {
		axes := "ijklm"[:rank]
		var outer, inner []int64
		for range rank {
			outer, inner = append(outer, n), append(inner, size)
		}
		if size == 1 {
			return []*plotNode{seed(layout.Pointer, axes, outer...)}
		}
		return []*plotNode{seed(layout.Pointer, axes, outer...), seed(kind, axes, inner...)}
	}
}

// at is an element of a field at an offset.
func at(field string, offset ...int) string { return from(0, field, offset...) }

// from is at for the indices from axis first on.
func from(first int, field string, offset ...int) string {
	for k, o := range offset {
		field += fmt.Sprintf("[%c%+d]", 'i'+first+k, o)
	}
	return field
}

// cube reads all elements of X1 up to one away.
func cube(rank int) string {
	var b strings.Builder
	for n := range []int{3, 9, 27, 81}[rank-1] {
		var o []int
		for range rank {
			o = append(o, n%3-1)
			n /= 3
		}
		fmt.Fprintf(&b, "\n\t\ts = 5*s + %s", at("X1", o...))
	}
	return b.String()
}

// star reads those of X1 that share a face.
func star(rank int) string {
	var b strings.Builder
	for k := range rank {
		o := make([]int, rank)
		o[k] = 1
		fmt.Fprintf(&b, "\n\t\ts += %d * %s", k+2, at("X1", o...))
		o[k] = -1
		fmt.Fprintf(&b, "\n\t\ts -= %s", at("X1", o...))
	}
	return b.String() + "\n\t\ts += 3 * " + at("X1", make([]int, rank)...)
}

// source is a kernel that fills X1 and one that runs the body.
func (s *stencil) source() string {
	vars := []string{"i", "j", "k", "l", "m"}[:s.rank]
	sizes := strings.TrimSuffix(strings.Repeat(fmt.Sprint(s.size, ", "), s.rank), ", ")
	list, index := strings.Join(vars, ", "), "["+strings.Join(vars, "][")+"]"
	split := ""
	if s.rank > 2 {
		list, split = "p", "\n\t\t"+list+" := p"
	}
	inside := "true"
	for _, v := range vars {
		inside += fmt.Sprintf(" && %s > 0 && %s < %d", v, v, s.size-1)
	}
	over := "ndrange(" + sizes + ")"
	if s.rank == 1 {
		over = sizes
	}
	hash := "n"
	for k, v := range vars {
		hash += fmt.Sprintf(" + %d*%s*%s", 7*k+3, v, v)
	}
	return fmt.Sprintf(`
func Fill(n int) (r0, r1 int) {
	for %s := range %s {%s
		inside := %s
		if %s || n < -100 && inside {
			X1%s = (%s) %% 19
		}
	}
	return
}

func K0(n int) (r0, r1 int) {
	for %s := range config(X1, blockLocal(X1)) {%s
		s := n
%s
		X0%s = s
		r0 += s
		r1 = max(r1, s%%1000)
	}
	return
}
`, list, over, split, inside, s.fill, index, hash, list, split, s.body, index)
}

// TestSparseStencils runs them on memory and on the oracle.
func TestSparseStencils(t *testing.T) {
	for n, s := range stencils {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.compare(t, n)
		})
	}
}

// TestRandomStencils reads at random offsets, in blocks of random shapes.
func TestRandomStencils(t *testing.T) {
	for n := range int(plots.Count()) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(n), 71))
			rank := 1 + rng.IntN(5)
			edge, blocks := 1+rng.IntN(9), 3+rng.IntN(2)
			switch rank { // the oracle is slow
			case 3:
				edge, blocks = 1+rng.IntN(6), 3
			case 4:
				edge, blocks = 1+rng.IntN(3), 3
			case 5:
				edge, blocks = 1+rng.IntN(2), 3
			}
			kind := []layout.NodeKind{layout.Dense, layout.Bitmasked}[rng.IntN(2)]
			size := edge * blocks
			fill := fmt.Sprintf("(i*%d+%d)%%%d != 0", 1+rng.IntN(5), rng.IntN(5), 2+rng.IntN(3))
			if rank > 1 {
				fill += fmt.Sprintf(" && (i/%d+j)%%%d != 0", 1+rng.IntN(5), 2+rng.IntN(3))
			}
			var b strings.Builder
			reach := 1 + rng.IntN(2)
			for range 1 + rng.IntN(12) {
				var o []int
				for range rank {
					o = append(o, rng.IntN(2*reach+1)-reach)
				}
				read := fmt.Sprintf("s = %d*s + %s", 1+rng.IntN(3), at("X1", o...))
				switch rng.IntN(5) {
				case 0:
					fmt.Fprintf(&b, "\n\t\tif (s+i)%%3 != 0 {\n\t\t\t%s\n\t\t}", read)
				case 1:
					fmt.Fprintf(&b, "\n\t\tfor a := range %d {\n\t\t\ts += a * X1[i+a-1]%s\n\t\t}", 1+rng.IntN(3), from(1, "", o[1:]...))
				default:
					fmt.Fprintf(&b, "\n\t\t%s", read)
				}
			}
			s := stencil{nodes: blocksOf(rank, int64(edge), int64(blocks), kind), rank: rank, size: size, fill: fill, body: b.String()}
			s.compare(t, n)
		})
	}
}

// compare runs a stencil in two ways that differ in everything.
func (s *stencil) compare(t *testing.T, n int) {
	p := plant(s.nodes()...)
	p.rank, p.written = s.rank, true
	p.build(t)
	g := &kernelGen{p: p}
	g.source(0)
	src := g.b.String() + s.source()
	steps := []plotStep{p.launch("Fill", 3), p.launch("K0", 3), p.launch("K0", -2)}
	compareWorlds(t, p, src, steps,
		plotVariant{level: 3, threads: 1 + 2*(n%2), unchecked: s.inner && n/2%2 == 0},
		plotVariant{level: 0, threads: 3 - 2*(n%2), unchecked: s.inner && n/2%2 == 1})
}
