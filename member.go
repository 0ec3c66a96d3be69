package ti

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/syntax"
)

// Member returns a member of a struct field, or a component of a vector or matrix
// field, as a field of its own that shares the elements' indices. The path is what
// Go would write behind an element, by the names that kernels have for members:
// "Pos", "Pos[0]", "[1][0]".
//
// Placed by itself before its parent is, a member lies apart from the other
// members, which go where the parent is placed. Kernels do not see the difference.
// If M is not the member's type, or there is none, Load reports it.
func Member[M, T any](f *Field[T], path string) *Field[M] {
	m := new(Field[M])
	m.field().memberOf(f.field(), path)
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
	if p.err != nil || p.typ.Kind() != reflect.Array && p.typ.Kind() != reflect.Struct {
		return []AnyField{f}
	}
	var out []AnyField
	member := func(t reflect.Type, path string) {
		m := newField(t)
		m.field().memberOf(p, path)
		out = append(out, m)
	}
	if p.typ.Kind() == reflect.Struct {
		for i := range p.typ.NumField() {
			f := p.typ.Field(i)
			member(f.Type, layout.MemberName(f))
		}
		return out
	}
	var walk func(t reflect.Type, path string)
	walk = func(t reflect.Type, path string) {
		if t.Kind() == reflect.Array {
			for i := range t.Len() {
				walk(t.Elem(), path+"["+strconv.Itoa(i)+"]")
			}
			return
		}
		member(t, path)
	}
	walk(p.typ, "")
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
	f.core.init(t)
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

// memberOf makes c, a fresh field, a member of p.
func (c *fieldCore) memberOf(p *fieldCore, path string) {
	if p.err != nil {
		c.err = p.err
		return
	}
	t, lo, problem := p.follow(path)
	if problem == "" && !sameShape(t, c.typ) {
		problem = fmt.Sprintf("member %q of %v is a %v, not a %v", path, p.typ, t, c.typ)
	}
	if problem != "" {
		c.err = &SourceError{Code: syntax.MemberPath, Msg: problem, Cause: ErrLayout,
			Help: `a path is what Go writes behind an element, such as "Pos", "Pos[0]" or "[0]"`}
		return
	}
	c.lay, c.lo, c.hi = p.lay, lo, lo+layout.Components(t)
	c.parent, c.path = p, path
	if path != "" && path[0] != '[' {
		c.path = "." + path
	}
}

// follow finds the part of an element behind a path: its type and first component.
func (c *fieldCore) follow(path string) (t reflect.Type, lo int, problem string) {
	t, lo = c.typ, c.lo
	for rest := path; rest != ""; {
		var step string
		step, rest = nextStep(rest, rest == path)
		i, err := strconv.Atoi(strings.Trim(step, "[]"))
		switch {
		case t.Kind() == reflect.Array && step != "" && step[0] == '[' && err == nil && i >= 0 && i < t.Len():
			t = t.Elem()
			lo += i * layout.Components(t)
			continue
		case t.Kind() == reflect.Struct && step != "" && step[0] != '[':
			if f, ok := memberOf(t, step); ok {
				for i := range f.Index[0] {
					lo += layout.Components(t.Field(i).Type)
				}
				t = f.Type
				continue
			}
		}
		return nil, 0, fmt.Sprintf("%v has no member %q%s", c.typ, path, memberList(t))
	}
	return t, lo, ""
}

// nextStep cuts the first step off a path: "[0]", or a name. It is "" where the path
// is malformed.
func nextStep(path string, first bool) (step, rest string) {
	if path[0] == '[' {
		n := strings.IndexByte(path, ']')
		if n < 2 {
			return "", path
		}
		return path[:n+1], path[n+1:]
	}
	name, dotted := strings.CutPrefix(path, ".")
	if !dotted && !first {
		return "", path
	}
	n := strings.IndexAny(name, ".[")
	if n < 0 {
		n = len(name)
	}
	return name[:n], name[n:]
}

// memberList says which members a type has.
func memberList(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Array:
		return fmt.Sprintf("; a %v has [0] to [%d]", t, t.Len()-1)
	case reflect.Struct:
		var names []string
		for i := range t.NumField() {
			names = append(names, layout.MemberName(t.Field(i)))
		}
		return fmt.Sprintf("; a %v has %s", t, strings.Join(names, ", "))
	}
	return ""
}

// scalars is the number of scalars in a value of type t.
func scalars(t reflect.Type) int {
	if t.Kind() == reflect.Array {
		return t.Len() * scalars(t.Elem())
	}
	return 1
}

// sameShape reports whether two types consist of the same scalars in the same
// arrays and structs, whatever their names.
func sameShape(a, b reflect.Type) bool {
	if a == b {
		return true
	}
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case reflect.Array:
		return a.Len() == b.Len() && sameShape(a.Elem(), b.Elem())
	case reflect.Struct:
		if a.NumField() != b.NumField() {
			return false
		}
		for i := range a.NumField() {
			f, g := a.Field(i), b.Field(i)
			if layout.MemberName(f) != layout.MemberName(g) || !sameShape(f.Type, g.Type) {
				return false
			}
		}
	}
	return true
}
