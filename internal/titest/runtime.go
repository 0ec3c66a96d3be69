package titest

import (
	"fmt"
	"os"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/vulkan"
)

// New starts a runtime that ends with the test.
func New(tb testing.TB, cfg ti.Config) *ti.Runtime {
	tb.Helper()
	return Start(tb, ti.New, cfg)
}

// Start starts a runtime by a function such as [ti.New], and ends it with the test.
func Start(tb testing.TB, start func(ti.Config) (*ti.Runtime, error), cfg ti.Config) *ti.Runtime {
	tb.Helper()
	rt, err := start(cfg)
	Must(tb, err)
	tb.Cleanup(func() {
		if err := rt.Close(); err != nil {
			tb.Error(err)
		}
	})
	return rt
}

// Archs returns the devices that tests of launches run on.
func Archs() []ti.Config {
	return []ti.Config{{Arch: ti.LLVM, Threads: 1}, {Arch: ti.LLVM, Threads: 3}, {Arch: ti.Oracle}}
}

// OnEach runs f as a subtest for each of [Archs].
func OnEach(t *testing.T, f func(t *testing.T, rt *ti.Runtime)) {
	t.Helper()
	for _, cfg := range Archs() {
		name, start := fmt.Sprintf("%v%d", cfg.Arch, cfg.Threads), ti.New
		if cfg.Threads == 3 { // by a second target, whose kernels come out of their binary form
			name, start = "reread3", NewReread
		}
		t.Run(name, func(t *testing.T) { f(t, Start(t, start, cfg)) })
	}
}

// EachArch runs f as a subtest on compiled code, for two threads, and on the oracle.
func EachArch(t *testing.T, f func(t *testing.T, rt *ti.Runtime)) {
	t.Helper()
	EachArchWith(t, ti.Config{Threads: 2}, f)
}

// EachArchWith runs f as a subtest on compiled code and on the oracle, with the other settings of cfg.
func EachArchWith(t *testing.T, cfg ti.Config, f func(t *testing.T, rt *ti.Runtime)) {
	t.Helper()
	for _, arch := range []ti.Arch{ti.LLVM, ti.Oracle} {
		t.Run(arch.String(), func(t *testing.T) {
			cfg.Arch = arch
			f(t, New(t, cfg))
		})
	}
}

// Shares reports whether the host has the memory of rt's device, so that elements have addresses.
func Shares(rt *ti.Runtime) bool {
	switch rt.Device().Arch {
	case ti.Arch(config.Apart):
		return false
	case ti.Vulkan:
		return os.Getenv(vulkan.EnvMemory) == ""
	}
	return true
}
