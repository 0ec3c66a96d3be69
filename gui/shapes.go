package gui

import (
	"encoding/binary"
	"fmt"
	"image/color"
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/raster"
	"github.com/gotaichi/ti/internal/shapes"
	"github.com/gotaichi/ti/picture"
)

// Points says how [Window.Points] draws. The zero value is white and as small as can be.
type Points struct {
	// Radius is that of all points: in the units of their positions in space, and in parts of the window's height else. What is thinner than about a pixel is drawn as
	// thick as that.
	Radius float32

	// Radii has a radius for each point, as f32 or f64, in place of Radius.
	Radii ti.AnyField

	// Color is that of all points; nil is white. Opacity counts in the unit square alone.
	Color color.Color

	// Colors has a colour for each point, in place of Color: a field of the elements that a picture can have, such as vec3, vec4, u32 or [4]u8. Scalars have the colours
	// of the map in Config.Picture.
	Colors ti.AnyField

	// Scale has the map of these scalars, and the numbers that its colours begin and end with, in place of Config.Picture.
	Scale *picture.Config
}

// Lines says how [Window.Lines] draws.
type Lines struct {
	// Radius is half of the width of all lines, measured as that of [Points]. Radii has one for each position, between which it changes evenly.
	Radius float32
	Radii  ti.AnyField

	// Color is that of all lines; nil is white. Colors has one for each position, and Scale the map of scalars; see [Points].
	Color  color.Color
	Colors ti.AnyField
	Scale  *picture.Config

	// Index has the numbers of the two positions of each line, in row-major order: a field of ivec2 (or of two u32), or of twice as many i32 or u32. Without it a
	// line goes from each second position to the next one.
	Index ti.AnyField
}

// Triangles says how [Window.Triangles] draws.
type Triangles struct {
	// Color is that of all triangles; nil is white. Colors has one for each position, and Scale the map of scalars; see [Points].
	Color  color.Color
	Colors ti.AnyField
	Scale  *picture.Config

	// Index has the numbers of the three positions of each triangle: a field of ivec3 (or of three u32), or of three times as many i32 or u32. Without it each
	// three positions are a triangle.
	Index ti.AnyField
}

// Points draws a point at each element of a field of vec2 or vec3, of f32 or f64: at those of three numbers a ball in space, seen by the [Camera]; at those of
// two a disc in the unit square that the window shows, where [Mouse].Pos is, above the picture of Show and what is in space. It copies the elements and does
// not wait, as Show does, and what a frame draws is gone in the next one.
func (w *Window) Points(at ti.AnyField, look Points) error {
	return w.shape("Points", at, shapes.Style{Kind: raster.Points, Radius: look.Radius, Radii: look.Radii, Color: look.Color, Colors: look.Colors, Picture: w.scale(look.Scale)})
}

// Lines draws lines between positions, with round ends; see [Window.Points].
func (w *Window) Lines(at ti.AnyField, look Lines) error {
	return w.shape("Lines", at, shapes.Style{Kind: raster.Lines, Radius: look.Radius, Radii: look.Radii, Color: look.Color, Colors: look.Colors, Index: look.Index, Picture: w.scale(look.Scale)})
}

// Triangles draws triangles; see [Window.Points]. In space they have two sides, shaded by how they face the camera.
func (w *Window) Triangles(at ti.AnyField, look Triangles) error {
	return w.shape("Triangles", at, shapes.Style{Kind: raster.Triangles, Color: look.Color, Colors: look.Colors, Index: look.Index, Picture: w.scale(look.Scale)})
}

// scale has the colours of scalars in a shape, and the axes of the window.
func (w *Window) scale(own *picture.Config) picture.Config {
	if own == nil {
		return w.config.Picture
	}
	c := *own
	c.XY = w.config.Picture.XY
	return c
}

// shape draws a shape, for the method of a name.
func (w *Window) shape(name string, at ti.AnyField, look shapes.Style) error {
	if err := w.Err(); err != nil {
		return err
	}
	s, err := shapes.Read(at, look)
	if err != nil {
		return w.fail(fmt.Errorf("gui: %s: %w", name, err))
	}
	size := shapeBytes(&s)
	if err := w.draw(func(f *frame) {
		for i := range f.shapes {
			size += shapeBytes(&f.shapes[i])
		}
		if size <= shapes.Most {
			f.shapes = append(f.shapes, s)
		}
	}); err != nil {
		return err
	}
	if size > shapes.Most {
		return w.fail(fmt.Errorf("gui: %s: the shapes of a frame take %d bytes, and %d is the most; draw fewer", name, size, shapes.Most))
	}
	return nil
}

// shapeHead is the number of bytes before the positions of a shape in a message.
const shapeHead = 7 * 4

// shapeBytes is the size of a shape in a message.
func shapeBytes(s *raster.Shape) int {
	return shapeHead + 4*(len(s.Positions)+len(s.Radii)+len(s.Colors)+len(s.Index))
}

// appendShape appends a shape to a message: its kind, the numbers of a position, how many positions and indices there are, which of radii, colours and index
// follow, as bits, the radius and the colour of all, and then the positions, the radii, the colours and the index.
func appendShape(b []byte, s *raster.Shape) []byte {
	parts := uint32(0)
	for bit, has := range []bool{s.Radii != nil, s.Colors != nil, s.Index != nil} {
		if has {
			parts |= 1 << bit
		}
	}
	for _, v := range []uint32{uint32(s.Kind), uint32(s.Dims), uint32(s.Len()), uint32(len(s.Index)), parts, math.Float32bits(s.Radius)} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	b = append(b, s.Color.R, s.Color.G, s.Color.B, s.Color.A)
	b, _ = binary.Append(b, binary.LittleEndian, s.Positions) // slices of numbers have a size
	b, _ = binary.Append(b, binary.LittleEndian, s.Radii)
	for _, c := range s.Colors {
		b = append(b, c.R, c.G, c.B, c.A)
	}
	b, _ = binary.Append(b, binary.LittleEndian, s.Index)
	return b
}
