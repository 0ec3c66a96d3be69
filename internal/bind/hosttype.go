package bind

import (
	"reflect"

	"github.com/gotaichi/ti/internal/store"
)

// The types of package ti that a host's structs and functions have are made of those of this
// package, and known by that: a ti.Node is a Node by another name, a ti.Field[T] is a struct
// whose last member is a Field, and a ti.AnyField is an interface with a method that returns
// one. Nobody else can make such types.

var (
	fieldType = reflect.TypeFor[store.Field]()
	nodeType  = reflect.TypeFor[store.Node]()
)

// IsFieldType reports whether t is a ti.Field[T].
func IsFieldType(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.NumField() > 0 && t.Field(t.NumField()-1).Type == fieldType
}

// IsFieldPointer reports whether t is a pointer to a ti.Field[T].
func IsFieldPointer(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer && IsFieldType(t.Elem())
}

// IsAnyField reports whether t is ti.AnyField.
func IsAnyField(t reflect.Type) bool {
	if t.Kind() != reflect.Interface {
		return false
	}
	for i := range t.NumMethod() {
		if m := t.Method(i).Type; m.NumOut() == 1 && m.Out(0) == reflect.PointerTo(fieldType) {
			return true
		}
	}
	return false
}

// IsNode reports whether t is a *ti.Node.
func IsNode(t reflect.Type) bool { return t.Kind() == reflect.Pointer && IsNodeStruct(t.Elem()) }

// IsNodeStruct reports whether t is a ti.Node itself.
func IsNodeStruct(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.ConvertibleTo(nodeType)
}

// AsNode returns the node behind v, of a type for which IsNode holds.
func AsNode(v reflect.Value) *store.Node { return (*store.Node)(v.UnsafePointer()) }

// ElemOf returns T of a ti.Field[T]; ok is false for a field without a static type.
func ElemOf(t reflect.Type) (elem reflect.Type, ok bool) {
	for i := range t.NumField() {
		if m := t.Field(i); m.Name == "_" && m.Type.Kind() == reflect.Pointer {
			return m.Type.Elem(), true
		}
	}
	return nil, false
}

// AsField returns the field in or behind v, nil for a nil pointer.
func AsField(v reflect.Value) (c *store.Field, ok bool) {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch {
	case !v.IsValid():
		return nil, false
	case IsFieldPointer(v.Type()):
		if v.IsNil() {
			return nil, true
		}
		v = v.Elem()
	case !v.CanAddr() || !IsFieldType(v.Type()):
		return nil, false
	}
	t := v.Type()
	c = (*store.Field)(v.Field(t.NumField() - 1).Addr().UnsafePointer())
	if elem, ok := ElemOf(t); ok {
		c.Init(elem)
	}
	return c, true
}
