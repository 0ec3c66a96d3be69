// Command diffmpm trains robots of soft tissue to walk and to crawl.
package main

import (
	"flag"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/examples/internal/softrobot"
)

func main() {
	solid := flag.Bool("3d", false, "train a robot in three dimensions")
	demo.Main("diffmpm", func(d *demo.Demo) (demo.Result, error) {
		if *solid {
			return crawl(d, crawler(64, 0.5, d.Short(64, 512)), d.Short(1, 20), d.Short(2, 64))
		}
		return walk(d, walker(128, 1.0/3, d.Short(256, 1024)), d.Short(4, 100), d.Short(8, 64))
	})
}

func walk(d *demo.Demo, scene softrobot.Scene[ti.Vec2], iterations, shown int) (demo.Result, error) {
	return softrobot.Play[ti.Vec2, ti.Vec3, ti.Mat2](d, "diffmpm", scene, iterations, shown)
}

func crawl(d *demo.Demo, scene softrobot.Scene[ti.Vec3], iterations, shown int) (demo.Result, error) {
	return softrobot.Play[ti.Vec3, ti.Vec4, ti.Mat3](d, "diffmpm3d", scene, iterations, shown)
}

// walker has two legs of two muscles each. Lengths are in parts of 128; particles are so far apart, in parts of the
// distance between nodes.
func walker(nodes int, apart float64, steps int) softrobot.Scene[ti.Vec2] {
	at := func(x, y float32) ti.Vec2 { return ti.Vec2{x / 128, y / 128} }
	blocks := []softrobot.Block[ti.Vec2]{{Low: at(12, 10), Size: at(32, 8), Muscle: softrobot.Tissue}}
	for k := range 4 {
		blocks = append(blocks, softrobot.Block[ti.Vec2]{Low: at(float32(12+24*(k/2)+4*(k%2)), 3), Size: at(4, 7), Muscle: int32(k)})
	}
	return softrobot.Scene[ti.Vec2]{
		Nodes: nodes, Apart: apart, Low: at(3, 3), High: at(125, 125), Blocks: blocks, Steps: steps, Segment: steps, Pace: [2]float64{0.4, 0.96},
		View: [3]ti.Vec2{{1, 0}, {0, 1}}, Pixels: ti.Shape{320, 96},
	}
}

// crawler has four legs of four muscles each. Lengths are in parts of 64.
func crawler(nodes int, apart float64, steps int) softrobot.Scene[ti.Vec3] {
	at := func(x, y, z float32) ti.Vec3 { return ti.Vec3{x / 64, y / 64, z / 64} }
	blocks := []softrobot.Block[ti.Vec3]{{Low: at(6, 9, 22), Size: at(20, 6.5, 20), Muscle: softrobot.Tissue}}
	blocks = append(blocks, softrobot.Legs(at(6, 3, 22), at(13, 0, 13), at(7, 6, 7))...)
	return softrobot.Scene[ti.Vec3]{
		Nodes: nodes, Apart: apart, Low: at(3, 3, 3), High: at(61, 61, 61), Blocks: blocks, Steps: steps, Segment: 16, Pace: [2]float64{1, 0.9},
		View: softrobot.Oblique, Shift: ti.Vec2{0.15, -0.3}, Pixels: ti.Shape{320, 180},
	}
}
