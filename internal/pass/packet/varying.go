package packet

import "github.com/gotaichi/ti/internal/ir"

// This file finds the values that vary, that is, differ between the lanes of a packet.

// vary marks v.
func (a *packetInfo) vary(vs ...*ir.Value) {
	for _, v := range vs {
		a.varying[v] = true
	}
}

func (a *packetInfo) any(vs []*ir.Value) bool {
	for _, v := range vs {
		if a.varying[v] {
			return true
		}
	}
	return false
}

// spread marks varying values in b; masked means that b runs for some lanes only.
func (a *packetInfo) spread(b *ir.Block, masked bool) {
	for _, o := range b.Ops {
		switch o.Code {
		case ir.OpIf:
			inner := masked || a.varying[o.Args[0]]
			a.spread(o.Regions[0], inner)
			a.spread(o.Regions[1], inner)
			for i, v := range o.Results {
				for _, r := range o.Regions {
					y := r.Terminator()
					if a.varying[o.Args[0]] || y.Code == ir.OpYield && a.varying[y.Args[i]] {
						a.vary(v)
					}
				}
			}
		case ir.OpFor, ir.OpLoop, ir.OpBlock:
			a.spreadLoop(o)
		case ir.OpBreak, ir.OpContinue:
			a.spreadJump(o, masked)
		case ir.OpYield:
			if o.Code == ir.OpYield && b.Parent != nil && b.Parent.Code == ir.OpBlock {
				a.merge(b.Parent.Results, o.Args, masked)
			}
		default:
			// Each lane has its own old value, and its own arrays.
			if a.any(o.Args) || o.Code == ir.OpAtomic || o.Code == ir.OpLoad && a.arrays[rootOf(o.Args[0])] != nil {
				a.vary(o.Results...)
			}
		}
	}
}

// carried returns the parameters of a loop's body that are carried values, and their initial operands.
func carried(o *ir.Op) (params, inits []*ir.Value) {
	params = o.Regions[0].Params
	if o.Code == ir.OpFor {
		return params[1:], o.Args[2:]
	}
	return params, o.Args
}

func (a *packetInfo) spreadLoop(o *ir.Op) {
	params, inits := carried(o)
	a.merge(params, inits, false)
	if o.Code == ir.OpFor && (a.varying[o.Args[0]] || a.varying[o.Args[1]]) {
		a.leaves[o] = true
		a.vary(o.Regions[0].Params[0])
	}
	// Lanes inside a loop are those that execute it: a break is masked only by conditions within.
	a.spread(o.Regions[0], false)
	if a.leaves[o] {
		a.vary(o.Results...)
	} else if o.Code == ir.OpFor {
		// A result has the type of its carried value, even if only a break that all
		// lanes take together makes it vary.
		a.merge(o.Results, params, false)
		a.merge(params, o.Results, false)
	}
}

// merge marks the targets of varying sources, or all if the transfer is masked.
func (a *packetInfo) merge(to, from []*ir.Value, masked bool) {
	for i, v := range to {
		if masked || a.varying[from[i]] {
			a.vary(v)
		}
	}
}

func (a *packetInfo) spreadJump(o *ir.Op, masked bool) {
	if o.Target == nil {
		return
	}
	if o.Code == ir.OpContinue {
		params, _ := carried(o.Target)
		a.merge(params, o.Args, masked)
		return
	}
	if masked {
		a.leaves[o.Target] = true
	}
	a.merge(o.Target.Results, o.Args, masked)
}
