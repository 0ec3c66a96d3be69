// Command liquid trains a robot of soft tissue to wade.
package main

import (
	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/examples/internal/softrobot"
)

func main() {
	demo.Main("liquid", func(d *demo.Demo) (demo.Result, error) {
		return wade(d, pool(64, 0.7, d.Short(64, 512)), d.Short(1, 15), d.Short(2, 22))
	})
}

func wade(d *demo.Demo, scene softrobot.Scene[ti.Vec3], iterations, shown int) (demo.Result, error) {
	return softrobot.Play[ti.Vec3, ti.Vec4, ti.Mat3](d, "liquid", scene, iterations, shown)
}

// pool is a narrow one, in whose shallow water a robot stands on four legs of four muscles each. Lengths are in parts
// of 64; particles are so far apart, in parts of the distance between nodes.
func pool(nodes int, apart float64, steps int) softrobot.Scene[ti.Vec3] {
	at := func(x, y, z float32) ti.Vec3 { return ti.Vec3{x / 64, y / 64, z / 64} }
	blocks := []softrobot.Block[ti.Vec3]{{Low: at(5, 9, 23), Size: at(25, 8, 18), Muscle: softrobot.Tissue}}
	blocks = append(blocks, softrobot.Legs(at(5, 3, 23), at(17, 0, 10), at(8, 6, 8))...)
	blocks = append(blocks,
		softrobot.Block[ti.Vec3]{Low: at(31, 3, 20), Size: at(26, 5.5, 24), Muscle: softrobot.Water}, // before the robot
		softrobot.Block[ti.Vec3]{Low: at(14, 3, 20), Size: at(7, 5.5, 24), Muscle: softrobot.Water},  // between its legs
	)
	return softrobot.Scene[ti.Vec3]{
		Nodes: nodes, Apart: apart, Low: at(3, 3, 19), High: at(57, 57, 45), Blocks: blocks, Steps: steps, Segment: 16, Pace: [2]float64{1, 0.9},
		View: softrobot.Oblique, Shift: ti.Vec2{0.15, -0.3}, Pixels: ti.Shape{320, 180},
	}
}
