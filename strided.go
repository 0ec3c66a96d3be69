package ti

import (
	"fmt"
	"image"
	"slices"
	"unsafe"
)

// Strided makes an [Array] of a part of a larger one, so that a kernel works on it
// without a copy: a region of a picture, some columns of a matrix, a block of a volume.
// data begins with the first element of the part. Each stride is the number of elements
// of data from one index to the next along an axis; there is one for each axis but the
// last, whose elements follow each other, since kernels read them by whole vectors.
//
//	m := a.RawMatrix() // of a gonum mat.Dense, or of a part that its Slice returned
//	solve(ti.Strided(m.Data, ti.Shape{m.Rows, m.Cols}, m.Stride))
//
// What does not fit is told by the launch, with the place of the call of Strided: it
// fails with [ErrArgs] if the number of strides is not that of the axes less one, if
// elements overlap, or if the last one lies beyond data. What lies between the rows is
// neither read nor written.
func Strided[T any](data []T, shape Shape, along ...int) Array[T] {
	a := Array[T]{Data: data, Shape: shape, strides: &strides{steps: slices.Clone(along)}}
	if why := a.strides.misfit(shape, len(data)); why != "" {
		a.strides.refuse("Strided", why)
	}
	return a
}

// Pixels gives the pixels of a picture to a kernel, for a parameter of type
// array[[4]u8, D2]: p[y][x] is red, green, blue and alpha as the picture has them, and
// p[0][0] the corner of its bounds with the smallest x and y. The launch works on the
// picture in place, or on the part of it that SubImage has returned.
//
//	img := image.NewRGBA(image.Rect(0, 0, 640, 480))
//	shade(ti.Pixels(img))
//
// A picture without a stride of whole pixels, or with fewer bytes than its bounds need,
// is told by the launch as by [Strided], which serves pictures of other types:
// ti.Strided(gray.Pix, ti.Shape{height, width}, gray.Stride).
func Pixels[P *image.RGBA | *image.NRGBA](img P) Array[[4]uint8] {
	var pix []uint8
	var stride int
	var bounds image.Rectangle
	nothing := false
	switch img := any(img).(type) {
	case *image.RGBA:
		if nothing = img == nil; !nothing {
			pix, stride, bounds = img.Pix, img.Stride, img.Rect
		}
	case *image.NRGBA:
		if nothing = img == nil; !nothing {
			pix, stride, bounds = img.Pix, img.Stride, img.Rect
		}
	}
	data := unsafe.Slice((*[4]uint8)(unsafe.Pointer(unsafe.SliceData(pix))), len(pix)/4)
	a := Array[[4]uint8]{Data: data, Shape: Shape{bounds.Dy(), bounds.Dx()}, strides: &strides{steps: []int{stride / 4}}}
	why := a.strides.misfit(a.Shape, len(data))
	switch {
	case nothing:
		why = "the picture is nil"
	case stride%4 != 0:
		why = fmt.Sprintf("the picture has a stride of %d bytes, which is no multiple of the 4 of a pixel; copy it into one that image/draw makes", stride)
	}
	if why != "" {
		a.strides.refuse("Pixels", why)
	}
	return a
}

// strides are those of an array with gaps between its rows.
type strides struct {
	steps []int  // in elements, for each axis but the last
	bad   string // why the array cannot be used, "" if it can
}

// refuse notes why the array that a call of the named function makes is of no use.
func (s *strides) refuse(function, why string) {
	at := caller(2)
	s.bad = fmt.Sprintf("comes from ti.%s at %s:%d: %s", function, at.Filename, at.Line, why)
}

// misfit says why elements of a shape do not lie in a slice of n, "" if they do.
func (s *strides) misfit(shape Shape, n int) string {
	if len(s.steps) != len(shape)-1 {
		return fmt.Sprintf("a Shape of %s takes %s, one for each axis but the last, and it has %d", count(len(shape), "axis", "axes"), count(max(0, len(shape)-1), "stride", "strides"), len(s.steps))
	}
	empty := false
	for i, extent := range shape {
		if extent < 0 {
			return fmt.Sprintf("it has the shape %v; extents are not negative", shape)
		}
		if i < len(s.steps) && s.steps[i] < 0 {
			return fmt.Sprintf("the stride along axis %d is %d; strides are not negative", i, s.steps[i])
		}
		empty = empty || extent == 0
	}
	if empty {
		return ""
	}
	inner := 1 // elements from the first to the last of an index, both included
	for i := len(shape) - 1; i >= 0; i-- {
		step := s.step(i, shape[i], inner)
		if step < inner {
			return fmt.Sprintf("elements overlap: an index along axis %d spans %d elements, and the stride there is %d; make it %d or more", i, inner, step, inner)
		}
		if shape[i] > 1 && step > (n-inner)/(shape[i]-1) || inner > n {
			return fmt.Sprintf("the shape %v with strides %v goes beyond the %s of data; give it more of them, or a smaller Shape", shape, s.steps, count(n, "element", "elements"))
		}
		inner += (shape[i] - 1) * step
	}
	return ""
}

// step is the stride along an axis of some extent. It is of no matter where there is one
// index only, and kernels may multiply it by any.
func (s *strides) step(axis, extent, inner int) int {
	if axis >= len(s.steps) || extent <= 1 {
		return inner
	}
	return s.steps[axis]
}

// putStrided is putView for an array with strides. It works on a copy of the shape.
func (c *codec) putStrided(slots []uint64, h *arrayHeader) bool {
	var shape Index
	if copy(shape[:], h.shape) != c.view || h.strides.bad != "" || h.strides.misfit(shape[:c.view], h.data.len) != "" {
		return false
	}
	slots[0] = uint64(uintptr(h.data.data))
	inner := 1
	for i := c.view - 1; i >= 0; i-- {
		step := h.strides.step(i, shape[i], inner)
		slots[1+i] = uint64(shape[i])
		if i < c.view-1 {
			slots[1+c.view+i] = uint64(step)
		}
		if int64(shape[i]) > c.high {
			return false
		}
		inner += max(0, shape[i]-1) * step
	}
	return true
}

// unfitStrided is unfit for an array with strides, of the given shape.
func (c *codec) unfitStrided(h *arrayHeader, shape Shape) string {
	if h.strides.bad != "" {
		return h.strides.bad
	}
	if why := h.strides.misfit(shape, h.data.len); why != "" {
		return "was changed after ti.Strided made it: " + why
	}
	for _, n := range shape {
		if int64(n) > c.high {
			return fmt.Sprintf("has the shape %v, and %d does not fit an i32; use Config.Int 64", shape, n)
		}
	}
	return fmt.Sprintf("had another shape than %v a moment ago; do not change it during the launch", shape)
}
