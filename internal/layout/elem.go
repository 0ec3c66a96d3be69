package layout

import (
	"fmt"
	"reflect"
)

// Kind is a scalar kind of the kernel language.
type Kind uint8

// The scalar kinds, in the order of the kernel language's list.
const (
	Bool Kind = iota
	I8
	I16
	I32
	I64
	U8
	U16
	U32
	U64
	F32
	F64
)

var kinds = [...]struct {
	name string
	size int64
}{
	Bool: {"bool", 1}, I8: {"i8", 1}, I16: {"i16", 2}, I32: {"i32", 4}, I64: {"i64", 8},
	U8: {"u8", 1}, U16: {"u16", 2}, U32: {"u32", 4}, U64: {"u64", 8}, F32: {"f32", 4}, F64: {"f64", 8},
}

// String returns the kind's name in the kernel language.
func (k Kind) String() string { return kinds[k].name }

// Size returns the number of bytes of a scalar, which is also its alignment.
func (k Kind) Size() int64 { return kinds[k].size }

// Component is a scalar part of an element: where it lies in the Go value.
type Component struct {
	Kind   Kind
	Offset int64
}

// Elem describes an element type: a scalar, vector or matrix.
type Elem struct {
	Type  reflect.Type
	Size  int64
	Align int64
	Dims  []int // lengths outermost first: nil for a scalar, one for a vector, two for a matrix
	Comps []Component
}

// Kind returns the scalar kind of the components.
func (e *Elem) Kind() Kind { return e.Comps[0].Kind }

var goKinds = map[reflect.Kind]Kind{
	reflect.Bool: Bool, reflect.Int8: I8, reflect.Int16: I16, reflect.Int32: I32, reflect.Int64: I64,
	reflect.Uint8: U8, reflect.Uint16: U16, reflect.Uint32: U32, reflect.Uint64: U64,
	reflect.Float32: F32, reflect.Float64: F64,
}

// MaxComponents bounds the scalars of one element. Kernels handle elements
// component by component, so a longer one would only make endless code.
const MaxComponents = 1024

// ElemOf describes a Go type as an element type. The error, if any, says what is
// wrong with the type and what to use instead.
func ElemOf(t reflect.Type) (*Elem, error) {
	if t == nil {
		return nil, fmt.Errorf("an element type is missing")
	}
	e := &Elem{Type: t, Size: int64(t.Size()), Align: int64(t.Align())}
	n, s := 1, t
	for s.Kind() == reflect.Array {
		if s.Len() == 0 {
			return nil, fmt.Errorf("element type %v has an array of length 0", t)
		}
		if n *= s.Len(); n > MaxComponents || s.Len() > MaxComponents {
			return nil, fmt.Errorf("element type %v has more than %d components; use another axis of the field", t, MaxComponents)
		}
		e.Dims = append(e.Dims, s.Len())
		s = s.Elem()
	}
	if len(e.Dims) > 2 {
		return nil, fmt.Errorf("element type %v has %d array levels; scalars, vectors [n]T and matrices [n][m]T are element types", t, len(e.Dims))
	}
	k, ok := goKinds[s.Kind()]
	if !ok {
		return nil, fmt.Errorf("%v is no element type%s", t, elemHelp(s))
	}
	e.Comps = make([]Component, n)
	for i := range e.Comps {
		e.Comps[i] = Component{k, int64(i) * k.Size()}
	}
	return e, nil
}

// elemHelp says what to write in place of a scalar type that is no element type.
func elemHelp(s reflect.Type) string {
	switch s.Kind() {
	case reflect.Int, reflect.Uint, reflect.Uintptr:
		return "; its size is the machine's: use int32, int64, uint32 or uint64"
	case reflect.Struct:
		return "; struct elements are not supported: use a field for each member"
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.String, reflect.Func, reflect.Interface, reflect.Chan:
		return "; elements hold no pointers: use numbers, bools, and arrays of these"
	}
	return "; use bool, int8 … int64, uint8 … uint64, float32, float64, [n]T or [n][m]T"
}

// KernelName writes the type as the kernel language does: "f32", "[3]f32".
func (e *Elem) KernelName() string {
	s := ""
	for _, n := range e.Dims {
		s += fmt.Sprintf("[%d]", n)
	}
	return s + e.Kind().String()
}
