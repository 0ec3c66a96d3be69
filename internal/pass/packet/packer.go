package packet

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// This file writes the body of a task for packets; packet.go makes the decisions.

// A packer writes the new body. To maps values of the old body to those of the new one: a scalar for uniform values, a vector of p.lanes
// for varying ones.
type packer struct {
	*packetInfo
	lanes int
	to    map[*ir.Value]*ir.Value
	base  *ir.Value // index of the first lane
	b     *ir.Builder
	acc   map[*ir.Op][]*ir.Value  // results of loops that lanes leave one by one, in memory
	jump  map[*ir.Op]*ir.Op       // the new op for an op that all lanes leave together
	start []*ir.Op                // memory that is made at the start of the body
	rooms map[ir.Kind][]*ir.Value // memory for a number in each lane
	fails failing
	strip *strip                      // the strip being written
	parts map[*components][]*ir.Value // of elements: components that were loaded, or that are to be stored

	straight bool // masked loads need no branch
}

// task replaces the body of the task by one for packets of its trips iterations
// from lo on.
func (p *packer) task(trips, lo int64) {
	t, old := p.t, p.t.Body
	last := len(t.Dims) - 1
	body := &ir.Block{Params: append([]*ir.Value{}, old.Params[:last]...)}
	for _, v := range body.Params {
		v.Block = body
	}
	number := body.AddParam(p.index.Type, p.index.Name)
	p.b = ir.NewBuilder(body)
	p.b.Pos = t.Pos
	p.acc, p.jump, p.rooms = map[*ir.Op][]*ir.Value{}, map[*ir.Op]*ir.Op{}, map[ir.Kind][]*ir.Value{}

	n := int64(p.lanes)
	scalar, vector := p.index.Type, ir.Vec(p.index.Type.Kind, p.lanes)
	p.base = p.b.NoWrap(ir.OpAdd, p.b.NoWrap(ir.OpMul, number, p.b.Int(scalar, n)), p.b.Int(scalar, lo))
	index := p.b.NoWrap(ir.OpAdd, p.splat(p.base), p.b.OpOf(ir.OpIota, vector))
	p.to[p.index] = index
	var mask *ir.Value
	if trips%n != 0 {
		mask = p.b.Op(ir.OpLt, index, p.b.Int(vector, lo+trips))
	}
	p.block(old, mask)
	p.report()
	p.b.Jump(ir.OpContinue, nil)
	body.Ops = append(p.start, body.Ops...)
	t.Body, t.Nest, t.Strided = body, nil, false
	t.Group(lo, n)
	t.Dims[last] = ir.Dim{Kind: scalar.Kind, Hi: ir.Bound{Const: (trips + n - 1) / n}}
}

// value returns the replacement of v; values of the prologue stay.
func (p *packer) value(v *ir.Value) *ir.Value {
	if w, ok := p.to[v]; ok {
		return w
	}
	return v
}

// splat broadcasts v to all lanes.
func (p *packer) splat(v *ir.Value) *ir.Value {
	if v.Type.Lanes != 1 {
		return v
	}
	return p.b.OpOf(ir.OpSplat, ir.Vec(v.Type.Kind, p.lanes), v)
}

// as returns the replacement of v in the form of target: a vector if target varies.
func (p *packer) as(target, v *ir.Value) *ir.Value {
	if p.varying[target] {
		return p.splat(p.value(v))
	}
	return p.value(v)
}

// all does the same for a list of values.
func (p *packer) all(targets, vs []*ir.Value) []*ir.Value {
	out := make([]*ir.Value, len(vs))
	for i, v := range vs {
		out[i] = p.as(targets[i], v)
	}
	return out
}

// types returns the types of the replacements of vs.
func (p *packer) types(vs []*ir.Value) []ir.Type {
	ts := make([]ir.Type, len(vs))
	for i, v := range vs {
		ts[i] = v.Type
		if p.varying[v] {
			ts[i].Lanes = uint32(p.lanes)
		}
	}
	return ts
}

// and returns the lanes of a mask for which c is true; a mask has the active lanes, nil all of them. It is a select and no conjunction:
// the conditions of inactive lanes may be computed from wrapped numbers, which makes them poison for the back end, and a conjunction with
// poison is poison.
func (p *packer) and(m, c *ir.Value) *ir.Value {
	if m == nil {
		return c
	}
	return p.b.Op(ir.OpSelect, m, c, p.b.Int(p.boolLanes(), 0))
}

func (p *packer) boolLanes() ir.Type { return ir.Vec(ir.Bool, p.lanes) }

// full converts a mask to a value.
func (p *packer) full(m *ir.Value) *ir.Value {
	if m == nil {
		return p.b.Int(p.boolLanes(), 1)
	}
	return m
}

func (p *packer) pick(m, yes, no *ir.Value) *ir.Value {
	if m == nil {
		return yes
	}
	return p.b.Op(ir.OpSelect, m, p.splat(yes), p.splat(no))
}

// end describes the end of a block.
type end struct {
	mask *ir.Value   // lanes that reached its end
	args []*ir.Value // operands of its terminator, in the old code
	dead bool        // no lane reached its end: all took a masked break
	done bool        // all lanes jump, so the block has its terminator
}

// block writes the ops of b for the lanes of mask, up to its terminator.
func (p *packer) block(b *ir.Block, mask *ir.Value) end {
	for i := 0; i < len(b.Ops); i++ {
		o := b.Ops[i]
		p.b.Pos = o.Pos
		if p.totals[o] || p.strip.has(o) {
			if o.Code == ir.OpStore {
				p.addTotal(p.updates[o], mask)
			}
			continue
		}
		if n := p.laneRun(b.Ops[i:]); n > 0 {
			p.inLanes(b.Ops[i:i+n], mask)
			i += n - 1
			continue
		}
		switch o.Code {
		case ir.OpIf:
			switch {
			case mask == nil && p.varying[o.Args[0]] && p.splitsAtBorder(o):
				p.atBorder(o)
			case p.varying[o.Args[0]]:
				mask = p.masked(o, mask)
			default:
				mask = p.branch(o, mask)
			}
		case ir.OpFor, ir.OpLoop, ir.OpBlock:
			p.loop(o, mask)
		case ir.OpBreak:
			return p.leave(o, mask)
		case ir.OpYield, ir.OpContinue:
			return end{mask: mask, args: o.Args}
		case ir.OpLoad, ir.OpStore:
			p.access(o, mask)
		case ir.OpAlloc:
			p.alloc(o)
		case ir.OpFail:
			p.failure(o, mask)
		case ir.OpTally:
			p.tally(o, mask)
		default:
			p.arithmetic(o)
		}
	}
	return end{mask: mask}
}

// arithmetic writes an op without effects.
func (p *packer) arithmetic(o *ir.Op) {
	if o.Code == ir.OpCall && p.any(o.Args) {
		p.call(o)
	} else {
		p.pure(o)
	}
}

// pure writes an op in lanes if an operand varies.
func (p *packer) pure(o *ir.Op) {
	args := make([]*ir.Value, len(o.Args))
	for i, v := range o.Args {
		args[i] = p.value(v)
	}
	for i, w := range p.copy(o, args, p.any(o.Args)) {
		p.to[o.Results[i]] = w
	}
}

// copy appends an op like o with other operands, as a vector if wide is set.
func (p *packer) copy(o *ir.Op, args []*ir.Value, wide bool) []*ir.Value {
	c := o.Like(nil)
	c.Pos = p.b.Pos
	for _, v := range args {
		if wide {
			v = p.splat(v)
		}
		c.Args = append(c.Args, v)
	}
	for i, r := range o.Results {
		t := r.Type
		if wide {
			t.Lanes = uint32(p.lanes)
		}
		c.Results = append(c.Results, &ir.Value{Type: t, Def: c, Index: i, Name: r.Name})
	}
	p.b.Emit(c)
	return c.Results
}

// access writes a load or store: of one place, of contiguous places from the first lane's on, or of places with a stride.
func (p *packer) access(o *ir.Op, mask *ir.Value) {
	if e := p.element[o]; e != nil {
		p.component(o, e)
		return
	}
	if c := p.grouping(o, mask); c != nil {
		p.components(o, c)
		return
	}
	switch {
	case p.arrays[rootOf(o.Args[0])] != nil:
		p.inArray(o, mask)
		return
	case p.gathers[o]:
		p.gather(o, mask)
		return
	case p.sums[o] != nil:
		p.keep(o, p.sums[o], mask)
		return
	}
	stride := p.strides[o]
	c := ir.NewOp(o.Code, o.Pos, nil)
	c.Alias, c.Flags = o.Alias, o.Flags
	t := ir.Type{}
	if o.Code == ir.OpLoad {
		t = o.Results[0].Type
	} else {
		t = o.Args[1].Type
	}
	place := p.first(o.Args[0])
	if stride != 0 {
		t.Lanes = uint32(p.lanes)
		if stride != int64(t.Kind.Size()) {
			i64 := ir.Vec(ir.I64, p.lanes)
			far := p.b.Op(ir.OpMul, p.b.OpOf(ir.OpIota, i64), p.b.Int(i64, stride))
			place = p.b.OpOf(ir.OpOffset, ir.Vec(ir.Ptr, p.lanes), place, far)
		}
	}
	c.Args = []*ir.Value{place}
	if o.Code == ir.OpStore {
		c.Args = append(c.Args, p.splat(p.value(o.Args[1])))
	} else {
		w := &ir.Value{Type: t, Def: c, Name: o.Results[0].Name}
		c.Results = []*ir.Value{w}
		p.to[o.Results[0]] = w
	}
	if stride != 0 && mask != nil {
		c.Args = append(c.Args, mask)
	}
	p.b.Emit(c)
}

// gather writes an access with a place for each lane.
func (p *packer) gather(o *ir.Op, mask *ir.Value) {
	c := ir.NewOp(o.Code, o.Pos, nil)
	c.Alias, c.Flags = o.Alias, o.Flags
	for _, v := range o.Args {
		c.Args = append(c.Args, p.splat(p.value(v)))
	}
	if mask != nil {
		c.Args = append(c.Args, mask)
	}
	for _, r := range o.Results {
		w := &ir.Value{Type: ir.Vec(r.Type.Kind, p.lanes), Def: c, Name: r.Name}
		c.Results = []*ir.Value{w}
		p.to[r] = w
	}
	p.b.Emit(c)
}

// first computes the value of v in the first lane.
func (p *packer) first(v *ir.Value) *ir.Value {
	if v == p.index {
		return p.base
	}
	if !p.varying[v] {
		return p.value(v)
	}
	o := v.Def
	c := o.Like([]ir.Type{v.Type})
	for _, a := range o.Args {
		c.Args = append(c.Args, p.first(a))
	}
	return p.b.Emit(c)
}

// leave writes a break: of all lanes together, or of those of mask, which store their results in memory.
func (p *packer) leave(o *ir.Op, mask *ir.Value) end {
	if !p.leaves[o.Target] {
		p.b.Jump(ir.OpBreak, p.jump[o.Target], p.all(o.Target.Results, o.Args)...)
		return end{done: true}
	}
	for i, place := range p.acc[o.Target] {
		v := p.splat(p.value(o.Args[i]))
		if mask != nil {
			v = p.b.Op(ir.OpSelect, mask, v, p.b.Load(v.Type, place))
		}
		p.b.Store(place, v)
	}
	return end{dead: true}
}

// escapes reports whether b has a masked break out of it.
func (p *packer) escapes(b *ir.Block) bool {
	inside := map[*ir.Op]bool{}
	found := false
	ir.Visit(b, func(o *ir.Op) bool {
		inside[o] = true
		found = found || o.Code == ir.OpBreak && p.leaves[o.Target] && !inside[o.Target]
		return true
	})
	return found
}

// branch writes an if with a uniform condition, and returns the lanes that are active after it.
func (p *packer) branch(o *ir.Op, mask *ir.Value) *ir.Value {
	types := p.types(o.Results)
	escapes := p.escapes(o.Regions[0]) || p.escapes(o.Regions[1])
	if escapes {
		types = append(types, p.boolLanes())
	}
	c := ir.NewOp(ir.OpIf, o.Pos, types, p.value(o.Args[0]))
	p.b.Emit(c)
	for i, r := range o.Regions {
		p.b.In(c.Regions[i], func() { p.region(o, r, mask, escapes) })
	}
	for i, r := range o.Results {
		p.to[r] = c.Results[i]
	}
	if escapes {
		return c.Results[len(o.Results)]
	}
	return mask
}

// region writes a region of the if o, up to a yield of its results and, if withMask, of the lanes that reach its end.
func (p *packer) region(o *ir.Op, r *ir.Block, mask *ir.Value, withMask bool) {
	e := p.block(r, mask)
	if e.done {
		return
	}
	var vs []*ir.Value
	for i, t := range p.types(o.Results) {
		if e.dead {
			vs = append(vs, p.b.Const(t, 0))
		} else {
			vs = append(vs, p.as(o.Results[i], e.args[i]))
		}
	}
	if withMask && e.dead {
		vs = append(vs, p.b.Int(p.boolLanes(), 0))
	} else if withMask {
		vs = append(vs, p.full(e.mask))
	}
	p.b.Yield(vs...)
}

// masked writes an if with a varying condition: both regions, each for its lanes, and selects of the results.
func (p *packer) masked(o *ir.Op, mask *ir.Value) *ir.Value {
	c := p.value(o.Args[0])
	masks := [2]*ir.Value{p.and(mask, c), p.and(mask, p.b.Op(ir.OpNot, c))}
	var vals [2][]*ir.Value
	var ends [2]*ir.Value // lanes at the end of each region, nil for none
	for i, r := range o.Regions {
		if !p.straight && heavy(r) {
			vals[i], ends[i] = p.ifAny(o, r, masks[i])
			continue
		}
		e := p.block(r, masks[i])
		if !e.dead {
			ends[i] = e.mask
		}
		for j := range o.Results {
			if e.dead {
				vals[i] = append(vals[i], nil)
			} else {
				vals[i] = append(vals[i], p.splat(p.value(e.args[j])))
			}
		}
	}
	for j, r := range o.Results {
		switch a, b := vals[0][j], vals[1][j]; {
		case a == nil && b == nil:
			p.to[r] = p.b.Const(p.types(o.Results[j : j+1])[0], 0)
		case b == nil:
			p.to[r] = a
		case a == nil:
			p.to[r] = b
		default:
			p.to[r] = p.b.Op(ir.OpSelect, c, a, b)
		}
	}
	if !p.escapes(o.Regions[0]) && !p.escapes(o.Regions[1]) {
		return mask
	}
	switch {
	case ends[0] == nil && ends[1] == nil:
		return p.b.Int(p.boolLanes(), 0)
	case ends[0] == nil:
		return ends[1]
	case ends[1] == nil:
		return ends[0]
	}
	return p.b.Op(ir.OpOr, ends[0], ends[1])
}

// heavy reports whether a region is worth a branch that skips it if no lane is active, or needs one because of a load.
func heavy(b *ir.Block) bool {
	found := false
	ir.Visit(b, func(o *ir.Op) bool {
		found = found || o.Code.Is(ir.Loop) || o.Code == ir.OpCall || !o.Code.Is(ir.Pure) && len(o.Regions) == 0 && !o.Code.Is(ir.Terminator)
		return !found
	})
	return found
}

// ifAny writes a region of the if o under the condition that some lane of mask is active. It returns the region's results and the lanes
// that reach its end.
func (p *packer) ifAny(o *ir.Op, r *ir.Block, mask *ir.Value) (vals []*ir.Value, out *ir.Value) {
	types, withMask := p.types(o.Results), !p.alone || p.escapes(r)
	if withMask {
		types = append(types, p.boolLanes())
	}
	c := ir.NewOp(ir.OpIf, o.Pos, types, p.b.OpOf(ir.OpAny, ir.Scalar(ir.Bool), mask))
	if slices.ContainsFunc(r.Ops, func(o *ir.Op) bool { return o.Code == ir.OpFail }) {
		c.Flags |= ir.Seldom
	}
	p.b.Emit(c)
	p.b.In(c.Regions[0], func() { p.region(o, r, mask, withMask) })
	p.b.In(c.Regions[1], func() {
		var vs []*ir.Value
		for _, t := range types {
			vs = append(vs, p.b.Const(t, 0))
		}
		p.b.Yield(vs...)
	})
	if !withMask {
		return c.Results, mask
	}
	n := len(o.Results)
	return c.Results[:n:n], c.Results[n]
}
