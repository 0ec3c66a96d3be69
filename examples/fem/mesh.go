package main

import (
	"math"

	"github.com/gotaichi/ti"
)

// A mesh is a surface of triangles that share corners.
type mesh struct {
	points []ti.Vec3
	faces  [][3]int // numbers of points
	heat   []float32
}

// newMesh finds the corners that triangles share.
func newMesh(triangles []ti.Mat3) mesh {
	var m mesh
	number := map[ti.Vec3]int{}
	for _, t := range triangles {
		var face [3]int
		for k, p := range t {
			n, known := number[p]
			if !known {
				n = len(m.points)
				number[p] = n
				m.points = append(m.points, p)
			}
			face[k] = n
		}
		m.faces = append(m.faces, face)
	}
	m.heat = make([]float32, len(m.points))
	return m
}

// normals returns the direction of the surface at each point: the mean of the faces there, by area.
func (m mesh) normals() []ti.Vec3 {
	sums := make([]ti.Vec3, len(m.points))
	for _, f := range m.faces {
		n := cross(sub(m.points[f[1]], m.points[f[0]]), sub(m.points[f[2]], m.points[f[0]]))
		for _, k := range f {
			for d := range n {
				sums[k][d] += n[d]
			}
		}
	}
	for i := range sums {
		sums[i] = unit(sums[i])
	}
	return sums
}

func sub(a, b ti.Vec3) ti.Vec3 { return ti.Vec3{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func cross(a, b ti.Vec3) ti.Vec3 {
	return ti.Vec3{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func unit(a ti.Vec3) ti.Vec3 {
	l := float32(math.Sqrt(float64(a[0]*a[0] + a[1]*a[1] + a[2]*a[2])))
	return ti.Vec3{a[0] / l, a[1] / l, a[2] / l}
}
