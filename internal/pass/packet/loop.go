package packet

import "github.com/gotaichi/ti/internal/ir"

// This file is the part of packer that writes loops and blocks.

// loop writes a loop or block for the lanes of mask. All of them are active again after it.
func (p *packer) loop(o *ir.Op, mask *ir.Value) {
	switch s := p.stripOf(o); {
	case s != nil:
		p.inStrips(s, mask)
	case !p.leaves[o]:
		p.together(o, mask)
	case o.Code == ir.OpBlock:
		p.oneByOne(o)
		e := p.block(o.Regions[0], mask)
		for i, r := range o.Results {
			p.to[r] = p.b.Load(p.types(o.Results[i : i+1])[0], p.acc[o][i])
			if !e.dead {
				p.to[r] = p.pick(e.mask, p.splat(p.value(e.args[i])), p.to[r])
			}
		}
	default:
		p.oneByOne(o)
		p.untilEmpty(o, mask)
	}
}

// together writes a loop or block that all lanes leave at the same time.
func (p *packer) together(o *ir.Op, mask *ir.Value) {
	var args []*ir.Value
	body := o.Regions[0]
	params, inits := []*ir.Value(nil), []*ir.Value(nil)
	if o.Code != ir.OpBlock {
		params, inits = carried(o)
	}
	if o.Code == ir.OpFor {
		args = append(args, p.value(o.Args[0]), p.value(o.Args[1]))
	}
	args = append(args, p.all(params, inits)...)
	c := ir.NewOp(o.Code, o.Pos, p.types(o.Results), args...)
	p.jump[o] = c
	p.b.Emit(c)
	for i, v := range body.Params {
		p.to[v] = c.Regions[0].AddParam(p.types(body.Params[i : i+1])[0], v.Name)
	}
	p.b.In(c.Regions[0], func() {
		e := p.block(body, mask)
		switch {
		case e.done:
		case o.Code == ir.OpBlock:
			p.b.Yield(p.all(o.Results, e.args)...)
		default:
			p.b.Jump(ir.OpContinue, c, p.all(params, e.args)...)
		}
	})
	for i, r := range o.Results {
		p.to[r] = c.Results[i]
	}
}

// oneByOne makes the memory for the results of lanes that leave o at different times. LLVM turns it into registers.
func (p *packer) oneByOne(o *ir.Op) {
	for _, r := range o.Results {
		p.acc[o] = append(p.acc[o], p.b.Alloc(r.Type.Kind, p.lanes, r.Name))
	}
}

// untilEmpty writes a loop that runs until its last lane has left.
func (p *packer) untilEmpty(o *ir.Op, mask *ir.Value) {
	params, inits := carried(o)
	var args []*ir.Value
	var types []ir.Type
	if o.Code == ir.OpFor {
		args = append(args, p.value(o.Args[0]), p.value(o.Args[1]))
		types = append(p.types(params), p.boolLanes())
	}
	args = append(append(args, p.all(params, inits)...), p.full(mask))
	c := ir.NewOp(o.Code, o.Pos, types, args...)
	p.b.Emit(c)
	body := c.Regions[0]
	for i, v := range o.Regions[0].Params {
		p.to[v] = body.AddParam(p.types(o.Regions[0].Params[i : i+1])[0], v.Name)
	}
	live := body.AddParam(p.boolLanes(), "live")
	// A for has these results when it is left early; they have no uses.
	var stale []*ir.Value
	if o.Code == ir.OpFor {
		stale = append([]*ir.Value{}, body.Params[1:]...)
	}
	p.b.In(body, func() {
		e := p.block(o.Regions[0], live)
		if e.dead {
			p.b.Jump(ir.OpBreak, c, p.gone(stale)...)
			return
		}
		some := p.b.OpOf(ir.OpAny, ir.Scalar(ir.Bool), e.mask)
		p.b.If(some, nil, func() { p.b.Yield() }, func() { p.b.Jump(ir.OpBreak, c, p.gone(stale)...) })
		p.b.Jump(ir.OpContinue, c, append(p.all(params, e.args), e.mask)...)
	})
	for i, r := range o.Results {
		t := p.types(o.Results[i : i+1])[0]
		left := p.b.Load(t, p.acc[o][i])
		if o.Code == ir.OpFor {
			stayed := c.Results[len(params)]
			left = p.pick(stayed, p.splat(c.Results[i]), left)
		}
		p.to[r] = left
	}
}

// gone replaces the mask, which is the last of a for's values, by an empty one.
func (p *packer) gone(values []*ir.Value) []*ir.Value {
	if len(values) == 0 {
		return nil
	}
	return append(values[:len(values)-1:len(values)-1], p.b.Int(p.boolLanes(), 0))
}
