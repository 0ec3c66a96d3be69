package hostabi

import (
	"go/token"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/typed"
)

// structType is the kernel language's type of a Go struct type.
func structType(t reflect.Type) *typed.Struct {
	fields := make([]typed.StructField, t.NumField())
	for i := range fields {
		f := t.Field(i)
		fields[i] = typed.StructField{Name: layout.MemberName(f), Type: TypeOf(f.Type)}
	}
	return typed.NewStruct(t.Name(), fields...)
}

// goStructOf is the Go struct type for a struct type of a source that has none: one
// written in place, with tags where names of the source begin with a small letter.
func goStructOf(s *typed.Struct, half reflect.Type) reflect.Type {
	fields := make([]reflect.StructField, len(s.Fields))
	for i, f := range s.Fields {
		fields[i] = reflect.StructField{Name: exported(f.Name), Type: goTypeOf(f.Type, half)}
		if fields[i].Type == nil {
			return nil
		}
		if fields[i].Name != f.Name {
			fields[i].Tag = reflect.StructTag(`ti:"` + f.Name + `"`)
		}
	}
	// Names that differ in their first letter only would be two fields of one name.
	for i := range fields {
		for j := range i {
			if fields[i].Name == fields[j].Name {
				fields[i].Name += "_"
			}
		}
	}
	return reflect.StructOf(fields)
}

// exported is a name as Go exports it.
func exported(name string) string {
	if token.IsExported(name) {
		return name
	}
	r, size := utf8.DecodeRuneInString(name)
	if up := unicode.ToUpper(r); up != r {
		return string(up) + name[size:]
	}
	return "X" + name
}

// goStruct writes a struct type of the kernel language in Go: by its name, which the
// host's type should have too.
func goStruct(s *typed.Struct) string {
	if s.Name != "" {
		return exported(s.Name)
	}
	var fields []string
	for _, f := range s.Fields {
		fields = append(fields, exported(f.Name)+" "+GoType(f.Type))
	}
	return "struct{ " + strings.Join(fields, "; ") + " }"
}

// A leaf is a scalar in a Go value with structs.
type leaf struct {
	offset uintptr
	kind   reflect.Kind
	size   uintptr
}

// appendLeaves lists the scalars of a Go value in the order of the components of
// want. It reports whether the types fit.
func appendLeaves(to []leaf, t reflect.Type, want typed.Type, offset uintptr) ([]leaf, bool) {
	switch want := want.(type) {
	case *typed.Struct:
		if t.Kind() != reflect.Struct || t.NumField() != len(want.Fields) {
			return to, false
		}
		for _, f := range want.Fields {
			g, ok := layout.MemberNamed(t, f.Name)
			if ok {
				to, ok = appendLeaves(to, g.Type, f.Type, offset+g.Offset)
			}
			if !ok {
				return to, false
			}
		}
		return to, true
	case typed.Array:
		if t.Kind() != reflect.Array || t.Len() != want.Len {
			return to, false
		}
		for i := range t.Len() {
			var ok bool
			if to, ok = appendLeaves(to, t.Elem(), want.Elem, offset+uintptr(i)*t.Elem().Size()); !ok {
				return to, false
			}
		}
		return to, true
	}
	return append(to, leaf{offset, t.Kind(), t.Size()}), Fits(t, want)
}

// inPlace reports whether a slice of t can be used where it lies as one of want:
// the members of structs come in the order of the source.
func inPlace(t reflect.Type, want typed.Type) bool {
	leaves, ok := appendLeaves(nil, t, want, 0)
	m := typed.MemoryOf(want)
	if !ok || int(t.Size()) != m.Size {
		return false
	}
	for i, l := range leaves {
		if int(l.offset) != m.Offsets[i] {
			return false
		}
	}
	return true
}
