package shapes

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image/color"
	"math"
	"reflect"
	"unsafe"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/raster"
	"github.com/gotaichi/ti/picture"
)

// A Style is how the positions of a field are drawn.
type Style struct {
	Kind                 raster.Kind
	Radius               float32
	Radii, Colors, Index ti.AnyField
	Color                color.Color    // nil is white
	Picture              picture.Config // the colours of scalars, and which way the axes of the unit square run
}

// each is how many positions a line or triangle has; 1 for points, which follow no index.
func (s *Style) each() int { return int(s.Kind) + 1 }

// Read copies what a shape is drawn of.
func Read(at ti.AnyField, look Style) (s raster.Shape, err error) {
	s = raster.Shape{Kind: look.Kind, Radius: look.Radius, Color: color.NRGBA{255, 255, 255, 255}}
	if look.Color != nil {
		s.Color = color.NRGBAModel.Convert(look.Color).(color.NRGBA)
	}
	if s.Dims, err = dims(at); err != nil {
		return s, fmt.Errorf("positions: %w", err)
	}
	if s.Positions, err = floats(at, s.Dims); err != nil {
		return s, fmt.Errorf("positions: %w", err)
	}
	if s.Dims == 2 {
		toPage(s.Positions, look.Picture.XY)
	}
	n := s.Len()
	if look.Radii != nil {
		if s.Radii, err = floats(look.Radii, 1); err == nil {
			err = fits(look.Radii, n)
		}
		if err != nil {
			return s, fmt.Errorf("radii: %w", err)
		}
	}
	if look.Colors != nil {
		if err = readable(look.Colors, 4); err == nil {
			err = fits(look.Colors, n)
		}
		if err == nil {
			s.Colors, err = look.Picture.Colors(look.Colors)
		}
		if err != nil {
			return s, fmt.Errorf("colours: %w", err)
		}
	}
	if look.Kind == raster.Points {
		return s, nil
	}
	count, what := n, "positions"
	if look.Index != nil {
		if s.Index, err = indices(look.Index, look.each(), n); err != nil {
			return s, fmt.Errorf("index: %w", err)
		}
		count, what = len(s.Index), "indices"
	}
	if count%look.each() != 0 {
		return s, fmt.Errorf("%d %s are no multiple of %d", count, what, look.each())
	}
	return s, nil
}

// Most is how many bytes the shapes of a frame have at most.
const Most = 1 << 28

// toPage takes places in a field, as Mouse.Pos has them, to places in a page: to the right and down.
func toPage(p []float32, xy bool) {
	for i := 0; i+1 < len(p); i += 2 {
		if xy {
			p[i+1] = 1 - p[i+1]
		} else {
			p[i], p[i+1] = p[i+1], p[i]
		}
	}
}

// dims is how many numbers the positions of a field have.
func dims(f ti.AnyField) (int, error) {
	if err := readable(f, 0); err != nil {
		return 0, err
	}
	if t := f.Elem(); t.Kind() == reflect.Array && (t.Len() == 2 || t.Len() == 3) && isFloat(t.Elem()) {
		return t.Len(), nil
	}
	if f.Elem().Kind() == reflect.Struct {
		return 0, fmt.Errorf("%s has structs; draw a member with positions, which is a field of its own (ti.Member)", f.Name())
	}
	return 0, fmt.Errorf("%s has %v; a position is a vec2 or vec3 of f32 or f64", f.Name(), f.Elem())
}

// readable reports a field whose elements cannot be copied, each into a number of bytes.
func readable(f ti.AnyField, each int) error {
	switch {
	case f == nil || reflect.ValueOf(f).IsNil():
		return errors.New("there is no field")
	case f.Node() == nil:
		return fmt.Errorf("%s is not placed", f.Name())
	case f.Len() > Most/max(each, 8):
		return fmt.Errorf("%s has %d elements, and %d is the most; draw fewer", f.Name(), f.Len(), Most/max(each, 8))
	}
	return nil
}

// fits reports a field that has not an element for each position.
func fits(f ti.AnyField, positions int) error {
	if f.Len() != positions {
		return fmt.Errorf("%s has %d elements, and there are %d positions", f.Name(), f.Len(), positions)
	}
	return nil
}

func isFloat(t reflect.Type) bool { return t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64 }

// content is the elements of a field, in row-major order, as bytes.
func content(f ti.AnyField) ([]byte, error) {
	for _, copied := range []func(ti.AnyField) ([]byte, error){
		copied[float32], copied[[2]float32], copied[[3]float32], copied[float64], copied[[2]float64], copied[[3]float64],
		copied[int32], copied[[2]int32], copied[[3]int32], copied[uint32], copied[[2]uint32], copied[[3]uint32],
	} {
		if data, err := copied(f); data != nil || err != nil {
			return data, err
		}
	}
	var b bytes.Buffer // a type of its own
	b.Grow(f.Len() * int(f.Elem().Size()))
	_, err := f.WriteTo(&b)
	return b.Bytes(), err
}

// copied is content for a field of T, nil for others. It takes a tenth of the time.
func copied[T any](f ti.AnyField) ([]byte, error) {
	typed, is := f.(*ti.Field[T])
	if !is || f.Len() == 0 {
		return nil, nil
	}
	dst := make([]T, f.Len())
	err := typed.CopyTo(dst)
	return unsafe.Slice((*byte)(unsafe.Pointer(&dst[0])), len(dst)*int(unsafe.Sizeof(dst[0]))), err
}

// floats copies the elements of a field of floats, or of vectors of n of them.
func floats(f ti.AnyField, n int) ([]float32, error) {
	if err := readable(f, 0); err != nil {
		return nil, err
	}
	t := f.Elem()
	if n > 1 {
		t = t.Elem()
	}
	if !isFloat(t) {
		return nil, fmt.Errorf("%s has %v, and f32 or f64 is wanted", f.Name(), f.Elem())
	}
	data, err := content(f)
	if err != nil {
		return nil, err
	}
	out := make([]float32, f.Len()*n)
	if t.Kind() == reflect.Float32 {
		for i := range out {
			out[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
		return out, nil
	}
	for i := range out {
		out[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:])))
	}
	return out, nil
}

// indices copies numbers of positions, of which each line or triangle has some.
func indices(f ti.AnyField, each, positions int) ([]uint32, error) {
	if err := readable(f, 4*each); err != nil {
		return nil, err
	}
	t, n := f.Elem(), 1
	if t.Kind() == reflect.Array {
		t, n = t.Elem(), t.Len()
	}
	if n != 1 && n != each || t.Kind() != reflect.Int32 && t.Kind() != reflect.Uint32 {
		return nil, fmt.Errorf("%s has %v, and i32 or u32, or vectors of %d of them, are wanted", f.Name(), f.Elem(), each)
	}
	data, err := content(f)
	if err != nil {
		return nil, err
	}
	out := make([]uint32, f.Len()*n)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(data[4*i:])
		if uint64(out[i]) >= uint64(positions) {
			number := int64(out[i])
			if t.Kind() == reflect.Int32 {
				number = int64(int32(out[i]))
			}
			return nil, fmt.Errorf("element %d of %s names position %d, and there are %d", i/n, f.Name(), number, positions)
		}
	}
	return out, nil
}
