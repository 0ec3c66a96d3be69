package batch_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const linkedArgsSource = `
package linkedargs

var X, Y field[i32]

func Add(k i32) {
	for i := range X {
		X[i] = 3*X[i] + k
	}
}

func Put(k i32) {
	for i := range X {
		Y[i] = k
	}
}

func Noise(k i32) {
	for i := range X {
		X[i] += i32(random()*f32(k))
	}
}
`

type linkedArgs struct {
	X, Y            ti.Field[int32]
	Add, Put, Noise func(k int32) error
}

// TestLinkedArguments: launches that are linked have their own arguments and random numbers, also where a launch between them is dropped, and where one of them
// draws.
func TestLinkedArguments(t *testing.T) {
	t.Setenv("TI_LINK_ALWAYS", "1")
	for _, launches := range []string{"Add Add Add", "Add Put Add Put", "Noise Add Add", "Add Add Noise Add Add", "Add Add Noise"} {
		var want string
		for _, most := range []int{1, 64} {
			rt := titest.New(t, ti.Config{Threads: 1, Batch: most})
			var h linkedArgs
			rt.Place(ti.Shape{8}, &h.X, &h.Y)
			titest.Must(t, rt.Load(linkedArgsSource, &h))
			kernels := map[string]func(int32) error{"Add": h.Add, "Put": h.Put, "Noise": h.Noise}
			for round := range int32(3) {
				for i, name := range strings.Fields(launches) {
					titest.Must(t, kernels[name](1000*round+100*int32(i)+7))
				}
				titest.Must(t, rt.Sync())
			}
			var got string
			for i := range 8 {
				got += fmt.Sprint(h.X.At(i), h.Y.At(i), " ")
			}
			if most == 1 {
				want = got
			} else if got != want {
				t.Errorf("%s: %s, want %s", launches, got, want)
			}
			if removed := rt.Stats().Removed; (most > 1) != (removed > 0) {
				t.Errorf("%s, Batch %d: %d tasks removed", launches, most, removed)
			}
		}
	}
}

// TestQueueAllocatesNothing: launches of known batches allocate nothing, be they whole rounds or not.
func TestQueueAllocatesNothing(t *testing.T) {
	rt := titest.New(t, ti.Config{Threads: 1, Batch: 16})
	var h linkedArgs
	rt.Place(ti.Shape{8}, &h.X, &h.Y)
	titest.Must(t, rt.Load(linkedArgsSource, &h))
	rounds := func() {
		for range 16 {
			_, _, _ = h.Add(1), h.Put(2), h.Put(3)
		}
	}
	for _, test := range []struct {
		what string
		f    func()
	}{{"48 launches", rounds}, {"48 launches and a Sync", func() { rounds(); _ = rt.Sync() }}} {
		n := 0.0
		for until := time.Now().Add(20 * time.Second); time.Now().Before(until); time.Sleep(10 * time.Millisecond) { // plans are made, and compared with launches by themselves
			if n = testing.AllocsPerRun(100, test.f); n == 0 {
				break
			}
		}
		if n > 0 {
			t.Errorf("%v allocations in %s", n, test.what)
		}
	}
}

// TestWiderBatch: a program that waits after a few more tasks than a batch has gets larger batches, and one that waits after many more does not.
func TestWiderBatch(t *testing.T) {
	t.Setenv("TI_LINK_ALWAYS", "1")
	for _, test := range []struct{ launches, removed int }{ // removed in the last of three rounds
		{16, 15}, {17, 16}, {20, 19}, {21, 15 + 4}, {40, 15 + 15 + 7},
	} {
		rt := titest.New(t, ti.Config{Threads: 1, Batch: 16})
		var h linkedArgs
		rt.Place(ti.Shape{8}, &h.X, &h.Y)
		titest.Must(t, rt.Load(linkedArgsSource, &h))
		before := int64(0)
		for round := range 3 {
			for range test.launches {
				titest.Must(t, h.Add(1))
			}
			titest.Must(t, rt.Sync())
			removed := rt.Stats().Removed
			if got := removed - before; round == 2 && got != int64(test.removed) {
				t.Errorf("of %d launches, %d tasks are removed, want %d", test.launches, got, test.removed)
			}
			before = removed
		}
	}
}
