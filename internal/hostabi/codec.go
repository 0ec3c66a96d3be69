package hostabi

import (
	"math"
	"reflect"
	"slices"
	"unsafe"

	"github.com/gotaichi/ti/internal/typed"
)

// Codec moves values of one Go type to and from argument and result slots, one
// for each scalar (two for a slice).
type Codec struct {
	Type  reflect.Type // as the caller passes it
	kind  reflect.Kind // of a scalar
	size  uintptr      // of a scalar in memory
	count int          // of scalars
	slice bool
	alone bool   // one scalar, of which every value fits
	view  int    // axes of a view, 0 for what is none
	parts []leaf // the scalars of a value with structs, in the order of the source
	low   int64  // for a Go int that is an i32: its limits
	high  int64  // also of the length of a slice and of the extents of an array
}

// Slots is the number of slots of a value.
func (c *Codec) Slots() int {
	if c.slice {
		return 2
	}
	return c.count
}

// ElemSize is the size of an element of a slice.
func (c *Codec) ElemSize() int {
	if !c.slice {
		return 0
	}
	return int(c.Type.Elem().Size())
}

// sliceHeader is how Go lays out a slice.
type sliceHeader struct {
	data unsafe.Pointer
	len  int
	cap  int
}

// Same reports whether two codecs do the same with values of one type.
func (c *Codec) Same(d *Codec) bool {
	return c.slice == d.slice && c.view == d.view && c.count == d.count && slices.Equal(c.parts, d.parts)
}

// Put stores the value at v in slots. It fails for a Go int that does not fit.
func (c *Codec) Put(slots []uint64, v unsafe.Pointer) bool {
	if c.slice {
		h := (*sliceHeader)(v)
		slots[0], slots[1] = uint64(uintptr(h.data)), uint64(h.len)
		return int64(h.len) <= c.high
	}
	if c.view > 0 {
		return c.putView(slots, v)
	}
	if c.kind == reflect.Int {
		n := int64(*(*int)(v))
		slots[0] = uint64(n)
		return n >= c.low && n <= c.high
	}
	for i, l := range c.parts {
		slots[i] = LoadScalar(unsafe.Add(v, l.offset), l.size)
	}
	if c.parts == nil {
		for i := range c.count {
			slots[i] = LoadScalar(unsafe.Add(v, uintptr(i)*c.size), c.size)
		}
	}
	return true
}

// LoadScalar reads a scalar as a slot holds it.
func LoadScalar(p unsafe.Pointer, size uintptr) uint64 {
	switch size {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

// get is the inverse of put.
func (c *Codec) get(v unsafe.Pointer, slots []uint64) {
	for i, l := range c.parts {
		storeScalar(unsafe.Add(v, l.offset), l.kind, l.size, slots[i])
	}
	if c.parts != nil {
		return
	}
	if c.kind == reflect.Int && c.low == math.MinInt32 {
		*(*int)(v) = int(int32(slots[0]))
		return
	}
	for i := range c.count {
		storeScalar(unsafe.Add(v, uintptr(i)*c.size), c.kind, c.size, slots[i])
	}
}

// storeScalar writes a scalar out of a slot.
func storeScalar(p unsafe.Pointer, kind reflect.Kind, size uintptr, slot uint64) {
	switch {
	case kind == reflect.Bool:
		*(*bool)(p) = slot&1 != 0
	case size == 1:
		*(*uint8)(p) = uint8(slot)
	case size == 2:
		*(*uint16)(p) = uint16(slot)
	case size == 4:
		*(*uint32)(p) = uint32(slot)
	default:
		*(*uint64)(p) = slot
	}
}

// NewCodec makes the codec of Go type t for the kernel language's type want; ok is
// false if they do not fit. Where want is not known yet, every type fits.
func NewCodec(t reflect.Type, want typed.Type, w typed.Widths) (c Codec, ok bool) {
	c = Codec{Type: t, count: 1}
	if s, isSlice := want.(typed.Slice); isSlice {
		if t.Kind() != reflect.Slice || !Fits(t.Elem(), s.Elem) || typed.HasStruct(s.Elem) && !inPlace(t.Elem(), s.Elem) {
			return c, false
		}
		c.slice, c.high = true, maxLength(w)
		return c, true
	}
	if v, isView := want.(typed.View); isView {
		return viewCodec(t, v, w)
	}
	if want == typed.Unknown {
		return c, true
	}
	if t.Kind() == reflect.Int && want == w.Int {
		c.kind, c.size, c.low, c.high = reflect.Int, unsafe.Sizeof(0), math.MinInt32, math.MaxInt32
		if w.Int == typed.I64 {
			c.low, c.high = math.MinInt64, math.MaxInt64
		}
		return c, true
	}
	if typed.HasStruct(want) {
		if c.parts, ok = appendLeaves(nil, t, want, 0); !ok {
			return c, false
		}
		c.count = len(c.parts)
		return c, true
	}
	if !Fits(t, want) {
		return c, false
	}
	for t.Kind() == reflect.Array {
		c.count *= t.Len()
		t = t.Elem()
	}
	c.kind, c.size, c.alone = t.Kind(), t.Size(), c.count == 1
	return c, true
}

// maxLength is the largest length that an int of the kernel language can count.
func maxLength(w typed.Widths) int64 {
	if w.Int == typed.I64 {
		return math.MaxInt64
	}
	return math.MaxInt32
}

// addressOf is the address of a copy of v: a value on the heap has one.
func addressOf(v reflect.Value) unsafe.Pointer {
	at := reflect.New(v.Type())
	at.Elem().Set(v)
	return at.UnsafePointer()
}

// putReflected is put for a reflected value.
func (c *Codec) putReflected(slots []uint64, v reflect.Value) bool {
	if c.parts != nil || c.view > 0 {
		return c.Put(slots, addressOf(v))
	}
	n := putReflected(slots, v)
	if c.slice {
		return int64(v.Len()) <= c.high
	}
	return c.kind != reflect.Int || int64(n) >= c.low && int64(n) <= c.high
}

// putReflected stores a value in slots and returns the first of them. It does
// without the value's address, which reflect would have to allocate memory for.
func putReflected(slots []uint64, v reflect.Value) uint64 {
	switch {
	case v.Kind() == reflect.Slice:
		slots[0], slots[1] = uint64(v.Pointer()), uint64(v.Len())
	case v.Kind() == reflect.Array:
		each := scalars(v.Type().Elem())
		for i := range v.Len() {
			putReflected(slots[i*each:], v.Index(i))
		}
	case v.Kind() == reflect.Bool:
		slots[0] = 0
		if v.Bool() {
			slots[0] = 1
		}
	case v.CanInt():
		slots[0] = uint64(v.Int())
	case v.CanUint():
		slots[0] = v.Uint()
	case v.Kind() == reflect.Float32:
		slots[0] = uint64(math.Float32bits(float32(v.Float())))
	default:
		slots[0] = math.Float64bits(v.Float())
	}
	return slots[0]
}
