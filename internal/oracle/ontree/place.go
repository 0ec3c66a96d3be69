package ontree

import (
	bytes "encoding/binary"
	"go/token"
	"slices"

	"github.com/gotaichi/ti/internal/typed"
)

// A place is where components of a value are: in a variable, or in an element of a field or slice. Its index operands
// are evaluated already.
type place struct {
	pos   token.Position
	kinds []typed.Scalar // of all components of the variable or element
	comps []int          // those that are meant

	object  *object // of a variable; else
	element *element

	outside bool // a component chosen at run time is none
}

// An element of a field or slice.
type element struct {
	name   string
	field  *Field
	typed  *typed.Field // nil for a slice
	node   *typed.Element
	slice  *slice
	index  []int64
	huge   bool // an index is a u64 that no i64 holds
	none   bool // the index is none of a section, which has been reported
	varied bool // an index is not a constant
}

// place evaluates the index operands of e. For an e that is no place it makes one that holds its value.
func (m *machine) place(e typed.Expr) *place {
	switch e := e.(type) {
	case *typed.VarRef:
		if r := m.refs[e.Var]; r != nil {
			p := *r
			p.pos = e.Pos
			return &p
		}
		o := m.vars[e.Var]
		if o == nil {
			notCovered("variable %s, which is used before it is defined", e.Var.Name)
		}
		return &place{pos: e.Pos, kinds: m.kindsOf(e.T), comps: m.all(len(o.comps)), object: o}
	case *typed.Element:
		return m.fieldElement(e)
	case *typed.SliceElement:
		s := m.slices[e.Slice]
		el := &element{name: s.name, slice: s}
		m.addIndex(el, e.Index)
		ks := m.kindsOf(e.T)
		return &place{pos: e.Pos, kinds: ks, comps: m.all(len(ks)), element: el}
	case *typed.Extract:
		p := *m.place(e.X)
		from := p.comps
		p.comps, p.pos = make([]int, len(e.Comps)), e.Pos
		for i, c := range e.Comps {
			p.comps[i] = from[c]
		}
		return &p
	case *typed.Index:
		return m.choose(m.place(e.X), e)
	}
	v := m.expr(e)
	return &place{pos: e.Position(), kinds: m.kindsOf(e.Type()), comps: m.all(len(v)), object: &object{v}}
}

// choose is the place of one of the parts of p.
func (m *machine) choose(p *place, e *typed.Index) *place {
	n := int64(e.X.Type().(typed.Array).Len)
	s := typed.ScalarOf(e.I.Type())
	i := m.expr(e.I)[0]
	at := number(s, i)
	q := *p
	q.pos = e.Pos
	size := len(m.kindsOf(e.T))
	if at < 0 || at >= n { // a u64 that no i64 holds is negative here
		q.outside, at = true, 0
	}
	if n == 0 {
		q.comps = make([]int, size)
		return &q
	}
	q.comps = p.comps[int(at)*size : int(at+1)*size]
	return &q
}

// addIndex evaluates an index, a scalar or vector, and joins it to that of an element.
func (m *machine) addIndex(el *element, e typed.Expr) {
	s := typed.ScalarOf(e.Type())
	if _, is := e.(*typed.Const); !is {
		el.varied = true
	}
	for _, x := range m.expr(e) {
		el.index = append(el.index, number(s, x))
		el.huge = el.huge || s == typed.U64 && int64(x) < 0
	}
}

func (m *machine) fieldElement(e *typed.Element) *place {
	f, name := m.field(e.Field)
	el := &element{name: name, field: f, typed: e.Field, node: e}
	for _, x := range e.Index {
		m.addIndex(el, x)
	}
	if e.Section != nil {
		m.inSection(el, e)
	}
	ks := m.kindsOf(e.T)
	return &place{pos: e.Pos, kinds: ks, comps: m.all(len(ks)), element: el}
}

// low is the lowest index along an axis.
func (f *Field) low(axis int) int64 {
	if f.Origin == nil {
		return 0
	}
	return f.Origin[axis]
}

// reach compares the index of a place with its bounds, and reports whether there is such a component.
func (m *machine) reach(p *place) bool {
	if len(p.comps) == 0 {
		return false
	}
	if el := p.element; el != nil {
		if el.none {
			return false
		}
		in, shape := !el.huge, []int64(nil)
		if el.slice != nil {
			shape = []int64{el.slice.len}
			in = in && el.index[0] >= 0 && el.index[0] < el.slice.len
		} else {
			shape = el.field.Shape
			for a, i := range el.index {
				in = in && i >= el.field.low(a) && i < el.field.low(a)+shape[a]
			}
		}
		if !in {
			m.fail(Failure{Pos: p.pos, Kind: BadIndex, What: el.name, Index: slices.Clone(el.index), Shape: slices.Clone(shape)})
			return false
		}
	}
	if p.outside {
		m.fail(failAt(p.pos, BadComponent))
		return false
	}
	return true
}

// load reads all components of a place; those that are not there are zero.
func (m *machine) load(p *place) []uint64 {
	v := make([]uint64, len(p.comps))
	if !m.reach(p) {
		return v
	}
	for i, c := range p.comps {
		v[i] = m.get(p, c)
	}
	return v
}

// store writes all components of a place that is there.
func (m *machine) store(p *place, v []uint64) {
	if !m.reach(p) {
		return
	}
	for i, c := range p.comps {
		m.set(p, c, v[i])
	}
}

// get reads a component of a place that is there.
func (m *machine) get(p *place, c int) uint64 {
	switch el := p.element; {
	case el == nil:
		return p.object.comps[c]
	case el.slice != nil:
		return el.slice.load(el.index[0], c, p.kinds[c])
	case !el.field.active(el.index, c):
		return 0
	default:
		return el.field.Load(el.index, c)
	}
}

// set writes a component of a place that is there.
func (m *machine) set(p *place, c int, x uint64) {
	switch el := p.element; {
	case el == nil:
		p.object.comps[c] = x
	case el.slice != nil:
		el.slice.store(el.index[0], c, p.kinds[c], x)
	default:
		el.field.activate(el.index, c)
		el.field.Store(el.index, c, x)
	}
}

// part is the node that a component is placed in, nil in a dense tree.
func (f *Field) part(c int) Node {
	if f.Parts != nil && f.Parts[c] != nil {
		return f.Parts[c]
	}
	return f.Home
}

// active reports whether an element and a component of it are there.
func (f *Field) active(index []int64, c int) bool {
	return f.Home == nil || f.Home.Active(index) && f.part(c).Active(index)
}

// activate makes an element active, and a component of it.
func (f *Field) activate(index []int64, c int) {
	if f.Home != nil {
		f.Home.Activate(index)
		f.part(c).Activate(index)
	}
}

// bytes is the memory of a component of an element.
func (s *slice) bytes(i int64, c int, k typed.Scalar) []byte {
	at := int(i)*s.size + s.at[c]
	return s.data[at : at+max(1, k.Bits()/8)]
}

func (s *slice) load(i int64, c int, k typed.Scalar) uint64 {
	b := s.bytes(i, c, k)
	switch len(b) {
	case 1:
		if k == typed.Bool {
			return truth(b[0] != 0)
		}
		return uint64(b[0])
	case 2:
		return uint64(bytes.NativeEndian.Uint16(b))
	case 4:
		return uint64(bytes.NativeEndian.Uint32(b))
	}
	return bytes.NativeEndian.Uint64(b)
}

func (s *slice) store(i int64, c int, k typed.Scalar, x uint64) {
	b := s.bytes(i, c, k)
	switch len(b) {
	case 1:
		b[0] = byte(x)
	case 2:
		bytes.NativeEndian.PutUint16(b, uint16(x))
	case 4:
		bytes.NativeEndian.PutUint32(b, uint32(x))
	default:
		bytes.NativeEndian.PutUint64(b, x)
	}
}
