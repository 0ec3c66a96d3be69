package engine_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const longLoopSource = `package longloop

var R field[u32]

// Turn has few iterations, each of which takes long, and how long is not known before.
func Turn(n i32) {
	for i := range R {
		x := u32(i)
		for k := 0; k < n; k++ {
			x = x*1664525 + 1013904223
		}
		R[i] = x
	}
}
`

// TestLongLoop runs long loops on as many threads as the Go scheduler has processors, while
// garbage is collected and another goroutine is to make progress.
func TestLongLoop(t *testing.T) {
	const n = 300_000
	threads := runtime.GOMAXPROCS(0)
	for _, threads := range []int{threads, threads + 1, max(1, threads-1)} {
		s := struct {
			R    ti.Field[uint32]
			Turn func(n int32) error
		}{}
		rt := titest.New(t, ti.Config{Threads: threads})
		rt.Place(ti.Shape{4 * threads}, &s.R)
		if _, err := rt.Compile(ti.Text("longloop.ti", longLoopSource), &s); err != nil {
			t.Fatal(err)
		}
		want := make([]uint32, 4*threads)
		for i := range want {
			want[i] = uint32(i)
			for range n {
				want[i] = want[i]*1664525 + 1013904223
			}
		}
		var stop atomic.Bool
		done := make(chan int)
		go func() {
			collected := 0
			for ; !stop.Load(); collected++ {
				runtime.GC()
			}
			done <- collected
		}()
		got := make([]uint32, len(want))
		for range 10 {
			titest.Must(t, s.Turn(n))
			titest.Must(t, s.R.CopyTo(got))
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("%d threads: element %d is %d, not %d", threads, i, got[i], want[i])
				}
			}
		}
		stop.Store(true)
		if collected := <-done; collected == 0 {
			t.Errorf("%d threads: no garbage was collected meanwhile", threads)
		}
	}
}
