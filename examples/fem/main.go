// Command fem pulls at a bunny of jelly that is held by its feet.
package main

import (
	"fmt"
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/bunny"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/picture"
)

func main() {
	demo.Main("fem", func(d *demo.Demo) (demo.Result, error) {
		result, _, err := run(d, 32, 360, 640)
		return result, err
	})
}

// A jelly is one material under one force.
const (
	mu, lambda = 1, 3
	pull       = 0.22 // force on a voxel, times their number along an edge, which the shape then does not depend on
)

// outcome is what the test looks at.
type outcome struct {
	feet       float32 // height of the lowest point
	rest, bent mesh
}

// run fills the bunny with voxels, n along an edge of the unit cube, holds its feet, pulls at the rest of it, and paints it
// before and after.
func run(d *demo.Demo, n, rows, cols int) (result demo.Result, o outcome, err error) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return result, o, err
	}
	defer rt.Close()
	triangles, err := bunny.Triangles(1.0 / 32)
	if err != nil {
		return result, o, err
	}
	body, err := newBody(rt, arrays, n, n, n)
	if err != nil {
		return result, o, err
	}
	o.rest, o.bent = newMesh(triangles), newMesh(triangles)
	o.feet = 1
	for _, p := range o.rest.points {
		o.feet = min(o.feet, p[1])
	}
	steps := 0
	err = d.Run(rt, func() error {
		if err := body.Voxelise(triangles, lambda, mu); err != nil {
			return err
		}
		held := int(o.feet*float32(n)) + 2
		body.Keep(1, held)
		if err := body.Cover(); err != nil {
			return err
		}
		const force = pull * mu
		if err := body.Prepare(1, held, ti.Vec3{force / float32(n), -0.3 * force / float32(n), 0}); err != nil {
			return err
		}
		if _, steps, err = body.Solve(1e-6); err != nil {
			return err
		}
		return body.Bend(o.rest.points, 1, o.bent.points, o.bent.heat)
	})
	if err != nil {
		return result, o, err
	}
	nodes := body.Nodes.Count()
	img, err := render(d, rt, []mesh{o.rest.shown(o.feet, mu), o.bent.shown(o.feet, mu)}, rows, cols)
	if err != nil {
		return result, o, err
	}
	file := d.Path("fem.png")
	return demo.Result{
		Work:   fmt.Sprintf("%d steps for %d nodes", steps, nodes),
		Amount: float64(steps) * float64(nodes),
		Unit:   "node",
		File:   file,
	}, o, picture.SaveImage(file, img)
}

// shown returns the mesh with its feet on the ground and its stresses as heat.
func (m mesh) shown(feet float32, most float64) mesh {
	s := mesh{faces: m.faces}
	for i, p := range m.points {
		s.points = append(s.points, ti.Vec3{p[0], p[1] - feet, p[2]})
		s.heat = append(s.heat, float32(math.Sqrt(min(1, 2*float64(m.heat[i])/most))))
	}
	return s
}
