package vulkan_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/titest"
	"github.com/gotaichi/ti/internal/vulkan"
)

// inSoftware is VK_PHYSICAL_DEVICE_TYPE_CPU, and card VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU.
const inSoftware, card = 4, 2

// TestRefused: what New says of drivers and devices that will not do.
func TestRefused(t *testing.T) {
	cfg := titest.Vulkan(t, ti.Config{})
	for _, c := range []struct {
		name   string
		driver func() *vulkan.Faulty
		want   string
	}{
		{"no driver", func() *vulkan.Faulty { return &vulkan.Faulty{Fail: "vkCreateInstance", At: 1, Result: -9} }, "there is no Vulkan driver (vkCreateInstance: the driver is incompatible); install"},
		{"no device", func() *vulkan.Faulty { y := &vulkan.Faulty{}; y.WithoutDevices(); return y }, "there is no device with a Vulkan driver; install"},
		{"an old driver", func() *vulkan.Faulty { y := &vulkan.Faulty{}; y.Properties(1, card); return y }, "has Vulkan 1.1, and 1.2 is needed"},
		{"no i64", func() *vulkan.Faulty { y := &vulkan.Faulty{}; y.Without("Int64"); return y }, "has no integers of 64 bits (the capability Int64 of SPIR-V)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			y := c.driver()
			rt, err := titest.NewOn(cfg, y.Machine)
			if !errors.Is(err, ti.ErrArch) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want %s", err, c.want)
			}
			if rt != nil {
				must(t, rt.Close())
			}
			noObjects(t, y)
			y = c.driver()
			if all, err := y.Devices(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Devices returns %v, %v", all, err)
			}
			var said []string
			y = c.driver()
			if err := y.Report(func(heading, format string, args ...any) {
				said = append(said, heading+" "+fmt.Sprintf(format, args...))
			}); err == nil || !strings.Contains(strings.Join(said, "\n"), c.want) {
				t.Errorf("the report ends with %v: %s", err, strings.Join(said, "\n"))
			}
			noObjects(t, y)
		})
	}
}

// TestSoftwareIsNamed: a device in software has no number 0, and New does not take it unless it is named.
func TestSoftwareIsNamed(t *testing.T) {
	cfg := titest.Vulkan(t, ti.Config{})
	for kind, first := range map[uint32]int{inSoftware: 1, card: 0} {
		y := &vulkan.Faulty{}
		y.Properties(2, kind)
		all, err := y.Devices()
		if err != nil || all[0].Index != first || (all[0].Threads > 0) != (kind == inSoftware) || all[0].Memory <= 0 || all[0].Target != "SPIR-V 1.5" {
			t.Errorf("of kind %d: %+v, %v", kind, all, err)
		}
		y = &vulkan.Faulty{}
		y.Properties(2, kind)
		rt, err := titest.NewOn(cfg, func(processors launch.Machine, _ int) (launch.Machine, error) { return y.Machine(processors, 0) })
		switch {
		case kind == card && err != nil, kind == inSoftware && !errors.Is(err, ti.ErrArch):
			t.Errorf("of kind %d, device 0: %v", kind, err)
		case err != nil && !strings.Contains(err.Error(), "a driver in software is taken only if Config.Device or TI_DEVICE names it, here as 1 ("):
			t.Error(err)
		case err == nil:
			if d := rt.Device(); d.Index != 0 || d.Arch != ti.Vulkan || d.Name != all[0].Name {
				t.Errorf("%+v", d)
			}
			must(t, rt.Close())
		}
		noObjects(t, y)
	}
	if _, err := ti.New(ti.Config{Arch: ti.Vulkan, Device: 77}); !errors.Is(err, ti.ErrArch) || !strings.Contains(err.Error(), "TI_DEVICE is 77; there are the Vulkan devices ") {
		t.Errorf("device 77: %v", err)
	}
}

// TestLacking: a kernel that needs what the device lacks fails by name, and others run.
func TestLacking(t *testing.T) {
	t.Setenv(vulkan.EnvMemory, "")
	y := &vulkan.Faulty{}
	y.Without("Float64")
	y.WithoutImport()
	rt, err := titest.NewOn(titest.Vulkan(t, ti.Config{Cache: ti.Cache{Policy: ti.CacheOff}}), y.Machine)
	must(t, err)
	var h struct {
		X    ti.Field[float32]
		D    ti.Field[float64]
		Run  func() error
		Wide func() error
	}
	rt.Place(ti.Shape{4}, &h.X, &h.D)
	_, err = rt.Compile(ti.Text("source.ti", "package p\n\nvar X field[f32]\nvar D field[f64]\n\nfunc Run() {\n\tfor i := range X {\n\t\tX[i] = 2\n\t}\n}\n\nfunc Wide() {\n\tfor i := range X {\n\t\tX[i] = 1\n\t}\n\tfor i := range D {\n\t\tD[i] /= 3\n\t}\n}\n"), &h)
	must(t, err)
	must(t, h.Run())
	err = h.Wide()
	failed, is := errors.AsType[*ti.RuntimeError](err)
	if !is || !errors.Is(err, ti.ErrArch) || failed.Kernel != "Wide" || failed.Pos.Line < 13 || !strings.Contains(err.Error(), "has no f64 (the capability Float64 of SPIR-V), which the kernel needs; choose another") {
		t.Errorf("the error is %v", err)
	}
	if got := h.X.At(2); got != 2 {
		t.Errorf("the kernel that fails has run: %v", got)
	}
	sparse := titest.Safely(func() error {
		var p ti.Field[int32]
		rt.NewTree().Pointer(ti.I, 4).Dense(ti.I, 4).Place(&p)
		p.Set(1, 3)
		return nil
	})
	if sparse == nil || !strings.Contains(sparse.Error(), "has no sparse trees: its driver lacks VK_EXT_external_memory_host") {
		t.Errorf("of sparse trees: %v", sparse)
	}
	must(t, rt.Close())
	noObjects(t, y)
}

// TestLostAlone: another runtime lives on when a device is lost.
func TestLostAlone(t *testing.T) {
	cfg := titest.Vulkan(t, ti.Config{Cache: ti.Cache{Policy: ti.CacheOff}})
	other := ti.NewField[int32](runtime(t, cfg), 4)
	y := &vulkan.Faulty{Fail: "vkQueueSubmit", At: 1, Result: -4}
	if r := runFaulty(cfg, y); !errors.Is(r.failed, ti.ErrDevice) || r.closed != nil || !strings.Contains(r.failed.Error(), "close the runtime, and make another one") {
		t.Errorf("the errors are %v and %v", r.failed, r.closed)
	}
	other.Fill(3)
	if got := other.At(2); got != 3 {
		t.Errorf("the other runtime has %d", got)
	}
	noObjects(t, y)
	y = &vulkan.Faulty{}
	if r := runFaulty(cfg, y); r.failed != nil || r.closed != nil {
		t.Errorf("a new runtime: %v, %v", r.failed, r.closed)
	}
	noObjects(t, y)
}
