package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"reflect"
	"unsafe"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/memory"
	"github.com/gotaichi/ti/internal/pixels"
)

// A View is a field as an [image.Image]. Pixels are computed from elements when they are asked
// for; of a shared view those are the elements that the field has at that time.
type View struct {
	field  ti.AnyField // keeps the memory alive
	format pixels.Format
	data   []byte
	shared bool

	width, height int
	first         int // offset of the upper left pixel in data
	right, down   int // distances of neighbours

	colours   color.Palette // nil if elements are colours or brightness
	index     bool          // of colours, by integers
	low, span float64
}

// Image returns a picture of a field. It copies nothing, and shows what the field has at any time,
// if the elements lie in memory in row-major order, as rt.Place puts them, and are of one of the
// types f16, f32, f64, u8, bool, i32, u32, or vectors of 3 or 4 of the first four as [N]T; else it
// copies the elements. [View.Shared] tells. After the tree of the field was closed, the pixels of a shared view mean
// nothing.
//
// It fails for a field that is not placed, that has not two axes, or whose elements are no colours; the
// package documentation has a list of these.
func (c Config) Image(f ti.AnyField) (*View, error) {
	v, err := c.describe(f)
	if err != nil {
		return nil, err
	}
	if v.data, v.shared, err = elements(f); err != nil {
		return nil, err
	}
	size, n := v.format.Size(), v.width*v.height
	if layers := len(v.data) / max(n*size, 1); layers > 1 {
		at := 0
		for k, i := range c.At {
			at = at*f.Shape()[k] + i
		}
		v.data = v.data[at*n*size:][:n*size]
	}
	return v, nil
}

// describe returns a view without data.
func (c Config) describe(f ti.AnyField) (*View, error) {
	v, dims, err := c.elementsOf(f)
	if err != nil {
		return nil, err
	}
	if err := c.hasAxes(f); err != nil {
		return nil, noPicture(f, err)
	}
	if err := c.color(v, dims); err != nil {
		return nil, err
	}
	v.lay(f.Shape(), c.XY)
	return v, nil
}

// elementsOf returns a view without data, axes and colours, and the dimensions of elements.
func (c Config) elementsOf(f ti.AnyField) (*View, []int, error) {
	if f == nil {
		return nil, nil, fmt.Errorf("a picture of a nil field")
	}
	kind, dims, err := elementOf(f.Elem())
	if err != nil {
		return nil, nil, noPicture(f, err)
	}
	return &View{field: f, format: pixels.Format{Kind: kind, Channels: 1}}, dims, nil
}

// color says which colours the elements of a view have.
func (c Config) color(v *View, dims []int) (err error) {
	kind := v.format.Kind
	if len(dims) == 0 && c.Map != nil {
		if len(c.Map) == 0 {
			return noPicture(v.field, fmt.Errorf("Config.Map has no colours"))
		}
		low, high := c.limits()
		v.colours, v.index, v.low, v.span = c.Map, !pixels.IsFloat(kind), low, high-low
		return nil
	}
	if v.format, err = pixels.FormatOf(kind, dims); err != nil {
		return noPicture(v.field, fmt.Errorf("%w; it has %v. With Config.Map, integers are indices of its colours", err, v.field.Elem()))
	}
	return nil
}

// lay says where pixels lie in an array whose last two axes are those of the picture.
func (v *View) lay(shape ti.Shape, xy bool) {
	n, m, size := shape[len(shape)-2], shape[len(shape)-1], v.format.Size()
	if xy {
		v.width, v.height = n, m
		v.first, v.right, v.down = (m-1)*size, m*size, -size
		return
	}
	v.width, v.height = m, n
	v.first, v.right, v.down = 0, size, m*size
}

// hasAxes reports a field whose axes are not those of a picture.
func (c Config) hasAxes(f ti.AnyField) error {
	shape := f.Shape()
	switch rank := len(shape); {
	case f.Node() == nil:
		return fmt.Errorf("it is not placed; call rt.Place(ti.Shape{height, width}, &field)")
	case rank < 2:
		return fmt.Errorf("a picture needs two axes, and it has %d", rank)
	case rank != 2+len(c.At) && len(c.At) == 0:
		return fmt.Errorf("a picture needs two axes, and it has %d; name one of its pictures by Config.At: []int{0}", rank)
	case rank != 2+len(c.At):
		return fmt.Errorf("Config.At has %d indices, and there are %d axes before the last two", len(c.At), rank-2)
	}
	for k, i := range c.At {
		if i < 0 || i >= shape[k] {
			return fmt.Errorf("Config.At is %v, and its shape is %v", c.At, shape)
		}
	}
	return nil
}

func noPicture(f ti.AnyField, err error) error {
	return fmt.Errorf("%s is no picture: %w", f.Name(), err)
}

// elementOf returns the kind and the dimensions of elements that are no structs.
func elementOf(t reflect.Type) (layout.Kind, []int, error) {
	e, err := layout.ElemOf(t)
	if err != nil {
		return 0, nil, err
	}
	var dims []int
	for ; t.Kind() == reflect.Array; t = t.Elem() {
		dims = append(dims, t.Len())
	}
	if t.Kind() == reflect.Struct {
		return 0, nil, fmt.Errorf("its elements are structs; show a member, by ti.Member")
	}
	k, _ := e.Kind()
	return k, dims, nil
}

// elements returns the elements of a field in row-major order, and whether they are its memory.
func elements(f ti.AnyField) (data []byte, shared bool, err error) {
	if data, shared, err = known(f, false); shared {
		return data, shared, err
	}
	need := float64(f.Elem().Size())
	for _, n := range f.Shape() {
		need *= float64(n)
	}
	if most := memory.Room(); need > float64(most) { // a sparse field may be larger than memory
		return nil, false, noPicture(f, fmt.Errorf("its elements would take %s, and there is room for %s", memory.Text(int64(min(need, 1<<62))), memory.Text(most)))
	}
	if data, _, err = known(f, true); data != nil || err != nil {
		return data, false, err
	}
	var buf bytes.Buffer
	_, err = f.WriteTo(&buf)
	return buf.Bytes(), false, err
}

// known returns the memory of a field of a type that pictures often have, or a copy of its elements where they are elsewhere and copies says so; nil for others.
func known(f ti.AnyField, copies bool) (data []byte, shared bool, err error) {
	switch f := f.(type) {
	case *ti.Field[float32]:
		return bytesOf(f, copies)
	case *ti.Field[float64]:
		return bytesOf(f, copies)
	case *ti.Field[ti.Float16]:
		return bytesOf(f, copies)
	case *ti.Field[uint8]:
		return bytesOf(f, copies)
	case *ti.Field[bool]:
		return bytesOf(f, copies)
	case *ti.Field[int32]:
		return bytesOf(f, copies)
	case *ti.Field[uint32]:
		return bytesOf(f, copies)
	case *ti.Field[[3]float32]:
		return bytesOf(f, copies)
	case *ti.Field[[4]float32]:
		return bytesOf(f, copies)
	case *ti.Field[[3]float64]:
		return bytesOf(f, copies)
	case *ti.Field[[4]float64]:
		return bytesOf(f, copies)
	case *ti.Field[[3]ti.Float16]:
		return bytesOf(f, copies)
	case *ti.Field[[4]ti.Float16]:
		return bytesOf(f, copies)
	case *ti.Field[[3]uint8]:
		return bytesOf(f, copies)
	case *ti.Field[[4]uint8]:
		return bytesOf(f, copies)
	}
	return nil, false, nil
}

// bytesOf returns the memory of a field whose elements follow each other, or a copy of its elements.
func bytesOf[T any](f *ti.Field[T], copies bool) (data []byte, shared bool, err error) {
	s, err := f.Slice()
	if shared = err == nil; !shared {
		if !copies {
			return nil, false, nil
		}
		s = make([]T, f.Len())
		if err := f.CopyTo(s); err != nil {
			return nil, false, err
		}
	}
	if len(s) == 0 {
		return nil, false, nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0]))), shared, nil
}

// Shared reports whether the view is of the field's memory, and so changes with it.
func (v *View) Shared() bool { return v.shared }

// ColorModel implements [image.Image].
func (v *View) ColorModel() color.Model {
	switch {
	case v.colours != nil:
		return v.colours
	case v.grey():
		return color.GrayModel
	}
	return color.NRGBAModel
}

// grey reports whether pixels are brightness.
func (v *View) grey() bool { return v.colours == nil && v.format.Channels == 1 && !v.format.Packed() }

// Bounds implements [image.Image].
func (v *View) Bounds() image.Rectangle { return image.Rect(0, 0, v.width, v.height) }

// At implements [image.Image].
func (v *View) At(x, y int) color.Color {
	if !(image.Point{x, y}).In(v.Bounds()) {
		return color.NRGBA{}
	}
	e := v.data[v.first+x*v.right+y*v.down:]
	switch {
	case v.colours != nil:
		return v.colours[v.shade(e)]
	case v.grey():
		return color.Gray{v.format.RGBA(e)[0]}
	}
	c := v.format.RGBA(e)
	return color.NRGBA{c[0], c[1], c[2], c[3]}
}

// shade returns the index of the colour of an element.
func (v *View) shade(e []byte) int { return v.shadeOf(pixels.Number(v.format.Kind, e)) }

// shadeOf returns the index of the colour of a number.
func (v *View) shadeOf(x float64) int {
	if !v.index {
		x = (x - v.low) / v.span * float64(len(v.colours))
	}
	if !(x > 0) {
		return 0
	}
	return int(min(x, float64(len(v.colours)-1)))
}
