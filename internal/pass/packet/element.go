package packet

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// This file is the part of packets for whole elements: a task without loops whose accesses are the components of large elements, such
// as 4×4 matrices. A packet loads the elements contiguously, transposes them so that a vector holds one component of all, and transposes
// the results back.

// An element is all accesses to one element, whose number of components is a power of two.
type element struct {
	base *ir.Value // its address, without the constant low
	low  int64
	kind ir.Kind
	ops  []*ir.Op    // the access of each component
	vals []*ir.Value // the values of the components that were loaded, or that are to be stored
	done int         // number of stores written so far
}

// elements groups the accesses of the task by element. It reports whether the task allows this: straight-line code, every access a
// component of an element of 8 or 16 that is loaded or stored whole, and no store before a load that may overlap.
func (a *packetInfo) elements() bool {
	byOp := map[*ir.Op]*element{}
	var groups []*element
	stored := false
	for _, o := range a.t.Body.Ops {
		switch {
		case len(o.Regions) > 0:
			return false
		case o.Code == ir.OpLoad || o.Code == ir.OpStore:
			if o.Code == ir.OpLoad && stored {
				return false
			}
			stored = stored || o.Code == ir.OpStore
			stride, linear := a.r.Stride(o.Args[0], a.index, a.varying)
			a.strides[o] = stride
			if linear && stride == 0 && o.Code == ir.OpLoad {
				continue
			}
			kind := accessKind(o)
			n := stride / int64(max(1, kind.Size()))
			if !linear || n != 8 && n != 16 || n*int64(kind.Size()) != stride || kind == ir.Bool {
				return false
			}
			base, off := splitAddress(o.Args[0])
			i := slices.IndexFunc(groups, func(e *element) bool {
				return e.base == base && e.kind == kind && e.ops[0].Code == o.Code
			})
			if i < 0 {
				i = len(groups)
				groups = append(groups, &element{base: base, low: off, kind: kind})
			}
			e := groups[i]
			e.low = min(e.low, off)
			e.ops = append(e.ops, o)
			byOp[o] = e
		case o.Code == ir.OpContinue:
		case o.Code == ir.OpCall || o.Code == ir.OpLookup || !o.Code.Is(ir.Pure):
			return false
		}
		a.measure(o)
	}
	for _, e := range groups {
		if !a.complete(e) {
			return false
		}
	}
	a.element = byOp
	return len(groups) > 0
}

func accessKind(o *ir.Op) ir.Kind {
	if o.Code == ir.OpStore {
		return o.Args[1].Type.Kind
	}
	return o.Results[0].Type.Kind
}

// splitAddress splits a constant off an address.
func splitAddress(p *ir.Value) (base *ir.Value, off int64) {
	if d := p.Def; d != nil && d.Code == ir.OpOffset {
		if c, ok := ir.IntOf(d.Args[1]); ok {
			return d.Args[0], c
		}
	}
	return p, 0
}

// complete sorts the accesses of e by component and reports whether there is one for each.
func (a *packetInfo) complete(e *element) bool {
	size := int64(e.kind.Size())
	n := a.strides[e.ops[0]] / size
	sorted := make([]*ir.Op, n)
	for _, o := range e.ops {
		_, off := splitAddress(o.Args[0])
		c := (off - e.low) / size
		if (off-e.low)%size != 0 || c >= n || sorted[c] != nil {
			return false
		}
		sorted[c] = o
	}
	e.ops = sorted
	return !slices.Contains(sorted, nil)
}

// component writes the access o to a component of e. The first load of a component loads the whole element, and the last store stores
// it.
func (p *packer) component(o *ir.Op, e *element) {
	c := slices.Index(e.ops, o)
	n := len(e.ops)
	if o.Code == ir.OpLoad {
		if e.vals == nil {
			for i := range n {
				row := ir.NewOp(ir.OpLoad, o.Pos, []ir.Type{ir.Vec(e.kind, p.lanes)}, p.row(e, i))
				row.Alias = o.Alias
				e.vals = append(e.vals, p.b.Emit(row))
			}
			e.vals = p.deinterleave(e.vals)
		}
		p.to[o.Results[0]] = e.vals[c]
		return
	}
	if e.vals == nil {
		e.vals = make([]*ir.Value, n)
	}
	e.vals[c] = p.splat(p.value(o.Args[1]))
	if e.done++; e.done < n {
		return
	}
	for i, v := range p.interleave(e.vals) {
		row := ir.NewOp(ir.OpStore, o.Pos, nil, p.row(e, i), v)
		row.Alias = o.Alias
		p.b.Emit(row)
	}
}

// row returns the address of vector i of the elements of a packet.
func (p *packer) row(e *element, i int) *ir.Value {
	off := e.low + int64(i*p.lanes*e.kind.Size())
	return p.b.Op(ir.OpOffset, p.first(e.base), p.b.Int(ir.Scalar(ir.I64), off))
}

// shuffle appends a shuffle of one of the kinds.
func (p *packer) shuffle(kind int64, a, b *ir.Value) *ir.Value {
	v := p.b.Op(ir.OpShuffle, a, b)
	v.Def.Aux = kind
	return v
}

// deinterleave turns vectors of contiguous components, c0 c1 … c0 c1 …, into a vector for each component: even lanes go to the even components,
// and so on.
func (p *packer) deinterleave(vs []*ir.Value) []*ir.Value {
	if len(vs) == 1 {
		return vs
	}
	var even, odd []*ir.Value
	for i := 0; i < len(vs); i += 2 {
		even = append(even, p.shuffle(ir.ShuffleEven, vs[i], vs[i+1]))
		odd = append(odd, p.shuffle(ir.ShuffleOdd, vs[i], vs[i+1]))
	}
	even, odd = p.deinterleave(even), p.deinterleave(odd)
	out := make([]*ir.Value, 0, len(vs))
	for i := range even {
		out = append(out, even[i], odd[i])
	}
	return out
}

// interleave is the inverse of deinterleave.
func (p *packer) interleave(vs []*ir.Value) []*ir.Value {
	if len(vs) == 1 {
		return vs
	}
	var even, odd []*ir.Value
	for i := 0; i < len(vs); i += 2 {
		even, odd = append(even, vs[i]), append(odd, vs[i+1])
	}
	even, odd = p.interleave(even), p.interleave(odd)
	out := make([]*ir.Value, 0, len(vs))
	for i := range even {
		out = append(out, p.shuffle(ir.ShuffleLow, even[i], odd[i]), p.shuffle(ir.ShuffleHigh, even[i], odd[i]))
	}
	return out
}

// cutTail makes the trip count of t's innermost dim a multiple of lanes. It returns the task of the remaining iterations; nil if there
// are none.
func cutTail(t *ir.Task, trips, lanes int64) *ir.Task {
	if trips%lanes == 0 {
		return nil
	}
	last := len(t.Dims) - 1
	border := t.Dims[last].Lo.Const + trips/lanes*lanes
	tail := *t
	tail.Name += " (rest)"
	c := ir.NewCloner(map[*ir.Value]*ir.Value{})
	tail.Prologue, tail.Body, tail.Epilogue = c.Block(t.Prologue), c.Block(t.Body), c.Block(t.Epilogue)
	tail.Dims = slices.Clone(t.Dims)
	tail.Dims[last].Lo.Const, t.Dims[last].Hi.Const = border, border
	t.States = ir.InPart(t.States)
	tail.States = t.States
	return &tail
}
