package engine_test

import (
	"runtime"
	"sync"
	"testing"
	"time"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestOthersRun launches kernels without a pause on all processors: other goroutines run meanwhile, and garbage is
// collected.
func TestOthersRun(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	var s struct {
		X            ti.Field[float32]
		Long, Uneven func() error
	}
	rt.Place(ti.Shape{1 << 18}, &s.X)
	titest.Must(t, rt.Load(`package p

var X field[f32]

func Long() { for i := range X { X[i] = sin(X[i] + 1) } }

func Uneven() {
	for i := range X {
		n := i % 50
		for n > 0 { X[i] += 1; n -= 1 }
	}
}`, &s))
	for _, launch := range []func() error{s.Long, s.Uneven} {
		var wg sync.WaitGroup
		stop := make(chan struct{})
		turns := make([]int, 2*runtime.GOMAXPROCS(0))
		for i := range turns {
			wg.Go(func() {
				for ; ; turns[i]++ {
					select {
					case <-stop:
						return
					default:
						runtime.Gosched()
					}
				}
			})
		}
		launches := 0
		for start := time.Now(); time.Since(start) < 300*time.Millisecond || launches < 3; launches++ {
			titest.Must(t, launch())
			if launches%16 == 0 {
				runtime.GC()
			}
		}
		close(stop)
		wg.Wait()
		for i, n := range turns {
			if n < 3 {
				t.Errorf("goroutine %d had %d turns in %d launches", i, n, launches)
			}
		}
		t.Logf("%d launches beside %v turns", launches, turns)
	}
}
