package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/memory"
	"github.com/gotaichi/ti/internal/spin"
)

// scheduled prepares launches of kernels on an engine, whose lock the test holds from then on.
func scheduled(t *testing.T, e *Engine, kernels []*launch.Kernel, entries [][]uintptr, nodes []launch.Node) (*schedule, []*Code) {
	t.Helper()
	e.turn.Lock()
	t.Cleanup(func() {
		e.turn.Unlock()
		e.Close()
	})
	var codes []*Code
	var launchers []launch.Launcher
	for i, k := range kernels {
		c := NewCode(k, entries[i], nil)
		c.engine = e
		codes, launchers = append(codes, c), append(launchers, c)
	}
	s, ok := e.Schedule(launchers, nodes)
	if !ok {
		t.Fatal("the launches cannot be scheduled")
	}
	return s.(*schedule), codes
}

// TestScheduleOrder runs random graphs: each iteration runs once, and behind all nodes that its node waits for.
func TestScheduleOrder(t *testing.T) {
	const most = 40
	var begun, ended [most]atomic.Int64 // iterations
	var after [most][]int
	var bad atomic.Int32
	sizes := [most]int64{}
	entry := nativeTask(func(c *launch.Context, begin, end int64) {
		n := int(c.Loop) - 1
		begun[n].Add(end - begin)
		for _, k := range after[n] {
			if ended[k].Load() != sizes[k] {
				bad.Add(1)
			}
		}
		for range 20 * (n % 3) {
			spin.Pause()
		}
		ended[n].Add(end - begin)
	})
	r := rand.New(rand.NewPCG(1, 1))
	for round := range 60 {
		e := newEngine(1 + round%5 + 1)
		count := 2 + r.IntN(most-1)
		kernels, entries, nodes := []*launch.Kernel(nil), [][]uintptr(nil), []launch.Node(nil)
		for n := range count {
			if n == 0 || r.IntN(2) == 0 { // else another task of the kernel
				kernels, entries = append(kernels, &launch.Kernel{Done: -1}), append(entries, nil)
			}
			k := kernels[len(kernels)-1]
			task := launch.Task{Loop: int64(n) + 1}
			if sizes[n] = 1; r.IntN(4) > 0 {
				sizes[n] = r.Int64N(3000)
				task.Dims = dims(sizes[n])
			}
			after[n] = nil
			for range r.IntN(3) {
				if n > 0 && sizes[n] > 0 {
					after[n] = append(after[n], r.IntN(n))
				}
			}
			nodes = append(nodes, launch.Node{Launcher: len(kernels) - 1, Tasks: []int{len(k.Tasks)}, After: after[n]})
			k.Tasks, entries[len(kernels)-1] = append(k.Tasks, task), append(entries[len(kernels)-1], entry)
			k.Deterministic = round%2 == 0
		}
		s, _ := scheduled(t, e, kernels, entries, nodes)
		for run := range 4 {
			for n := range most {
				begun[n].Store(0)
				ended[n].Store(0)
			}
			bad.Store(0)
			ends, ok := s.Run(context.Background(), make([]uint64, len(kernels)), true)
			if !ok {
				t.Fatal("the launches do not run")
			}
			for i := range ends {
				if ends[i].Err != nil || ends[i].Fault != nil {
					t.Errorf("launch %d: %+v", i, ends[i])
				}
			}
			for n := range count {
				if begun[n].Load() != sizes[n] {
					t.Fatalf("round %d, run %d: %d iterations of node %d ran, want %d", round, run, begun[n].Load(), n, sizes[n])
				}
			}
			if bad.Load() > 0 {
				t.Fatalf("round %d, run %d: %d nodes ran before one that they wait for", round, run, bad.Load())
			}
		}
	}
}

// TestScheduleAtOnce: nodes that wait for each other within their tasks run at the same time.
func TestScheduleAtOnce(t *testing.T) {
	var arrived atomic.Int32
	entry := nativeTask(func(*launch.Context, int64, int64) {
		arrived.Add(1)
		for start := time.Now(); arrived.Load() < 3; spin.Pause() {
			if time.Since(start) > 10*time.Second {
				t.Error("nodes do not run at the same time")
				return
			}
		}
	})
	k := &launch.Kernel{Done: -1, Tasks: []launch.Task{{}}}
	entries := [][]uintptr{{entry}, {entry}, {entry}}
	nodes := []launch.Node{{Tasks: []int{0}}, {Launcher: 1, Tasks: []int{0}}, {Launcher: 2, Tasks: []int{0}}}
	s, _ := scheduled(t, newEngine(3), []*launch.Kernel{k, k, k}, entries, nodes)
	for range 5 {
		arrived.Store(0)
		s.Run(context.Background(), []uint64{1, 2, 3}, true)
	}
	if e := s.engine; e.counts.launches != 15 || e.counts.tasks != 15 || e.Last() != 3 {
		t.Errorf("%d launches and %d tasks are counted, and the last is %d", e.counts.launches, e.counts.tasks, e.Last())
	}
}

// TestScheduleFaults: each launch has its failures alone, of the first part that fails.
func TestScheduleFaults(t *testing.T) {
	fails := nativeTask(func(c *launch.Context, begin, end int64) {
		r := (*launch.ErrorRecord)(memory.Pointer(uintptr(c.Errs)))
		if r.Count += uint64(end - begin); r.Site == 0 {
			r.Site, r.Values[0] = 1, int64(c.Key)
		}
	})
	works := nativeTask(func(*launch.Context, int64, int64) {})
	linked := &launch.Kernel{Done: -1, Parts: make([]launch.Part, 3), Sites: make([]launch.Site, 5), Tasks: []launch.Task{
		{Part: 0, Sites: []int{1}}, {Part: 1, Sites: []int{2}, Dims: dims(5)}, {Part: 1, Sites: []int{3}}, {Part: 2, Sites: []int{4}},
	}}
	one := &launch.Kernel{Done: -1, Sites: make([]launch.Site, 1), Tasks: []launch.Task{{Sites: []int{0}}}}
	s, _ := scheduled(t, newEngine(2), []*launch.Kernel{one, linked, one}, [][]uintptr{{works}, {works, fails, fails, fails}, {fails}}, []launch.Node{
		{Launcher: 0, Tasks: []int{0}},
		{Launcher: 1, Tasks: []int{0}}, {Launcher: 1, Tasks: []int{1}}, {Launcher: 1, Tasks: []int{2}}, {Launcher: 1, Tasks: []int{3}},
		{Launcher: 2, Tasks: []int{0}},
	})
	for range 3 {
		ends, _ := s.Run(context.Background(), []uint64{7, 8, 9}, true)
		if ends[0] != (launch.End{}) {
			t.Errorf("a launch that does not fail: %+v", ends[0])
		}
		if f := ends[1].Fault; f == nil || f.Part != 1 || f.Site != 2 || f.Count != 6 || uint64(f.Index[0]) != launch.Key(0, 8) {
			t.Errorf("the linked kernel: %+v", f)
		}
		if f := ends[2].Fault; f == nil || f.Part != 0 || f.Site != 0 || f.Count != 1 || uint64(f.Index[0]) != launch.Key(0, 9) {
			t.Errorf("the last launch: %+v", f)
		}
	}
}

// TestScheduleStops: a context and Stop end launches that have begun and those that have not, and nothing else.
func TestScheduleStops(t *testing.T) {
	spins, works := spinning(), nativeTask(func(*launch.Context, int64, int64) {})
	loop := &launch.Kernel{Done: -1, Tasks: []launch.Task{{Dims: dims(100)}}}
	nodes := []launch.Node{{Launcher: 0, Tasks: []int{0}}, {Launcher: 1, Tasks: []int{0}}, {Launcher: 2, Tasks: []int{0}, After: []int{1}}}
	e := newEngine(2)
	s, _ := scheduled(t, e, []*launch.Kernel{loop, loop, loop}, [][]uintptr{{works}, {spins}, {works}}, nodes)
	numbers := []uint64{1, 2, 3}
	for range 3 {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		ends, ok := s.Run(ctx, numbers, true)
		if !ok || ends[0].Err != nil || !errors.Is(ends[1].Err, context.DeadlineExceeded) || !errors.Is(ends[2].Err, context.DeadlineExceeded) {
			t.Errorf("a deadline: %v, %v", ends, ok)
		}
		if ends, _ := s.Run(ctx, numbers, true); !errors.Is(ends[0].Err, context.DeadlineExceeded) {
			t.Errorf("a context that is done: %v", ends)
		}
		cancel()
	}
	time.AfterFunc(10*time.Millisecond, e.Stop)
	if ends, _ := s.Run(context.Background(), numbers, true); !errors.Is(ends[1].Err, launch.ErrStopped) || !errors.Is(ends[2].Err, launch.ErrStopped) {
		t.Errorf("stopped: %v", ends)
	}
}

// TestScheduleRefused: nothing runs where a launch by itself would end early, and while somebody measures.
func TestScheduleRefused(t *testing.T) {
	ran := 0
	entry := nativeTask(func(*launch.Context, int64, int64) { ran++ })
	bound := launch.Bound{From: launch.Arg, Bits: 64}
	k := &launch.Kernel{Done: -1, Args: 1, Tasks: []launch.Task{{Dims: []launch.Dim{{Hi: bound}, {Hi: constBound(4)}}}}}
	e := newEngine(2)
	s, codes := scheduled(t, e, []*launch.Kernel{k, k}, [][]uintptr{{entry}, {entry}}, []launch.Node{{Tasks: []int{0}}, {Launcher: 1, Tasks: []int{0}}})
	run := func() bool {
		_, ok := s.Run(context.Background(), []uint64{1, 2}, true)
		return ok
	}
	codes[1].args[0] = 1 << 61
	if run() || ran > 0 || e.counts.launches > 0 {
		t.Errorf("%d calls of a launch with too many iterations", ran)
	}
	codes[1].args[0] = 0
	e.Record(&launch.Recorder{})
	if run() {
		t.Error("it runs while somebody measures")
	}
	e.Record(nil)
	e.now.watched = true
	if run() {
		t.Error("it runs while somebody watches")
	}
	e.now.watched = false
	if !run() || e.counts.launches != 2 {
		t.Errorf("it does not run; %d launches", e.counts.launches)
	}
	if _, ok := e.Schedule([]launch.Launcher{codes[0], NewCode(k, []uintptr{entry}, nil)}, nil); ok {
		t.Error("code of another engine is scheduled")
	}
	if single := newEngine(1); single.Concurrent() {
		t.Error("one thread is concurrent")
	} else {
		single.Close()
	}
}

// TestScheduleSpans: what runs concurrently follows from what tasks cost.
func TestScheduleSpans(t *testing.T) {
	entry := nativeTask(func(*launch.Context, int64, int64) {})
	k := &launch.Kernel{Done: -1, Tasks: []launch.Task{{Dims: dims(1000)}}}
	for _, c := range []struct {
		what  string
		us    []float64 // of nodes; 0 for one that is not known
		chain bool      // each waits for the one before
		want  []nodeSpan
	}{
		{"short ones", []float64{3, 3, 3}, false, []nodeSpan{{0, 3, true}}},
		{"a long one between them", []float64{3, 3, 500, 3, 3}, false, []nodeSpan{{0, 2, true}, {2, 3, false}, {3, 5, true}}},
		{"an unknown one", []float64{3, 3, 0, 3, 3}, false, []nodeSpan{{0, 2, true}, {2, 3, false}, {3, 5, true}}},
		{"long ones", []float64{500, 500}, false, []nodeSpan{{0, 1, false}, {1, 2, false}}},
		{"tiny ones", []float64{0.1, 0.1}, false, []nodeSpan{{0, 1, false}, {1, 2, false}}},
		{"a chain", []float64{3, 3, 3}, true, []nodeSpan{{0, 1, false}, {1, 2, false}, {2, 3, false}}},
	} {
		var kernels []*launch.Kernel
		var entries [][]uintptr
		var nodes []launch.Node
		for i := range c.us {
			n := launch.Node{Launcher: i, Tasks: []int{0}}
			if c.chain && i > 0 {
				n.After = []int{i - 1}
			}
			kernels, entries, nodes = append(kernels, k), append(entries, []uintptr{entry}), append(nodes, n)
		}
		s, codes := scheduled(t, newEngine(2), kernels, entries, nodes)
		for i, us := range c.us {
			codes[i].tasks[0].cost = us
		}
		fits := s.fits(false)
		if len(s.spans) != len(c.want) {
			t.Errorf("%s: %v, want %v", c.what, s.spans, c.want)
			continue
		}
		some := false
		for i, w := range c.want {
			some = some || w.concurrent
			if s.spans[i] != w {
				t.Errorf("%s: %v, want %v", c.what, s.spans, c.want)
			}
		}
		if fits != some {
			t.Errorf("%s: it runs: %v", c.what, fits)
		}
		if _, ok := s.Run(context.Background(), make([]uint64, len(c.us)), false); ok != some {
			t.Errorf("%s: Run: %v", c.what, ok)
		}
	}
}

// TestSchedulePartial: in deterministic mode what chunks accumulate is merged in their order, as in a launch by itself.
func TestSchedulePartial(t *testing.T) {
	const n = 10000
	add := nativeTask(func(c *launch.Context, begin, end int64) { *scratchOf[int64](c) = begin*3 + end })
	merge := nativeTask(func(c *launch.Context, begin, end int64) {
		for _, part := range unsafe.Slice(scratchOf[int64](c), end)[begin:] {
			*treeOf[int64](c) = *treeOf[int64](c)*31 + part
		}
	})
	var codes []*Code
	var trees []*memory.Region
	e := newEngine(2)
	defer e.Close()
	for range 3 {
		c, tree := accumulating(t, launch.Task{Dims: dims(n), Partial: &launch.Partial{Scratch: 1, Words: 1, Merge: 1}}, add, 8, 1, merge)
		c.engine, c.deterministic = e, true
		codes, trees = append(codes, c), append(trees, tree)
	}
	e.turn.Lock()
	defer e.turn.Unlock()
	run(t, e, codes[0])
	s, _ := e.Schedule([]launch.Launcher{codes[1], codes[2]}, []launch.Node{{Tasks: []int{0}}, {Launcher: 1, Tasks: []int{0}}})
	if _, ok := s.Run(context.Background(), []uint64{1, 2}, true); !ok {
		t.Fatal("it does not run")
	}
	for i := range 2 {
		if got, want := *(*int64)(trees[i+1].Base()), *(*int64)(trees[0].Base()); got != want || want == 0 {
			t.Errorf("launch %d leaves %d, want %d", i, got, want)
		}
	}
}
