package vulkan_test

import (
	"errors"
	"maps"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/titest"
	"github.com/gotaichi/ti/internal/vulkan"
)

const faultSource = `package p

var X field[i32]
var P field[i32]

func Add(v []i32) i32 {
	sum := i32(0)
	for i := range X {
		X[i] += v[i]
		sum += X[i]
	}
	return sum
}

func Say() {
	for i := range X {
		print(X[i])
	}
}

func Grow() {
	for i := range ndrange(16) {
		P[i] += 1
	}
	for i := range P {
		P[i] += 1
	}
}
`

// A faultRun is a run of a program, with what it has said.
type faultRun struct {
	failed, again error // the first error, and that of the same step again
	closed        error
	out           strings.Builder
}

// runFaulty runs a program that has all that the machine does: memory, slices, results, prints and sparse trees.
func runFaulty(cfg ti.Config, y *vulkan.Faulty) *faultRun {
	r := &faultRun{}
	cfg.Stdout, cfg.Cache = &r.out, ti.Cache{Policy: ti.CacheOff}
	rt, err := titest.NewOn(cfg, func(processors launch.Machine, device int) (launch.Machine, error) {
		m, err := y.Machine(processors, device)
		if err == nil {
			vulkan.SetPieceTime(m, time.Hour) // or else the number of calls follows from how long tasks take
		}
		return m, err
	})
	if err != nil {
		r.failed, r.again = err, err
		return r
	}
	var h struct {
		X, P ti.Field[int32]
		Add  func(v []int32) (int32, error)
		Say  func() error
		Grow func() error
	}
	v := make([]int32, 8)
	for _, step := range []func() error{
		func() error { rt.Place(ti.Shape{8}, &h.X); h.X.Set(1, 1); return nil },
		func() error { rt.NewTree().Pointer(ti.I, 4).Dense(ti.I, 4).Place(&h.P); return h.P.Tree().Err() },
		func() error { return rt.Load(faultSource, &h) },
		func() error { _, err := h.Add(v); return err },
		func() error { return h.Say() },
		func() error { return h.Grow() },
		func() error { h.P.Set(h.P.At(5)+1, 6); return h.Grow() },
		func() error { h.P.Node().Clear(); return h.Grow() },
	} {
		if r.failed = titest.Safely(step); r.failed != nil {
			r.again = titest.Safely(step)
			break
		}
	}
	r.closed = rt.Close()
	return r
}

// noObjects waits until all objects of the driver have been given back. The collector gives those of trees.
func noObjects(t *testing.T, y *vulkan.Faulty) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) { // compilations may be under way on a busy machine
		if y.Objects() == 0 {
			return
		}
		goruntime.GC()
	}
	t.Errorf("%d objects of the driver are left, with %s failing at call %d by %d", y.Objects(), y.Fail, y.At, y.Result)
}

// TestFaults: each function that can fail does so, at its first call and at its last, once for lack of memory and once because the device is lost. Each gives
// one error, which names the function, and nothing is left. A lost device stays lost.
func TestFaults(t *testing.T) {
	t.Setenv(vulkan.EnvMemory, "")
	allFaults(t)
}

// TestApartFaults: the same with trees in memory that the host does not see, which is copied.
func TestApartFaults(t *testing.T) {
	t.Setenv(vulkan.EnvMemory, "apart")
	allFaults(t, "vkGetMemoryHostPointerPropertiesEXT") // nothing is imported
}

// allFaults runs the program with each fault, but for functions that it does not call.
func allFaults(t *testing.T, not ...string) {
	t.Helper()
	cfg := titest.Vulkan(t, ti.Config{})
	whole := &vulkan.Faulty{}
	if r := runFaulty(cfg, whole); r.failed != nil || r.closed != nil {
		t.Fatalf("without a fault: %v, %v", r.failed, r.closed)
	}
	noObjects(t, whole)
	for _, name := range slices.Sorted(maps.Keys(whole.Calls())) {
		if name == "vkCreatePipelineCache" || slices.Contains(not, name) { // of pipelines there is TestPipelineFaults
			continue
		}
		calls := whole.Calls()[name]
		if calls == 0 {
			t.Errorf("the program does not call %s", name)
		}
		for _, at := range slices.Compact([]int64{1, calls}) {
			for _, result := range []int32{-2, -4} {
				oneFault(t, cfg, &vulkan.Faulty{Fail: name, At: at, Result: result})
			}
		}
	}
}

func oneFault(t *testing.T, cfg ti.Config, y *vulkan.Faulty) {
	t.Helper()
	r := runFaulty(cfg, y)
	lost := y.Result == -4 || y.Fail == "vkWaitForFences" || y.Fail == "vkResetFences"
	_, panics := errors.AsType[goruntime.Error](errors.Join(r.failed, r.again, r.closed))
	switch {
	case y.Failed() != 1:
		t.Errorf("%s is to fail with %d at call %d: %d calls fail; the error is %v", y.Fail, y.Result, y.At, y.Failed(), r.failed)
	case panics, r.failed == nil, strings.Count(r.failed.Error(), y.Fail) != 1, strings.Contains(r.failed.Error(), "\n"):
		t.Errorf("%s fails with %d at call %d: the error is %v, and then %v", y.Fail, y.Result, y.At, r.failed, r.again)
	case lost != errors.Is(r.failed, ti.ErrDevice), lost && !errors.Is(r.again, ti.ErrDevice):
		t.Errorf("%s fails with %d at call %d: the errors are %v and %v", y.Fail, y.Result, y.At, r.failed, r.again)
	case r.closed != nil:
		t.Errorf("%s fails with %d at call %d: Close returns %v", y.Fail, y.Result, y.At, r.closed)
	}
	noObjects(t, y)
}
