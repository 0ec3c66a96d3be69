package vulkan_test

import (
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
	"github.com/gotaichi/ti/internal/vulkan/simulator"
)

// The device of tests that take any.
var (
	lanes         = flag.Int("lanes", 0, "threads of a subgroup of a simulated device, on which tests run then; 0 for a device with a driver")
	simulatorSeed = flag.Uint64("simulatorseed", 1, "seed of the simulated device of -lanes")
)

// simulated starts a runtime on a simulated device, whose faults are the test's.
func simulated(t *testing.T, cfg ti.Config, o simulator.Options) *ti.Runtime {
	t.Helper()
	return titest.NewSimulated(t, cfg, simulator.New(o))
}

// TestSimulatedPrograms compares programs on a simulated device with the oracle, bit for bit.
func TestSimulatedPrograms(t *testing.T) {
	for n, p := range slices.Concat(programs, numberPrograms) {
		t.Run(fmt.Sprint(p.name), func(t *testing.T) {
			cfg := ti.Config{StrictMath: true, Deterministic: p.deterministic, Seed: 3, Cache: ti.Cache{Policy: ti.CacheOff}}
			got, failed := run(t, simulated(t, cfg, simulator.Options{Seed: uint64(n), Lanes: []int{1, 7, 16, 32, 64}[n%5]}), p, false)
			cfg.Arch = ti.Oracle
			want, wanted := run(t, runtime(t, cfg), p, false)
			if (failed == nil) != (wanted == nil) || failed != nil && !sameFailure(failed, wanted) {
				t.Fatalf("the error is %v, and %v is expected", failed, wanted)
			}
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("number %d is %s, and %s is expected", i, got[i], want[i])
				}
			}
		})
	}
}
