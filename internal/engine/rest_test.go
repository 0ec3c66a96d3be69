package engine

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gotaichi/ti/internal/launch"
)

func TestBrief(t *testing.T) {
	for _, c := range []struct {
		steps int64
		cost  float64
		n     int64
		want  bool
	}{
		{0, 1, 1, false},                  // may wait
		{10, 0, shortSteps / 10, true},    // not measured, but over soon
		{10, 0, shortSteps/10 + 1, false}, // not measured
		{10, 1, briefMost, true},          // measured
		{10, 1, briefMost + 1, false},     // too long
		{10, 1e-3, briefSteps / 10, true}, // as many steps as are allowed
		{10, 1e-3, briefSteps/10 + 1, false},
		{1 << 20, 1, 1 << 60, false}, // whose product is beyond an int64
	} {
		k := &task{Task: launch.Task{Steps: c.steps}, cost: c.cost}
		if got := k.brief(c.n); got != c.want {
			t.Errorf("%d iterations of %d steps that take %v ns: brief is %v", c.n, c.steps, c.cost, got)
		}
	}
}

// TestChunkSize: chunks of tasks with a bound are short enough for a brief call, those of loops that are over soon
// are the threads' shares.
func TestChunkSize(t *testing.T) {
	for _, c := range []struct {
		steps    int64
		cost     float64
		n, inner int64
		want     int64
	}{
		{0, 1, 1 << 30, 1, chunkMax},
		{5, 1, 1 << 30, 1, chunkBrief},
		{5, 1, 1 << 30, 1000, chunkBrief},
		{1 << 16, 10, 1 << 30, 1, briefSteps >> 16},
		{5, 1, wholeBelow - 2, 1, wholeBelow/2 - 1},
		{5, 1, 1 << 17, 1, 1 << 13},
		{1 << 20, 1e6, 64, 1, 1},
	} {
		k := &task{Task: launch.Task{Steps: c.steps}, cost: c.cost}
		got := k.chunkSize(c.n, c.inner, 2)
		if got > c.want || got < c.want-64 {
			t.Errorf("a chunk of %d iterations of %d steps that take %v ns is %d, not %d", c.n, c.steps, c.cost, got, c.want)
		}
		if most := k.chunkSize(c.n, c.inner, 2); c.steps > 0 && c.cost*float64(most) < briefMost && !k.brief(most) {
			t.Errorf("chunks of %d iterations of %d steps are too long for a brief call", most, c.steps)
		}
	}
}

// TestRest runs jobs that the workers find awake and asleep. All must help.
func TestRest(t *testing.T) {
	e := newEngine(3)
	defer e.Close()
	var helped [3]atomic.Int64
	entry := nativeTask(func(c *launch.Context, begin, end int64) {
		helped[c.Worker].Add(end - begin)
		time.Sleep(time.Duration(end-begin) * time.Millisecond)
	})
	c := NewCode(&launch.Kernel{Done: -1, Tasks: []launch.Task{{Dims: dims(60)}}}, []uintptr{entry}, nil)
	for _, pause := range []time.Duration{0, time.Millisecond, 50 * time.Millisecond, 0, 20 * time.Microsecond} {
		time.Sleep(pause)
		e.turn.Lock()
		run(t, e, c)
		e.turn.Unlock()
		var n [3]int64
		for i := range helped {
			n[i] = helped[i].Swap(0)
		}
		if n[0]+n[1]+n[2] != 60 || slices.Min(n[:]) == 0 {
			t.Errorf("after a pause of %v the threads ran %v iterations", pause, n)
		}
	}
}

// TestCloseAtRest closes engines whose workers are awake and asleep.
func TestCloseAtRest(t *testing.T) {
	entry := nativeTask(func(_ *launch.Context, begin, end int64) { time.Sleep(time.Duration(end-begin) * time.Millisecond) })
	c := NewCode(&launch.Kernel{Done: -1, Tasks: []launch.Task{{Dims: dims(8)}}}, []uintptr{entry}, nil)
	for _, pause := range []time.Duration{0, time.Millisecond} {
		e := newEngine(2)
		e.turn.Lock()
		run(t, e, c)
		e.turn.Unlock()
		time.Sleep(pause)
		e.Close()
	}
}

// TestJobClose: whoever closes a job waits for those inside, in a spin and asleep.
func TestJobClose(t *testing.T) {
	for _, stay := range []time.Duration{0, 10 * time.Microsecond, 5 * time.Millisecond} {
		j := &job{idle: make(chan struct{}, 1)}
		for range 100 {
			j.open()
			var left atomic.Int32
			for range 3 {
				if !j.join() {
					t.Fatal("an open job cannot be joined")
				}
				go func() {
					time.Sleep(stay)
					left.Add(1)
					j.leave()
				}()
			}
			j.close()
			if n := left.Load(); n != 3 {
				t.Fatalf("closed while %d were inside", 3-n)
			}
			if j.join() {
				t.Fatal("a closed job can be joined")
			}
			if stay > time.Millisecond {
				break
			}
		}
	}
}
