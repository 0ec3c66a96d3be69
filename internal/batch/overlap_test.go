package batch_test

import (
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// overlapped are runtimes on a device, where launches of a batch overlap, the first one without batches. Half of them link what they can.
func overlapped(t *testing.T, cfg ti.Config) (runs []*hosted) {
	t.Helper()
	cfg = titest.Vulkan(t, cfg)
	for _, batch := range []int{1, 3, 50, 1000} {
		if batch < 50 {
			t.Setenv("TI_LINK_ALWAYS", "0")
		} else {
			t.Setenv("TI_LINK_ALWAYS", "1")
		}
		cfg.Batch = batch
		h := newHosted(t, titest.New(t, cfg))
		h.batch = batch
		runs = append(runs, h)
	}
	return runs
}

// TestOverlapRandom runs host programs on a device: launches that overlap leave the same bits as those that wait.
func TestOverlapRandom(t *testing.T) {
	runs := overlapped(t, ti.Config{StrictMath: true, Deterministic: true, Seed: 5})
	for seed := range uint64(4) {
		var want []float64
		for _, h := range runs {
			got, err := h.run(seed)
			if err != nil {
				t.Fatalf("Batch %d, seed %d: %v", h.batch, seed, err)
			}
			if h.batch == 1 {
				want = got
			} else if at := differs(got, want); at >= 0 {
				t.Errorf("Batch %d, seed %d: value %d of %d is %v, without batches %v", h.batch, seed, at, len(got), valueAt(got, at), valueAt(want, at))
			}
		}
	}
}

// TestOverlapFailures: the first error is that of the first launch that fails when each is waited for.
func TestOverlapFailures(t *testing.T) {
	runs := overlapped(t, ti.Config{Seed: 3})
	sameFailures(t, runs, 4)
}

// TestOverlapQueued: behind a launch that fails the others of its batch run, and the first failure is reported once, with the values of that launch.
func TestOverlapQueued(t *testing.T) {
	cfg := titest.Vulkan(t, ti.Config{Batch: 64})
	q := newQueued(t, ti.New, cfg)
	defer func() { titest.Must(t, q.rt.Close()) }()
	for range 3 { // also when the batch is known
		for i := range q.X.Len() {
			q.X.Set(0, i)
		}
		for i := range int32(40) {
			titest.Must(t, q.Add(i))
			if i == 9 || i == 30 {
				titest.Must(t, q.Far(i))
			}
		}
		err := q.rt.Sync()
		if err == nil || !strings.Contains(err.Error(), "index [9] of X is out of range") || !strings.Contains(err.Error(), "reported by Sync") {
			t.Errorf("the error is %v", err)
		}
		if got, want := q.X.At(3), int32(39*40/2); got != want {
			t.Errorf("an element is %d, want %d", got, want)
		}
		titest.Must(t, q.rt.Sync())
	}
	if n := q.made(); n < 3*42 {
		t.Errorf("%d launches were made", n)
	}
}
