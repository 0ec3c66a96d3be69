package batch_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const growthSource = `
package growth

var X field[f32, D2]
var Y field[f32, D1]
var Z field[i32, D1]

func Before() {
	for i := range 16384 {
		Z[i] = 3
	}
}

func Grow() {
	for i := range 16384 {
		X[i][0] = 1
	}
}

func Again() {
	for i := range 16384 {
		X[i][0] += 1
	}
}

func After() {
	for i := range 16384 {
		Z[i] += 1
	}
}

func Last() {
	for i := range 16384 {
		Y[i] = 5
	}
}
`

// TestMemoryOfFusedLaunches runs launches that are one loop, and of which the first activates more than there is memory for. It is the one
// that is reported, those before it take effect, and those behind it run.
func TestMemoryOfFusedLaunches(t *testing.T) {
	for _, limit := range []int64{8 << 20, 1 << 30} {
		rt := titest.New(t, ti.Config{MemoryLimit: limit, Batch: 64, Threads: 2})
		var h struct {
			X, Y                             ti.Field[float32]
			Z                                ti.Field[int32]
			Before, Grow, Again, After, Last func()
		}
		rt.NewTree().Pointer(ti.I, 1<<14).Dense(ti.J, 1024).Place(&h.X)
		rt.Place(ti.Shape{1 << 14}, &h.Y)
		rt.Place(ti.Shape{1 << 14}, &h.Z)
		titest.Must(t, rt.Load(growthSource, &h))
		plan, err := rt.Plan(func() { h.Before(); h.Grow(); h.Again(); h.After(); h.Last() })
		titest.Must(t, err)
		before := rt.Stats().Removed
		err = plan.Run(context.Background(), 1)
		for i := range 1 << 14 {
			z, y := h.Z.At(i), h.Y.At(i)
			if z != 4 && (err == nil || z != 3) || y != 5 {
				t.Fatalf("limit %d: element %d is %d, and %g", limit, i, z, y)
			}
		}
		if limit > 8<<20 {
			if removed := rt.Stats().Removed - before; err != nil || removed != 3 || h.X.At(5, 0) != 2 {
				t.Errorf("%v, %d tasks are removed, and an element is %g", err, removed, h.X.At(5, 0))
			}
			continue
		}
		if !errors.Is(err, ti.ErrMemory) || !strings.Contains(err.Error(), "Grow ended early") {
			t.Errorf("the error is %v", err)
		}
	}
}
