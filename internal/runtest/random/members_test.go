package random

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

var memberSeeds = randtest.New("members", "firstmember", "random kernels on members of structs", 16, 12)

// A memberScene is what a random kernel on members of structs works on.
type memberScene struct {
	seed uint64
	n    int
}

func newMemberScene(seed uint64) memberScene {
	sizes := []int{24, 40, 64, 100, 136}
	return memberScene{seed, sizes[rand.New(rand.NewPCG(seed, 5)).IntN(len(sizes))]}
}

type mote struct {
	Pos ti.Vec3 `ti:"pos"`
	Vel ti.Vec3 `ti:"vel"`
	Age float32 `ti:"age"`
	Z   float32 `ti:"z"`
	N   int32   `ti:"n"`
	Two ti.Vec2 `ti:"two"`
}

type spin struct {
	Axis ti.Vec2  `ti:"axis"`
	Turn float32  `ti:"turn"`
	K    [3]int32 `ti:"k"`
}

type memberHost struct {
	P ti.Field[mote]
	R ti.Field[spin]
	S ti.Field[float32]
}

// memberVariants are the ways to run a random kernel on members of structs. Each kernel
// runs in one of the first four, which force vectors of iterations, and in one of the
// others.
var memberVariants = []runtest.Variant{
	{Label: "O3/vectors of 8", Arch: ti.LLVM, Opt: "3", Threads: 1, Force: 8},
	{Label: "O3/vectors of 4", Arch: ti.LLVM, Opt: "3", Threads: 2, Force: 4, Unchecked: true},
	{Label: "O3/vectors of 4, without packets", Arch: ti.LLVM, Opt: "3", Threads: 1, Force: 4, Without: "packets"},
	{Label: "O3/vectors of 16, not forwarded", Arch: ti.LLVM, Opt: "3", Threads: 1, Force: 16, Without: "forward,packets"},

	{Label: "O3", Arch: ti.LLVM, Opt: "3", Threads: 1},
	{Label: "O3/unchecked", Arch: ti.LLVM, Opt: "3", Threads: 3, Unchecked: true},
	{Label: "O3/extents at launch", Arch: ti.LLVM, Opt: "3", Threads: 1, Layout: runtest.AtLaunch},
	{Label: "O0", Arch: ti.LLVM, Opt: "0", Threads: 1},
}

// TestRandomMembers compares random kernels on members of structs, placed together or
// apart, in one tree or in several, on the oracle and through LLVM.
func TestRandomMembers(t *testing.T) { memberSeeds.Each(t, compareMembers) }

// foundMembers are seeds that found something: a store that libLLVM 15 moved behind a load of
// the same element, in vectors of structs (llvm/llvm-project#63602).
var foundMembers = []uint64{214, 1015, 1062, 3851}

func TestFoundMembers(t *testing.T) {
	for _, seed := range foundMembers {
		compareMembers(t, seed)
	}
}

func compareMembers(t *testing.T, seed uint64) {
	s := newMemberScene(seed)
	src := memberKernel(s)
	want := s.run(t, runtest.OracleVariant, src)
	r := rand.New(rand.NewPCG(seed, 6))
	for _, v := range []runtest.Variant{memberVariants[r.IntN(4)], memberVariants[4+r.IntN(4)]} {
		for l, got := range s.run(t, v, src) {
			if got != want[l] {
				t.Fatalf("seed %d, %s, launch %d: %s\n%s", seed, v.Label, l, firstDifference(got, want[l]), src)
			}
		}
	}
}

// firstDifference returns the first line in which two texts differ.
func firstDifference(got, want string) string {
	w := strings.Split(want, "\n")
	for i, g := range strings.Split(got, "\n") {
		if g != w[i] {
			return fmt.Sprintf("\n%s\nwant\n%s", g, w[i])
		}
	}
	return "the same"
}

// run launches a kernel twice and returns what is in memory after each.
func (s memberScene) run(t *testing.T, v runtest.Variant, src string) (all [2]string) {
	r := &runtest.Run{TB: t, Variant: v}
	r.RT, r.Out = v.StrictRuntime(t)
	defer r.RT.Close()
	h := &memberHost{}
	s.place(r, h)
	p, err := r.RT.Compile(ti.Text("random.ti", src), h)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	w, z := make([]ti.Vec3, s.n), make([]spin, s.n)
	random := rand.New(rand.NewPCG(s.seed, 7))
	number := func() float32 { return float32(random.IntN(33)-16) / 4 }
	for i := range s.n {
		h.P.Set(mote{ti.Vec3{number(), number(), number()}, ti.Vec3{number(), 1, 0}, number(), 0, int32(random.IntN(16) - 4), ti.Vec2{1, number()}}, i)
		h.R.Set(spin{ti.Vec2{number(), 2}, number(), [3]int32{int32(i), 1, 2}}, i)
		h.S.Set(number(), i)
		w[i], z[i] = ti.Vec3{number(), 1, number()}, spin{Turn: number()}
	}
	for l, q := range []float32{1.5, -0.25} {
		if _, err := p.Kernel("Run").Launch(context.Background(), q, w, z); err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		var b strings.Builder
		for i := range s.n {
			fmt.Fprintln(&b, i, alike(h.P.At(i)), alike(h.R.At(i)), alike(w[i]), alike(z[i]))
		}
		all[l] = b.String()
	}
	return all
}

// alike is the text of a value without the sign of zeros and NaNs.
func alike(v any) string {
	s := fmt.Sprint(v)
	return strings.NewReplacer("-0 ", "0 ", "-0}", "0}", "-0]", "0]", "-NaN", "NaN").Replace(s)
}

// place lays the fields out at random. The oracle has them as they come.
func (s memberScene) place(r *runtest.Run, h *memberHost) {
	shape := ti.Shape{s.n}
	if r.Arch == ti.Oracle {
		r.RT.Place(shape, &h.P, &h.R, &h.S)
		return
	}
	random := rand.New(rand.NewPCG(s.seed, uint64(len(r.Label))+uint64(math.MaxInt32)))
	apart := append(ti.Members(&h.P), append(ti.Members(&h.R), &h.S)...)
	switch random.IntN(6) {
	case 0: // each struct in one piece
		r.RT.Place(shape, &h.P, &h.R, &h.S)
	case 1, 2: // members apart in one tree, each an array
		tree := r.RT.NewTree()
		for _, f := range apart {
			tree.Dense(ti.I, s.n).Place(f)
		}
	case 3: // each in a tree of its own
		r.RT.Place(shape, apart...)
	case 4: // in blocks, a few side by side
		tree := r.RT.NewTree()
		blocks := tree.Dense(ti.I, s.n/4)
		for _, f := range apart {
			blocks.Dense(ti.I, 4).Place(f)
		}
	default:
		g := &layouter{r: random}
		g.place(r, nil, shape, []ti.AnyField{&h.P, &h.R, &h.S})
	}
}
