package batch_test

import (
	"errors"
	"testing"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/batch"
	"github.com/gotaichi/ti/internal/titest"
)

// bypassing makes short launches, and waits for each, until they run at once. It returns how many there were.
func bypassing(t *testing.T, q *queued, launch func() error) (launches int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		for range 100 {
			q.made()
			titest.Must(t, launch())
			launches++
			if q.made() == 1 {
				return launches
			}
			titest.Must(t, q.rt.Sync())
		}
	}
	t.Fatal("short launches that gain nothing are queued for a minute")
	return 0
}

// TestBypass: short launches that gain nothing by being queued run at once after a while, with their failures, until the program does something else or
// enough of them have run.
func TestBypass(t *testing.T) {
	q := newQueued(t, ti.New, titest.OnProcessors(t, ti.Config{Threads: 1, Batch: 64}))
	defer func() { titest.Must(t, q.rt.Close()) }()

	n := bypassing(t, q, func() error { return q.Add(1) })
	if got := int(q.X.At(3)); got != n {
		t.Errorf("an element is %d after %d launches", got, n)
	}
	q.Other()
	if q.made() != 0 {
		t.Error("a launch of another kernel is not queued")
	}
	titest.Must(t, q.rt.Sync())

	bypassing(t, q, func() error { return q.Far(0) })
	if err := q.Far(5); !errors.Is(err, ti.ErrRange) || errors.As(err, new(*batch.QueuedError)) {
		t.Errorf("a launch that fails returns %v, want its failure as that of a launch that is not queued", err)
	}
	titest.Must(t, q.rt.Sync())

	bypassing(t, q, func() error { return q.Far(0) })
	for n := 1; ; n++ {
		q.made()
		titest.Must(t, q.Far(0))
		if q.made() == 0 {
			break
		}
		if n == 1<<14 {
			t.Fatalf("after %d launches that ran at once none is queued", n)
		}
	}
}

// TestBypassFull: full batches of launches that gain nothing begin a bypass, too.
func TestBypassFull(t *testing.T) {
	q := newQueued(t, ti.New, titest.OnProcessors(t, ti.Config{Threads: 1, Batch: 4}))
	defer func() { titest.Must(t, q.rt.Close()) }()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		titest.Must(t, q.rt.Sync())
		for range 1000 {
			titest.Must(t, q.Far(0))
		}
		titest.Must(t, q.rt.Sync())
		q.made()
		titest.Must(t, q.Far(0))
		if q.made() == 1 {
			return
		}
	}
	t.Error("short launches that cannot be combined are queued for a minute")
}

// TestNoBypass: launches that are linked are queued, however short they are.
func TestNoBypass(t *testing.T) {
	t.Setenv("TI_LINK_ALWAYS", "1")
	q := newQueued(t, ti.New, ti.Config{Threads: 1, Batch: 64})
	defer func() { titest.Must(t, q.rt.Close()) }()
	for range 1000 {
		q.made()
		titest.Must(t, q.Add(1))
		titest.Must(t, q.Add(1))
		if n := q.made(); n != 0 {
			t.Fatalf("%d of two launches that are linked have run at once", n)
		}
		titest.Must(t, q.rt.Sync())
	}
}

// TestNothingToRun: launches of kernels without a task are counted, and are no part of a batch.
func TestNothingToRun(t *testing.T) {
	rt := titest.New(t, ti.Config{Batch: 4})
	var s struct {
		Nothing func()
		X       ti.Field[int32]
	}
	rt.Place(ti.Shape{4}, &s.X)
	titest.Must(t, rt.Load("package nothing\n\nvar X field[i32]\n\nfunc Nothing() {\n}\n", &s))
	before := rt.Stats()
	for range 1000 {
		s.Nothing()
	}
	titest.Must(t, rt.Sync())
	if after := rt.Stats(); after.Launches-before.Launches != 1000 || after.Tasks != before.Tasks {
		t.Errorf("%d launches and %d tasks after 1,000 launches of nothing, want 1,000 and 0", after.Launches-before.Launches, after.Tasks-before.Tasks)
	}
}
