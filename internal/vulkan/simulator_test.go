package vulkan_test

import (
	"flag"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/titest"
	"github.com/gotaichi/ti/internal/vulkan/simulator"
)

// lanes is how many threads a subgroup has of the simulated device that tests run on, which take any device else; 0 for none.
var lanes = flag.Int("lanes", 0, "run tests on a simulated device whose subgroups have so many threads")

var deviceSeeds = randtest.New("devices", "firstdevice", "simulated devices on which programs run", 1, 1)

// simulatedOptions are those of such a device.
func simulatedOptions(seed uint64) simulator.Options {
	return simulator.Options{Seed: seed, Lanes: *lanes, Hidden: seed%2 == 1, Least: seed%4 < 2}
}

// simulated starts a runtime on a simulated device, whose faults are the test's.
func simulated(t *testing.T, cfg ti.Config, o simulator.Options) *ti.Runtime {
	t.Helper()
	return titest.NewSimulated(t, cfg, simulator.New(o))
}

// TestSimulated runs tests on simulated devices: none has a race, reads what no barrier has made visible, or depends on how many threads a subgroup has.
func TestSimulated(t *testing.T) {
	defer func(was int) { *lanes = was }(*lanes)
	type test struct {
		name  string
		lanes int // as many as most devices have, few, one, or an odd number
		test  func(t *testing.T)
	}
	tests := []test{
		{"programs", 32, TestPrograms}, {"blocks", 8, TestBlocks}, {"tiles", 64, TestManyTiles}, {"sparse trees", 16, TestSparse}, {"slices", 32, TestSlices},
		{"prints", 5, TestPrints}, {"prints beside sums", 64, TestPrintsBesideSums}, {"large local arrays", 4, TestLargeLocals}, {"tape", 1, TestTape}, {"saved", 32, TestSaved},
		{"too many iterations", 32, TestTooMany}, {"linked", 16, TestBlockLinked}, {"quantised", 32, TestQuantised}, {"quantised sums", 8, TestQuantisedSums}, {"apart", 16, TestApartHost}, {"apart and sparse", 8, TestApartSparse},
		{"lists", 16, TestLists}, {"lists that grow", 32, TestListGrows}, {"lists beside hash nodes", 8, TestListsBesideHash},
		{"many comers", 64, TestManyComers}, {"sum beside histogram", 8, TestSumBesideHistogram}, {"sum beside growth", 16, TestSumBesideGrowth},
	}
	if randtest.All() {
		tests = append(tests, test{"numbers", 64, TestNumbers}, test{"extended", 64, TestExtended})
	}
	deviceSeeds.Each(t, func(t *testing.T, seed uint64) {
		simulatorSeed = seed
		for _, c := range tests {
			*lanes = c.lanes
			if seed > 0 {
				*lanes = 1 + int((seed*7+uint64(c.lanes)*5)%64)
			}
			t.Run(c.name, c.test)
		}
	})
}

// simulatorSeed is that of the device.
var simulatorSeed uint64
