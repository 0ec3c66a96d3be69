package packet

import (
	"math/bits"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// This file is the part of packets that writes several iterations of a loop together: a strip. All lanes leave such a loop together, and
// its iterations update contiguous elements:
//
//   - Some elements get totals of lanes. Several totals are computed together: 16 vectors are added up in a third of the instructions of
//     16 separate totals.
//   - Some updates are of contiguous elements in the lanes, and each iteration is one element further, as in a convolution along a row.
//     They are added up in registers, since a load that overlaps an earlier store only partly waits for that store.
//     added up before they go to memory, since a load of what a store has written in part waits for that store.

// A strip is such a loop: the code of width iterations is written one after the other.
type strip struct {
	loop      *ir.Op
	lo, trips int64
	width     int
	down      map[*ir.Op]bool    // by the stores of updates: whether the elements are in descending order
	slides    map[*ir.Op]bool    // ops of updates whose elements are contiguous in the lanes, too
	sums      map[*ir.Op]*beside // what the current strip adds to elements, by store
}

// A beside has what iterations add to neighbouring elements, in ascending order.
type beside struct {
	lanes  []*ir.Value // a vector for each of them
	places []*ir.Value // the places of the elements, those of the first lane if contiguous in the lanes
	mask   *ir.Value   // the active lanes, if contiguous in the lanes
}

// Limits of strips: the iterations of one, and the ops of a loop's body.
const (
	mostStrip      = 16
	longestToStrip = 40 // without the computation of addresses
)

// stripOf returns a loop as a strip; nil if it cannot be one.
func (p *packer) stripOf(o *ir.Op) *strip {
	if o.Code != ir.OpFor || p.leaves[o] || len(p.updates) == 0 {
		return nil
	}
	lo, ok1 := ir.IntOf(o.Args[0])
	hi, ok2 := ir.IntOf(o.Args[1])
	body := o.Regions[0]
	last := body.Terminator()
	if !ok1 || !ok2 || hi-lo < 2 || last.Code != ir.OpContinue || last.Target != o {
		return nil
	}
	within := map[*ir.Value]bool{}
	for _, v := range body.Params[1:] {
		within[v] = true
	}
	length := 0
	for _, b := range body.Ops {
		if b.Code != ir.OpConst && b.Code != ir.OpOffset && !addressOnly(b) {
			length++
		}
		if len(b.Regions) > 0 || b.Flags.Has(ir.Strict) || p.byLane[b] || length > longestToStrip {
			return nil
		}
		for _, v := range b.Results {
			within[v] = true
		}
	}
	s := &strip{loop: o, lo: lo, trips: hi - lo, width: min(mostStrip, p.lanes), down: map[*ir.Op]bool{}, slides: map[*ir.Op]bool{}}
	for _, b := range body.Ops {
		u := p.updates[b]
		if b.Code != ir.OpStore || u == nil || !p.totals[b] && !p.slides(u) {
			continue
		}
		if stride, linear := p.r.Stride(b.Args[0], body.Params[0], within); linear && max(stride, -stride) == int64(accessKind(b).Size()) {
			s.down[b] = stride < 0
			for _, part := range u.ops {
				s.slides[part] = !p.totals[b]
			}
		}
	}
	if len(s.down) == 0 {
		return nil
	}
	return s
}

// slides reports whether the lanes of an update add to contiguous elements.
func (p *packer) slides(u *update) bool {
	return p.strides[u.store()] == int64(accessKind(u.store()).Size()) && p.addsUp(u)
}

// has reports whether an op is part of an update that the strip executes later.
func (s *strip) has(o *ir.Op) bool { return s != nil && s.slides[o] }

// inStrips writes a loop as a loop over strips, and shorter strips for the remaining iterations.
func (p *packer) inStrips(s *strip, mask *ir.Value) {
	params, inits := carried(s.loop)
	on := p.all(params, inits)
	index := s.loop.Regions[0].Params[0].Type
	for s.trips > 0 {
		s.width = int(min(int64(s.width), s.trips))
		n := s.trips / int64(s.width)
		switch first := p.b.Int(index, s.lo); {
		case s.width == 1:
			on = p.iteration(s.loop, first, on, mask)
		case n == 1:
			on = p.writeStrip(s, first, on, mask)
		default:
			on = p.strips(s, n, on, mask)
		}
		s.lo += n * int64(s.width)
		s.trips -= n * int64(s.width)
	}
	for i, r := range s.loop.Results {
		p.to[r] = on[i]
	}
}

// strips writes a loop over n strips.
func (p *packer) strips(s *strip, n int64, on []*ir.Value, mask *ir.Value) []*ir.Value {
	o := s.loop
	params, _ := carried(o)
	index := o.Regions[0].Params[0]
	args := append([]*ir.Value{p.b.Int(index.Type, 0), p.b.Int(index.Type, n)}, on...)
	c := ir.NewOp(ir.OpFor, o.Pos, p.types(o.Results), args...)
	p.b.Emit(c)
	number := c.Regions[0].AddParam(index.Type, index.Name)
	held := make([]*ir.Value, len(params))
	for i, t := range p.types(params) {
		held[i] = c.Regions[0].AddParam(t, params[i].Name)
	}
	p.b.In(c.Regions[0], func() {
		first := p.b.NoWrap(ir.OpAdd, p.b.NoWrap(ir.OpMul, number, p.b.Int(index.Type, int64(s.width))), p.b.Int(index.Type, s.lo))
		p.b.Jump(ir.OpContinue, c, p.writeStrip(s, first, held, mask)...)
	})
	return c.Results
}

// iteration writes one iteration of a loop, and returns the values that it carries on.
func (p *packer) iteration(o *ir.Op, index *ir.Value, on []*ir.Value, mask *ir.Value) []*ir.Value {
	params, _ := carried(o)
	p.to[o.Regions[0].Params[0]] = index
	for i, v := range params {
		p.to[v] = on[i]
	}
	return p.all(params, p.block(o.Regions[0], mask).args)
}

// writeStrip writes the iterations of a strip from first on.
func (p *packer) writeStrip(s *strip, first *ir.Value, on []*ir.Value, mask *ir.Value) []*ir.Value {
	s.sums = map[*ir.Op]*beside{}
	p.strip = s
	for j := range s.width {
		on = p.iteration(s.loop, p.b.NoWrap(ir.OpAdd, first, p.b.Int(first.Type, int64(j))), on, mask)
	}
	p.strip = nil
	for _, store := range s.loop.Regions[0].Ops {
		sums := s.sums[store]
		if sums == nil {
			continue
		}
		if p.b.Pos = store.Pos; s.slides[store] {
			p.addSliding(p.updates[store], sums)
		} else {
			p.addTotals(p.updates[store], sums)
		}
	}
	return on
}

// note records what an iteration of a strip adds to an element, or to contiguous elements. It reports whether the strip handles these.
func (s *strip) note(p *packer, store *ir.Op, sum, mask *ir.Value) bool {
	down, is := s.down[store]
	if !is {
		return false
	}
	if s.sums[store] == nil {
		s.sums[store] = &beside{mask: mask}
	}
	b, at := s.sums[store], 0
	if !down {
		at = len(b.lanes)
	}
	b.lanes = slices.Insert(b.lanes, at, sum)
	b.places = slices.Insert(b.places, at, p.first(store.Args[0]))
	return true
}

// addTotals writes updates of elements by totals of lanes, in vectors whose lengths are powers of two.
func (p *packer) addTotals(u *update, b *beside) {
	for i := 0; i < len(b.lanes); {
		n := 1 << (bits.Len(uint(len(b.lanes)-i)) - 1)
		v := p.b.OpOf(ir.OpTotal, b.lanes[i].Type.Elem(), b.lanes[i])
		if n > 1 {
			v = p.sideTotals(b.lanes[i : i+n])
		}
		p.addVector(u, b.places[i], v, nil)
		i += n
	}
}

// sideTotals returns a vector with the totals of vectors, whose number is a power of two. It adds neighbouring lanes until one is left of
// each vector.
func (p *packer) sideTotals(vs []*ir.Value) *ir.Value {
	width := len(vs)
	halve := func(a, b *ir.Value) *ir.Value {
		return p.b.Op(ir.OpAdd, p.shuffle(ir.ShuffleEven, a, b), p.shuffle(ir.ShuffleOdd, a, b))
	}
	left := p.lanes // lanes that are left of each vector
	for ; len(vs) > 1; left /= 2 {
		half := make([]*ir.Value, len(vs)/2)
		for i := range half {
			half[i] = halve(vs[2*i], vs[2*i+1])
		}
		vs = half
	}
	v := vs[0]
	for ; left > 1; left /= 2 {
		v = halve(v, v)
	}
	if width == p.lanes {
		return v
	}
	lanes := make([]*ir.Value, width)
	for i := range lanes {
		lanes[i] = p.b.OpOf(ir.OpLane, ir.Scalar(v.Type.Kind), v)
		lanes[i].Def.Aux = int64(i)
	}
	return p.b.OpOf(ir.OpPack, ir.Vec(v.Type.Kind, width), lanes...)
}

// addSliding writes an update of contiguous elements, one element further in each iteration: it shifts the vectors into position and adds
// them up, to one vector and the elements beyond it.
func (p *packer) addSliding(u *update, b *beside) {
	t := b.lanes[0].Type
	low, high := b.lanes[0], (*ir.Value)(nil)
	lowMask, highMask := b.mask, (*ir.Value)(nil)
	zero := p.b.Const(t, 0)
	for by, v := range b.lanes[1:] {
		in, beyond := p.moved(v, zero, by+1)
		low = p.b.Op(ir.OpAdd, low, in)
		high = p.plus(ir.OpAdd, high, beyond)
		within := p.b.Int(p.boolLanes(), 0)
		if b.mask == nil {
			_, beyond = p.moved(p.b.Int(p.boolLanes(), 1), within, by+1)
			highMask = p.plus(ir.OpOr, highMask, beyond)
			continue
		}
		in, beyond = p.moved(b.mask, within, by+1)
		lowMask = p.b.Op(ir.OpOr, lowMask, in)
		highMask = p.plus(ir.OpOr, highMask, beyond)
	}
	p.addVector(u, b.places[0], low, lowMask)
	if high != nil {
		size := int64(p.lanes * t.Kind.Size())
		p.addVector(u, p.b.Op(ir.OpOffset, b.places[0], p.b.Int(ir.Scalar(ir.I64), size)), high, highMask)
	}
}

// plus combines two vectors, of which the first may be nil.
func (p *packer) plus(code ir.Code, a, b *ir.Value) *ir.Value {
	if a == nil {
		return b
	}
	return p.b.Op(code, a, b)
}

// moved returns a vector shifted by some lanes, and the lanes that are shifted out of it; none fills the other lanes.
func (p *packer) moved(v, none *ir.Value, by int) (in, beyond *ir.Value) {
	slide := func(a, b *ir.Value) *ir.Value {
		s := p.b.Op(ir.OpSlide, a, b)
		s.Def.Aux, s.Def.Bits, s.Def.Stride = int64(p.lanes-by), uint64(p.lanes), 1
		return s
	}
	return slide(none, v), slide(v, none)
}
