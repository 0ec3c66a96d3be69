package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// dce drops dead code.
//
// Input and output: any form. What stays is what has an effect (writes to
// memory, jumps, loops that may never end) and what that needs. So these go: pure
// ops, ifs, ranges and blocks that nothing uses; results of these, and carried
// values of loops, that nothing uses; local arrays that nothing reads, with the
// stores to them; loads that nothing uses, where their index is proven to be in
// range, which questions to cells wait for access lowering with; and effects behind a point that is never reached.
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

// A liveness marks what must stay. Marks spread from uses to definitions.
type liveness struct {
	values map[*ir.Value]bool
	ops    map[*ir.Op]bool
	work   []*ir.Value // marked, not yet spread
	roots  []*ir.Op
	parent map[*ir.Op]*ir.Op   // the op in whose region an op stands
	jumps  map[*ir.Op][]*ir.Op // breaks and continues by target
	stores map[*ir.Op][]*ir.Op // writes to an alloc that matter only if it is read
}

// scan notes the structure of b and its roots; unreached says that b is never
// entered.
func (d *liveness) scan(b *ir.Block, parent *ir.Op, unreached bool) {
	for _, o := range b.Ops {
		if parent != nil {
			d.parent[o] = parent
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

// isRoot reports whether o has an effect of its own. Jumps have not: they stay
// with what they leave. What ends an iteration of a task leaves no op, so it is one.
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
	// Access lowering leaves what a check takes.
	e := o.Code.Effects()
	return e.Writes != 0 || e.Checked
}

// keep marks an op, the ops that it stands in, and what it cannot do without.
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
		args = nil // by result and carried value, see spread
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

// spread marks what the marked value v comes from.
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

// carried marks where carried value i of a loop comes from.
func (d *liveness) carried(loop *ir.Op, i int) {
	switch loop.Code {
	case ir.OpFor:
		// A result is the last carried value, so both have one source.
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

// sweep drops from b and its regions what is not marked.
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

// trim drops results and carried values of o that are not marked, and what jumps
// and yields give for them.
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
		// What keeps reads must not change before the last use of it.
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

// filter returns the values of vs that keep names by index: vs itself if all
// stay, else a new slice, since ops may share one.
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
