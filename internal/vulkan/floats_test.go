package vulkan_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/titest"
	"github.com/gotaichi/ti/internal/vulkan"
	"github.com/gotaichi/ti/internal/vulkan/simulator"
)

// strictNumbers compares all operations on numbers of a kind with the oracle, under strict maths.
func strictNumbers(t *testing.T, rt *ti.Runtime, k ir.Kind, n int) {
	t.Helper()
	judge := runtime(t, ti.Config{StrictMath: true, Arch: ti.Oracle, Cache: ti.Cache{Policy: ti.CacheOff}})
	compareNumbers(t, rt, judge, k, drawn(rand.New(rand.NewPCG(3, 0x5915)), k, n))
}

// TestRoughDrivers: a driver that divides and takes roots roughly, and takes subnormal numbers for 0, gives what the oracle does under strict maths.
func TestRoughDrivers(t *testing.T) {
	for _, leeway := range []simulator.Leeway{{}, {Rough: true}, {Flushes: true, Keeps: true}, {Rough: true, Flushes: true, Keeps: true}} {
		t.Run(fmt.Sprintf("%+v", leeway), func(t *testing.T) {
			d := simulator.New(simulator.Options{Seed: 9, Lanes: 16, Leeway: leeway})
			rt := titest.NewSimulated(t, ti.Config{StrictMath: true, Cache: ti.Cache{Policy: ti.CacheOff}}, d)
			for _, k := range []ir.Kind{ir.F16, ir.F32, ir.F64} {
				strictNumbers(t, rt, k, 500)
			}
		})
	}
}

// TestExactly: quotients and roots that are computed by integers are the oracle's on a driver.
func TestExactly(t *testing.T) {
	cfg := titest.Vulkan(t, ti.Config{StrictMath: true, Cache: ti.Cache{Policy: ti.CacheOff}})
	y := &vulkan.Faulty{}
	rt, err := titest.NewOn(cfg, func(processors launch.Machine, device int) (launch.Machine, error) {
		m, err := y.Machine(processors, device)
		if err == nil {
			vulkan.ComputeExactly(m)
		}
		return m, err
	})
	must(t, err)
	for _, k := range []ir.Kind{ir.F16, ir.F32, ir.F64} {
		strictNumbers(t, rt, k, 3000)
	}
	must(t, rt.Close())
	noObjects(t, y)
}

const rootSource = "package p\n\nvar X field[f32]\n\nfunc Run() {\n\tfor i := range X {\n\t\tX[i] = sqrt(X[i]) / 3\n\t}\n}\n"

// rootRun runs a kernel with roots and quotients.
func rootRun(t *testing.T, cfg ti.Config, d *simulator.Driver) (all []float32, failed error) {
	t.Helper()
	rt, err := titest.NewVulkan(cfg, d.Symbol)
	must(t, err)
	defer func() {
		must(t, rt.Close())
		for _, f := range d.Faults() {
			t.Error(f)
		}
	}()
	var h struct {
		X   ti.Field[float32]
		Run func() error
	}
	rt.Place(ti.Shape{64}, &h.X)
	_, err = rt.Compile(ti.Text("source", rootSource), &h)
	must(t, err)
	for i := range 64 {
		h.X.Set(float32(i)*0.37, i)
	}
	failed = h.Run()
	for i := range 64 {
		all = append(all, h.X.At(i))
	}
	return all, failed
}

// TestFlushingDriver: where subnormal numbers are 0 and cannot be kept, strict maths fails by name, and other programs run.
func TestFlushingDriver(t *testing.T) {
	off := ti.Cache{Policy: ti.CacheOff}
	flushing := func() *simulator.Driver {
		return simulator.New(simulator.Options{Leeway: simulator.Leeway{Flushes: true}})
	}
	if _, err := rootRun(t, ti.Config{Cache: off}, flushing()); err != nil {
		t.Errorf("without strict maths: %v", err)
	}
	_, err := rootRun(t, ti.Config{StrictMath: true, Cache: off}, flushing())
	if failed, is := errors.AsType[*ti.RuntimeError](err); !is || !errors.Is(err, ti.ErrArch) || failed.Pos.Line != 6 || !strings.Contains(err.Error(), "has no arithmetic of f32 as strict maths wants it (subnormal numbers are 0), which the kernel needs; choose another device or architecture, or leave Config.StrictMath out") {
		t.Errorf("under strict maths: %v", err)
	}
}

// TestProbeOnDisk: what floats are like is found out once for a driver, and again for another one.
func TestProbeOnDisk(t *testing.T) {
	cfg := ti.Config{StrictMath: true, Cache: ti.Cache{Dir: t.TempDir(), Policy: ti.CacheFIFO}}
	want, err := rootRun(t, ti.Config{StrictMath: true, Cache: ti.Cache{Policy: ti.CacheOff}}, simulator.New(simulator.Options{}))
	must(t, err)
	for _, c := range []struct {
		rough bool
		made  int // pipelines: one of the kernel, others of the probe
	}{{true, 3}, {true, 1}, {false, 2}, {false, 1}, {true, 1}} {
		d := simulator.New(simulator.Options{Leeway: simulator.Leeway{Rough: c.rough}})
		got, err := rootRun(t, cfg, d)
		must(t, err)
		if made, _ := d.Pipelines(); made != c.made || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%+v: %d pipelines are made, and the numbers are %v, want %v", c, made, got, want)
		}
	}
}

// TestProbeFaults: functions of the driver fail while floats are probed. One kernel fails with the function's name, the other one probes again, and nothing is left.
func TestProbeFaults(t *testing.T) {
	cfg := titest.Vulkan(t, ti.Config{StrictMath: true, Cache: ti.Cache{Policy: ti.CacheOff}})
	run := func(y *vulkan.Faulty) (opened map[string]int64, failed, again error) {
		rt, err := titest.NewOn(cfg, y.Machine)
		must(t, err)
		var h struct {
			X         ti.Field[float32]
			Run, More func() error
		}
		rt.Place(ti.Shape{64}, &h.X)
		h.X.Fill(9)
		opened = y.Calls()
		_, err = rt.Compile(ti.Text("source", rootSource+"\nfunc More() {\n\tfor i := range X {\n\t\tX[i] /= 7\n\t}\n}\n"), &h)
		must(t, err)
		failed, again = h.Run(), h.More()
		must(t, rt.Close())
		noObjects(t, y)
		return opened, failed, again
	}
	whole := &vulkan.Faulty{}
	opened, failed, again := run(whole)
	must(t, errors.Join(failed, again))
	for _, name := range []string{"vkCreateShaderModule", "vkCreateComputePipelines", "vkCreateCommandPool", "vkAllocateCommandBuffers", "vkCreateFence", "vkCreateBuffer", "vkBeginCommandBuffer",
		"vkEndCommandBuffer", "vkQueueSubmit", "vkWaitForFences", "vkResetFences"} {
		if whole.Calls()[name] == opened[name] {
			t.Errorf("the probe does not call %s", name)
		}
		for _, result := range []int32{-2, -4} {
			y := &vulkan.Faulty{Fail: name, At: opened[name] + 1, Result: result}
			_, failed, again := run(y)
			lost := result == -4 || name == "vkWaitForFences" || name == "vkResetFences"
			both := errors.Join(failed, again) // the kernels are compiled in any order
			if y.Failed() != 1 || both == nil || !strings.Contains(both.Error(), name) || lost != errors.Is(both, ti.ErrDevice) || lost != (failed != nil && again != nil) {
				t.Errorf("%s fails with %d: the errors are %v, and then %v", name, result, failed, again)
			}
		}
	}
}

// TestRoughPlain: without strict maths the instructions of the driver are used as they are.
func TestRoughPlain(t *testing.T) {
	off := ti.Cache{Policy: ti.CacheOff}
	exact, err := rootRun(t, ti.Config{Cache: off}, simulator.New(simulator.Options{}))
	must(t, err)
	rough, err := rootRun(t, ti.Config{Cache: off}, simulator.New(simulator.Options{Leeway: simulator.Leeway{Rough: true}}))
	must(t, err)
	differ := 0
	for i, v := range exact {
		if v != rough[i] {
			differ++
		}
		if d := v - rough[i]; d > 1e-6 || d < -1e-6 {
			t.Errorf("number %d is %v, and %v", i, v, rough[i])
		}
	}
	if differ < 30 {
		t.Errorf("%d of 64 numbers differ", differ)
	}
}
