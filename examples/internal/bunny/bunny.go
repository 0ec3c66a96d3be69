// Package bunny has the Stanford bunny as triangles: a closed surface for examples to fill or to cover with voxels.
// The model is from the Stanford 3D Scanning Repository.
package bunny

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/gotaichi/ti"
)

//go:embed bunny.obj
var model string

// Triangles returns the surface, each row of a triangle a corner. The bunny stands upright, y is up, in the middle of
// the unit cube, so large that it keeps at least the margin from all sides.
func Triangles(margin float32) ([]ti.Mat3, error) {
	corners, faces, err := read(model)
	if err != nil {
		return nil, err
	}
	low, high := corners[0], corners[0]
	for _, p := range corners {
		for a := range p {
			low[a], high[a] = min(low[a], p[a]), max(high[a], p[a])
		}
	}
	size := max(high[0]-low[0], high[1]-low[1], high[2]-low[2])
	for i, p := range corners {
		for a := range p {
			p[a] = 0.5 + (p[a]-(low[a]+high[a])/2)/size*(1-2*margin)
		}
		corners[i] = p
	}
	triangles := make([]ti.Mat3, len(faces))
	for i, f := range faces {
		triangles[i] = ti.Mat3{corners[f[0]], corners[f[1]], corners[f[2]]}
	}
	return triangles, nil
}

// read reads the vertices and the faces, by numbers from 0, of a model in the OBJ format.
func read(model string) (corners []ti.Vec3, faces [][3]int, err error) {
	n := 0
	for line := range strings.Lines(model) {
		n++
		switch {
		case strings.HasPrefix(line, "v "):
			var p ti.Vec3
			_, err = fmt.Sscanf(line, "v %g %g %g", &p[0], &p[1], &p[2])
			corners = append(corners, p)
		case strings.HasPrefix(line, "f "):
			var f [3]int
			_, err = fmt.Sscanf(line, "f %d %d %d", &f[0], &f[1], &f[2])
			for a := range f {
				if f[a]--; err == nil && (f[a] < 0 || f[a] >= len(corners)) {
					err = fmt.Errorf("there is no vertex %d", f[a]+1)
				}
			}
			faces = append(faces, f)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("line %d of the model: %w", n, err)
		}
	}
	return corners, faces, nil
}
