package script

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/typed"
)

// elemType is goType for elements of fields, which may be structs too.
func elemType(t typed.Type) (reflect.Type, []int, error) {
	if !typed.HasStruct(t) {
		return GoType(t)
	}
	switch t := t.(type) {
	case typed.Array:
		elem, _, err := elemType(t.Elem)
		if err != nil {
			return nil, nil, err
		}
		return reflect.ArrayOf(t.Len, elem), nil, nil
	case *typed.Struct:
		fields := make([]reflect.StructField, len(t.Fields))
		for i, f := range t.Fields {
			elem, _, err := elemType(f.Type)
			if err != nil {
				return nil, nil, err
			}
			fields[i] = reflect.StructField{Name: "M" + strconv.Itoa(i), Type: elem, Tag: reflect.StructTag(`ti:"` + f.Name + `"`)}
		}
		return reflect.StructOf(fields), nil, nil
	}
	return nil, nil, fmt.Errorf("the type %s has no counterpart on the command line", t)
}

// isStruct reports whether elements of type t are taken apart by their members.
func isStruct(t reflect.Type) bool {
	for t.Kind() == reflect.Array {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct
}

// member finds a part of a field of structs: "P.Pos", "P.Links[0].To".
func (s *Session) member(path string) *Field {
	root := path
	if n := strings.IndexAny(path, ".["); n >= 0 {
		root = path[:n]
	}
	f := s.Fields[root]
	if f == nil || !isStruct(f.Elem()) {
		return nil
	}
	for _, m := range ti.Members(f.AnyField) {
		if found := descend(m, path); found != nil {
			return describe(found, f)
		}
	}
	return nil
}

// descend finds the part of m that has the name path, nil if there is none.
func descend(m ti.AnyField, path string) ti.AnyField {
	rest, ok := strings.CutPrefix(path, m.Name())
	switch {
	case !ok || rest != "" && rest[0] != '.' && rest[0] != '[':
		return nil
	case rest == "":
		return m
	}
	parts := ti.Members(m)
	if len(parts) == 1 && parts[0] == m {
		return nil // a number, which has no parts
	}
	for _, p := range parts {
		if found := descend(p, path); found != nil {
			return found
		}
	}
	return nil
}

// describe is a member of a field as the command handles fields.
func describe(m ti.AnyField, of *Field) *Field {
	b := &Field{AnyField: m, rank: of.rank, home: of.home, Sparse: of.Sparse}
	t := m.Elem()
	if isStruct(t) {
		return b
	}
	for ; t.Kind() == reflect.Array; t = t.Elem() {
		b.elem = append(b.elem, t.Len())
	}
	b.kind = kindOf(t)
	return b
}

// Contents returns what -print shows of a field: nested lists, for structs an object with
// an entry for each member, and what is active of a sparse field: all of it, or as much
// as people want to see.
func (b *Field) Contents(all bool) (any, error) {
	if b.Sparse {
		return b.active(all)
	}
	if !isStruct(b.Elem()) {
		t, err := b.tensor()
		if err != nil {
			return nil, err
		}
		return t.nested(), nil
	}
	var out object
	for _, m := range ti.Members(b.AnyField) {
		v, err := describe(m, b).Contents(all)
		if err != nil {
			return nil, err
		}
		out = append(out, entry{strings.TrimPrefix(strings.TrimPrefix(m.Name(), b.Name()), "."), v})
	}
	return out, nil
}

// Text is a field, or a part of one, as -print writes it under a name.
func (b *Field) Text(name string) (string, error) {
	v, err := b.Contents(false)
	if err != nil {
		return "", err
	}
	sign := " ="
	if b.Sparse {
		sign = ":"
	}
	return name + sign + " " + Plain(v), nil
}

// mostNumbers is how many numbers of a field are printed at most, unless it is sparse: each
// takes some 100 bytes of memory on its way to JSON.
const mostNumbers = 1 << 24

// Printable returns an error if a field has too many numbers to be printed.
func (b *Field) Printable() error {
	n := numbers(append(slices.Clone(b.Shape()), b.elem...)...)
	if b.Sparse || n <= mostNumbers {
		return nil
	}
	return fmt.Errorf("it has %.0f elements, and at most %d numbers are printed; save it, as in -save %s=%s.npy", numbers(b.Shape()...), mostNumbers, b.Name(), strings.ToLower(b.Name()))
}

// An object is a JSON object whose entries keep their order.
type object []entry

type entry struct {
	name  string
	value any
}

// MarshalJSON writes the entries in order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, e := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(e.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(e.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// String writes the entries for people.
func (o object) String() string {
	parts := make([]string, len(o))
	for i, e := range o {
		parts[i] = e.name + ": " + Plain(e.value)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// structValue is jsonValue for a struct.
func structValue(v reflect.Value) any {
	var out object
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name := f.Tag.Get("ti")
		if name == "" {
			name = f.Name
		}
		out = append(out, entry{name, jsonValue(v.Field(i))})
	}
	return out
}

// staticArgument converts a value to a compile-time parameter of a kernel.
func (s *Session) staticArgument(v value, t typed.Type) (any, error) {
	switch t.(type) {
	case typed.NodeType:
		if n := s.Nodes[v.text]; n != nil {
			return n.node(), nil
		}
		return nil, fmt.Errorf("it is a node; give it the name of one that -tree describes, not %s", v)
	case typed.FuncType:
		return nil, fmt.Errorf("it is a function, which only a source can give; write a kernel that does")
	case typed.FieldType:
		if f := s.Fields[v.text]; f != nil {
			return f.AnyField, nil
		}
		return nil, fmt.Errorf("it is a field; give it the name of a bound one, not %s", v)
	}
	if IsBundle(t) {
		if PartsBound(s.Parts, v.text) {
			return s.Host[v.text], nil
		}
		return nil, fmt.Errorf("it is a bundle of type %s; give it the name of one that is bound, not %s", t, v)
	}
	if f := s.Fields[v.text]; f != nil {
		return f.AnyField, nil
	}
	x, err := v.guess()
	if err != nil {
		return nil, fmt.Errorf("%s is neither a bound field nor a number, bool or list of numbers", v)
	}
	return x.Interface(), nil
}

// guess converts v to the Go type that it looks like.
func (v value) guess() (reflect.Value, error) {
	if v.text != "" {
		for _, t := range []reflect.Type{reflect.TypeFor[int64](), reflect.TypeFor[float64](), reflect.TypeFor[bool]()} {
			if x, err := v.goValue(t); err == nil {
				return x, nil
			}
		}
		return reflect.Value{}, fmt.Errorf("%q is no number", v.text)
	}
	if len(v.list) == 0 {
		return reflect.Value{}, fmt.Errorf("an empty list")
	}
	// The first entry that has a fraction decides.
	t := reflect.Type(nil)
	for _, e := range v.list {
		x, err := e.guess()
		if err != nil {
			return reflect.Value{}, err
		}
		if t == nil || x.Type().Kind() == reflect.Float64 {
			t = x.Type()
		}
	}
	return v.goValue(reflect.ArrayOf(len(v.list), t))
}

// IsBundle reports whether a var of type t is bound part by part.
func IsBundle(t typed.Type) bool {
	switch t := t.(type) {
	case typed.FieldType, typed.NodeType, *typed.Struct:
		return true
	case typed.Array:
		return IsBundle(t.Elem)
	}
	return false
}
