package packet

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// This file is the part of packets for sums: a variable of the prologue to which the iterations of a task add, and which the epilogue
// reads. It gets a lane for each lane of a packet.

// A sum is such a variable.
type sum struct {
	place   *ir.Value // alloc 1, in the prologue
	init    *ir.Op    // stores the initial value
	out     *ir.Op    // the load in the epilogue
	code    ir.Code
	updates map[*ir.Op]*ir.Op // the load of each update in the body, by its store
}

// findSums finds the sums of the task by their loads and stores in the body.
func (a *packetInfo) findSums() {
	a.sums = map[*ir.Op]*sum{}
	if a.t.Prologue == nil || a.t.Epilogue == nil {
		return
	}
	for _, o := range a.t.Prologue.Ops {
		if o.Code != ir.OpAlloc || o.Aux != 1 || o.Kind.Size() < 4 {
			continue
		}
		s := &sum{place: o.Results[0], updates: map[*ir.Op]*ir.Op{}}
		s.init, s.out = accessIn(a.t.Prologue, ir.OpStore, s.place), accessIn(a.t.Epilogue, ir.OpLoad, s.place)
		if s.init == nil || s.out == nil || !a.findIn(a.t.Body, s) || len(s.updates) == 0 || len(a.users[s.place]) != 2+2*len(s.updates) || !s.isNeutral() {
			continue
		}
		a.kept = append(a.kept, s)
		for store, load := range s.updates {
			a.sums[load], a.sums[store] = s, s
			a.vary(load.Results[0])
		}
	}
}

// findIn finds the updates of a sum in a block, and reports whether all stores to it are updates.
func (a *packetInfo) findIn(b *ir.Block, s *sum) bool {
	var load *ir.Op // a load with no store after it
	for _, o := range b.Ops {
		for _, r := range o.Regions {
			if !a.findIn(r, s) {
				return false
			}
		}
		switch {
		case o.Code == ir.OpLoad && o.Args[0] == s.place:
			load = o
		case o.Code == ir.OpStore && o.Args[0] == s.place:
			if load == nil || !a.addsTo(s, load.Results[0], o.Args[1]) {
				return false
			}
			s.updates[o], load = load, nil
		}
	}
	return true
}

// addsTo reports whether v is the loaded value old plus another operand, and old has no other uses.
func (a *packetInfo) addsTo(s *sum, old, v *ir.Value) bool {
	d := v.Def
	if d == nil || len(d.Args) != 2 || d.Flags.Has(ir.Strict) || len(a.users[old]) != 1 || a.users[old][0] != d {
		return false
	}
	code := d.Code
	if code == ir.OpSub && d.Args[0] == old {
		code = ir.OpAdd
	}
	if s.code == ir.BadCode {
		s.code = code
	}
	return s.code == code
}

// accessIn returns an access to a place in a block, nil if there is none.
func accessIn(b *ir.Block, code ir.Code, place *ir.Value) *ir.Op {
	for _, o := range b.Ops {
		if o.Code == code && o.Args[0] == place {
			return o
		}
	}
	return nil
}

// isNeutral reports whether all lanes may start with the initial value of the sum.
func (s *sum) isNeutral() bool {
	v := s.init.Args[1]
	bits, constant := ir.ConstOf(v)
	switch s.code {
	case ir.OpMin, ir.OpMax, ir.OpAnd, ir.OpOr:
		return true
	case ir.OpAdd, ir.OpXor:
		return constant && (bits == 0 || v.Type.Kind.IsFloat() && bits == ir.FloatBits(v.Type.Kind, 0)|1<<(v.Type.Kind.Bits()-1))
	}
	return false
}

// keep writes the load or store of a sum. Inactive lanes keep their values.
func (p *packer) keep(o *ir.Op, s *sum, mask *ir.Value) {
	if o.Code == ir.OpLoad {
		r := o.Results[0]
		p.to[r] = p.b.Load(ir.Vec(r.Type.Kind, p.lanes), s.place)
		p.to[r].Def.Alias = o.Alias
		return
	}
	v := p.pick(mask, p.value(o.Args[1]), p.value(s.updates[o].Results[0]))
	c := ir.NewOp(ir.OpStore, o.Pos, nil, s.place, p.splat(v))
	c.Alias = o.Alias
	p.b.Emit(c)
}

// widen gives a sum its lanes in the prologue, and adds them up in the epilogue.
func (p *packer) widen(s *sum) {
	s.place.Def.Aux = int64(p.lanes)
	t := s.init.Args[1].Type
	wide := ir.NewOp(ir.OpSplat, s.init.Pos, []ir.Type{ir.Vec(t.Kind, p.lanes)}, s.init.Args[1])
	s.init.Args[1] = wide.Results[0]
	pro, epi := p.t.Prologue, p.t.Epilogue
	pro.Ops = slices.Insert(pro.Ops, slices.Index(pro.Ops, s.init), wide)

	b := ir.NewBuilder(&ir.Block{})
	b.Pos = s.out.Pos
	var all []*ir.Value
	for i := range p.lanes {
		at := b.Op(ir.OpOffset, s.place, b.Int(ir.Scalar(ir.I64), int64(i*t.Kind.Size())))
		v := b.Load(t, at)
		v.Def.Alias = s.out.Alias
		all = append(all, v)
	}
	for ; len(all) > 1; all = all[:len(all)/2] { // the number of lanes is a power of two
		for i := range len(all) / 2 {
			all[i] = b.Op(s.code, all[i], all[i+len(all)/2])
		}
	}
	at := slices.Index(epi.Ops, s.out)
	epi.Ops = slices.Replace(epi.Ops, at, at+1, b.Block.Ops...)
	ir.Substitute(epi, map[*ir.Value]*ir.Value{s.out.Results[0]: all[0]})
}
