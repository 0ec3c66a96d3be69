package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// matchHost compares the type of an element with what the host has in its place.
// Structs match by the names of their fields, in any order. It returns the number
// that the host gives to each component of want, nil if both count alike, or says
// what does not fit, nil and "" standing for nothing.
func matchHost(want, host typed.Type) (comps []int, problem string) {
	m := hostMatch{}
	m.match(want, host, "", 0)
	if m.problem != "" {
		return nil, m.problem
	}
	for i, c := range m.comps {
		if c != i {
			return m.comps, ""
		}
	}
	return nil, ""
}

type hostMatch struct {
	comps   []int
	problem string
}

// match compares the parts behind path, whose first component has the host's
// number first.
func (m *hostMatch) match(want, host typed.Type, path string, first int) {
	if m.problem != "" {
		return
	}
	switch w := want.(type) {
	case *typed.Struct:
		if h, ok := host.(*typed.Struct); ok {
			m.structs(w, h, path, first)
			return
		}
	case typed.Array:
		if !typed.HasStruct(want) && want != host {
			break
		}
		if h, ok := host.(typed.Array); ok && h.Len == w.Len {
			each := typed.Components(h.Elem)
			for i := range w.Len {
				m.match(w.Elem, h.Elem, path+"["+strconv.Itoa(i)+"]", first+i*each)
			}
			return
		}
	default:
		if want == host {
			m.comps = append(m.comps, first)
			return
		}
	}
	if path == "" {
		m.problem = fmt.Sprintf("the source has %s, and the host %s", want, host)
		return
	}
	m.problem = fmt.Sprintf("member %s is of type %s in the source, and %s in the host", strings.TrimPrefix(path, "."), want, host)
}

// structs compares the fields of two structs.
func (m *hostMatch) structs(want, host *typed.Struct, path string, first int) {
	at := func(name string) string { return strings.TrimPrefix(path+"."+name, ".") }
	for _, f := range want.Fields {
		h := host.Field(f.Name)
		if h == nil {
			m.problem = fmt.Sprintf("the host has no member %s%s", at(f.Name), nearly(f.Name, host))
			return
		}
		m.match(f.Type, h.Type, path+"."+f.Name, first+h.First)
	}
	for _, h := range host.Fields {
		if m.problem == "" && want.Field(h.Name) == nil {
			m.problem = fmt.Sprintf("the host has a member %s, which the source lacks", at(h.Name))
		}
	}
}

// nearly points to a field of the host that differs in case only: Go's fields
// begin with a capital letter, and those of a source need not.
func nearly(name string, host *typed.Struct) string {
	i := slices.IndexFunc(host.Fields, func(f typed.StructField) bool { return strings.EqualFold(f.Name, name) })
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("; its %s may be given the tag `ti:%q`", host.Fields[i].Name, name)
}

// elemMismatch reports a field of other elements than declared.
func (c *checker) elemMismatch(o *object, f *typed.Field, host typed.Type, problem string) {
	if typed.HasStruct(f.Elem) && typed.HasStruct(host) {
		c.errorf(syntax.ElemMismatch, o.pos, "give the struct of the host and that of the source the same members, in any order",
			"%s is declared with elements of type %s, and the host's %s differs: %s", o.name, f.Elem, host, problem)
		return
	}
	c.errorf(syntax.ElemMismatch, o.pos, fmt.Sprintf("bind a field of %s, or declare field[%s]", f.Elem, host),
		"%s is declared with elements of type %s, and the host binds a field of %s", o.name, f.Elem, host)
}
