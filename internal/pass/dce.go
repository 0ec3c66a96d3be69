package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// dce drops dead code.
//
// Input and output: any form. Ops with effects stay (writes to memory, jumps, loops that may never end), and the ops that these
// need. So dce drops: pure ops, ifs, ranges and blocks without uses; unused results of these, and unused carried values of loops;
// local arrays that nothing reads, with the stores to them; unused loads whose index is proved in range; and effects in unreachable
// code. Before access lowering, an unused query of a cell stays, since its index is checked.
func dce(_ *state, u *unit.Unit) {
	d := &liveness{
		values: map[*ir.Value]bool{},
		ops:    map[*ir.Op]bool{},
		parent: map[*ir.Op]*ir.Op{},
		jumps:  map[*ir.Op][]*ir.Op{},
		stores: map[*ir.Op][]*ir.Op{},
	}
	for _, b := range u.Blocks {
		d.scan(b, nil, false)
	}
	for _, o := range d.roots {
		d.keep(o)
	}
	for len(d.work) > 0 {
		v := d.work[len(d.work)-1]
		d.work = d.work[:len(d.work)-1]
		d.spread(v)
	}
	for _, b := range u.Blocks {
		d.sweep(b)
	}
}

// A liveness marks the ops and values that stay. Marks propagate from uses to definitions.
type liveness struct {
	values map[*ir.Value]bool
	ops    map[*ir.Op]bool
	work   []*ir.Value // marked, but not yet propagated
	roots  []*ir.Op
	parent map[*ir.Op]*ir.Op   // the op in whose region an op stands
	jumps  map[*ir.Op][]*ir.Op // breaks and continues by target
	stores map[*ir.Op][]*ir.Op // writes to an alloc that matter only if it is read
}

// scan collects the structure of b and its roots. If unreached, b is never entered.
func (d *liveness) scan(b *ir.Block, parent *ir.Op, unreached bool) {
	for _, o := range b.Ops {
		if parent != nil {
			d.parent[o] = parent
		}
		if o.Code == ir.OpPart { // a return ends its part
			unreached = false
		}
		if o.Target != nil {
			d.jumps[o.Target] = append(d.jumps[o.Target], o)
		}
		if a := analysis.WrittenAlloc(o); a != nil {
			d.stores[a] = append(d.stores[a], o)
		}
		if isRoot(o) && !unreached || parent == nil && o.Code.Is(ir.Terminator) {
			d.roots = append(d.roots, o)
		}
		for _, r := range o.Regions {
			d.scan(r, o, unreached)
		}
		unreached = unreached || analysis.EndsInJumps(o)
	}
}

// isRoot reports whether o has an effect of its own. A jump has none: it stays with the op that it leaves. A jump that ends an
// iteration of a task leaves no op, so it is a root.
func isRoot(o *ir.Op) bool {
	switch o.Code {
	case ir.OpAlloc:
		return false
	case ir.OpStore, ir.OpAtomic:
		return analysis.WrittenAlloc(o) == nil
	case ir.OpLoad:
		return o.Args[0].Def != nil && !analysis.InRange(o.Args[0].Def)
	case ir.OpLoop, ir.OpParFor, ir.OpFieldFor, ir.OpReturn:
		return true
	case ir.OpContinue:
		return o.Target == nil
	}
	// The index of such an op is checked, so it stays although nothing uses its result.
	e := o.Code.Effects()
	return e.Writes != 0 || e.Checked
}

// keep marks an op, the ops around it, and the ops that it needs.
func (d *liveness) keep(o *ir.Op) {
	if o == nil || d.ops[o] {
		return
	}
	d.ops[o] = true
	d.keep(d.parent[o])
	args := o.Args
	switch o.Code {
	case ir.OpIf:
		args = args[:1]
	case ir.OpFor:
		args = args[:2]
	case ir.OpLoop, ir.OpYield, ir.OpBreak, ir.OpContinue:
		args = nil // marked one by one, for each result and carried value; see spread
	case ir.OpAlloc:
		for _, w := range d.stores[o] {
			d.keep(w)
		}
	}
	for _, a := range args {
		d.need(a)
	}
	for _, j := range d.jumps[o] {
		d.keep(j)
	}
}

// need marks a value.
func (d *liveness) need(v *ir.Value) {
	if !d.values[v] {
		d.values[v] = true
		d.work = append(d.work, v)
	}
}

// spread marks the sources of the marked value v.
func (d *liveness) spread(v *ir.Value) {
	o, i := v.Def, v.Index
	if o == nil {
		if o = v.Block.Parent; o == nil {
			return
		}
		d.keep(o)
		if o.Code == ir.OpFor {
			i-- // parameter 0 is the index
		}
		if i >= 0 {
			d.carried(o, i)
		}
		return
	}
	d.keep(o)
	switch o.Code {
	case ir.OpIf:
		d.yielded(o.Regions[0], i)
		d.yielded(o.Regions[1], i)
	case ir.OpBlock:
		d.yielded(o.Regions[0], i)
		d.passed(o, ir.OpBreak, i)
	case ir.OpLoop:
		d.passed(o, ir.OpBreak, i)
	case ir.OpFor:
		d.carried(o, i)
	}
}

// carried marks the sources of carried value i of a loop.
func (d *liveness) carried(loop *ir.Op, i int) {
	switch loop.Code {
	case ir.OpFor:
		// A result is the last carried value, so both have the same sources.
		d.need(loop.Args[2+i])
		d.passed(loop, ir.OpBreak, i)
	case ir.OpLoop:
		d.need(loop.Args[i])
	default:
		return
	}
	d.passed(loop, ir.OpContinue, i)
}

// passed marks value i of the jumps to target.
func (d *liveness) passed(target *ir.Op, code ir.Code, i int) {
	for _, j := range d.jumps[target] {
		if j.Code == code {
			d.need(j.Args[i])
		}
	}
}

// yielded marks value i of the yield that ends b.
func (d *liveness) yielded(b *ir.Block, i int) {
	if t := b.Terminator(); t.Code == ir.OpYield {
		d.need(t.Args[i])
	}
}

// sweep drops unmarked ops from b and its regions.
func (d *liveness) sweep(b *ir.Block) {
	kept := b.Ops[:0]
	for _, o := range b.Ops {
		if !d.ops[o] && !o.Code.Is(ir.Terminator) {
			continue
		}
		kept = append(kept, o)
		for _, r := range o.Regions {
			d.sweep(r)
		}
		d.trim(o)
	}
	b.Ops = unit.Cut(b.Ops, kept)
}

// trim drops unmarked results and carried values of o, and the operands of jumps and yields that give them.
func (d *liveness) trim(o *ir.Op) {
	switch o.Code {
	case ir.OpYield:
		if parent := d.parent[o]; parent != nil {
			o.Args = filter(o.Args, func(i int) bool { return d.keepsResult(parent, i) })
		}
	case ir.OpBreak:
		o.Args = filter(o.Args, func(i int) bool { return d.keepsResult(o.Target, i) })
	case ir.OpContinue:
		if o.Target != nil {
			o.Args = filter(o.Args, func(i int) bool { return d.keepsParam(o.Target, i) })
		}
	case ir.OpIf, ir.OpBlock:
		o.Results = renumber(filter(o.Results, func(i int) bool { return d.keepsResult(o, i) }))
	case ir.OpFor:
		// keepsParam and keepsResult read the operands, parameters and results of o, so these change last.
		body := o.Regions[0]
		args := filter(o.Args, func(i int) bool { return i < 2 || d.keepsParam(o, i-2) })
		params := filter(body.Params, func(i int) bool { return i == 0 || d.keepsParam(o, i-1) })
		results := filter(o.Results, func(i int) bool { return d.keepsResult(o, i) })
		o.Args, body.Params, o.Results = args, renumber(params), renumber(results)
	case ir.OpLoop:
		body := o.Regions[0]
		args := filter(o.Args, func(i int) bool { return d.keepsParam(o, i) })
		params := filter(body.Params, func(i int) bool { return d.keepsParam(o, i) })
		results := filter(o.Results, func(i int) bool { return d.keepsResult(o, i) })
		o.Args, body.Params, o.Results = args, renumber(params), renumber(results)
	}
}

// keepsResult reports whether result i of o stays.
func (d *liveness) keepsResult(o *ir.Op, i int) bool {
	return d.values[o.Results[i]] || o.Code == ir.OpFor && d.values[o.Regions[0].Params[i+1]]
}

// keepsParam reports whether carried value i of a loop stays.
func (d *liveness) keepsParam(loop *ir.Op, i int) bool {
	if loop.Code == ir.OpFor {
		return d.keepsResult(loop, i)
	}
	return d.values[loop.Regions[0].Params[i]]
}

// filter returns the values of vs whose indices keep accepts. It returns vs itself if all stay, and otherwise a new slice, since
// ops may share one.
func filter(vs []*ir.Value, keep func(int) bool) []*ir.Value {
	for i := range vs {
		if keep(i) {
			continue
		}
		out := append(make([]*ir.Value, 0, len(vs)), vs[:i]...)
		for j := i + 1; j < len(vs); j++ {
			if keep(j) {
				out = append(out, vs[j])
			}
		}
		return out
	}
	return vs
}

// renumber sets the indices of results or parameters after some were dropped.
func renumber(vs []*ir.Value) []*ir.Value {
	for i, v := range vs {
		v.Index = i
	}
	return vs
}
