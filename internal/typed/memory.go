package typed

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
