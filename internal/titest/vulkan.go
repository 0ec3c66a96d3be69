package titest

import (
	"os"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/session"
	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/vulkan"
	"github.com/gotaichi/ti/internal/vulkan/simulator"
)

// VulkanDevice is the number of the device with a Vulkan driver that tests run on: the first one that there is, also if it is in software. TI_DEVICE
// chooses another one. Where there is none, the test says so and ends.
func VulkanDevice(tb testing.TB) int {
	tb.Helper()
	for _, d := range ti.Devices() {
		if d.Arch != ti.Vulkan {
			continue
		}
		if os.Getenv("TI_DEVICE") != "" {
			return 0
		}
		return d.Index
	}
	tb.Skip("no device with a Vulkan driver; ti doctor says what to install")
	return 0
}

// Vulkan is cfg for that device.
func Vulkan(tb testing.TB, cfg ti.Config) ti.Config {
	tb.Helper()
	cfg.Arch, cfg.Device = ti.Vulkan, VulkanDevice(tb)
	return cfg
}

// OnProcessors is cfg for this machine's processors, also where TI_ARCH asks for a device with a Vulkan driver: for tests of what processors alone do, such as
// copies for threads, an order that few threads keep, or vectors. Where TI_INSTEAD has such a device for all compiled code, the test says so and ends.
func OnProcessors(tb testing.TB, cfg ti.Config) ti.Config {
	tb.Helper()
	if cfg.Arch == ti.CPU && os.Getenv("TI_ARCH") == ti.Vulkan.String() {
		cfg.Arch = ti.LLVM
	}
	if cfg.Arch == ti.LLVM && os.Getenv("TI_INSTEAD") == ti.Vulkan.String() {
		tb.Skip("it is about what processors do, and all compiled code runs on a device with a Vulkan driver")
	}
	return cfg
}

// InSoftware reports whether a device with a Vulkan driver is in truth this machine's processors: llvmpipe, which ends loops of many rounds.
func InSoftware(rt *ti.Runtime) bool {
	d := rt.Device()
	return d.Arch == ti.Vulkan && d.Threads > 0
}

// NewOn is ti.New for a target whose machine another function makes, of what makes it else.
func NewOn(cfg ti.Config, machine func(processors launch.Machine, device int) (launch.Machine, error)) (*ti.Runtime, error) {
	return newFor(cfg, func(t *target.Target) { t.Machine = machine })
}

// NewVulkan is ti.New for Vulkan with a driver whose functions symbol finds. It needs no device, and no driver of the system.
func NewVulkan(cfg ti.Config, symbol func(name string) uintptr) (*ti.Runtime, error) {
	cfg.Arch, cfg.Device = ti.Oracle, 0
	plain, err := ti.New(cfg)
	if err != nil {
		return nil, err
	}
	rt, err := (*session.Runtime)(plain).AgainOn(config.Vulkan, func(api *session.API) {
		all := api.Targets
		api.Targets = func(env *front.Env) (*target.Registry, error) {
			r, err := all(env)
			if err != nil {
				return nil, err
			}
			t, err := r.Find(config.Vulkan.String())
			if err != nil {
				return nil, err
			}
			var disk vulkan.Store
			if c := env.Cache(); c != nil {
				disk = c
			}
			t.Machine = vulkan.Of(symbol, disk)
			return target.NewRegistry(t)
		}
	})
	if failed := plain.Close(); err == nil {
		err = failed
	}
	return (*ti.Runtime)(rt), err
}

// NewSimulated starts a runtime on a device of a simulated driver. What the driver finds wrong fails the test.
func NewSimulated(tb testing.TB, cfg ti.Config, d *simulator.Driver) *ti.Runtime {
	tb.Helper()
	faults := func() {
		tb.Helper()
		for _, f := range d.Faults() {
			tb.Error(f)
		}
	}
	rt, err := NewVulkan(cfg, d.Symbol)
	faults()
	Must(tb, err)
	tb.Cleanup(func() {
		Must(tb, rt.Close())
		faults()
	})
	return rt
}
