package engine

import (
	"context"
	"errors"
	"go/build"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/memory"
	"github.com/gotaichi/ti/internal/native"
	"github.com/gotaichi/ti/internal/spin"
)

// TestNoCompiler: what is kept on disk is run without the IR, so nothing here may need it.
func TestNoCompiler(t *testing.T) {
	for _, dir := range []string{".", "../binform", "../launch", "../loader", "../site", "../scalar", "../device", "../spin", "../graph", "../threadblock"} {
		p, err := build.ImportDir(dir, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range p.Imports {
			if name, own := strings.CutPrefix(path, "github.com/gotaichi/ti/internal/"); own && !slices.Contains([]string{"binform", "device", "launch", "loader", "memory", "site", "scalar", "spin", "half", "threadblock"}, name) {
				t.Errorf("%s imports %s", p.ImportPath, path)
			}
		}
	}
}

// nativeTask makes a native task out of a Go function. Tests need no compiler then.
func nativeTask(f func(c *launch.Context, begin, end int64)) uintptr {
	return native.Callback(func(ctx, begin, end uintptr) uintptr {
		f((*launch.Context)(memory.Pointer(ctx)), int64(begin), int64(end))
		return 0
	})
}

// newEngine is New for tasks that are Go functions, which must run on the stacks
// of their threads.
func newEngine(threads int) *Engine {
	e := New(threads, &launch.Lock{})
	e.stacked, e.callsBack = true, true
	return e
}

func constBound(n int64) launch.Bound { return launch.Bound{Const: n} }

func dims(extents ...int64) []launch.Dim {
	var out []launch.Dim
	for _, n := range extents {
		out = append(out, launch.Dim{Hi: constBound(n)})
	}
	return out
}

// accumulating returns code of two native tasks: a loop that accumulates, and the helper
// that merges what it has accumulated, cells at a time, into a tree of size bytes. The
// tree is entry 0 of the base table, what is to be merged entry 1.
func accumulating(t *testing.T, loop launch.Task, accumulate uintptr, size, cells int64, merge uintptr) (*Code, *memory.Region) {
	t.Helper()
	tree, err := memory.Map(size)
	if err != nil {
		t.Fatal(err)
	}
	loop.Slots = bases(2)
	k := &launch.Kernel{Done: -1, Bases: []int{0, -1}, Tasks: []launch.Task{loop, {Dims: dims(cells), Helper: true, Slots: bases(2)}}}
	c := NewCode(k, []uintptr{accumulate, merge}, []launch.Base{{Area: device.Of(tree), Bytes: size}, {}})
	t.Cleanup(func() {
		c.Free()
		if err := tree.Free(); err != nil {
			t.Error(err)
		}
	})
	return c, tree
}

// sums is the loop's private copy of its tree, of sums of size bytes, to be added to that by task 1.
func sums(size int) []launch.Private {
	return []launch.Private{{Base: 0, Scratch: 1, Size: size, Merge: 1}}
}

// bases are slots with the first n entries of the base table.
func bases(n int64) (all []launch.Slot) {
	for i := range n {
		all = append(all, launch.Slot{From: launch.BaseSlot, At: i})
	}
	return all
}

// treeOf returns the first entry of the base table, which is the tree or the thread's
// private copy of it.
func treeOf[T any](c *launch.Context) *T {
	return (*T)(memory.Pointer(*(*uintptr)(memory.Pointer(uintptr(c.Slots)))))
}

// scratchOf returns the second entry of the base table, which is what to merge.
func scratchOf[T any](c *launch.Context) *T {
	return (*T)(memory.Pointer((*[2]uintptr)(memory.Pointer(uintptr(c.Slots)))[1]))
}

func run(t *testing.T, e *Engine, c *Code) *launch.Fault {
	t.Helper()
	return runAs(t, e, c, 1)
}

func runAs(t *testing.T, e *Engine, c *Code, number uint64) *launch.Fault {
	t.Helper()
	f, err := e.Run(context.Background(), c, number)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestEveryIterationOnce runs ranges of many sizes often enough that they are
// probed, run alone and shared.
func TestEveryIterationOnce(t *testing.T) {
	counts := make([]int32, 1<<16)
	turns := 0
	entry := nativeTask(func(_ *launch.Context, begin, end int64) {
		for i := begin; i < end; i++ {
			atomic.AddInt32(&counts[i], 1)
			for range turns {
				spin.Pause()
			}
		}
	})
	for _, threads := range []int{1, 2, 5} {
		e := newEngine(threads)
		for _, shape := range [][]int64{{0}, {1}, {63}, {64}, {65}, {1000}, {3, 0, 2}, {7, 11}, {4, 1000}, {1 << 16}} {
			k := &launch.Kernel{Done: -1, Tasks: []launch.Task{{Dims: dims(shape...)}}}
			c := NewCode(k, []uintptr{entry}, nil)
			n := int64(1)
			for _, s := range shape {
				n *= s
			}
			for _, turns = range []int{0, 5} {
				for range 3 {
					clear(counts)
					e.turn.Lock()
					run(t, e, c)
					e.turn.Unlock()
					for i, got := range counts {
						want := int32(0)
						if int64(i) < n {
							want = 1
						}
						if got != want {
							t.Fatalf("%d threads, shape %v: iteration %d ran %d times", threads, shape, i, got)
						}
					}
				}
			}
		}
		e.Close()
		e.Close()
	}
}

// TestThreadsHint counts the threads that a slow loop with a limit runs on.
func TestThreadsHint(t *testing.T) {
	var ran [5]atomic.Int32
	entry := nativeTask(func(c *launch.Context, begin, end int64) {
		ran[c.Worker].Add(int32(end - begin))
		for range 2000 * (end - begin) {
			spin.Pause()
		}
	})
	e := newEngine(len(ran))
	defer e.Close()
	e.turn.Lock()
	defer e.turn.Unlock()
	k := &launch.Kernel{Done: -1, Tasks: []launch.Task{{Dims: dims(1000), Threads: 2}}}
	run(t, e, NewCode(k, []uintptr{entry}, nil))
	if got := ran[0].Load() + ran[1].Load(); got != 1000 {
		t.Errorf("two of the threads ran %d of 1000 iterations", got)
	}
}

func TestBounds(t *testing.T) {
	k := &launch.Kernel{Done: -1, Frame: 24, Args: 3}
	tests := []struct {
		lo, hi launch.Bound
		want   int64 // of i32 numbers; -1 for too many
	}{
		{constBound(-3), constBound(4), 7},
		{constBound(4), constBound(-3), 0},
		{constBound(1), launch.Bound{From: launch.Frame, At: 16, Const: -1}, 98},
		{constBound(0), launch.Bound{From: launch.Arg, At: 0, Bits: 32, Signed: true, Const: 10}, 5},
		{constBound(0), launch.Bound{From: launch.Arg, At: 2, Bits: 64}, 33},
		{constBound(math.MinInt64), constBound(math.MaxInt64), -1},
		{constBound(0), constBound(1 << 62), 1 << 62},
		{constBound(-1), constBound(1 << 62), -1},
	}
	for _, tt := range tests {
		k.Tasks = []launch.Task{{Dims: []launch.Dim{{Lo: tt.lo, Hi: tt.hi}}}}
		c := NewCode(k, []uintptr{0}, nil)
		c.Args()[0] = 0xffff_fffb // -5 as an i32
		c.Args()[2] = 33
		c.frame[2] = 100
		if got, _ := c.extent(&c.tasks[0]); got != tt.want {
			t.Errorf("%v to %v: %d iterations, want %d", tt.lo, tt.hi, got, tt.want)
		}
	}
	long := launch.Dim{Hi: constBound(1 << 32)}
	for _, tt := range []struct {
		dims []launch.Dim
		want int64
	}{
		{[]launch.Dim{{Unsigned: true, Lo: constBound(math.MaxInt64 - 1), Hi: constBound(math.MinInt64 + 3)}}, 5},
		{[]launch.Dim{{Unsigned: true, Lo: constBound(-5), Hi: constBound(5)}}, 0},
		{[]launch.Dim{{Unsigned: true, Lo: constBound(5), Hi: constBound(-5)}}, -1},
		{[]launch.Dim{long, {Hi: constBound(1 << 30)}}, 1 << 62},
		{[]launch.Dim{long, long}, -1},
		{[]launch.Dim{long, long, long}, -1},
		{[]launch.Dim{long, long, {}}, 0},
	} {
		k.Tasks = []launch.Task{{Dims: tt.dims}}
		c := NewCode(k, []uintptr{0}, nil)
		if got, _ := c.extent(&c.tasks[0]); got != tt.want {
			t.Errorf("%v: %d iterations, want %d", tt.dims, got, tt.want)
		}
	}
}

func TestResultsArgumentsEarlyReturn(t *testing.T) {
	first := nativeTask(func(c *launch.Context, _, _ int64) {
		slots := (*[3]uint64)(memory.Pointer(uintptr(c.Slots)))
		frame := (*[3]uint64)(memory.Pointer(uintptr(slots[2])))
		frame[0] += slots[0] + slots[1]
		frame[1] = uint64(c.Key)
		frame[2] = slots[1]
	})
	second := nativeTask(func(c *launch.Context, _, _ int64) {
		slots := (*[1]uint64)(memory.Pointer(uintptr(c.Slots)))
		*(*uint64)(memory.Pointer(uintptr(slots[0]))) *= 2
	})
	k := &launch.Kernel{
		Args: 2, Results: 2, Frame: 20, Done: 16,
		Tasks: []launch.Task{
			{Slots: []launch.Slot{{From: launch.ArgSlot, At: 0}, {From: launch.ArgSlot, At: 1}, {From: launch.FrameSlot}}},
			{Slots: []launch.Slot{{From: launch.FrameSlot}}},
		},
	}
	c := NewCode(k, []uintptr{first, second}, nil)
	e := newEngine(1)
	defer e.Close()
	keys := map[uint64]uint64{}
	for _, tt := range []struct{ number, a, done, want uint64 }{{1, 40, 0, 80}, {2, 40, 1, 41}, {3, 1, 0, 2}, {2, 1, 0, 2}, {0, 1, 0, 2}} {
		e.turn.Lock()
		c.Args()[0], c.Args()[1] = tt.a, tt.done
		runAs(t, e, c, tt.number)
		if c.Results()[0] != tt.want {
			t.Errorf("%v gave %d", tt, c.Results()[0])
		}
		if of, ok := keys[c.Results()[1]]; ok && of != tt.number {
			t.Errorf("launches %d and %d have one key", of, tt.number)
		}
		keys[c.Results()[1]] = tt.number
		e.turn.Unlock()
	}
	if launches, tasks := e.Counts(); len(keys) != 4 || launches != 4 || tasks != 7 { // launch 0 does not count
		t.Errorf("keys %v, %d launches, %d tasks", keys, launches, tasks)
	}
}

func TestFault(t *testing.T) {
	entry := nativeTask(func(c *launch.Context, begin, end int64) {
		r := (*launch.ErrorRecord)(memory.Pointer(uintptr(c.Errs)))
		r.Count, r.Site = 3, 2
		r.Values[0], r.Loop[1], r.Rank = -4, 6, 2
	})
	c := NewCode(&launch.Kernel{Done: -1, Tasks: []launch.Task{{Sites: []int{3, 7}}}}, []uintptr{entry}, nil)
	e := newEngine(2)
	defer e.Close()
	e.turn.Lock()
	defer e.turn.Unlock()
	for range 2 {
		f := run(t, e, c)
		if f == nil || f.Count != 3 || f.Site != 7 || f.Index[0] != -4 || len(f.Loop) != 2 || f.Loop[1] != 6 {
			t.Fatalf("fault %+v", f)
		}
	}
}

// TestPrivate accumulates into a tree from several threads that have copies.
func TestPrivate(t *testing.T) {
	const n = 4096
	add := nativeTask(func(c *launch.Context, begin, end int64) {
		tree := treeOf[[4]int32](c)
		for i := begin; i < end; i++ {
			tree[i%4]++ // no atomic: the copy is the thread's own
			for range 100 {
				spin.Pause()
			}
		}
	})
	merge := nativeTask(func(c *launch.Context, begin, end int64) {
		tree, scratch := treeOf[[4]int32](c), scratchOf[[4]int32](c)
		for i := begin; i < end; i++ {
			tree[i] += scratch[i]
			scratch[i] = 0
		}
	})
	c, tree := accumulating(t, launch.Task{Dims: dims(n), Private: sums(4)}, add, 16, 4, merge)
	e := newEngine(3)
	defer e.Close()
	for range 5 {
		e.turn.Lock()
		run(t, e, c)
		e.turn.Unlock()
	}
	if got := *(*[4]int32)(tree.Base()); got != [4]int32{5 * n / 4, 5 * n / 4, 5 * n / 4, 5 * n / 4} {
		t.Errorf("sums %v", got)
	}
}

// A thread has copies of all its private trees or of none: what could be made before
// memory ran out is no part of the next attempt.
func TestPrivateWithoutMemory(t *testing.T) {
	add := launch.Private{Size: 4, Merge: 1}
	big := add
	big.Base = 1
	k := &launch.Kernel{Done: -1, Bases: []int{0, -1}, Tasks: []launch.Task{
		{Dims: dims(8), Private: []launch.Private{add, big}, Slots: bases(2)}, {Dims: dims(4), Helper: true},
	}}
	c := NewCode(k, []uintptr{0, 0}, []launch.Base{{Bytes: 16}, {Bytes: 1 << 60}})
	defer c.Free()
	e := newEngine(2)
	defer e.Close()
	task := &c.tasks[0]
	if e.privatise(c, task, 2) != 1 {
		t.Fatal("an exabyte was mapped")
	}
	c.sizes[1] = 16
	if n := e.privatise(c, task, 2); n != 2 {
		t.Fatalf("%d threads of 2", n)
	}
	for i, p := range task.Private {
		tree, copied := task.copies.tables[1][p.Base], task.copies.trees[1][i]
		if tree != uint64(uintptr(copied.Base())) {
			t.Errorf("tree %d: the thread works on another copy than is merged", i)
		}
	}
}

func TestFill(t *testing.T) {
	for _, tt := range []struct {
		bits uint64
		size int
		want []byte
	}{
		{0x7fff, 2, []byte{0xff, 0x7f}}, {0xff, 1, []byte{0xff}}, {0xff800000, 4, []byte{0, 0, 0x80, 0xff}},
		{1 << 63, 8, []byte{0, 0, 0, 0, 0, 0, 0, 0x80}}, {0, 4, []byte{0}},
	} {
		mem := make([]byte, 48)
		fill(mem, tt.bits, tt.size)
		for i, b := range mem {
			if b != tt.want[i%len(tt.want)] {
				t.Errorf("%x of %d bytes: %x", tt.bits, tt.size, mem)
				break
			}
		}
	}
}

// TestCancel stops a loop that would run for minutes, by timeout and before.
func TestCancel(t *testing.T) {
	entry := nativeTask(func(_ *launch.Context, begin, end int64) {
		for range end - begin {
			time.Sleep(time.Millisecond)
		}
	})
	c := NewCode(&launch.Kernel{Done: -1, Tasks: []launch.Task{{Dims: dims(1 << 20)}, {}}}, []uintptr{entry, entry}, nil)
	for _, threads := range []int{1, 3} {
		e := newEngine(threads)
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		e.turn.Lock()
		if _, err := e.Run(ctx, c, 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%d threads: %v", threads, err)
		}
		if _, err := e.Run(ctx, c, 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("done before: %v", err)
		}
		e.turn.Unlock()
		cancel()
		e.Close()
	}
}

func TestConcurrentLaunchesAndStatus(t *testing.T) {
	var inside, most atomic.Int32
	entry := nativeTask(func(*launch.Context, int64, int64) {
		if n := inside.Add(1); n > most.Load() {
			most.Store(n)
		}
		inside.Add(-1)
	})
	c := NewCode(&launch.Kernel{Name: "K", Done: -1, Tasks: []launch.Task{{}}}, []uintptr{entry}, nil)
	e := newEngine(2)
	e.Watch()
	defer e.Close()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				e.turn.Lock()
				_, _ = e.Run(context.Background(), c, 1)
				e.turn.Unlock()
			}
		})
	}
	wg.Wait()
	if launches, _ := e.Counts(); most.Load() != 1 || launches != 400 {
		t.Errorf("%d at once, %d launches", most.Load(), launches)
	}
	if _, ok := e.Status(); ok {
		t.Error("a launch is under way after the last one")
	}
}

// BenchmarkEmptyLaunch launches a native function that does next to nothing.
func BenchmarkEmptyLaunch(b *testing.B) {
	lib, err := native.Open("libc.so.6")
	if err != nil {
		b.Fatal(err)
	}
	c := NewCode(&launch.Kernel{Done: -1, Tasks: []launch.Task{{}}}, []uintptr{lib.Symbol("abs")}, nil)
	e := newEngine(2)
	defer e.Close()
	b.ReportAllocs()
	for b.Loop() {
		e.turn.Lock()
		_, _ = e.Run(context.Background(), c, 1)
		e.turn.Unlock()
	}
}

// TestLearn checks that one measurement during which the thread waited for a core does not stay with a task.
func TestLearn(t *testing.T) {
	var task task
	task.learn(10e6, 64) // of iterations that take a nanosecond
	task.learn(1000, 1000)
	if task.cost != 1 {
		t.Errorf("the cost is %v ns; want that of the shorter measurement, 1", task.cost)
	}
	task.learn(5e6, 1000)
	if task.cost < 1000 || task.cost > 2000 {
		t.Errorf("the cost is %v ns; want a part of the longer measurement, 5000", task.cost)
	}
}
