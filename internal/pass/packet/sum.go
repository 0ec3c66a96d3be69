package packet

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// This file is the part of packets that keeps sums: what the iterations of a task add up in a number of the
// prologue, which the epilogue hands on, has a lane of its own for each lane of a packet.

// A sum is such a number.
type sum struct {
	place       *ir.Value // alloc 1, in the prologue
	init        *ir.Op    // stores what it begins as
	load, store *ir.Op    // in the body
	out         *ir.Op    // the load in the epilogue
	code        ir.Code
}

// findSums finds the sums of the task by their loads and stores in the body.
func (a *packetInfo) findSums() {
	a.sums = map[*ir.Op]*sum{}
	if a.t.Prologue == nil || a.t.Epilogue == nil {
		return
	}
	a.findSumsIn(a.t.Body)
}

// findSumsIn finds those in a block outside of loops.
func (a *packetInfo) findSumsIn(b *ir.Block) {
	for _, o := range b.Ops {
		switch o.Code {
		case ir.OpIf:
			a.findSumsIn(o.Regions[0])
			a.findSumsIn(o.Regions[1])
		case ir.OpStore:
			if s := a.sumOf(o, b); s != nil {
				a.sums[s.load], a.sums[s.store] = s, s
				a.kept = append(a.kept, s)
				a.vary(s.load.Results[0])
			}
		}
	}
}

// sumOf returns the sum that a store in a block keeps, nil if it is that of none.
func (a *packetInfo) sumOf(store *ir.Op, home *ir.Block) *sum {
	s := &sum{place: store.Args[0], store: store}
	alloc, v := s.place.Def, store.Args[1].Def
	if alloc == nil || alloc.Code != ir.OpAlloc || alloc.Aux != 1 || alloc.Kind.Size() < 4 || !slices.Contains(a.t.Prologue.Ops, alloc) || v == nil || len(v.Args) != 2 || v.Flags.Has(ir.Strict) {
		return nil
	}
	s.code = v.Code
	uses := 0
	for _, b := range []*ir.Block{a.t.Prologue, a.t.Body, a.t.Epilogue} {
		ir.Visit(b, func(o *ir.Op) bool {
			for _, arg := range o.Args {
				if arg == s.place {
					uses++
				}
			}
			return true
		})
	}
	s.init, s.load, s.out = accessIn(a.t.Prologue, ir.OpStore, s.place), accessIn(home, ir.OpLoad, s.place), accessIn(a.t.Epilogue, ir.OpLoad, s.place)
	if uses != 4 || s.init == nil || s.load == nil || s.out == nil || !s.isNeutral() || !a.usedOnce(s.load.Results[0], v) {
		return nil
	}
	return s
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

// isNeutral reports whether all lanes may begin as the sum does.
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

// usedOnce reports whether v is an operand of o once, and of nothing else in the body.
func (a *packetInfo) usedOnce(v *ir.Value, o *ir.Op) bool {
	uses, there := 0, false
	ir.Visit(a.t.Body, func(q *ir.Op) bool {
		for _, arg := range q.Args {
			if arg == v {
				uses++
				there = there || q == o
			}
		}
		return true
	})
	return uses == 1 && there
}

// keep writes the load or store of a sum. Lanes that are not there keep theirs.
func (p *packer) keep(o *ir.Op, s *sum, mask *ir.Value) {
	r := s.load.Results[0]
	if o == s.load {
		p.to[r] = p.b.Load(ir.Vec(r.Type.Kind, p.lanes), s.place)
		p.to[r].Def.Alias = o.Alias
		return
	}
	v := p.pick(mask, p.value(o.Args[1]), p.value(r))
	c := ir.NewOp(ir.OpStore, o.Pos, nil, s.place, p.splat(v))
	c.Alias = o.Alias
	p.b.Emit(c)
}

// widen gives a sum its lanes in the prologue, and makes one number of them in the epilogue.
func (p *packer) widen(s *sum) {
	s.place.Def.Aux = int64(p.lanes)
	t := s.load.Results[0].Type
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
