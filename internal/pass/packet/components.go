package packet

import (
	"math/bits"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// This file makes contiguous loads and stores of the components of small elements, such as vectors of two numbers. The elements of neighbouring
// iterations are contiguous as a whole: vectors of all their numbers are loaded, and shuffled into a vector for each component; components
// are shuffled into such vectors, and stored.

// A components is accesses of one block to the components of one element, all loads or all stores. They become one at the first load, or at
// the last store.
type components struct {
	ops     []*ir.Op // in their order in the block
	from    []int64  // the distance of each from the first of them
	stride  int64    // bytes from one element to the next
	between []*ir.Op // other accesses to memory since the first of them
	low     int64    // the least of from
}

// size is how many bytes a component has, and number how many components there are.
func (c *components) size() int64 { return int64(accessKind(c.ops[0]).Size()) }
func (c *components) number() int { return int(c.stride / c.size()) }

// at returns the number of the component that o accesses.
func (c *components) at(o *ir.Op) int {
	return int((c.from[slices.Index(c.ops, o)] - c.low) / c.size())
}

// findComponents finds such accesses in the body of a loop all of whose lanes are active, and in loops in it that all lanes leave together.
func (a *packetInfo) findComponents(b *ir.Block) {
	var open []*components
	for _, o := range b.Ops {
		switch o.Code {
		case ir.OpLoad, ir.OpStore:
			open = a.component(open, o)
		case ir.OpAtomic:
			open = nil
		case ir.OpFor, ir.OpLoop:
			if !a.leaves[o] {
				a.findComponents(o.Regions[0])
			}
			fallthrough
		default:
			for _, r := range o.Regions {
				ir.Visit(r, func(p *ir.Op) bool {
					if p.Code == ir.OpLoad || p.Code == ir.OpStore || p.Code == ir.OpAtomic {
						open = a.passes(open, p)
					}
					return true
				})
			}
		}
	}
}

// component adds the access o to those that are open, or opens new ones with it, and notes those that are complete.
func (a *packetInfo) component(open []*components, o *ir.Op) []*components {
	kind := accessKind(o)
	n := a.strides[o] / int64(max(1, kind.Size()))
	special := a.gathers[o] || a.byLane[o] || a.updates[o] != nil || a.sums[o] != nil || len(o.Args) > 2 || a.arrays[rootOf(o.Args[0])] != nil
	if special || kind == ir.Bool || n < 2 || n > 16 || n&(n-1) != 0 || n*int64(kind.Size()) != a.strides[o] {
		return a.passes(open, o)
	}
	for _, c := range open {
		from, same := a.distance(c.ops[0], o)
		if !same || max(from, slices.Max(c.from))-min(from, c.low) >= c.stride || slices.Contains(c.from, from) || o.Code == ir.OpLoad && slices.ContainsFunc(c.between, func(s *ir.Op) bool { return s.Code != ir.OpLoad && a.meet(s, o) }) {
			continue
		}
		open = a.passes(open, o)
		c.ops, c.from = append(c.ops, o), append(c.from, from)
		c.low = min(c.low, from)
		if a.isWhole(c) {
			for _, p := range c.ops {
				a.grouped[p] = c
			}
		}
		return open
	}
	return append(a.passes(open, o), &components{ops: []*ir.Op{o}, from: []int64{0}, stride: a.strides[o]})
}

// isWhole reports whether accesses are to the first and to the last component of an element, stores to all of them.
func (a *packetInfo) isWhole(c *components) bool {
	n := int64(c.number())
	return slices.Max(c.from)-c.low == (n-1)*c.size() && (c.ops[0].Code == ir.OpLoad || len(c.ops) == int(n))
}

// distance returns how far the place of o is from that of another access to a component of the same element.
func (a *packetInfo) distance(first, o *ir.Op) (bytes int64, same bool) {
	if first.Code != o.Code || first.Alias != o.Alias || a.strides[first] != a.strides[o] || accessKind(first) != accessKind(o) {
		return 0, false
	}
	root, x := a.placeOf(first.Args[0])
	other, y := a.placeOf(o.Args[0])
	apart := y.Plus(x, -1)
	size := int64(accessKind(o).Size())
	return apart.C, root == other && len(apart.Terms) == 0 && apart.C%size == 0 && max(apart.C, -apart.C) < a.strides[o]
}

// passes notes that an access lies between those that are open. Stores that it may meet stay where they are.
func (a *packetInfo) passes(open []*components, o *ir.Op) []*components {
	open = slices.DeleteFunc(open, func(c *components) bool {
		return c.ops[0].Code == ir.OpStore && slices.ContainsFunc(c.ops, func(s *ir.Op) bool { return a.meet(s, o) })
	})
	for _, c := range open {
		c.between = append(c.between, o)
	}
	return open
}

// meet reports whether a store and another access may be to the same place, in one iteration or in two.
func (a *packetInfo) meet(s, o *ir.Op) bool {
	return analysis.ObjectOf(s).Overlaps(analysis.ObjectOf(o)) && (o.Code == ir.OpAtomic || s.Code == ir.OpAtomic || !a.staysApart(s, o) || a.overlap(s, o))
}

// overlap reports whether two accesses that stay apart between iterations are to the same place, or part of it, in each of them.
func (a *packetInfo) overlap(s, o *ir.Op) bool {
	_, x := a.placeOf(s.Args[0])
	_, y := a.placeOf(o.Args[0])
	apart := y.Plus(x, -1).C
	return apart < int64(accessKind(s).Size()) && -apart < int64(accessKind(o).Size())
}

// grouping returns the accesses to which o belongs, if they become one here. A mask would need lanes for all of their numbers.
func (p *packer) grouping(o *ir.Op, mask *ir.Value) *components {
	if mask != nil {
		return nil
	}
	return p.grouped[o]
}

// components writes the load or store o of a component: at the first load all are loaded, and at the last store all are stored.
func (p *packer) components(o *ir.Op, c *components) {
	n := c.number()
	if p.parts == nil {
		p.parts = map[*components][]*ir.Value{}
	}
	t := ir.Vec(accessKind(o), p.lanes)
	row := func(i int) *ir.Value {
		off := c.low - c.from[slices.Index(c.ops, o)] + int64(i*p.lanes)*c.size()
		return p.b.Op(ir.OpOffset, p.first(o.Args[0]), p.b.Int(ir.Scalar(ir.I64), off))
	}
	if o.Code == ir.OpLoad {
		if o == c.ops[0] {
			p.parts[c] = nil
			for i := range n {
				load := p.b.Load(t, row(i))
				load.Def.Alias = o.Alias
				p.parts[c] = append(p.parts[c], load)
			}
			p.parts[c] = p.deinterleave(p.parts[c])
		}
		p.to[o.Results[0]] = p.parts[c][c.at(o)]
		return
	}
	if p.parts[c] == nil {
		p.parts[c] = make([]*ir.Value, n)
	}
	p.parts[c][c.at(o)] = p.splat(p.value(o.Args[1]))
	if o != c.ops[n-1] {
		return
	}
	for i, v := range p.interleave(p.parts[c]) {
		p.b.Store(row(i), v)
		p.b.Block.Ops[len(p.b.Block.Ops)-1].Alias = o.Alias
	}
	p.parts[c] = nil
}

// shuffles is the cost of an access to a component, for each register of a vector: that of a contiguous access, and its part of the shuffles.
func (c *components) shuffles() float64 { return float64(bits.Len(uint(c.number()))) }
