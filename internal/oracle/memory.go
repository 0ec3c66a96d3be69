package oracle

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// Memory is where the elements of a field are. Indices are always in range.
type Memory interface {
	Load(index []int64, comp int) uint64
	Store(index []int64, comp int, bits uint64)
}

// A Key says which component of which element of a field is meant.
type Key struct {
	Index [8]int64
	Comp  int
}

// Cells is a field as a plain map; what is not in it is zero.
type Cells map[Key]uint64

func key(index []int64, comp int) Key {
	k := Key{Comp: comp}
	if copy(k.Index[:], index) < len(index) {
		panic("oracle: Cells hold fields of at most 8 axes")
	}
	return k
}

// Load returns a component of an element.
func (c Cells) Load(index []int64, comp int) uint64 { return c[key(index, comp)] }

// Store sets a component of an element.
func (c Cells) Store(index []int64, comp int, bits uint64) { c[key(index, comp)] = bits }

// A Slice is the memory of a slice argument: Len elements, one behind the other
// without gaps, in the machine's byte order.
type Slice struct {
	Data []byte
	Len  int64
}

// A place is where a load or store goes. The zero place is one whose index is out
// of range: it reads zero and drops what is written.
type place struct {
	cells []uint64 // of a local array, which starts at cell 0
	refs  []ref    // what they come from, with a tape

	memory Memory // of a field
	field  *ir.Field
	index  []int64
	comp   int
	taped  *Variable // nil without a tape
	node   *Node     // that the component is placed in, nil in a dense tree
	home   *Node     // by which the element is active: that of the first component; nil in a dense tree
	packed *packed

	bytes []byte // of a slice
	kind  ir.Kind
}

func (p place) load() uint64 {
	switch {
	case p.cells != nil:
		return p.cells[0]
	case p.memory != nil && !p.active():
		return 0
	case p.packed != nil:
		return p.decode()
	case p.memory != nil:
		return p.memory.Load(p.index, p.comp)
	case p.bytes == nil:
		return 0
	}
	var bits uint64
	switch b := p.bytes; p.kind.Size() {
	case 1:
		bits = uint64(b[0])
	case 2:
		bits = uint64(binary.NativeEndian.Uint16(b))
	case 4:
		bits = uint64(binary.NativeEndian.Uint32(b))
	default:
		bits = binary.NativeEndian.Uint64(b)
	}
	return canonical(p.kind, bits)
}

// active reports whether the element is active, and has the component.
func (p place) active() bool {
	return (p.home == nil || p.home.Active(p.index)) && (p.node == nil || p.node.Active(p.index))
}

// activate makes the element that is written active.
func (p place) activate() {
	for _, n := range []*Node{p.home, p.node} {
		if n != nil {
			n.Activate(p.index)
		}
	}
}

func (p place) store(bits uint64) {
	switch {
	case p.cells != nil:
		p.cells[0] = bits
		return
	case p.memory != nil:
		p.activate()
		p.memory.Store(p.index, p.comp, bits)
		return
	case p.bytes == nil:
		return
	}
	switch b := p.bytes; p.kind.Size() {
	case 1:
		b[0] = byte(bits)
	case 2:
		binary.NativeEndian.PutUint16(b, uint16(bits))
	case 4:
		binary.NativeEndian.PutUint32(b, uint32(bits))
	default:
		binary.NativeEndian.PutUint64(b, bits)
	}
}

// canonical returns bits as values of kind k are held.
func canonical(k ir.Kind, bits uint64) uint64 {
	switch {
	case k == ir.Bool:
		return ir.BoolBits(bits&0xff != 0)
	case k.IsInt():
		return ir.IntBits(k, int64(bits))
	case k.Bits() < 64:
		return bits & (1<<k.Bits() - 1)
	}
	return bits
}

// fail records an index out of range.
func (m *machine) fail(o *ir.Op, what string, index, shape, low []int64) {
	if m.failure != nil {
		m.failure.Count++
		return
	}
	m.failure = &Failure{
		Pos: o.Pos, What: what, Index: index, Shape: shape, Low: low,
		Loop: slices.Clone(m.loop), Count: 1,
	}
}

// failAt records a failure that lowering has made.
func (m *machine) failAt(o *ir.Op, values []uint64) {
	m.fail(o, "", nil, nil, nil)
	if m.failure.Count == 1 {
		m.failure.Site, m.failure.Values = m.p.k.Sites[o.Aux], values
	}
}

// index returns operand i of in as an index; what does not fit is out of range of
// anything.
func (m *machine) index(in *inst, i int) int64 {
	return int64(m.vals[in.args[i]]) // a u64 beyond the largest i64 turns negative, below any lowest index but out of range too
}

// place makes the place of a ptr, elem, alloc or cell.
func (m *machine) place(in *inst) place {
	o := in.op
	switch o.Code {
	case ir.OpAlloc:
		if o.Aux == 0 {
			return place{}
		}
		cells := make([]uint64, o.Aux)
		if o.Flags.Has(ir.Unset) { // make a read before the first store visible
			for i := range cells {
				cells[i] = unset(o.Kind)
			}
		}
		p := place{cells: cells}
		if m.refs != nil {
			p.refs = make([]ref, o.Aux)
		}
		return p
	case ir.OpCell:
		p := m.places[in.args[0]]
		array := p.cells
		i := m.index(in, 1)
		if i < 0 || i >= int64(len(array)) {
			m.fail(o, o.Args[0].Name, []int64{i}, []int64{int64(len(array))}, nil)
			return place{}
		}
		p.cells = array[i:]
		if p.refs != nil {
			p.refs = p.refs[i:]
		}
		return p
	case ir.OpPtr:
		return m.fieldPlace(in)
	}
	return m.slicePlace(in)
}

// component returns the component that ptr or elem in means, of the element at index.
func (m *machine) component(in *inst, what string, index, shape, low []int64) (comp int, ok bool) {
	o := in.op
	if !o.Flags.Has(ir.Dynamic) {
		return int(o.Aux), true
	}
	c := m.index(in, len(in.args)-1)
	if c < 0 || c >= int64(o.Bits) {
		if low != nil {
			low = append(slices.Clone(low), 0)
		}
		m.fail(o, what, append(slices.Clone(index), c), append(slices.Clone(shape), int64(o.Bits)), low)
		return 0, false
	}
	return int(o.Aux + c*int64(o.Stride)), true
}

// shape returns the extents of f, some of which may be arguments of the launch.
func (m *machine) shape(f *ir.Field) []int64 {
	if f.Extents == nil {
		return f.Shape
	}
	shape := slices.Clone(f.Shape)
	for a, p := range f.Extents {
		if p != nil {
			shape[a] = int64(m.env.Args[p.LengthSlot()])
		}
	}
	return shape
}

func (m *machine) fieldPlace(in *inst) place {
	f := in.op.Field
	index, ok := m.indexOf(in, f.Rank())
	if !ok {
		return place{}
	}
	c, ok := m.component(in, f.Name, index, m.shape(f), f.Origin)
	if !ok {
		return place{}
	}
	return place{memory: m.env.Fields[f.Index], field: f, index: index, comp: c, taped: m.variable(f), node: m.part(f, c), home: m.node(f), packed: m.packedPlace(f, c)}
}

func (m *machine) slicePlace(in *inst) place {
	q := in.op.Param
	s := m.env.Slices[in.param]
	i := m.index(in, 0)
	if i < 0 || i >= s.Len {
		m.fail(in.op, q.Name, []int64{i}, []int64{s.Len}, nil)
		return place{}
	}
	c, ok := m.component(in, q.Name, []int64{i}, []int64{s.Len}, nil)
	if !ok {
		return place{}
	}
	kind := q.KindOf(c)
	at := i*q.ElemSize() + q.Offset(c)
	return place{bytes: s.Data[at : at+int64(kind.Size())], kind: kind}
}

func (m *machine) lookup(in *inst) {
	t := in.op.Table
	i := m.index(in, 0)
	if i < 0 || i >= int64(len(t.Data)) {
		m.fail(in.op, t.Name, []int64{i}, []int64{int64(len(t.Data))}, nil)
		m.vals[in.results[0]] = 0
		return
	}
	m.vals[in.results[0]] = t.Data[i]
}

var atomicCodes = map[ir.AtomicKind]ir.Code{
	ir.AtomicAdd: ir.OpAdd, ir.AtomicSub: ir.OpSub, ir.AtomicMul: ir.OpMul, ir.AtomicDiv: ir.OpDiv,
	ir.AtomicMin: ir.OpMin, ir.AtomicMax: ir.OpMax, ir.AtomicAnd: ir.OpAnd, ir.AtomicOr: ir.OpOr,
	ir.AtomicXor: ir.OpXor, ir.AtomicLAnd: ir.OpAnd, ir.AtomicLOr: ir.OpOr,
}

func (m *machine) atomic(in *inst) {
	o := in.op
	kind := o.Results[0].Type.Kind
	p := m.places[in.args[0]]
	m.touch(&p, Read)
	if o.Atomic != ir.AtomicLoad {
		m.touchCells(&p, true)
		p.activate() // also where nothing is stored
	}
	old, v := p.load(), m.vals[in.args[1]]
	if o.Atomic != ir.AtomicLoad && (o.Atomic != ir.AtomicCAS || old == v) {
		m.touch(&p, Write)
	}
	r := m.draw(o)
	m.vals[in.results[0]] = old
	if p.packed != nil && p.packed.Group != nil {
		m.updatePart(in, p, old)
		return
	}
	now := old
	switch {
	case o.Atomic == ir.AtomicLoad:
	case o.Atomic == ir.AtomicXchg:
		now = p.set(v, r)
	case o.Atomic == ir.AtomicCAS:
		if old == v {
			now = p.set(m.vals[in.args[2]], r)
		}
	case m.add(o, &p, v, r):
		now = p.load()
	default:
		now = p.set(binaryOp(atomicCodes[o.Atomic], kind, old, v), r)
	}
	m.countAtomic(in, &p, old, now)
	m.recordAtomic(in, p, old, now)
	if !o.Flags.Has(ir.More) {
		m.endParts()
	}
}

// updatePart runs an atomic on a number that shares its exponent.
func (m *machine) updatePart(in *inst, p place, old uint64) {
	o, v := in.op, m.vals[in.args[1]]
	switch o.Atomic {
	case ir.AtomicXchg:
	case ir.AtomicCAS:
		if old != v {
			m.recordAtomic(in, p, old, old)
			return
		}
		v = m.vals[in.args[2]]
	default:
		v = binaryOp(atomicCodes[o.Atomic], p.packed.kind, old, v)
	}
	m.parts = append(m.parts, part{in, p, v, old})
	if !o.Flags.Has(ir.More) {
		m.endParts()
	}
}

// unset is the initial value of the elements of an alloc with Unset: an unlikely number.
func unset(k ir.Kind) uint64 {
	switch {
	case k == ir.Bool:
		return 1
	case k.IsFloat():
		return ir.FloatBits(k, math.NaN())
	}
	return ir.IntBits(k, -0x5a5a5a5a5a5a5a5b)
}
