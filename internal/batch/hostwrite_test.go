package batch_test

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const storesSource = `
package stores

var (
	F field[f32, D2]
	V field[vec3]
	M field[[2][3]f64, D0]
	H field[f16]
	B field[bool]
	I field[i8]
	U field[u64]
	P field[f32]
	N field[i32, D0]
)

func Touch() {
	for i, j := range F { F[i][j] += 1 }
	for i := range V { V[i][0] += 1 }
	M[0][1] += 1
	for i := range H { H[i] += 1 }
	for i := range B { B[i] = !B[i] }
	for i := range I { I[i] += 1 }
	for i := range U { U[i] += 1 }
	for i := range P { P[i] += 1 }
	N += 1
}
`

type stores struct {
	F     ti.Field[float32]
	V     ti.Field[ti.Vec3]
	M     ti.Field[[2][3]float64]
	H     ti.Field[ti.Float16]
	B     ti.Field[bool]
	I     ti.Field[int8]
	U     ti.Field[uint64]
	P     ti.Field[float32]
	N     ti.Field[int32]
	Touch func()
}

func newStores(t *testing.T, cfg ti.Config) (*ti.Runtime, *stores) {
	rt, s := titest.New(t, cfg), new(stores)
	rt.NewTree().Origin(ti.IJ, -1, 5).Dense(ti.IJ, 4, 3).Place(&s.F)
	rt.Place(ti.Shape{5}, &s.V, &s.H, &s.B, &s.I, &s.U)
	rt.Place(nil, &s.M, &s.N)
	rt.NewTree().Pointer(ti.I, 4).Dense(ti.I, 4).Place(&s.P)
	titest.Must(t, rt.Load(storesSource, s))
	return rt, s
}

// TestHostStores: stores of the host are queued behind launches, element types of all kinds, and leave the same as where each launch runs at once.
func TestHostStores(t *testing.T) {
	t.Setenv("TI_LINK_ALWAYS", "1")
	for _, arch := range []ti.Arch{ti.LLVM, ti.Oracle} {
		var all []*stores
		for _, most := range []int{1, 1000} {
			rt, s := newStores(t, ti.Config{Arch: arch, Batch: most})
			for round := range 3 {
				s.P.Set(3, 2)
				s.Touch()
				before := rt.Stats().Launches
				s.F.Fill(float32(round))
				s.V.Fill(ti.Vec3{1, 2, float32(round)})
				s.M.Fill([2][3]float64{{1, 2, 3}, {4, 5, 6}})
				s.H.Fill(ti.ToFloat16(1.5))
				s.B.Fill(round == 1)
				s.I.Fill(-5)
				s.U.Fill(1 << 63)
				s.P.Fill(7)
				s.N.Fill(-1)
				s.Touch()
				s.F.Set(0.5, 2, 7)
				s.V.Set(ti.Vec3{3, 4, 5}, 4)
				s.M.Set([2][3]float64{{9, 8, 7}})
				s.H.Set(ti.ToFloat16(-2), 0)
				s.B.Set(true, 3)
				s.I.Set(-128, 1)
				s.U.Set(1<<64-1, 2)
				s.P.Set(5, 13) // becomes active
				s.N.Set(1 << 30)
				s.Touch()
				if n := rt.Stats().Launches - before; (n == 0) != (most > 1) {
					t.Errorf("%v, Batch %d: %d launches have run behind stores of the host", arch, most, n)
				}
			}
			titest.Must(t, rt.Sync())
			if n := rt.Stats().Launches; n != 9 {
				t.Errorf("%v, Batch %d: %d launches, want 9", arch, most, n)
			}
			all = append(all, s)
		}
		same(t, "F", &all[0].F, &all[1].F)
		same(t, "V", &all[0].V, &all[1].V)
		same(t, "M", &all[0].M, &all[1].M)
		same(t, "H", &all[0].H, &all[1].H)
		same(t, "B", &all[0].B, &all[1].B)
		same(t, "I", &all[0].I, &all[1].I)
		same(t, "U", &all[0].U, &all[1].U)
		same(t, "P", &all[0].P, &all[1].P)
		same(t, "N", &all[0].N, &all[1].N)
	}
}

func same[T comparable](t *testing.T, name string, a, b *ti.Field[T]) {
	t.Helper()
	got := map[[8]int]T{}
	for idx, v := range b.All() {
		got[idx] = v
	}
	for idx, v := range a.All() {
		if w, ok := got[idx]; !ok || w != v {
			t.Errorf("%s%v is %v in batches, and %v without", name, idx, w, v)
		}
		delete(got, idx)
	}
	if len(got) > 0 {
		t.Errorf("%s has %d more elements in batches", name, len(got))
	}
}

// TestManySets: a program that sets many elements waits once, and then stores by itself.
func TestManySets(t *testing.T) {
	t.Setenv("TI_LINK_ALWAYS", "1")
	rt, s := newStores(t, ti.Config{Batch: 1000})
	s.Touch()
	s.U.Set(1, 0)
	if n := rt.Stats().Launches; n != 0 {
		t.Errorf("%d launches have run behind one Set", n)
	}
	s.U.Set(2, 1)
	if n := rt.Stats().Launches; n != 1 {
		t.Errorf("%d launches have run behind two, want 1", n)
	}
	if s.U.At(0) != 1 || s.U.At(1) != 2 || s.U.At(2) != 1 {
		t.Errorf("U is %d %d %d", s.U.At(0), s.U.At(1), s.U.At(2))
	}
}
