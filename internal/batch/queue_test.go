package batch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/batch"
	"github.com/gotaichi/ti/internal/titest"
)

const source = `
package queued

var (
	X, Y field[i32]
	N    field[i32, D0]
)

func Add(k i32) {
	for i := range X {
		X[i] += k
	}
}

func Far(k i32) {
	for i := range X {
		X[i+k] = 7
	}
}

func Other() {
	for i := range Y {
		Y[i] += 1
	}
}

func Sum() (s i32) {
	for i := range X {
		s += X[i]
	}
	return
}

func Say() { print(N[]) }

func From(v []i32) {
	for i := range X {
		X[i] += v[i]
	}
}

func Both(a field[i32], k i32) {
	for i := range a {
		a[i] += k
	}
}
`

type queued struct {
	X, Y   ti.Field[int32]
	N      ti.Field[int32]
	Add    func(k int32) error
	Far    func(k int32) error
	Other  func()
	Sum    func() (int32, error)
	Say    func() error
	From   func(v []int32) error
	Both   func(a *ti.Field[int32], k int32)
	rt     *ti.Runtime
	of     *ti.Program
	before int64
}

func newQueued(t *testing.T, start func(ti.Config) (*ti.Runtime, error), cfg ti.Config) *queued {
	t.Helper()
	cfg.Stdout = io.Discard
	rt, err := start(cfg)
	titest.Must(t, err)
	q := &queued{rt: rt}
	rt.Place(ti.Shape{8}, &q.X, &q.Y)
	rt.Place(nil, &q.N)
	q.of, err = rt.Compile(ti.Text("queued.ti", strings.ReplaceAll(source, "N[]", "N")), q)
	titest.Must(t, err)
	return q
}

// made returns how many launches have run since it was called the last time.
func (q *queued) made() int64 {
	n := q.rt.Stats().Launches
	defer func() { q.before = n }()
	return n - q.before
}

func each(t *testing.T, most int, f func(t *testing.T, q *queued)) {
	for _, arch := range []ti.Arch{ti.LLVM, ti.Oracle} {
		t.Run(arch.String(), func(t *testing.T) {
			q := newQueued(t, ti.New, ti.Config{Arch: arch, Threads: 2, Batch: most})
			defer func() { titest.Must(t, q.rt.Close()) }()
			f(t, q)
		})
	}
}

// TestQueued: launches that nobody waits for are queued, and all others run at once, behind what is queued.
func TestQueued(t *testing.T) {
	each(t, 1000, func(t *testing.T, q *queued) {
		for _, c := range []struct {
			what   string
			launch func() error
			queues bool
		}{
			{"a kernel", func() error { return q.Add(1) }, true},
			{"one without an error result", func() error { q.Other(); return nil }, true},
			{"a template", func() error { q.Both(&q.X, 2); return nil }, true},
			{"by its name", func() error { _, err := q.of.Kernel("Add").Launch(context.Background(), int32(1)); return err }, true},
			{"results", func() error { _, err := q.Sum(); return err }, false},
			{"prints", q.Say, false},
			{"the caller's memory", func() error { return q.From(make([]int32, 8)) }, false},
			{"a context that ends", func() error {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				_, err := q.of.Kernel("Add").Launch(ctx, int32(1))
				return err
			}, false},
			{"an observer", func() error { return q.rt.Tangent(func() error { return q.Add(1) }) }, false},
		} {
			titest.Must(t, q.rt.Sync())
			q.made()
			titest.Must(t, q.Add(0))
			titest.Must(t, c.launch())
			want := int64(0)
			if !c.queues {
				want = 2
			}
			if n := q.made(); n != want {
				t.Errorf("%s: %d launches have run before Sync, want %d", c.what, n, want)
			}
			titest.Must(t, q.rt.Sync())
			if n := q.made(); n != 2-want {
				t.Errorf("%s: %d launches have run by Sync, want %d", c.what, n, 2-want)
			}
		}
	})
}

// TestHandedOut: once the host has the memory of a field, no launch that uses it is queued, and those of other fields are.
func TestHandedOut(t *testing.T) {
	each(t, 1000, func(t *testing.T, q *queued) {
		titest.Must(t, q.Add(1))
		x, err := q.X.Slice()
		titest.Must(t, err)
		if x[3] != 1 {
			t.Errorf("the memory has %d before a queued launch has run, want 1", x[3])
		}
		titest.Must(t, q.Add(1))
		if x[3] != 2 {
			t.Errorf("the memory has %d, want 2", x[3])
		}
		q.made()
		q.Other()
		if n := q.made(); n != 0 {
			t.Error("a launch of another field is not queued")
		}
	})
}

// TestFailures: a failure is reported once, by the first call that can, with the launch that failed; and by a panic, also of calls
// that use elements, if the kernel's function has no error result.
func TestFailures(t *testing.T) {
	each(t, 1000, func(t *testing.T, q *queued) {
		check := func(by string, err error) {
			t.Helper()
			var failed *ti.RuntimeError
			if !errors.Is(err, ti.ErrRange) || !errors.As(err, &failed) || failed.Kernel != "Far" || !strings.Contains(err.Error(), "is reported by "+by) {
				t.Errorf("%s returns %v", by, err)
			}
		}
		titest.Must(t, q.Far(5))
		titest.Must(t, q.Far(6))
		check("Sync", q.rt.Sync())
		titest.Must(t, q.rt.Sync())
		titest.Must(t, q.Add(1))

		titest.Must(t, q.Far(5))
		_, err := q.Sum()
		check("Sum", err)
		sum, err := q.Sum()
		titest.Must(t, err)
		if want := int32(3*7 + 5); sum != want {
			t.Errorf("the sum is %d, want %d", sum, want)
		}

		titest.Must(t, q.Far(5))
		q.X.At(0) // waits, and has nothing to say: the program gets the error by its next launch
		check("Add", q.Add(1))

		titest.Must(t, q.Far(5))
		q.rt.Flush()
		check("Other", titest.Safely(func() error {
			for range 1 << 20 { // the batch runs on its own
				q.Other()
			}
			return nil
		}))
		titest.Must(t, q.rt.Sync())
	})
}

// TestFailureAtClose: Close runs what is queued, and returns its failure.
func TestFailureAtClose(t *testing.T) {
	q := newQueued(t, ti.New, ti.Config{Batch: 1000})
	titest.Must(t, q.Far(5))
	if err := q.rt.Close(); !errors.Is(err, ti.ErrRange) {
		t.Errorf("Close returns %v", err)
	}
	if err := q.Add(1); !errors.Is(err, ti.ErrClosed) {
		t.Errorf("a launch after Close: %v", err)
	}
}

// TestCloseTree: a tree that is closed is in use by queued launches until then.
func TestCloseTree(t *testing.T) {
	each(t, 1000, func(t *testing.T, q *queued) {
		titest.Must(t, q.Far(5))
		titest.Must(t, q.X.Tree().Close())
		if err := q.rt.Sync(); !errors.Is(err, ti.ErrRange) {
			t.Errorf("the failure before the tree was closed is %v", err)
		}
		if err := q.Add(1); !errors.Is(err, ti.ErrClosed) {
			t.Errorf("a launch of a closed tree: %v", err)
		}
	})
}

// TestManyWithoutSync makes more launches than any batch takes.
func TestManyWithoutSync(t *testing.T) {
	q := newQueued(t, ti.New, ti.Config{Batch: 64})
	defer func() { titest.Must(t, q.rt.Close()) }()
	const n = 1_000_000
	for range n {
		titest.Must(t, q.Add(1))
	}
	if got := q.X.At(7); got != n {
		t.Errorf("%d launches have run, want %d", got, n)
	}
}

// TestGoroutines launches, reads, flushes and closes at once.
func TestGoroutines(t *testing.T) {
	q := newQueued(t, ti.New, ti.Config{Batch: 7, Threads: 2})
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 2000 {
				switch (i + g) % 5 {
				case 0:
					q.rt.Flush()
				case 1:
					_, _ = q.Sum()
				case 2:
					_ = titest.Safely(func() error { q.X.At(i % 8); return nil })
				default:
					_ = q.Add(1)
				}
				if g == 0 && i == 1500 {
					_ = q.rt.Close()
				}
			}
		})
	}
	wg.Wait()
}

// TestBadBatch: sizes that make no sense are errors.
func TestBadBatch(t *testing.T) {
	for _, n := range []int{-1, 1<<16 + 1} {
		if rt, err := ti.New(ti.Config{Batch: n}); err == nil || !strings.Contains(err.Error(), "Config.Batch") {
			t.Errorf("Batch %d: %v", n, err)
			_ = rt.Close()
		}
	}
	t.Setenv("TI_BATCH", "many")
	if _, err := ti.New(ti.Config{}); err == nil || !strings.Contains(err.Error(), "TI_BATCH") {
		t.Errorf("TI_BATCH=many: %v", err)
	}
}

// TestDebug: with Debug each launch runs at once.
func TestDebug(t *testing.T) {
	q := newQueued(t, ti.New, ti.Config{Debug: true, Batch: 64})
	defer func() { titest.Must(t, q.rt.Close()) }()
	if err := q.Far(5); !errors.Is(err, ti.ErrRange) || errors.As(err, new(*batch.QueuedError)) {
		t.Errorf("the launch returns %v", err)
	}
}

// BenchmarkQueue is what it takes to queue a launch, without running it.
func BenchmarkQueue(b *testing.B) {
	rt := titest.New(b, ti.Config{Threads: 1, Batch: 1 << 16})
	var q queued
	rt.Place(ti.Shape{8}, &q.X, &q.Y)
	rt.Place(nil, &q.N)
	titest.Must(b, rt.Load(strings.ReplaceAll(source, "N[]", "N"), &q))
	n := 0
	for b.Loop() {
		_ = q.Add(1)
		if n++; n == 1<<15 {
			b.StopTimer()
			titest.Must(b, rt.Sync())
			n = 0
			b.StartTimer()
		}
	}
}

// BenchmarkKnownBatch is what a launch takes that is queued and run in batches that are known: one that touches eight elements.
func BenchmarkKnownBatch(b *testing.B) {
	for _, most := range []int{1, 64} {
		b.Run(fmt.Sprint(most), func(b *testing.B) {
			rt := titest.New(b, ti.Config{Threads: 1, Batch: most})
			var q queued
			rt.Place(ti.Shape{8}, &q.X, &q.Y)
			rt.Place(nil, &q.N)
			titest.Must(b, rt.Load(strings.ReplaceAll(source, "N[]", "N"), &q))
			for range 64 * 100 {
				_ = q.Add(1)
			}
			titest.Must(b, rt.Sync())
			for b.Loop() {
				_ = q.Add(1)
			}
		})
	}
}
