package oracle

import (
	"cmp"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// node returns the node that f is placed in, or is; nil in a dense tree.
func (m *machine) node(f *ir.Field) *Node {
	if f.Index < len(m.env.Nodes) {
		return m.env.Nodes[f.Index]
	}
	return nil
}

// part returns the node that a component of f is placed in; nil in a dense tree.
func (m *machine) part(f *ir.Field, comp int) *Node {
	if f.Index < len(m.env.Parts) && comp < len(m.env.Parts[f.Index]) {
		return m.env.Parts[f.Index][comp]
	}
	return m.node(f)
}

// indexOf evaluates the indices along the first n axes of a field. If one is out of
// range, the launch fails, and it is not ok.
func (m *machine) indexOf(in *inst, n int) (index []int64, ok bool) {
	f := in.op.Field
	shape, low := m.shape(f)[:n], f.Origin
	if low != nil {
		low = low[:n]
	}
	index, ok = make([]int64, n), true
	for a := range index {
		index[a] = m.index(in, a)
		lo := f.Low(a)
		huge := in.op.Args[a].Type.Kind == ir.U64 && index[a] < 0
		ok = ok && !huge && index[a] >= lo && index[a] < lo+shape[a]
	}
	if !ok {
		m.fail(in.op, f.Name, index, shape, low)
	}
	return index, ok
}

// A pending cell is to be deactivated.
type pending struct {
	node *Node
	at   coord
}

// settle carries out what was deactivated in the loop or the serial code before.
func (m *machine) settle() {
	for _, p := range m.pending {
		m.touchCleared(p.node, p.at)
		p.node.deactivate(p.at)
	}
	m.pending = m.pending[:0]
}

// cell runs an op on a cell or list.
func (m *machine) cell(in *inst) {
	o := in.op
	n := m.node(o.Field)
	list := len(in.args)
	if o.Code == ir.OpShrink {
		list--
	}
	index, ok := m.indexOf(in, list)
	result := int64(0)
	switch {
	case !ok:
		if o.Code == ir.OpAppend {
			result = -1
		}
	case n == nil: // all is dense, so all is active
		if o.Code == ir.OpIsActive {
			result = 1
		}
	default:
		result = m.onNode(in, n, index)
	}
	if len(in.results) > 0 {
		m.vals[in.results[0]] = ir.IntBits(o.Results[0].Type.Kind, result)
	}
}

// onNode runs an op on a cell of n, or on a list in a cell of its parent.
func (m *machine) onNode(in *inst, n *Node, index []int64) int64 {
	switch in.op.Code {
	case ir.OpActivate:
		m.touchNode(n, index, true)
		n.Activate(index)
	case ir.OpDeactivate:
		m.pending = append(m.pending, pending{n, n.coord(index)})
	case ir.OpIsActive:
		m.touchNode(n, index, false)
		if n.Active(index) {
			return 1
		}
	case ir.OpAppend:
		m.touchList(n, Read|Write)
		return n.grow(n.list(index))
	case ir.OpCount:
		m.touchList(n, Read)
		return n.Len(index)
	case ir.OpShrink:
		m.touchList(n, Read)
		length, to := n.Len(index), m.index(in, len(in.args)-1)
		switch up := n.list(index); {
		case to < 0 || to > length:
			m.fail(in.op, "", nil, nil, nil)
			if m.failure.Count == 1 {
				m.failure.Site, m.failure.Values = in.op.TooLong(in.op.Field.Name), []uint64{uint64(length), uint64(to)}
			}
		case to < length:
			m.touchShorter(n, up, to)
			n.shrink(up, to)
		}
	}
	return 0
}

// overCells runs a loop over the active cells of a field or node, in the order in which
// they lie in memory: lists grow in it. What iterations record is handed on in the order
// of their numbers.
func (m *machine) overCells(in *inst, n *Node) {
	f := in.op.Field
	outer := m.rand
	m.records = &[]record{}
	m.touchList(n, Read)
	m.over = n
	for _, index := range n.Cells() {
		if m.err != nil {
			break
		}
		number := uint64(0) // row-major in the shape, and modulo 2^64 where that is larger
		for a, i := range index {
			number = number*uint64(f.Shape[a]) + uint64(i-f.Low(a))
		}
		m.iteration(in, index, number)
	}
	all := *m.records
	m.records = nil
	slices.SortStableFunc(all, func(a, b record) int { return cmp.Compare(a.number, b.number) })
	for _, r := range all {
		m.env.Record(r.site, r.number, r.values)
	}
	m.loop, m.over, m.rand = nil, nil, outer
}

// A record is what an iteration hands to the host.
type record struct {
	site   int
	number uint64
	values []uint64
}

// record hands something to the host, at once or when the loop is over.
func (m *machine) record(site int, number uint64, values []uint64) {
	if m.records != nil {
		*m.records = append(*m.records, record{site, number, slices.Clone(values)})
		return
	}
	m.env.Record(site, number, values)
}

// iteration runs one iteration of a parallel loop.
func (m *machine) iteration(in *inst, index []int64, number uint64) {
	for i, s := range in.regions[0].params {
		m.vals[s] = uint64(index[i])
	}
	m.loop = index
	m.rand = stream{key: m.env.Key, iteration: number, loop: uint32(in.op.Aux)}
	m.block(in.regions[0])
}
