package vulkan_test

import (
	"sync"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const goroutinesSource = `package p

var X, N field[i32]

func Add(k i32) {
	for i := range X {
		X[i] += k
	}
}

func Twice(k i32) {
	for i := range X {
		X[i] += k
	}
	for i := range N {
		N[i] += 2*k
	}
}

func Sum() (s i32) {
	for range X {
		s += 1
	}
	return s
}
`

// TestGoroutines: many goroutines launch on several runtimes of one device, with and without batches. Each launch takes effect once, also while others compile.
func TestGoroutines(t *testing.T) {
	cfg := titest.Vulkan(t, ti.Config{Cache: ti.Cache{Policy: ti.CacheOff}})
	type host struct {
		X, N       ti.Field[int32]
		Add, Twice func(k int32) error
		Sum        func() (int32, error)
	}
	var all []*host
	var runtimes []*ti.Runtime
	for _, batch := range []int{0, 64, 3} {
		cfg.Batch = batch
		rt, h := runtime(t, cfg), &host{}
		rt.Place(ti.Shape{32}, &h.X, &h.N)
		must(t, rt.Load(goroutinesSource, h))
		all, runtimes = append(all, h), append(runtimes, rt)
	}
	const goroutines, rounds = 100, 6
	var wait sync.WaitGroup
	for g := range goroutines {
		wait.Go(func() {
			for i := range rounds {
				h := all[(g+i)%len(all)]
				if err := h.Add(1); err != nil {
					t.Error(err)
				}
				if err := h.Twice(10); err != nil {
					t.Error(err)
				}
				if n, err := h.Sum(); i == 0 && g%8 == 0 && (err != nil || n != 32) {
					t.Errorf("the sum is %d, and the error %v", n, err)
				}
			}
		})
	}
	wait.Wait()
	for k, h := range all {
		must(t, runtimes[k].Sync())
		launches := int32(goroutines * rounds / len(all))
		for i := range 32 {
			if x, n := h.X.At(i), h.N.At(i); x != 11*launches || n != 20*launches {
				t.Fatalf("runtime %d: elements %d are %d and %d, want %d and %d", k, i, x, n, 11*launches, 20*launches)
			}
		}
	}
}
