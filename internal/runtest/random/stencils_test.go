package random

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

var stencilSeeds = randtest.New("stencils", "firststencil", "random kernels that access elements around places that are data", 24, 20)

// A stencilScene is what such a kernel works on: places A, B and W, of which each iteration reads
// and writes its own, fields X and G that are only read, and Y and H that are only added to, so that
// the order of iterations does not matter.
type stencilScene struct {
	seed uint64
	n    int // places
}

type stencilHost struct {
	A, B, X, Y ti.Field[int32]
	W          ti.Field[int64]
	G, H       ti.Field[int32]
}

const stencilRow, stencilRows, stencilCells = 23, 40, 200 // of G and H, and of X and Y

var stencilVariants = []runtest.Variant{
	{Label: "O3", Arch: ti.LLVM, Opt: "3", Threads: 1},
	{Label: "O3/two threads, blocked", Arch: ti.LLVM, Opt: "3", Threads: 2, Layout: runtest.Blocked},
	{Label: "O3/vectors of 8", Arch: ti.LLVM, Opt: "3", Threads: 1, Force: 8},
	{Label: "O3/without promote", Arch: ti.LLVM, Opt: "3", Threads: 1, Without: "promote"},
	{Label: "O0", Arch: ti.LLVM, Opt: "0", Threads: 2},
	{Label: "O3/extents at launch", Arch: ti.LLVM, Opt: "3", Threads: 1, Layout: runtest.AtLaunch},
}

// TestRandomStencils compares random kernels that access elements around places that are data, most of
// them inside, on the oracle and through LLVM: what they compute, and whether they fail.
func TestRandomStencils(t *testing.T) { stencilSeeds.Each(t, compareStencils) }

func compareStencils(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 11))
	s := stencilScene{seed, []int{64, 100, 300, 520}[r.IntN(4)]}
	src := stencilKernel(r)
	want := s.run(t, runtest.OracleVariant, src)
	for _, v := range []runtest.Variant{stencilVariants[0], stencilVariants[1+r.IntN(len(stencilVariants)-1)]} {
		for l, got := range s.run(t, v, src) {
			if got != want[l] {
				t.Fatalf("seed %d, %s, launch %d: %s\n%s", seed, v.Label, l, firstDifference(got, want[l]), src)
			}
		}
	}
}

// stencilKernel writes a kernel with one or two loops.
func stencilKernel(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("package p\n\nvar A, B, X, Y field[i32]\nvar W field[i64]\nvar G, H field[i32, D2]\n\nfunc Run() {\n")
	for range 1 + r.IntN(2) {
		b.WriteString("\tfor p := range A {\n\t\ts := i32(0)\n")
		for i, name := range []string{"a", "b", "c"} {
			places := []string{"A[p]", "B[p]", "A[p] + B[p]", "B[p]/3", "i32(W[p])", "i32(W[p] / 2)", "A[p] + p%5", "p%7", "X[A[p]&31] & 15"}
			if i == 2 {
				places = []string{"W[p]", "W[p] + 3", "i64(A[p])", "W[p] / 2"}
			}
			fmt.Fprintf(&b, "\t\t%s := %s\n", name, places[r.IntN(len(places))])
		}
		if r.IntN(3) == 0 {
			b.WriteString("\t\tvar t [24]i32\n\t\tt[a&7] = 5\n")
		} else {
			b.WriteString("\t\tt := [24]i32{}\n")
		}
		for range 3 + r.IntN(8) {
			b.WriteString("\t\t" + stencilStatement(r, 2) + "\n")
		}
		fmt.Fprintf(&b, "\t\t%s[p] = s + t[3] + a + b + i32(c)\n\t}\n", pickOf(r, "A", "B"))
	}
	b.WriteString("}\n")
	return b.String()
}

func pickOf(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

// stencilStatement writes a statement that may have others inside, depth deep.
func stencilStatement(r *rand.Rand, depth int) string {
	at := func(of ...string) string {
		if n := r.IntN(7) - 3; n != 0 {
			return fmt.Sprintf("%s%+d", pickOf(r, of...), n)
		}
		return pickOf(r, of...)
	}
	one, two := []string{"a", "b", "c", "2*a", "a+b", "a*3"}, []string{"a", "b", "a/2", "b/4"}
	switch k := r.IntN(12); {
	case k < 4:
		return fmt.Sprintf("s += %d * X[%s]", 1+r.IntN(5), at(one...))
	case k < 6:
		return fmt.Sprintf("s -= G[%s][%s]", at(two...), at(two...))
	case k == 6:
		return fmt.Sprintf("Y[%s] += s & 15", at(one...))
	case k == 7:
		return fmt.Sprintf("H[%s][%s] += 1 + s&3", at(two...), at(two...))
	case k == 8:
		return fmt.Sprintf("s += t[%s]", at("a", "b", "a&15"))
	case k == 9 && depth > 0:
		return fmt.Sprintf("for o := range static(%d) { s += X[%s+o]; %s }", 2+r.IntN(4), pickOf(r, "a", "b"), stencilStatement(r, depth-1))
	case k == 10 && depth > 0:
		return fmt.Sprintf("if s&%d != 0 { %s }", 1+r.IntN(4), stencilStatement(r, depth-1))
	case k == 11 && depth > 0:
		return fmt.Sprintf("for o := range i32(3) { s += X[%s+o] }", pickOf(r, "a", "b"))
	}
	return fmt.Sprintf("s = s*3 + X[%s]", at("a", "b"))
}

// run launches a kernel four times, the places ever further off, and returns what is in memory
// after each, and whether it failed.
func (s stencilScene) run(t *testing.T, v runtest.Variant, src string) (all [4]string) {
	r := &runtest.Run{TB: t, Variant: v}
	r.RT, r.Out = v.StrictRuntime(t)
	defer r.RT.Close()
	h := &stencilHost{}
	r.Place(ti.Shape{s.n}, &h.A, &h.B)
	r.Place(ti.Shape{s.n}, &h.W)
	r.Place(ti.Shape{stencilCells}, &h.X, &h.Y)
	r.Place(ti.Shape{stencilRows, stencilRow}, &h.G, &h.H)
	p, err := r.RT.Compile(ti.Text("random.ti", src), h)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	random := rand.New(rand.NewPCG(s.seed, 12))
	for l := range all {
		s.fill(h, random, l)
		_, err := p.Kernel("Run").Launch(context.Background())
		if err != nil && !errors.Is(err, ti.ErrRange) {
			t.Fatalf("%v\n%s", err, src)
		}
		var b strings.Builder
		fmt.Fprintln(&b, "failed:", err != nil)
		for i := range s.n {
			fmt.Fprintln(&b, i, h.A.At(i), h.B.At(i))
		}
		for i := range stencilCells {
			fmt.Fprintln(&b, "Y", i, h.Y.At(i))
		}
		for i := range stencilRows {
			for j := range stencilRow {
				fmt.Fprintln(&b, "H", i, j, h.H.At(i, j))
			}
		}
		all[l] = b.String()
	}
	return all
}

// fill sets all places well inside in the first launch, a few of them beside an end in the next two,
// and as far off as numbers reach in the last.
func (s stencilScene) fill(h *stencilHost, random *rand.Rand, launch int) {
	ends := []int64{math.MaxInt32, math.MaxInt32 - 3, math.MinInt32, math.MinInt32 + 2, math.MaxInt64, math.MinInt64}
	place := func(most int) int64 {
		switch {
		case launch == 0 || random.IntN(4*s.n) > 0:
			return 8 + random.Int64N(int64(most))
		case launch < 3:
			return random.Int64N(9) - 4 + int64(random.IntN(2)*stencilCells)
		}
		return ends[random.IntN(len(ends))]
	}
	for i := range s.n {
		h.A.Set(int32(place(10)), i)
		h.B.Set(int32(place(10)), i)
		h.W.Set(place(40), i)
	}
	for i := range stencilCells {
		h.X.Set(random.Int32N(1000), i)
		h.Y.Set(0, i)
	}
	for i := range stencilRows {
		for j := range stencilRow {
			h.G.Set(random.Int32N(1000), i, j)
			h.H.Set(0, i, j)
		}
	}
}
