package random

import (
	"strconv"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
	"github.com/gotaichi/ti/internal/titest"
)

var vulkanSeeds = randtest.New("vulkanseeds", "firstvulkan", "random kernels on a Vulkan device", 12, 6)

// TestRandomVulkan compares random kernels on a device that has a Vulkan driver with the oracle, some of them in debug mode.
func TestRandomVulkan(t *testing.T) {
	if device := titest.VulkanDevice(t); device > 0 {
		t.Setenv("TI_DEVICE", strconv.Itoa(device))
	}
	vulkanSeeds.Each(t, compareVulkan)
}

func compareVulkan(t *testing.T, seed uint64) {
	s := newScene(seed)
	s.exact = true // the oracle is the only judge
	src := randomKernel(s)
	judge := runtest.OracleVariant
	v := runtest.Variant{Label: "vulkan", Arch: ti.Vulkan, Threads: 1, Layout: runtest.Layout(seed % 5)}
	v.Unchecked = s.safe && seed/5%2 == 0
	v.Unrolled = s.unrolled(0)
	if seed%4 == 2 {
		judge.Debug, v.Debug, v.Unchecked = true, true, false
	}
	want := runKernel(t, judge, src, s)
	got := runKernel(t, v, src, s)
	got.compareResults(t, want)
	got.compareFailures(t, want, false)
	failWith(t, s, v, src)
}
