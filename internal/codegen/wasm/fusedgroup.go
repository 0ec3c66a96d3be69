package wasm

import "github.com/gotaichi/ti/internal/ir"

// Fused products of vectors that follow each other, with simple arithmetic between them, are one group (fusedvector.go). This file finds the groups, and what is
// certain of the operands.

// A fusedGroup is a run of ops with fused products at both ends.
type fusedGroup struct {
	ops    []*ir.Op
	within map[*ir.Value]int // how often the ops of the group use a value
}

// A fusedSum is a fused product whose signs are in what is done: ab + c, c - ab or ab - c.
type fusedSum struct {
	a, b, c     *ir.Value
	minus, less bool
}

// isFusedVector reports whether an op is translated as part of a group.
func isFusedVector(o *ir.Op) bool {
	return o.Code == ir.OpFma && o.Results[0].Type.Kind == ir.F32 && o.Results[0].Type.Lanes > 1
}

// productOf takes the minus signs off the operands of a fused product.
func (p *plan) productOf(o *ir.Op) fusedSum {
	strip := func(v *ir.Value) (*ir.Value, bool) {
		if v = p.resolve(v); v.Def != nil && v.Def.Code == ir.OpNeg && v.Type.Kind == ir.F32 {
			return p.resolve(v.Def.Args[0]), true
		}
		return v, false
	}
	a, minusA := strip(o.Args[0])
	b, minusB := strip(o.Args[1])
	r := fusedSum{a: a, b: b, c: p.resolve(o.Args[2]), minus: minusA != minusB}
	if c, less := strip(r.c); less && !r.minus {
		r.c, r.less = c, true
	}
	return r
}

// fusedUses are the values that a fused product uses.
func (p *plan) fusedUses(o *ir.Op) []*ir.Value {
	x := p.productOf(o)
	return []*ir.Value{x.a, x.b, x.c}
}

// mostBetween is how many ops of another kind may follow each other in a group.
const mostBetween = 2

// groupFused finds the groups of a block, when all uses have been counted.
func (p *plan) groupFused(b *ir.Block) {
	if b == nil {
		return
	}
	var g *fusedGroup
	var between []*ir.Op
	for _, o := range b.Ops {
		for _, r := range o.Regions {
			p.groupFused(r)
		}
		fits := g != nil && len(o.Results) == 1 && g.ops[0].Results[0].Type == o.Results[0].Type
		switch {
		case p.vanishes(o) || o.Code.Is(ir.Pure) && len(o.Results) == 1 && p.uses[o.Results[0]] == 0: // no code stands there
		case isFusedVector(o) && fits:
			for _, o := range append(between, o) {
				g.add(p, o)
			}
			between = nil
		case isFusedVector(o):
			g = &fusedGroup{within: map[*ir.Value]int{}}
			g.add(p, o)
			between = nil
		case fits && len(between) < mostBetween && (o.Code == ir.OpAdd || o.Code == ir.OpSub || o.Code == ir.OpMul):
			between = append(between, o)
		default:
			g = nil
		}
	}
}

// add adds an op to the group.
func (g *fusedGroup) add(p *plan, o *ir.Op) {
	g.ops = append(g.ops, o)
	p.groups[o] = g
	uses := o.Args
	if isFusedVector(o) {
		uses = p.fusedUses(o)
	}
	for _, v := range uses {
		g.within[p.resolve(v)]++
	}
}

// isNeverTiny reports whether floats are certain to be 0 or not less than 2^-125. A sum with a constant far from that is: where the constant cancels, bits are left
// that are as far from it.
func (p *plan) isNeverTiny(v *ir.Value, depth int) bool {
	const maxDepth = 4
	far := func(v *ir.Value) bool {
		o := p.constantOf(v)
		if o == nil {
			return false
		}
		x := ir.FloatValue(v.Type.Kind, o.Bits)
		return x >= 0x1p-30 && x <= 0x1p30 || x <= -0x1p-30 && x >= -0x1p30
	}
	if o := p.constantOf(v); o != nil {
		return o.Bits<<33 == 0 || far(v)
	}
	o := v.Def
	if o == nil || depth > maxDepth {
		return false
	}
	switch o.Code {
	case ir.OpAdd, ir.OpSub:
		return far(o.Args[0]) || far(o.Args[1])
	case ir.OpFma:
		return far(o.Args[2])
	case ir.OpSqrt:
		return true
	case ir.OpDiv: // by a root, which is less than 2^65
		return far(o.Args[0]) && o.Args[1].Def != nil && o.Args[1].Def.Code == ir.OpSqrt
	case ir.OpSelect:
		return p.isNeverTiny(o.Args[1], depth+1) && p.isNeverTiny(o.Args[2], depth+1)
	}
	return false
}
