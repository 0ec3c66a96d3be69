package ti

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/gotaichi/ti/internal/syntax"
)

// Member returns a component of a vector or matrix field, or a row of a matrix
// field, as a field of its own that shares the elements' indices. The path is
// what Go would write behind an element: "[0]", "[1][0]".
//
// Placed by itself before its parent is, a member lies apart from the other
// members, which go where the parent is placed. Kernels do not see the difference.
// If M is not the member's type, or there is none, Load reports it.
func Member[M, T any](f *Field[T], path string) *Field[M] {
	m := new(Field[M])
	m.field().memberOf(f.field(), path)
	return m
}

// Members returns all components of a vector or matrix field, row by row, or of a
// scalar field itself. A structure of arrays is
//
//	rt.Place(ti.Shape{n}, ti.Members(&s.Velocity)...)
func Members(f AnyField) []AnyField {
	p := f.field()
	if p.err != nil || p.hi-p.lo == 1 && p.typ.Kind() != reflect.Array {
		return []AnyField{f}
	}
	var out []AnyField
	var walk func(t reflect.Type, path string)
	walk = func(t reflect.Type, path string) {
		if t.Kind() == reflect.Array {
			for i := range t.Len() {
				walk(t.Elem(), path+"["+strconv.Itoa(i)+"]")
			}
			return
		}
		m := newScalarField(t.Kind())
		m.field().memberOf(p, path)
		out = append(out, m)
	}
	walk(p.typ, "")
	return out
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

// memberOf makes c, a fresh field, a member of p.
func (c *fieldCore) memberOf(p *fieldCore, path string) {
	bad := func(format string, args ...any) {
		c.err = &SourceError{Code: syntax.MemberPath, Msg: fmt.Sprintf(format, args...), Cause: ErrLayout,
			Help: `a path is what Go writes behind an element, such as "[0]"`}
	}
	if p.err != nil {
		c.err = p.err
		return
	}
	t, lo, rest := p.typ, p.lo, path
	for rest != "" {
		n, after, ok := strings.Cut(strings.TrimPrefix(rest, "["), "]")
		i, err := strconv.Atoi(n)
		if rest[0] != '[' || !ok || err != nil || t.Kind() != reflect.Array || i < 0 || i >= t.Len() {
			bad("%v has no member %q", p.typ, path)
			return
		}
		t = t.Elem()
		lo += i * scalars(t)
		rest = after
	}
	if !sameShape(t, c.typ) {
		bad("member %q of %v is a %v, not a %v", path, p.typ, t, c.typ)
		return
	}
	c.lay, c.lo, c.hi = p.lay, lo, lo+scalars(t)
	c.parent, c.path = p, path
}

// scalars is the number of scalars in a value of type t.
func scalars(t reflect.Type) int {
	if t.Kind() == reflect.Array {
		return t.Len() * scalars(t.Elem())
	}
	return 1
}

// sameShape reports whether two types consist of the same scalars in the same
// arrays, whatever their names.
func sameShape(a, b reflect.Type) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	if a.Kind() == reflect.Array {
		return a.Len() == b.Len() && sameShape(a.Elem(), b.Elem())
	}
	return true
}
