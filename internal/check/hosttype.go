package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gotaichi/ti/internal/syntax"
)

// matchHost compares the type of an element with what the host has in its place.
// Structs match by the names of their fields, in any order. It returns the number
// that the host gives to each component of want, nil if both count alike, or says
// what does not fit, nil and "" standing for nothing.
func matchHost(want, host Type) (comps []int, problem string) {
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
func (m *hostMatch) match(want, host Type, path string, first int) {
	if m.problem != "" {
		return
	}
	switch w := want.(type) {
	case *Struct:
		if h, ok := host.(*Struct); ok {
			m.structs(w, h, path, first)
			return
		}
	case Array:
		if !HasStruct(want) && want != host {
			break
		}
		if h, ok := host.(Array); ok && h.Len == w.Len {
			each := Components(h.Elem)
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
func (m *hostMatch) structs(want, host *Struct, path string, first int) {
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
func nearly(name string, host *Struct) string {
	i := slices.IndexFunc(host.Fields, func(f StructField) bool { return strings.EqualFold(f.Name, name) })
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("; its %s may be given the tag `ti:%q`", host.Fields[i].Name, name)
}

// elemMismatch reports a field of other elements than declared.
func (c *checker) elemMismatch(o *object, f *Field, host Type, problem string) {
	if HasStruct(f.Elem) && HasStruct(host) {
		c.errorf(syntax.ElemMismatch, o.pos, "give the struct of the host and that of the source the same members, in any order",
			"%s is declared with elements of type %s, and the host's %s differs: %s", o.name, f.Elem, host, problem)
		return
	}
	c.errorf(syntax.ElemMismatch, o.pos, fmt.Sprintf("bind a field of %s, or declare field[%s]", f.Elem, host),
		"%s is declared with elements of type %s, and the host binds a field of %s", o.name, f.Elem, host)
}

// NewStruct returns a struct type with the fields' components numbered.
func NewStruct(name string, fields ...StructField) *Struct {
	s := &Struct{Name: name, Fields: fields}
	n := 0
	for i := range s.Fields {
		s.Fields[i].First = n
		n += Components(s.Fields[i].Type)
	}
	return s
}

// A Memory is how a value lies in the host's memory when Go lays it out with the
// fields of structs in the order of the source: bytes and alignment of the value,
// and the offset of each component. Slices and views are used in place, so this is
// the form that their elements must have.
type Memory struct {
	Size, Align int
	Offsets     []int
}

// MemoryOf returns the memory form of a type.
func MemoryOf(t Type) Memory {
	switch t := t.(type) {
	case Array:
		each := MemoryOf(t.Elem)
		m := Memory{Size: t.Len * each.Size, Align: each.Align}
		for i := range t.Len {
			m.add(each, i*each.Size)
		}
		return m
	case *Struct:
		m := Memory{Align: 1}
		for _, f := range t.Fields {
			part := MemoryOf(f.Type)
			at := roundUp(m.Size, part.Align)
			m.add(part, at)
			m.Size, m.Align = at+part.Size, max(m.Align, part.Align)
		}
		m.Size = roundUp(m.Size, m.Align)
		return m
	}
	size := max(1, ScalarOf(t).Bits()/8)
	return Memory{Size: size, Align: size, Offsets: []int{0}}
}

// add appends the components of a part that lies at an offset.
func (m *Memory) add(part Memory, at int) {
	for _, o := range part.Offsets {
		m.Offsets = append(m.Offsets, at+o)
	}
}

func roundUp(n, align int) int { return (n + align - 1) / align * align }
