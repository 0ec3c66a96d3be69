package vulkan_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
)

// TestQuantised stores numbers of quantised types, many of them halfway between two codes.
func TestQuantised(t *testing.T) {
	const source = `package p

var X, Y, Z field[f32]
var V, W field[vec3]

func Run() {
	for i := range X {
		Y[i] = X[i]
		Z[i] = X[i]
	}
	for i := range V {
		V[i] = W[i]
	}
}
`
	run := func(rt *ti.Runtime) (all []string) {
		var h struct {
			X, Y, Z ti.Field[float32]
			V, W    ti.Field[ti.Vec3]
			Run     func() error
		}
		rt.Place(ti.Shape{200}, &h.X)
		rt.Place(ti.Shape{40}, &h.W)
		rt.NewTree().Dense(ti.I, 200).BitStruct(32).Place(&h.Y, ti.QuantFixed(16, 8)).Place(&h.Z, ti.QuantFloat(5, 11))
		rt.NewTree().Dense(ti.I, 40).BitStruct(32).PlaceShared(ti.QuantFloat(8, 8), &h.V)
		must(t, rt.Load(source, &h))
		for i := range 200 {
			h.X.Set(float32(i-100)*0.5*float32(math.Exp2(float64(i%9-12))), i)
		}
		for i := range 40 {
			h.W.Set(ti.Vec3{0.396484375, 1 + float32(2*i+1)/128, -1 - float32(2*i+1)/256}, i)
		}
		must(t, h.Run())
		for i := range 200 {
			all = append(all, fmt.Sprint(h.Y.At(i), h.Z.At(i)))
		}
		for i := range 40 {
			all = append(all, fmt.Sprint(h.V.At(i)))
		}
		return all
	}
	cfg := ti.Config{StrictMath: true, Cache: ti.Cache{Policy: ti.CacheOff}}
	got := run(open(t, cfg))
	cfg.Arch = ti.Oracle
	for i, want := range run(runtime(t, cfg)) {
		if got[i] != want {
			t.Errorf("element %d is %s, want %s", i, got[i], want)
		}
	}
}

// TestQuantisedSums adds to few elements of a bit array in many iterations. Processors do it in a copy for each thread.
func TestQuantisedSums(t *testing.T) {
	const source = `package p

var Bins field[i32, D2]

func Count() {
	for i := range 5000 {
		h := u32(i) * 2654435761
		Bins[i32(h>>9) % 4][i32(h>>20) % 32] += i % 3
	}
}
`
	run := func(rt *ti.Runtime) []int32 {
		var h struct {
			Bins  ti.Field[int32]
			Count func() error
		}
		rt.NewTree().Dense(ti.IJ, 4, 4).BitArray(64, ti.J, 8).Place(&h.Bins, ti.QuantInt(5).Wrap())
		must(t, rt.Load(source, &h))
		h.Bins.Fill(3)
		must(t, h.Count())
		got := make([]int32, 4*32)
		must(t, h.Bins.CopyTo(got))
		return got
	}
	cfg := ti.Config{Threads: 2, Cache: ti.Cache{Policy: ti.CacheOff}}
	got := run(open(t, cfg))
	cfg.Arch = ti.Oracle
	if want := run(runtime(t, cfg)); !slices.Equal(got, want) {
		t.Errorf("the bins have %d, want %d", got, want)
	}
}
