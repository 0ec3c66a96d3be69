package packet

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// This file is the part of packets for conditions on borders, such as i > 0: most vectors have only lanes for which they hold. Where no
// instruction has masks, such vectors run code without masks. Checks are such conditions, too.

// isBorder reports whether a condition compares nothing but integers that depend on the index of the loop alone.
func (a *packetInfo) isBorder(cond *ir.Value) bool {
	o := cond.Def
	switch {
	case !a.varying[cond]:
		return true
	case o == nil || !a.inside(o):
		return false
	case o.Code == ir.OpAnd || o.Code == ir.OpOr || o.Code == ir.OpNot:
		return !slices.ContainsFunc(o.Args, func(v *ir.Value) bool { return !a.isBorder(v) })
	case o.Code.Is(ir.Comparison) && o.Args[0].Type.Kind.IsInt():
		return !slices.ContainsFunc(o.Args, func(v *ir.Value) bool { return !a.followsIndex(v, mostSteps) })
	}
	return false
}

// mostSteps is how many ops followsIndex goes back.
const mostSteps = 8

// followsIndex reports whether a few ops compute an integer from the index of the loop and from values that are the same for all lanes.
func (a *packetInfo) followsIndex(v *ir.Value, steps int) bool {
	if v == a.index || !a.varying[v] {
		return true
	}
	o := v.Def
	if o == nil || steps == 0 || !o.Code.Is(ir.Pure) || len(o.Regions) > 0 || !v.Type.Kind.IsInt() {
		return false
	}
	switch o.Code {
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpConvert, ir.OpBitcast, ir.OpNeg, ir.OpMin, ir.OpMax:
		return !slices.ContainsFunc(o.Args, func(w *ir.Value) bool { return !a.followsIndex(w, steps-1) })
	}
	return false
}

// inside reports whether o gives a value that the survey of the loop has visited.
func (a *packetInfo) inside(o *ir.Op) bool { return len(o.Results) == 1 && a.varying[o.Results[0]] }

// splitsAtBorder reports whether an if has a version for vectors with all lanes: it is a check, or its condition is one on borders, and its
// first region loads or stores, which would need a mask.
func (a *packetInfo) splitsAtBorder(o *ir.Op) bool {
	if !a.alone || a.masks || !heavy(o.Regions[0]) || !fails(o) && !a.isBorder(o.Args[0]) {
		return false
	}
	alone := true
	for _, r := range o.Regions {
		ir.Visit(r, func(p *ir.Op) bool {
			alone = alone && !p.Code.Is(ir.Breakable) && p.Code != ir.OpBreak && p.Code != ir.OpContinue
			return alone
		})
	}
	return alone
}

// atBorder writes such an if: without masks if its condition holds for all lanes, and with masks otherwise.
func (p *packer) atBorder(o *ir.Op) {
	types := p.types(o.Results)
	all := p.b.OpOf(ir.OpAll, ir.Scalar(ir.Bool), p.value(o.Args[0]))
	c := ir.NewOp(ir.OpIf, o.Pos, types, all)
	p.b.Emit(c)
	p.b.In(c.Regions[0], func() { p.region(o, o.Regions[0], nil, false) })
	p.b.In(c.Regions[1], func() {
		p.masked(o, nil)
		p.b.Yield(p.all(o.Results, o.Results)...)
	})
	for i, r := range o.Results {
		p.to[r] = c.Results[i]
	}
}
