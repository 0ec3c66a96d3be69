package batch_test

import (
	"fmt"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const headSource = `
package head

var X, Y field[f32]

func Add(n i32, k f32) {
	for i := range min(n, X.shape[0]) {
		X[i] += k
	}
}

func Copy(n i32) {
	for i := range min(n, X.shape[0]) {
		Y[i] = X[i]
	}
}

func Between(m, n i32) {
	for i := range span(max(m, 0), min(n, X.shape[0])) {
		Y[i] += X[i]
	}
}
`

// TestEqualArgs: loops whose ranges follow from equal arguments are fused, and those of different ones are not, in one program that does both in turn.
func TestEqualArgs(t *testing.T) {
	t.Setenv("TI_LINK_ALWAYS", "1")
	const n = 64
	run := func(batch int) (all []float32, removed []int64) {
		rt := titest.New(t, ti.Config{Batch: batch, StrictMath: true})
		var h struct {
			X, Y    ti.Field[float32]
			Add     func(n int32, k float32) error
			Copy    func(n int32) error
			Between func(m, n int32) error
		}
		rt.Place(ti.Shape{n}, &h.X)
		rt.Place(ti.Shape{n}, &h.Y)
		titest.Must(t, rt.Load(headSource, &h))
		for _, args := range [][]int32{{40, 40, 40}, {30, 30, 30}, {40, 41, 40}, {9, 9, 50}, {9, 50, 9}, {7, 7, 7}, {40, 41, 40}, {0, 0, 0}} {
			before := rt.Stats().Removed
			titest.Must(t, h.Add(args[0], float32(args[0])))
			titest.Must(t, h.Copy(args[1]))
			titest.Must(t, h.Between(args[0]/2, args[2]))
			titest.Must(t, h.Add(args[0], 0.5))
			titest.Must(t, rt.Sync())
			removed = append(removed, rt.Stats().Removed-before)
			for i := range n {
				all = append(all, h.X.At(i), h.Y.At(i))
			}
		}
		return all, removed
	}
	want, _ := run(1)
	got, removed := run(64)
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("number %d is %v, want %v", i, got[i], want[i])
		}
	}
	if saved := fmt.Sprint(removed); saved != "[3 3 1 3 1 3 1 3]" {
		t.Errorf("the tasks saved are %s; Add and Copy are fused where their arguments are equal, and both launches of Add compute one range", saved)
	}
}
