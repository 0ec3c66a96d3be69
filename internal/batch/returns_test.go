package batch_test

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const returnsSource = `
package returns

var X, Y, Z field[f32]
var Stop    field[i32, D0]

func Double() {
	for i := range X {
		X[i] *= 2
	}
	if Stop > 0 {
		return
	}
	for i := range Y {
		Y[i] += X[i]
	}
}

func Add() {
	for i := range X {
		X[i] += 1
	}
}

func Other() {
	for i := range Z {
		Z[i] = Z[i]*0.5 + 1
	}
}
`

// TestReturnBesideOthers: what comes behind a return of a linked launch does not run where tasks run concurrently, or tile by tile.
func TestReturnBesideOthers(t *testing.T) {
	type host struct {
		X, Y, Z            ti.Field[float32]
		Stop               ti.Field[int32]
		Double, Add, Other func() error
	}
	run := func(cfg ti.Config) (sum [3]float32) {
		rt, h := titest.New(t, cfg), new(host)
		rt.Place(ti.Shape{512}, &h.X, &h.Y, &h.Z)
		rt.Place(nil, &h.Stop)
		titest.Must(t, rt.Load(returnsSource, h))
		h.X.Fill(1)
		for stop := range int32(3) {
			h.Stop.Set(stop)
			for range 3 {
				for _, f := range []func() error{h.Add, h.Double, h.Add, h.Other} {
					titest.Must(t, f())
				}
			}
			titest.Must(t, rt.Sync())
		}
		return [3]float32{h.X.At(3), h.Y.At(3), h.Z.At(3)}
	}
	want := run(ti.Config{Threads: 1})
	t.Setenv("TI_LINK_ALWAYS", "1")
	for _, env := range []string{"TI_CONCURRENT", "TI_TILE_ROWS"} {
		t.Run(env, func(t *testing.T) {
			t.Setenv(env, map[string]string{"TI_CONCURRENT": "1", "TI_TILE_ROWS": "16"}[env])
			if got := run(ti.Config{Threads: 2, Batch: 64}); got != want {
				t.Errorf("the elements are %v, want %v", got, want)
			}
		})
	}
}
