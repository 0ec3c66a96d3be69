// Command cornellbox traces paths of light in the Cornell box.
package main

import (
	_ "embed"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
)

//go:embed cornellbox.ti
var source string

// Object is a box of the room.
type Object struct {
	Position, Rotation, Scale ti.Vec3
	Albedo, Emission          ti.Vec3
	Matrix                    ti.Mat3
}

// Room is the host of cornellbox.ti.
type Room struct {
	Objects    ti.Field[Object]
	Buffer     ti.Field[ti.Vec4]
	Pixels     ti.Field[ti.Vec3]
	BuildScene func()
	Render     func(eye, target, up ti.Vec3)
}

var one, grey, red, green = ti.Vec3{1, 1, 1}, ti.Vec3{0.4, 0.4, 0.4}, ti.Vec3{0.5, 0, 0}, ti.Vec3{0, 0.5, 0}

var objects = []Object{
	{Position: ti.Vec3{0, 0, -1}, Scale: ti.Vec3{1, 1, 0.2}, Albedo: grey, Emission: one},
	{Position: ti.Vec3{0, 1, 0}, Rotation: ti.Vec3{90, 0, 0}, Scale: ti.Vec3{1, 1, 0.2}, Albedo: grey, Emission: one},
	{Position: ti.Vec3{0, -1, 0}, Rotation: ti.Vec3{90, 0, 0}, Scale: ti.Vec3{1, 1, 0.2}, Albedo: grey, Emission: one},
	{Position: ti.Vec3{-1, 0, 0}, Rotation: ti.Vec3{0, 90, 0}, Scale: ti.Vec3{1, 1, 0.2}, Albedo: red, Emission: one},
	{Position: ti.Vec3{1, 0, 0}, Rotation: ti.Vec3{0, 90, 0}, Scale: ti.Vec3{1, 1, 0.2}, Albedo: green, Emission: one},
	{Position: ti.Vec3{-0.275, -0.3, -0.2}, Rotation: ti.Vec3{0, 112, 0}, Scale: ti.Vec3{0.25, 0.5, 0.25}, Albedo: grey, Emission: one},
	{Position: ti.Vec3{0.275, -0.55, 0.2}, Rotation: ti.Vec3{0, -197, 0}, Scale: ti.Vec3{0.25, 0.25, 0.25}, Albedo: grey, Emission: one},
	{Position: ti.Vec3{0, 0.809, 0}, Rotation: ti.Vec3{90, 0, 0}, Scale: ti.Vec3{0.2, 0.2, 0.01}, Albedo: one, Emission: ti.Vec3{100, 100, 100}},
}

func main() { demo.Play("cornellbox", 60, paint) }

func paint(m *demo.Movie) {
	var room Room
	m.Place(ti.Shape{len(objects)}, &room.Objects)
	m.Place(ti.Shape{256, 256}, &room.Buffer, &room.Pixels)
	m.Load(source, &room)
	for i, o := range objects {
		room.Objects.Set(o, i)
	}
	room.BuildScene()
	for range m.Frames() {
		room.Render(ti.Vec3{0, 0, 3.5}, ti.Vec3{0, 0, -1}, ti.Vec3{0, 1, 0})
	}
	m.Save(&room.Pixels)
}
