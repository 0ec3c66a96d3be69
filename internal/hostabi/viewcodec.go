package hostabi

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"unsafe"

	"github.com/gotaichi/ti/internal/typed"
)

// IsArray reports whether t is a ti.Array, which is a struct of a slice, a shape and strides.
func IsArray(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.NumField() == 3 && t.Field(2).Type == reflect.TypeFor[*Strides]()
}

// arrayHeader is how Go lays out an Array.
type arrayHeader struct {
	data    sliceHeader
	shape   []int
	strides *Strides
}

// viewCodec makes the codec of Go type t for a view parameter; t may be nil for any
// type that fits.
func viewCodec(t reflect.Type, want typed.View, w typed.Widths) (Codec, bool) {
	c := Codec{Type: t, view: want.Rank, count: 2 * want.Rank, high: maxLength(w)}
	if t == nil {
		return c, true
	}
	if !IsArray(t) {
		return c, false
	}
	elem := t.Field(0).Type.Elem()
	return c, Fits(elem, want.Elem) && (!typed.HasStruct(want.Elem) || inPlace(elem, want.Elem))
}

// putView stores address, extents and strides of an array. It reports false if the shape
// does not fit; unfit says why. The shape belongs to the caller, who may change it at any
// time, so each extent is read only once: the kernel gets the number that was checked.
func (c *Codec) putView(slots []uint64, v unsafe.Pointer) bool {
	h := (*arrayHeader)(v)
	if len(h.shape) != c.view {
		return false
	}
	if h.strides != nil {
		return c.putStrided(slots, h)
	}
	slots[0] = uint64(uintptr(h.data.data))
	extents, strides := slots[1:1+c.view], slots[1+c.view:]
	elements := uint64(1)
	for i := c.view - 1; i >= 0; i-- {
		n := h.shape[i]
		extents[i] = uint64(n)
		if i < c.view-1 {
			strides[i] = elements
		}
		over, low := bits.Mul64(elements, uint64(n))
		if n < 0 || int64(n) > c.high {
			return false
		}
		if elements = low; over != 0 {
			elements = math.MaxUint64
		}
	}
	return elements == uint64(h.data.len)
}

// unfit says what is wrong with an array of some shape that putView has refused.
func (c *Codec) unfit(h *arrayHeader) string {
	shape := slices.Clone(h.shape)
	if len(shape) != c.view {
		return fmt.Sprintf("has the shape %v, and the parameter %s", shape, Count(c.view, "axis", "axes"))
	}
	if h.strides != nil {
		return c.unfitStrided(h, shape)
	}
	elements := uint64(1)
	for _, n := range shape {
		over, low := bits.Mul64(elements, uint64(max(n, 0)))
		switch {
		case n < 0:
			return fmt.Sprintf("has the shape %v; extents are not negative", shape)
		case int64(n) > c.high:
			return fmt.Sprintf("has the shape %v, and %d does not fit an i32; use Config.Int 64", shape, n)
		case over != 0:
			low = math.MaxUint64
		}
		elements = low
	}
	if elements != uint64(h.data.len) {
		return fmt.Sprintf("has the shape %v of %d elements, and %d in Data", shape, elements, h.data.len)
	}
	return fmt.Sprintf("had another shape than %v a moment ago; do not change it during the launch", shape)
}

func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Misfit says what is wrong with an argument that put has refused.
func (c *Codec) Misfit(v unsafe.Pointer) string {
	switch {
	case c.slice:
		return fmt.Sprintf("has %d elements, more than an i32 can count; pass a part of it, or use Config.Int 64", (*sliceHeader)(v).len)
	case c.view == 0:
		return "does not fit an i32; pass a smaller number, or use Config.Int 64"
	}
	return c.unfit((*arrayHeader)(v))
}
