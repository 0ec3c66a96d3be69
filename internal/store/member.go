package store

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/layout"
)

// A Part is a member of a struct field or a component of a vector or matrix field.
type Part struct {
	Type reflect.Type
	Path string
}

// Parts lists the members or components of c, row by row. There are none of a scalar field,
// and of one whose element type is a mistake.
func (c *Field) Parts() []Part {
	if c.err != nil {
		return nil
	}
	if c.typ.Kind() == reflect.Struct {
		var out []Part
		for i := range c.typ.NumField() {
			f := c.typ.Field(i)
			out = append(out, Part{f.Type, layout.MemberName(f)})
		}
		return out
	}
	if c.typ.Kind() != reflect.Array {
		return nil
	}
	return appendParts(nil, c.typ, "")
}

// appendParts lists the scalars of an array type.
func appendParts(to []Part, t reflect.Type, path string) []Part {
	if t.Kind() != reflect.Array {
		return append(to, Part{t, path})
	}
	for i := range t.Len() {
		to = appendParts(to, t.Elem(), path+"["+strconv.Itoa(i)+"]")
	}
	return to
}

// MemberOf makes c, a fresh field, a member of p.
func (c *Field) MemberOf(p *Field, path string) {
	if p.err != nil {
		c.err = p.err
		return
	}
	t, lo, problem := p.follow(path)
	if problem == "" && !sameShape(t, c.typ) {
		problem = fmt.Sprintf("member %q of %v is a %v, not a %v", path, p.typ, t, c.typ)
	}
	if problem != "" {
		c.err = &diag.Error{Code: diag.MemberPath, Msg: problem, Cause: diag.ErrLayout,
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
func (c *Field) follow(path string) (t reflect.Type, lo int, problem string) {
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
			if f, ok := layout.MemberNamed(t, step); ok {
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
