package vulkan_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
	"github.com/gotaichi/ti/internal/vulkan"
)

const overlapSource = `package p

var X, Y field[i32]
var N field[i32, D0]

func Add(k i32) {
	for i := range X {
		X[i] += k
	}
}

func Mix() {
	for i := range ndrange(span(1, 7)) {
		Y[i] = X[i-1] - X[i+1]
	}
	for i := range ndrange(span(1, 7)) {
		X[i] += Y[i-1] + Y[i+1]
	}
}

func Long(n i32) {
	for i := range X {
		for k := i32(0); k < n; k++ {
			X[i] += 1
		}
	}
}
`

type overlapHost struct {
	X, Y ti.Field[int32]
	N    ti.Field[int32]
	Add  func(k int32) error
	Mix  func() error
	Long func(n int32) error
}

// overlapping starts a runtime that collects launches, on a driver that counts calls.
func overlapping(cfg ti.Config, y *vulkan.Faulty) (rt *ti.Runtime, h *overlapHost, err error) {
	cfg.Batch, cfg.Cache = 64, ti.Cache{Policy: ti.CacheOff}
	if rt, err = titest.NewOn(cfg, y.Machine); err != nil {
		return nil, nil, err
	}
	h = &overlapHost{}
	err = titest.Safely(func() error {
		rt.Place(ti.Shape{8}, &h.X, &h.Y)
		rt.Place(nil, &h.N)
		h.X.Set(1, 3)
		return rt.Load(overlapSource, h)
	})
	return rt, h, err
}

// chain queues launches that need what those before them have left, and reads what they leave.
func (h *overlapHost) chain(rt *ti.Runtime) (all []int32, err error) {
	err = titest.Safely(func() error {
		for i := range int32(20) {
			if err := h.Add(i); err != nil {
				return err
			}
			if err := h.Mix(); err != nil {
				return err
			}
		}
		if err := rt.Sync(); err != nil {
			return err
		}
		for _, v := range h.X.All() {
			all = append(all, v)
		}
		return nil
	})
	return all, err
}

// TestOverlap: launches of a batch are given to the device together, and leave what they leave by themselves, also in memory apart.
func TestOverlap(t *testing.T) {
	for _, memory := range []string{"", "apart"} {
		t.Setenv(vulkan.EnvMemory, memory)
		cfg := titest.Vulkan(t, ti.Config{})
		y := &vulkan.Faulty{}
		rt, h, err := overlapping(cfg, y)
		must(t, err)
		oracle, err := ti.New(ti.Config{Arch: ti.Oracle})
		must(t, err)
		of := &overlapHost{}
		oracle.Place(ti.Shape{8}, &of.X, &of.Y)
		oracle.Place(nil, &of.N)
		of.X.Set(1, 3)
		must(t, oracle.Load(overlapSource, of))
		few := false
		for run := 0; run < 3 || run < 30 && !few; run++ { // until it is known how long launches take
			before := y.Calls()["vkQueueSubmit"]
			got, err := h.chain(rt)
			must(t, err)
			want, err := of.chain(oracle)
			must(t, err)
			if len(got) != 8 || !slices.Equal(got, want) {
				t.Errorf("run %d, memory %q: %v, want %v", run, memory, got, want)
			}
			n := y.Calls()["vkQueueSubmit"] - before
			few = n >= 2 && n <= 8
		}
		if !few {
			t.Errorf("memory %q: 40 launches take more than 8 submissions", memory)
		}
		must(t, rt.Close())
		must(t, oracle.Close())
		noObjects(t, y)
	}
}

// TestOverlapLimit: the launch that the driver would have ended is the one that fails, and those behind it run.
func TestOverlapLimit(t *testing.T) {
	y := &vulkan.Faulty{}
	overlapLimit(t, titest.Vulkan(t, ti.Config{}), y)
	noObjects(t, y)
}

func overlapLimit(t *testing.T, cfg ti.Config, y *vulkan.Faulty) {
	t.Helper()
	rt, h, err := overlapping(cfg, y)
	must(t, err)
	defer func() { must(t, rt.Close()) }()
	if !strings.HasPrefix(rt.Device().Name, "llvmpipe") {
		t.Skip("the driver has no limit of rounds")
	}
	must(t, h.Long(1))
	must(t, rt.Sync())
	for range 3 {
		h.X.Set(0, 7)
		for i := range int32(10) {
			must(t, h.Add(i))
			if i == 5 {
				must(t, h.Long(70000))
			}
		}
		if err := rt.Sync(); err == nil || !strings.Contains(err.Error(), "a loop has more rounds") {
			t.Errorf("the error is %v", err)
		}
		h.X.Set(0, 7)
		must(t, h.Add(2))
		must(t, rt.Sync())
		if got := h.X.At(7); got != 2 {
			t.Errorf("an element is %d", got)
		}
	}
}

// TestOverlapFaults: functions of the driver fail in a batch. The failure is reported once, a lost device stays lost, and nothing is left.
func TestOverlapFaults(t *testing.T) {
	cfg := titest.Vulkan(t, ti.Config{})
	whole := &vulkan.Faulty{}
	rt, h, err := overlapping(cfg, whole)
	must(t, err)
	loaded := whole.Calls()
	_, err = h.chain(rt)
	must(t, err)
	_, err = h.chain(rt)
	must(t, err)
	calls := whole.Calls()
	must(t, rt.Close())
	noObjects(t, whole)
	for _, name := range []string{"vkBeginCommandBuffer", "vkEndCommandBuffer", "vkQueueSubmit", "vkWaitForFences", "vkResetFences", "vkBindBufferMemory", "vkCreateBuffer"} {
		if calls[name] == loaded[name] {
			t.Errorf("launches do not call %s", name)
		}
		overlapFault(t, cfg, &vulkan.Faulty{Fail: name, At: loaded[name] + 1, Result: -2})
		// How many submissions launches share depends on how long they take: a run with fewer calls says how many it has.
		failed := false
		for at := calls[name]; at > loaded[name] && !failed; {
			y := &vulkan.Faulty{Fail: name, At: at, Result: -4}
			overlapFault(t, cfg, y)
			failed = y.Failed() > 0
			at = min(at-1, y.Calls()[name])
		}
		if !failed {
			t.Errorf("no call of %s fails", name)
		}
	}
}

// overlapFault launches on a device that fails. A call that is never made does not fail.
func overlapFault(t *testing.T, cfg ti.Config, y *vulkan.Faulty) {
	t.Helper()
	rt, h, err := overlapping(cfg, y)
	if err != nil {
		t.Fatal(err)
	}
	var errs [3]error
	for i := range errs {
		_, errs[i] = h.chain(rt)
	}
	closed := rt.Close()
	all := errors.Join(errs[:]...)
	lost := y.Result == -4 || y.Fail == "vkWaitForFences" || y.Fail == "vkResetFences"
	switch {
	case y.Failed() == 0 && all == nil && closed == nil && y.Calls()[y.Fail] < y.At:
	case y.Failed() != 1:
		t.Errorf("%s is to fail with %d at call %d: %d calls fail", y.Fail, y.Result, y.At, y.Failed())
	case all == nil && (lost || y.Fail == "vkQueueSubmit" || y.Fail == "vkEndCommandBuffer"):
		t.Errorf("%s fails with %d at call %d, and nobody tells", y.Fail, y.Result, y.At)
	case lost && !errors.Is(errs[2], ti.ErrDevice), !lost && errors.Is(all, ti.ErrDevice), !lost && errs[2] != nil, closed != nil:
		t.Errorf("%s fails with %d at call %d: the errors are %v, and of Close %v", y.Fail, y.Result, y.At, errs, closed)
	case all != nil && !strings.Contains(all.Error(), y.Fail):
		t.Errorf("%s fails with %d at call %d: the errors are %v", y.Fail, y.Result, y.At, errs)
	}
	noObjects(t, y)
}
