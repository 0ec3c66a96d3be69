package ti

import (
	"fmt"
	"image"
	"unsafe"

	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/session"
)

// Array gives a slice of the caller a shape of several axes, the last one
// contiguous, for a kernel parameter of type array[T, Dn]:
//
//	blur(ti.Array[float32]{Data: pixels, Shape: ti.Shape{height, width}})
//
// The launch works on Data in place. It fails with [ErrArgs] when Shape has not n
// entries, or their product is not len(Data). [Strided] makes an array of a part of
// a slice, [Pixels] one of a picture.
type Array[T any] struct {
	Data  []T
	Shape Shape

	strides *hostabi.Strides // nil where the elements follow each other without gaps
}

// Strided makes an [Array] of a part of a larger one, so that a kernel works on it
// without a copy: a region of a picture, some columns of a matrix, a block of a volume.
// data begins with the first element of the part. Each stride is the number of elements
// of data from one index to the next along an axis; there is one for each axis but the
// last, whose elements follow each other, since kernels read them by whole vectors.
//
//	m := a.RawMatrix() // of a gonum mat.Dense, or of a part that its Slice returned
//	solve(ti.Strided(m.Data, ti.Shape{m.Rows, m.Cols}, m.Stride))
//
// What does not fit is reported by the launch, with the place of the call of Strided: it
// fails with [ErrArgs] if the number of strides is not that of the axes less one, if
// elements overlap, or if the last one lies beyond data. What lies between the rows is
// neither read nor written.
func Strided[T any](data []T, shape Shape, along ...int) Array[T] {
	return Array[T]{Data: data, Shape: shape, strides: session.NewStrides("Strided", shape, along, len(data), "")}
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
// is reported by the launch as for [Strided], which serves pictures of other types:
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
	var why string
	switch {
	case nothing:
		why = "the picture is nil"
	case stride%4 != 0:
		why = fmt.Sprintf("the picture has a stride of %d bytes, which is no multiple of the 4 of a pixel; copy it into one that image/draw makes", stride)
	}
	shape := Shape{bounds.Dy(), bounds.Dx()}
	return Array[[4]uint8]{Data: data, Shape: shape, strides: session.NewStrides("Pixels", shape, []int{stride / 4}, len(data), why)}
}
