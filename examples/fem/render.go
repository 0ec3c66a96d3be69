package main

import (
	_ "embed"
	"image"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/picture"
)

//go:embed render.ti
var renderSource string

// Renderer is the host of render.ti.
type Renderer struct {
	Corners, Normals ti.Field[ti.Mat3]
	Heat, Image      ti.Field[ti.Vec3]
	Seen, Lit        ti.Field[uint64]
	Draw             func(camera, sun View) error
}

// View is a place to look from.
type View struct {
	Rows ti.Mat3
	Eye  ti.Vec3
	Zoom float32
}

// lookAt returns the view from an eye to a target.
func lookAt(eye, target ti.Vec3, zoom float32) View {
	front := unit(sub(target, eye))
	right := unit(cross(front, ti.Vec3{0, 1, 0}))
	return View{ti.Mat3{right, cross(right, front), front}, eye, zoom}
}

// render paints meshes side by side, each moved by 1 from the one before, standing on the ground at height 0.
func render(d *demo.Demo, rt *ti.Runtime, meshes []mesh, rows, cols int) (image.Image, error) {
	var corners, normals []ti.Mat3
	var heat []ti.Vec3
	for i, m := range meshes {
		n := m.normals()
		shift := ti.Vec3{float32(len(meshes)-1)/2 - float32(i)}
		for _, f := range m.faces {
			corners = append(corners, ti.Mat3{sub(m.points[f[0]], shift), sub(m.points[f[1]], shift), sub(m.points[f[2]], shift)})
			normals = append(normals, ti.Mat3{n[f[0]], n[f[1]], n[f[2]]})
			heat = append(heat, ti.Vec3{m.heat[f[0]], m.heat[f[1]], m.heat[f[2]]})
		}
	}
	var r Renderer
	rt.Place(ti.Shape{len(corners)}, &r.Corners, &r.Normals, &r.Heat)
	rt.Place(ti.Shape{rows, cols}, &r.Image)
	rt.Place(ti.Shape{2 * rows, 2 * cols}, &r.Seen)
	rt.Place(ti.Shape{1024, 1024}, &r.Lit)
	if err := rt.Load(renderSource, &r); err != nil {
		return nil, err
	}
	if err := r.Corners.CopyFrom(corners); err != nil {
		return nil, err
	}
	if err := r.Normals.CopyFrom(normals); err != nil {
		return nil, err
	}
	if err := r.Heat.CopyFrom(heat); err != nil {
		return nil, err
	}
	middle := ti.Vec3{0.55, 0.42, 0.5}
	camera := lookAt(ti.Vec3{0.55, 1.4, 4.6}, middle, 1.8)
	sun := lookAt(ti.Vec3{-5, 9, 6}, middle, 5)
	if err := d.Run(rt, func() error { return r.Draw(camera, sun) }); err != nil {
		return nil, err
	}
	return picture.Image(&r.Image)
}
