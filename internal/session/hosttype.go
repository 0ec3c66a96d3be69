package session

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

// isFieldType reports whether t is a ti.Field[T].
func isFieldType(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.NumField() > 0 && t.Field(t.NumField()-1).Type == fieldType
}

// isFieldPointer reports whether t is a pointer to a ti.Field[T].
func isFieldPointer(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer && isFieldType(t.Elem())
}

// isAnyField reports whether t is ti.AnyField.
func isAnyField(t reflect.Type) bool {
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

// isNode reports whether t is a *ti.Node.
func isNode(t reflect.Type) bool { return t.Kind() == reflect.Pointer && isNodeStruct(t.Elem()) }

// isNodeStruct reports whether t is a ti.Node itself.
func isNodeStruct(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.ConvertibleTo(nodeType)
}

// asNode returns the node behind v, of a type for which isNode holds.
func asNode(v reflect.Value) *store.Node { return (*store.Node)(v.UnsafePointer()) }

// elemOf returns T of a ti.Field[T]; ok is false for a field without a static type.
func elemOf(t reflect.Type) (elem reflect.Type, ok bool) {
	for i := range t.NumField() {
		if m := t.Field(i); m.Name == "_" && m.Type.Kind() == reflect.Pointer {
			return m.Type.Elem(), true
		}
	}
	return nil, false
}

// asField returns the field in or behind v, nil for a nil pointer.
func asField(v reflect.Value) (c *store.Field, ok bool) {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch {
	case !v.IsValid():
		return nil, false
	case isFieldPointer(v.Type()):
		if v.IsNil() {
			return nil, true
		}
		v = v.Elem()
	case !v.CanAddr() || !isFieldType(v.Type()):
		return nil, false
	}
	t := v.Type()
	c = (*store.Field)(v.Field(t.NumField() - 1).Addr().UnsafePointer())
	if elem, ok := elemOf(t); ok {
		c.Init(elem)
	}
	return c, true
}
