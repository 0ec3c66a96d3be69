package hostabi

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/typed"
)

// TypeOf is the kernel language's type of an element or parameter type.
func TypeOf(t reflect.Type) typed.Type {
	switch t.Kind() {
	case reflect.Array:
		return typed.Array{Elem: TypeOf(t.Elem()), Len: t.Len()}
	case reflect.Struct:
		return structType(t)
	}
	s, _ := ScalarOf(t)
	return s
}

// ScalarOf is TypeOf for a type that is no array; ok is false if it is none of
// the kernel language's.
func ScalarOf(t reflect.Type) (s typed.Scalar, ok bool) {
	k, ok := layout.KindOf(t)
	return typed.Scalar(k), ok
}

// Fits reports whether a Go type is the one for a type of the kernel language.
func Fits(t reflect.Type, want typed.Type) bool {
	switch want := want.(type) {
	case *typed.Struct:
		_, ok := appendLeaves(nil, t, want, 0)
		return ok
	case typed.Array:
		return t.Kind() == reflect.Array && t.Len() == want.Len && Fits(t.Elem(), want.Elem)
	case typed.Scalar:
		s, ok := ScalarOf(t)
		return want == typed.Unknown || ok && s == want
	}
	return false
}

// GoType writes a type of the kernel language in Go.
func GoType(t typed.Type) string {
	switch t := t.(type) {
	case typed.Slice:
		return "[]" + GoType(t.Elem)
	case typed.View:
		return "ti.Array[" + GoType(t.Elem) + "]"
	case typed.Array:
		return fmt.Sprintf("[%d]%s", t.Len, GoType(t.Elem))
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
		if t == typed.F16 {
			return "ti.Float16"
		}
		if g := goScalars[t]; g != nil {
			return g.String()
		}
	}
	return "T"
}

// goTypeOf returns the Go type for a type of the kernel language, nil if it has none; half is
// that of f16.
func goTypeOf(t typed.Type, half reflect.Type) reflect.Type {
	switch t := t.(type) {
	case *typed.Struct:
		return goStructOf(t, half)
	case typed.Slice:
		return reflect.SliceOf(goTypeOf(t.Elem, half))
	case typed.Array:
		return reflect.ArrayOf(t.Len, goTypeOf(t.Elem, half))
	case typed.Scalar:
		if t == typed.F16 {
			return half
		}
		return goScalars[t]
	}
	return nil
}

var goScalars = map[typed.Scalar]reflect.Type{
	typed.Bool: reflect.TypeFor[bool](), typed.I8: reflect.TypeFor[int8](), typed.I16: reflect.TypeFor[int16](),
	typed.I32: reflect.TypeFor[int32](), typed.I64: reflect.TypeFor[int64](), typed.U8: reflect.TypeFor[uint8](),
	typed.U16: reflect.TypeFor[uint16](), typed.U32: reflect.TypeFor[uint32](), typed.U64: reflect.TypeFor[uint64](),
	typed.F32: reflect.TypeFor[float32](), typed.F64: reflect.TypeFor[float64](),
}

// fieldGoType writes the Go type for a field parameter.
func fieldGoType(t typed.FieldType) string {
	if slices.Contains(typed.Leaves(t.Elem), typed.Unknown) {
		return "ti.AnyField"
	}
	return "*ti.Field[" + GoType(t.Elem) + "]"
}

// scalars is the number of scalars in a value of type t.
func scalars(t reflect.Type) int {
	if t.Kind() == reflect.Array {
		return t.Len() * scalars(t.Elem())
	}
	return 1
}
