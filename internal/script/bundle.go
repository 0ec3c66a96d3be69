package script

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/gotaichi/ti/internal/typed"
)

// A bundle is a var that is a struct or an array of fields and constants. The command line binds
// it part by part, as in -bind Level.X=64x64 -bind Level.Scale=2 or -bind 'Levels[1].X=32', and
// gives the whole to the runtime as a Go value.

// bindPart binds the part of a bundle behind a path, if name is one; else ok is false.
func (s *Session) bindPart(name, what string) (ok bool, err error) {
	n := strings.IndexAny(name, ".[")
	if n < 0 {
		return false, nil
	}
	i := s.VarNamed(name[:n])
	if i < 0 || !IsBundle(s.Package.Vars[i].Type) {
		return false, nil
	}
	if _, isField := s.Package.Vars[i].Type.(typed.FieldType); isField {
		return false, nil
	}
	t, err := PartOf(s.Package.Vars[i].Type, name, n)
	if err != nil {
		return true, err
	}
	if _, twice := s.Parts[name]; twice {
		return true, fmt.Errorf("it is given twice")
	}
	switch t := t.(type) {
	case typed.FieldType:
		err = s.bindField(name, t, what)
	case typed.NodeType:
		err = fmt.Errorf("it is a node, which the command line cannot put into a bundle; load the source from a Go program")
	default:
		if IsBundle(t) {
			return true, fmt.Errorf("it has parts; bind each of them, such as %s", firstPart(t, name))
		}
		err = s.bindConst(name, t, what)
	}
	if err == nil {
		s.Parts[name] = s.Host[name]
		delete(s.Host, name)
	}
	return true, err
}

// PartOf is the type of the part of a var of type t that the rest of path, from n on, names.
func PartOf(t typed.Type, path string, n int) (typed.Type, error) {
	for n < len(path) {
		end := n + 1
		for end < len(path) && path[end] != '.' && path[end] != '[' {
			end++
		}
		switch name := path[n+1 : end]; whole := t.(type) {
		case *typed.Struct:
			t = nil
			var names []string
			for _, f := range whole.Fields {
				if names = append(names, f.Name); f.Name == name && path[n] == '.' {
					t = f.Type
				}
			}
			if t == nil {
				return nil, fmt.Errorf("%s has no part %s; it has %s", path[:n], path[n:end], Listed(names))
			}
		case typed.Array:
			i, err := strconv.Atoi(strings.TrimSuffix(name, "]"))
			if err != nil || path[n:end] != fmt.Sprintf("[%d]", i) || i < 0 || i >= whole.Len {
				return nil, fmt.Errorf("%s has no part %s; it has [0] to [%d]", path[:n], path[n:end], whole.Len-1)
			}
			t = whole.Elem
		default:
			return nil, fmt.Errorf("%s has no parts", path[:n])
		}
		n = end
	}
	return t, nil
}

// firstPart is the path of the first part of a bundle that is bound by itself.
func firstPart(t typed.Type, path string) string {
	switch t := t.(type) {
	case *typed.Struct:
		if len(t.Fields) > 0 {
			return firstPart(t.Fields[0].Type, path+"."+t.Fields[0].Name)
		}
	case typed.Array:
		if IsBundle(t.Elem) {
			return firstPart(t.Elem, path+"[0]")
		}
	}
	return path
}

// bundles gives the bundles of which parts are bound to the host.
func (s *Session) bundles() error {
	for _, v := range s.Package.Vars {
		if !PartsBound(s.Parts, v.Name) {
			continue
		}
		whole, err := s.bundle(v.Type, v.Name)
		if err != nil {
			return err
		}
		if whole.Kind() == reflect.Struct { // kernels take a bundle by its address
			p := reflect.New(whole.Type())
			p.Elem().Set(whole)
			whole = p
		}
		s.Host[v.Name] = whole.Interface()
	}
	return nil
}

// PartsBound reports whether bindings have a part of a var.
func PartsBound[T any](bound map[string]T, name string) bool {
	for path := range bound {
		if strings.HasPrefix(path, name+".") || strings.HasPrefix(path, name+"[") {
			return true
		}
	}
	return false
}

// bundle makes the Go value of a bundle of type t.
func (s *Session) bundle(t typed.Type, path string) (reflect.Value, error) {
	if part, ok := s.Parts[path]; ok {
		return reflect.ValueOf(part), nil
	}
	var values []reflect.Value
	add := func(t typed.Type, path string) error {
		v, err := s.bundle(t, path)
		values = append(values, v)
		return err
	}
	switch t := t.(type) {
	case *typed.Struct:
		fields := make([]reflect.StructField, len(t.Fields))
		for i, f := range t.Fields {
			if err := add(f.Type, path+"."+f.Name); err != nil {
				return reflect.Value{}, err
			}
			fields[i] = reflect.StructField{Name: "M" + strconv.Itoa(i), Type: values[i].Type(), Tag: reflect.StructTag(`ti:"` + f.Name + `"`)}
		}
		whole := reflect.New(reflect.StructOf(fields)).Elem()
		for i, v := range values {
			whole.Field(i).Set(v)
		}
		return whole, nil
	case typed.Array:
		for i := range t.Len {
			if err := add(t.Elem, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return reflect.Value{}, err
			}
		}
		if t.Len > 0 {
			whole := reflect.New(reflect.ArrayOf(t.Len, values[0].Type())).Elem()
			for i, v := range values {
				whole.Index(i).Set(v)
			}
			return whole, nil
		}
	}
	return reflect.Value{}, fmt.Errorf("%s is not bound; write -bind %[1]s=…, since other parts of its bundle are", path)
}
