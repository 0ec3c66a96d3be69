package random

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

var updateSeeds = randtest.New("updates", "firstupdate", "random kernels with several updates of an element", 6, 4)

// TestRandomUpdates compares random kernels whose iterations update elements several times, in loops for packets, on the oracle
// and through LLVM.
func TestRandomUpdates(t *testing.T) {
	packets, copies := 0, 0
	updateSeeds.Each(t, func(t *testing.T, seed uint64) {
		told := compareUpdates(t, seed)
		if strings.Contains(told, "runs in packets") {
			packets++
			if strings.Contains(told, "to a private copy of") {
				copies++
			}
		}
	})
	t.Logf("%d kernels with packets, %d of them with copies", packets, copies)
	if n := updateSeeds.Count(); n >= 8 && copies < int(n)/3 {
		t.Errorf("of %d kernels %d have packets, and %d of these copies for each thread", n, packets, copies)
	}
}

// foundUpdates are seeds that found something: updates that got lost where lanes met in an element, and a run of lanes that kept an
// address in the place of what it is computed from.
var foundUpdates = []uint64{102, 111, 131}

func TestFoundUpdates(t *testing.T) {
	for _, seed := range foundUpdates {
		compareUpdates(t, seed)
	}
}

type updateBoth struct {
	A float32 `ti:"a"`
	B float32 `ti:"b"`
	V ti.Vec2 `ti:"v"`
}

type updateMixed struct {
	N int32   `ti:"n"`
	K int32   `ti:"k"`
	A float32 `ti:"a"`
}

type updateSmall struct {
	A int32 `ti:"a"`
	B int32 `ti:"b"`
}

type updateHost struct {
	X, Y   ti.Field[float32]
	N, Own ti.Field[int32]
	Low    ti.Field[uint16]

	Ti ti.Field[int32]
	Tu ti.Field[uint32]
	Tl ti.Field[int64]
	Tk ti.Field[uint64]
	Tb ti.Field[uint8]
	Ts ti.Field[int16]
	Tf ti.Field[float32]
	Td ti.Field[float64]
	Th ti.Field[ti.Float16]
	V  ti.Field[ti.Vec3]
	W  ti.Field[ti.IVec2]
	S  ti.Field[updateBoth]
	U  ti.Field[updateMixed]
	Q  ti.Field[updateSmall]
	B  ti.Field[int32]
	R  ti.Field[int32]
	RV ti.Field[ti.Vec2]
	RF ti.Field[float32]
}

// updateVariants are the ways to run such a kernel. Each runs in one of the first three, which make packets of all loops that can be, and in
// one of the others.
var updateVariants = []runtest.Variant{
	{Label: "O3/forced", Arch: ti.LLVM, Opt: "3", Threads: 1, Force: 4},
	{Label: "O3/forced, 3 threads", Arch: ti.LLVM, Opt: "3", Threads: 3, Force: 4, Unchecked: true},
	{Label: "O3/forced, deterministic", Arch: ti.LLVM, Opt: "3", Threads: 3, Force: 4, Deterministic: true},

	{Label: "O3", Arch: ti.LLVM, Opt: "3", Threads: 1},
	{Label: "O3/3 threads", Arch: ti.LLVM, Opt: "3", Threads: 3},
	{Label: "O3/unchecked", Arch: ti.LLVM, Opt: "3", Threads: 2, Unchecked: true},
	{Label: "O1", Arch: ti.LLVM, Opt: "1", Threads: 1, Force: 4},
}

// compareUpdates returns the remarks on the kernel of a seed.
func compareUpdates(t *testing.T, seed uint64) (told string) {
	src, cols := updateKernel(seed)
	random := rand.New(rand.NewPCG(seed, 37))
	want, _ := runUpdates(t, runtest.OracleVariant, seed, src, cols, false)
	variants := []runtest.Variant{updateVariants[random.IntN(3)], updateVariants[3+random.IntN(4)]}
	names := option.SwitchNames()
	if i := random.IntN(4); i < 2 { // some without a part of the compiler
		variants[i].Without = names[random.IntN(len(names))]
		variants[i].Label += ", without " + variants[i].Without
	}
	for i, v := range variants {
		got, explained := runUpdates(t, v, seed, src, cols, i == 0)
		if got != want {
			t.Fatalf("seed %d, %s: %s\n%s", seed, v.Label, firstDifference(got, want), src)
		}
		told += explained
	}
	return told
}

// runUpdates launches a kernel twice and returns the contents of memory afterwards and, if explain is set, the remarks on the kernel, for
// which it is compiled again.
func runUpdates(t *testing.T, v runtest.Variant, seed uint64, src string, cols int, explain bool) (data, told string) {
	r := &runtest.Run{TB: t, Variant: v}
	r.RT, r.Out = v.NewRuntime(t)
	defer r.RT.Close()
	h := &updateHost{}
	h.place(r, seed, cols)
	p := r.Load(src, h)
	h.fill(seed, cols)
	var b strings.Builder
	for range 2 {
		results, err := p.Kernel("Run").Launch(context.Background())
		if err != nil {
			t.Fatalf("seed %d, %s: %v\n%s", seed, v.Label, err, src)
		}
		fmt.Fprintln(&b, results)
	}
	h.print(&b, cols)
	var e strings.Builder
	if explain {
		if err := p.Kernel("Run").Explain(&e); err != nil {
			t.Fatal(err)
		}
	}
	return b.String(), e.String()
}

// place lays the fields out: most in trees of their own, of which threads have copies. The oracle has them as they come.
func (h *updateHost) place(r *runtest.Run, seed uint64, cols int) {
	r.RT.Place(ti.Shape{cols}, &h.X, &h.Y, &h.N, &h.Own, &h.Low)
	word := func() {
		r.RT.NewTree().Dense(ti.I, 16).BitStruct(32).Place(&h.Q, ti.QuantInt(20).Wrap(), ti.QuantInt(12).Wrap())
	}
	bits := func() { r.RT.NewTree().Dense(ti.I, 8).BitArray(64, ti.I, 8).Place(&h.B, ti.QuantInt(8).Wrap()) }
	if r.Arch == ti.Oracle {
		word()
		bits()
	}
	random := rand.New(rand.NewPCG(seed, 41))
	for _, f := range []struct {
		n int
		f ti.AnyField
	}{
		{8, &h.Ti}, {16, &h.Tu}, {13, &h.Tl}, {8, &h.Tk}, {8, &h.Tb}, {11, &h.Ts}, {8, &h.Tf}, {9, &h.Td}, {8, &h.Th}, {8, &h.V}, {8, &h.W}, {8, &h.S}, {8, &h.U},
		{manyTargets, &h.R}, {manyTargets, &h.RV}, {manyTargets, &h.RF},
	} {
		switch members := ti.Members(f.f); {
		case len(members) > 1 && random.IntN(3) == 0: // arrays in a tree
			tree := r.RT.NewTree()
			for _, m := range members {
				tree.Dense(ti.I, f.n).Place(m)
			}
		case len(members) > 1 && random.IntN(3) == 0: // in trees of their own
			r.RT.Place(ti.Shape{f.n}, members...)
		default:
			r.RT.Place(ti.Shape{f.n}, f.f)
		}
	}
	if r.Arch != ti.Oracle {
		word()
		bits()
	}
}

// fill gives the fields their numbers.
func (h *updateHost) fill(seed uint64, cols int) {
	random := rand.New(rand.NewPCG(seed, 43))
	for i := range cols {
		h.X.Set(float32(random.IntN(10)), i)
		h.Y.Set(float32(random.IntN(5)), i)
		h.N.Set(int32(random.IntN(8)), i)
		h.Low.Set(uint16(random.IntN(40)), i)
	}
	for i := range 8 {
		h.Ti.Set(int32(i*7), i)
		h.Tf.Set(float32(i), i)
		h.Tb.Set(uint8(i*37), i)
		h.V.Set(ti.Vec3{1, float32(i), 3}, i)
	}
}

// print writes what is in the fields that a kernel updates.
func (h *updateHost) print(b *strings.Builder, cols int) {
	for i := range cols {
		fmt.Fprintln(b, "Own", i, h.Own.At(i))
	}
	for i := range 8 {
		fmt.Fprintln(b, i, h.Ti.At(i), h.Tk.At(i), h.Tb.At(i), h.Tf.At(i), h.Th.At(i), h.V.At(i), h.W.At(i), h.S.At(i), h.U.At(i))
		fmt.Fprintln(b, i, h.Ts.At(i), h.Tl.At(i), h.Td.At(i))
	}
	for i := range 16 {
		fmt.Fprintln(b, i, h.Tu.At(i), h.Q.At(i))
	}
	for i := range 64 {
		fmt.Fprintln(b, i, h.B.At(i))
	}
	for i := range manyTargets {
		fmt.Fprintln(b, i, h.R.At(i), h.RV.At(i), h.RF.At(i))
	}
}
