package ti

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/typed"
)

// codec moves values of one Go type to and from argument and result slots, one
// for each scalar (two for a slice).
type codec struct {
	typ   reflect.Type // as the caller passes it
	kind  reflect.Kind // of a scalar
	size  uintptr      // of a scalar in memory
	count int          // of scalars
	slice bool
	view  int    // axes of a view, 0 for what is none
	parts []leaf // the scalars of a value with structs, in the order of the source
	low   int64  // for a Go int that is an i32: its limits
	high  int64  // also of the length of a slice and of the extents of an array
}

// slots is the number of slots of a value.
func (c *codec) slots() int {
	if c.slice {
		return 2
	}
	return c.count
}

// sliceHeader is how Go lays out a slice.
type sliceHeader struct {
	data unsafe.Pointer
	len  int
	cap  int
}

// same reports whether two codecs do the same with values of one type.
func (c *codec) same(d *codec) bool {
	return c.slice == d.slice && c.view == d.view && c.count == d.count && slices.Equal(c.parts, d.parts)
}

// put stores the value at v in slots. It fails for a Go int that does not fit.
func (c *codec) put(slots []uint64, v unsafe.Pointer) bool {
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
		slots[i] = loadScalar(unsafe.Add(v, l.offset), l.size)
	}
	if c.parts == nil {
		for i := range c.count {
			slots[i] = loadScalar(unsafe.Add(v, uintptr(i)*c.size), c.size)
		}
	}
	return true
}

// loadScalar reads a scalar as a slot holds it.
func loadScalar(p unsafe.Pointer, size uintptr) uint64 {
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
func (c *codec) get(v unsafe.Pointer, slots []uint64) {
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

// maxLength is the largest length that an int of the kernel language can count.
func maxLength(w typed.Widths) int64 {
	if w.Int == typed.I64 {
		return math.MaxInt64
	}
	return math.MaxInt32
}

// newCodec makes the codec of Go type t for the kernel language's type want; ok is
// false if they do not fit. Where want is not known yet, every type fits.
func newCodec(t reflect.Type, want typed.Type, w typed.Widths) (c codec, ok bool) {
	c = codec{typ: t, count: 1}
	if s, isSlice := want.(typed.Slice); isSlice {
		if t.Kind() != reflect.Slice || !fitsElem(t.Elem(), s.Elem) || typed.HasStruct(s.Elem) && !inPlace(t.Elem(), s.Elem) {
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
	if !fitsElem(t, want) {
		return c, false
	}
	for t.Kind() == reflect.Array {
		c.count *= t.Len()
		t = t.Elem()
	}
	c.kind, c.size = t.Kind(), t.Size()
	return c, true
}

// fitsElem reports whether a Go type is the one for a type of the kernel language.
func fitsElem(t reflect.Type, want typed.Type) bool {
	switch want := want.(type) {
	case *typed.Struct:
		_, ok := appendLeaves(nil, t, want, 0)
		return ok
	case typed.Array:
		return t.Kind() == reflect.Array && t.Len() == want.Len && fitsElem(t.Elem(), want.Elem)
	case typed.Scalar:
		s, ok := scalarOf(t)
		return want == typed.Unknown || ok && s == want
	}
	return false
}

// signature is the type of a kernel function, taken apart: its parameters of run
// time, and its results.
type signature struct {
	ctx, err bool
	in, out  []codec
}

var (
	contextType = reflect.TypeFor[context.Context]()
	errorType   = reflect.TypeFor[error]()
)

// signatureOf matches a func type with a kernel.
func signatureOf(t reflect.Type, k *check.KernelDecl, w typed.Widths) (s signature, ok bool) {
	if t.IsVariadic() {
		return s, false
	}
	in, out := t.NumIn(), t.NumOut()
	first := 0
	if in > 0 && t.In(0) == contextType {
		s.ctx, first = true, 1
	}
	if out > 0 && t.Out(out-1) == errorType {
		s.err = true
		out--
	}
	if in-first != len(k.Params) || out != len(k.Results) {
		return s, false
	}
	for i, p := range k.Params {
		if isStatic(p.Type) {
			if !takes(p.Type, t.In(first+i)) {
				return s, false
			}
			continue
		}
		c, ok := newCodec(t.In(first+i), p.Type, w)
		if !ok {
			return s, false
		}
		s.in = append(s.in, c)
	}
	for i, r := range k.Results {
		c, ok := newCodec(t.Out(i), r.Type, w)
		if !ok || c.slice || c.view > 0 {
			return s, false
		}
		s.out = append(s.out, c)
	}
	return s, true
}

// goType writes a type of the kernel language in Go.
func goType(t typed.Type) string {
	switch t := t.(type) {
	case typed.Slice:
		return "[]" + goType(t.Elem)
	case typed.View:
		return "ti.Array[" + goType(t.Elem) + "]"
	case typed.Array:
		return fmt.Sprintf("[%d]%s", t.Len, goType(t.Elem))
	case *typed.Struct:
		if typed.HoldsFields(t) {
			return "*" + goStruct(t)
		}
		return goStruct(t)
	case typed.FieldType:
		return fieldGoType(t)
	case typed.NodeType:
		return "*ti.Node"
	case typed.TemplateType:
		return "ti.AnyField"
	case typed.Scalar:
		if g := goScalars[t]; g != nil {
			return g.String()
		}
	}
	return "T"
}

// goTypeOf returns the Go type for a type of the kernel language, nil if it has none.
func goTypeOf(t typed.Type) reflect.Type {
	switch t := t.(type) {
	case *typed.Struct:
		return goStructOf(t)
	case typed.Slice:
		return reflect.SliceOf(goTypeOf(t.Elem))
	case typed.Array:
		return reflect.ArrayOf(t.Len, goTypeOf(t.Elem))
	case typed.Scalar:
		return goScalars[t]
	}
	return nil
}

var goScalars = map[typed.Scalar]reflect.Type{
	typed.Bool: reflect.TypeFor[bool](), typed.I8: reflect.TypeFor[int8](), typed.I16: reflect.TypeFor[int16](),
	typed.I32: reflect.TypeFor[int32](), typed.I64: reflect.TypeFor[int64](), typed.U8: reflect.TypeFor[uint8](),
	typed.U16: reflect.TypeFor[uint16](), typed.U32: reflect.TypeFor[uint32](), typed.U64: reflect.TypeFor[uint64](),
	typed.F16: reflect.TypeFor[Float16](), typed.F32: reflect.TypeFor[float32](), typed.F64: reflect.TypeFor[float64](),
}

// goSignature writes the kernel function that a kernel wants.
func (p *Program) goSignature(kernel string) string {
	d := p.declOf(kernel)
	var in, out []string
	for _, v := range d.Params {
		in = append(in, strings.TrimSpace(v.Name+" "+goType(v.Type)))
	}
	for _, v := range d.Results {
		out = append(out, goType(v.Type))
	}
	out = append(out, "error")
	result := strings.Join(out, ", ")
	if len(out) > 1 {
		result = "(" + result + ")"
	}
	return fmt.Sprintf("%s func(%s) %s", kernel, strings.Join(in, ", "), result)
}
