package store_test

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// sameInOrder compares what CopyTo gives with At.
func sameInOrder[T comparable](t *testing.T, name string, f *ti.Field[T], of func(n int) T) {
	t.Helper()
	each := func(visit func(n int, idx []int)) {
		shape, idx := f.Shape(), make([]int, len(f.Shape()))
		for n := range f.Len() {
			for k, rest := len(shape)-1, n; k >= 0; k-- {
				idx[k] = f.Origin()[k] + rest%shape[k]
				rest /= shape[k]
			}
			visit(n, idx)
		}
	}
	each(func(n int, idx []int) { f.Set(of(n), idx...) })
	all := f.Values()
	each(func(n int, idx []int) {
		if got := f.At(idx...); got != all[n] || got != of(n) {
			t.Errorf("%s%v is %v, and element %d of the copy %v; want %v", name, idx, got, n, all[n], of(n))
		}
	})
}

// TestCopyStrided copies elements that lie at fixed strides and do not follow each other, in row-major order: members, columns, and indices that do not begin at 0.
func TestCopyStrided(t *testing.T) {
	type particle struct {
		X    ti.Vec3
		Mass float64
		Kind uint8
	}
	rt := titest.New(t, ti.Config{})
	var row, table ti.Field[particle]
	var columns, moved, beside ti.Field[float32]
	rt.Place(ti.Shape{7}, &row)
	rt.Place(ti.Shape{2, 3, 4}, &table)
	rt.NewTree().Dense(ti.J, 4).Dense(ti.I, 3).Place(&columns)
	rt.NewTree().Origin(ti.IJ, -1, 5).Dense(ti.IJ, 3, 4).Place(&moved, &beside)
	vec := func(n int) ti.Vec3 { return ti.Vec3{float32(n), -1, float32(n * n)} }
	number := func(n int) float32 { return float32(n) + 0.5 }
	sameInOrder(t, "row.X", ti.Member[ti.Vec3](&row, "X"), vec)
	sameInOrder(t, "table.X", ti.Member[ti.Vec3](&table, "X"), vec)
	sameInOrder(t, "table.Mass", ti.Member[float64](&table, "Mass"), func(n int) float64 { return float64(n) / 3 })
	sameInOrder(t, "table.Kind", ti.Member[uint8](&table, "Kind"), func(n int) uint8 { return uint8(n) })
	sameInOrder(t, "table.X[1]", ti.Member[float32](&table, "X[1]"), number)
	sameInOrder(t, "columns", &columns, number)
	sameInOrder(t, "moved", &moved, number)
	sameInOrder(t, "beside", &beside, func(n int) float32 { return -number(n) })
	sameInOrder(t, "moved", &moved, number)
}
