package packet

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// This file is the part of packets that adds up lanes for several elements at a time. Where a loop that all lanes leave together goes through
// elements side by side, which get the totals of the lanes, a strip of its iterations makes a vector of totals, and that is
// added to the elements at once: the lanes of 16 vectors are added up in a third of the instructions that 16 totals take.

// A strip is such a loop: width iterations are written one after the other.
type strip struct {
	loop      *ir.Op
	lo, trips int64
	width     int
	down      map[*ir.Op]bool       // by the stores of its totals: whether the elements lie in falling order
	sums      map[*ir.Op]*stripSums // of the strip that is being written
}

// A stripSums has what a strip adds to neighbouring elements.
type stripSums struct {
	lanes []*ir.Value // a vector for each iteration
	place *ir.Value   // of the first element
}

// Limits of strips: the iterations of one, and the ops of a loop's body.
const (
	mostStrip      = 16
	longestToStrip = 40 // without what is computed of addresses
)

// stripOf returns a loop as a strip, nil if it is none.
func (p *packer) stripOf(o *ir.Op) *strip {
	if o.Code != ir.OpFor || p.leaves[o] || len(p.totals) == 0 {
		return nil
	}
	lo, ok1 := ir.IntOf(o.Args[0])
	hi, ok2 := ir.IntOf(o.Args[1])
	body := o.Regions[0]
	s := &strip{loop: o, lo: lo, trips: hi - lo, down: map[*ir.Op]bool{}, width: min(mostStrip, p.lanes)}
	for int64(s.width) > s.trips {
		s.width /= 2
	}
	last := body.Terminator()
	if !ok1 || !ok2 || s.width < 2 || last.Code != ir.OpContinue || last.Target != o {
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
	for _, b := range body.Ops {
		if b.Code != ir.OpStore || !p.totals[b] {
			continue
		}
		if stride, linear := p.r.Stride(b.Args[0], body.Params[0], within); linear && max(stride, -stride) == int64(accessKind(b).Size()) {
			s.down[b] = stride < 0
		}
	}
	if len(s.down) == 0 {
		return nil
	}
	return s
}

// inStrips writes a loop as one over strips, and what is left in shorter ones.
func (p *packer) inStrips(s *strip, mask *ir.Value) {
	params, inits := carried(s.loop)
	on := p.all(params, inits)
	index := s.loop.Regions[0].Params[0].Type
	for s.trips > 0 {
		for int64(s.width) > s.trips {
			s.width /= 2
		}
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

// iteration writes one iteration of a loop, and returns what goes on to the next.
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
	s.sums = map[*ir.Op]*stripSums{}
	p.strip = s
	for j := range s.width {
		on = p.iteration(s.loop, p.b.NoWrap(ir.OpAdd, first, p.b.Int(first.Type, int64(j))), on, mask)
	}
	p.strip = nil
	for _, store := range s.loop.Regions[0].Ops {
		if sums := s.sums[store]; sums != nil {
			p.b.Pos = store.Pos
			p.addVector(p.updates[store], sums.place, p.sideTotals(sums.lanes))
		}
	}
	return on
}

// note keeps the lanes that an iteration of a strip adds up for an element. It reports whether they belong to a strip.
func (s *strip) note(p *packer, store *ir.Op, sum *ir.Value) bool {
	if s == nil {
		return false
	}
	down, is := s.down[store]
	if !is {
		return false
	}
	sums := s.sums[store]
	if sums == nil {
		sums = &stripSums{}
		s.sums[store] = sums
	}
	if down || sums.place == nil {
		sums.place = p.first(store.Args[0])
	}
	if down {
		sums.lanes = slices.Insert(sums.lanes, 0, sum)
	} else {
		sums.lanes = append(sums.lanes, sum)
	}
	return true
}

// sideTotals returns a vector with the totals of the lanes of vectors, side by side. Pairs of neighbouring lanes are added up until
// one is left of each vector.
func (p *packer) sideTotals(vs []*ir.Value) *ir.Value {
	width := len(vs)
	halve := func(a, b *ir.Value) *ir.Value {
		return p.b.Op(ir.OpAdd, p.shuffle(ir.ShuffleEven, a, b), p.shuffle(ir.ShuffleOdd, a, b))
	}
	left := p.lanes // of each vector
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
