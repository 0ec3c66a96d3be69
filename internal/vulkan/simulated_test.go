package vulkan

import (
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/vulkan/simulator"
)

// OnSimulator opens the device of a simulated driver.
func OnSimulator(d *simulator.Driver) func(processors launch.Machine, device int) (launch.Machine, error) {
	return func(processors launch.Machine, _ int) (launch.Machine, error) {
		a, err := symbols("the simulator", d.Symbol)
		if err != nil {
			return nil, err
		}
		return a.machine(processors, 0)
	}
}
