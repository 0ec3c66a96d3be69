package ti

import (
	"reflect"

	"github.com/gotaichi/ti/internal/layout"
)

// Member returns a member of a struct field, or a component of a vector or matrix
// field, as a field of its own that shares the elements' indices. The path is what
// Go would write behind an element, by the names that kernels have for members:
// "Pos", "Pos[0]", "[1][0]".
//
// Placed by itself before its parent is, a member lies apart from the other
// members, which go where the parent is placed. Kernels do not see the difference:
// in sparse trees an element is active where its first member is, a write of any member
// activates it, and all members of an inactive element are zero.
// If M is not the member's type, or there is none, Load reports it.
func Member[M, T any](f *Field[T], path string) *Field[M] {
	m := new(Field[M])
	m.field().MemberOf(f.field(), path)
	return m
}

// Members returns all members of a struct field, or all components of a vector or
// matrix field, row by row, or of a scalar field itself, in order. A structure of
// arrays is
//
//	rt.Place(ti.Shape{n}, ti.Members(&s.Particles)...)
func Members(f AnyField) []AnyField {
	if isNil(f) {
		return []AnyField{f} // Place reports it
	}
	p := f.field()
	parts := p.Parts()
	if parts == nil {
		return []AnyField{f}
	}
	out := make([]AnyField, len(parts))
	for i, part := range parts {
		out[i] = newField(part.Type)
		out[i].field().MemberOf(p, part.Path)
	}
	return out
}

// newField returns a field of type t: a Field[T] for a scalar, else one without a
// static element type.
func newField(t reflect.Type) AnyField {
	if _, scalar := layout.KindOf(t); scalar && t.PkgPath() == "" {
		return newScalarField(t.Kind())
	}
	if t == reflect.TypeFor[Float16]() {
		return new(Field[Float16])
	}
	f := new(fieldOf)
	f.core.Init(t)
	return f
}

// newScalarField returns a field of a predeclared scalar type.
func newScalarField(k reflect.Kind) AnyField {
	switch k {
	case reflect.Bool:
		return new(Field[bool])
	case reflect.Int8:
		return new(Field[int8])
	case reflect.Int16:
		return new(Field[int16])
	case reflect.Int32:
		return new(Field[int32])
	case reflect.Int64:
		return new(Field[int64])
	case reflect.Uint8:
		return new(Field[uint8])
	case reflect.Uint16:
		return new(Field[uint16])
	case reflect.Uint32:
		return new(Field[uint32])
	case reflect.Uint64:
		return new(Field[uint64])
	case reflect.Float32:
		return new(Field[float32])
	}
	return new(Field[float64])
}
