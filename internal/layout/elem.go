package layout

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/gotaichi/ti/internal/scalar"
)

// A Kind is the kind of a scalar of the kernel language; its size is also its alignment.
type Kind = scalar.Kind

// The kinds, under the names by which code about layouts calls them.
const (
	Bool = scalar.Bool
	I8   = scalar.I8
	I16  = scalar.I16
	I32  = scalar.I32
	I64  = scalar.I64
	U8   = scalar.U8
	U16  = scalar.U16
	U32  = scalar.U32
	U64  = scalar.U64
	F16  = scalar.F16
	F32  = scalar.F32
	F64  = scalar.F64
)

// Component is a scalar part of an element: where it lies in the Go value.
type Component struct {
	Kind   Kind
	Offset int64
}

// Elem describes an element type: a scalar, vector, matrix, struct, or an array of
// structs. Its components are the scalars in it, in the order of the Go type.
type Elem struct {
	Type  reflect.Type
	Size  int64
	Align int64
	Comps []Component
}

// Kind returns the kind of the components if they are all of one.
func (e *Elem) Kind() (k Kind, one bool) {
	for _, c := range e.Comps {
		if c.Kind != e.Comps[0].Kind {
			return 0, false
		}
	}
	return e.Comps[0].Kind, true
}

// Gapless reports whether the value has no padding.
func (e *Elem) Gapless() bool {
	sum := int64(0)
	for _, c := range e.Comps {
		sum += c.Kind.Bytes()
	}
	return sum == e.Size
}

var goKinds = map[reflect.Kind]Kind{
	reflect.Bool: Bool, reflect.Int8: I8, reflect.Int16: I16, reflect.Int32: I32, reflect.Int64: I64,
	reflect.Uint8: U8, reflect.Uint16: U16, reflect.Uint32: U32, reflect.Uint64: U64,
	reflect.Float32: F32, reflect.Float64: F64,
}

// A Go type of 16 bits with such a method holds half-precision numbers: Float16 of
// package ti, and those of other packages.
var half = reflect.TypeFor[interface{ Float32() float32 }]()

// KindOf returns the scalar kind that a Go type holds; ok is false if none.
func KindOf(t reflect.Type) (k Kind, ok bool) {
	if t.Kind() == reflect.Uint16 && t.Implements(half) {
		return F16, true
	}
	k, ok = goKinds[t.Kind()]
	return k, ok
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
	if levels := arrayLevels(t); levels > 2 {
		return nil, fmt.Errorf("element type %v has %d array levels; scalars, vectors [n]T, matrices [n][m]T and structs are element types", t, levels)
	}
	if err := validate(t, t, ""); err != nil {
		return nil, err
	}
	if Components(t) > MaxComponents {
		return nil, fmt.Errorf("element type %v has more than %d components; use another axis of the field", t, MaxComponents)
	}
	e := &Elem{Type: t, Size: int64(t.Size()), Align: int64(t.Align())}
	e.add(t, 0)
	return e, nil
}

// arrayLevels returns the number of levels of an array of scalars.
func arrayLevels(t reflect.Type) int {
	n := 0
	for ; t.Kind() == reflect.Array; t = t.Elem() {
		n++
	}
	if t.Kind() == reflect.Struct {
		return 0 // no vector or matrix; its depth is nobody's concern
	}
	return n
}

// validate reports what in t, the part of element type whole behind path, elements
// cannot have.
func validate(whole, t reflect.Type, path string) error {
	in := func(what string) error {
		if path == "" {
			return fmt.Errorf("%v is no element type%s", whole, what)
		}
		return fmt.Errorf("%v is no element type: its member %s is a %v%s", whole, path, t, what)
	}
	switch _, scalar := KindOf(t); {
	case scalar:
		return nil
	case t.Kind() == reflect.Array && t.Len() == 0:
		return fmt.Errorf("element type %v has an array of length 0", whole)
	case t.Kind() == reflect.Array:
		return validate(whole, t.Elem(), path)
	case t.Kind() == reflect.Struct && t.NumField() == 0:
		return in(", which has no members")
	case t.Kind() != reflect.Struct:
		return in(elemHelp(t))
	}
	visited := map[string]bool{}
	for i := range t.NumField() {
		f := t.Field(i)
		name := MemberName(f)
		at := strings.TrimPrefix(path+"."+f.Name, ".")
		switch {
		case f.Name == "_":
			return fmt.Errorf("%v is no element type: it has a blank member; give each member a name, or leave it out: Go pads by itself", whole)
		case name == "-":
			return fmt.Errorf("%v is no element type: a tag hides its member %s, and kernels see the whole of an element", whole, at)
		case !f.IsExported() && f.Tag.Get("ti") == "":
			return fmt.Errorf("%v is no element type: its member %s is unexported; begin its name with a capital letter, or give it the tag `ti:%q`", whole, at, f.Name)
		case visited[name]:
			return fmt.Errorf("%v is no element type: it has two members of the name %s", whole, name)
		}
		visited[name] = true
		if err := validate(whole, f.Type, at); err != nil {
			return err
		}
	}
	return nil
}

// MemberName returns the name that a struct member has in kernels.
func MemberName(f reflect.StructField) string {
	if tag := f.Tag.Get("ti"); tag != "" {
		return tag
	}
	return f.Name
}

// MemberNamed returns the struct field that has a name in kernels.
func MemberNamed(t reflect.Type, name string) (reflect.StructField, bool) {
	for i := range t.NumField() {
		if f := t.Field(i); MemberName(f) == name && f.Name != "_" {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

// Components returns the number of scalars in a value of type t, at most one more
// than an element may have.
func Components(t reflect.Type) int {
	n := 1
	switch t.Kind() {
	case reflect.Array:
		if n = Components(t.Elem()); n > 0 && t.Len() > MaxComponents/n {
			return MaxComponents + 1
		}
		n *= t.Len()
	case reflect.Struct:
		n = 0
		for i := range t.NumField() {
			n = min(n+Components(t.Field(i).Type), MaxComponents+1)
		}
	}
	return n
}

// add appends the components of a part of type t at an offset.
func (e *Elem) add(t reflect.Type, offset int64) {
	switch t.Kind() {
	case reflect.Array:
		for i := range t.Len() {
			e.add(t.Elem(), offset+int64(i)*int64(t.Elem().Size()))
		}
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			e.add(f.Type, offset+int64(f.Offset))
		}
	default:
		k, _ := KindOf(t)
		e.Comps = append(e.Comps, Component{k, offset})
	}
}

// elemHelp says what to write in place of a type that is no element type.
func elemHelp(s reflect.Type) string {
	switch s.Kind() {
	case reflect.Int, reflect.Uint, reflect.Uintptr:
		return "; its size is the machine's: use int32, int64, uint32 or uint64"
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.String, reflect.Func, reflect.Interface, reflect.Chan:
		return "; elements hold no pointers: use numbers, bools, and arrays and structs of these"
	}
	return "; use bool, int8 … int64, uint8 … uint64, ti.Float16, float32, float64, [n]T, [n][m]T or a struct of these"
}
