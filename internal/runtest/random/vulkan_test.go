package random

import (
	"strconv"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
	"github.com/gotaichi/ti/internal/titest"
	"github.com/gotaichi/ti/internal/vulkan/simulator"
)

var vulkanSeeds = randtest.New("vulkanseeds", "firstvulkan", "random kernels on a Vulkan device", 12, 6)

// TestRandomVulkan compares random kernels on a device that has a Vulkan driver with the oracle, some of them in debug mode.
func TestRandomVulkan(t *testing.T) {
	if device := titest.VulkanDevice(t); device > 0 {
		t.Setenv("TI_DEVICE", strconv.Itoa(device))
	}
	vulkanSeeds.Each(t, func(t *testing.T, seed uint64) { compareVulkan(t, seed, nil) })
}

var simulatedSeeds = randtest.New("simulatedseeds", "firstsimulated", "random kernels on a simulated device", 40, 6)

// TestRandomSimulated compares random kernels on a simulated device with the oracle. The device has subgroups of another size for each seed, and finds races, accesses
// out of bounds and results that are not defined. Half of the devices round quotients and roots wrongly, and half take subnormal numbers for 0. It needs no driver.
func TestRandomSimulated(t *testing.T) {
	simulatedSeeds.Each(t, func(t *testing.T, seed uint64) {
		leeway := simulator.Leeway{Rough: seed/2%2 == 1, Flushes: seed/4%2 == 1, Keeps: true}
		compareVulkan(t, seed, simulator.New(simulator.Options{Seed: seed, Lanes: []int{1, 4, 13, 32, 64}[seed%5], Hidden: seed%3 == 0, Least: seed%2 == 0, Leeway: leeway}))
	})
}

func compareVulkan(t *testing.T, seed uint64, on *simulator.Driver) {
	compareStrictly(t, seed, runtest.Variant{Label: "vulkan", Arch: ti.Vulkan, Threads: 1, Layout: runtest.Layout(seed % 5), Simulated: on})
}
