package packet

import "github.com/gotaichi/ti/internal/ir"

// This file is the part of packets that goes through the lanes one by one: an update of an element that
// several lanes may share, an atomic or the load, operation and store that are left of one where each
// thread has a copy of the elements, is done for one lane after the other, in their order. What it needs
// of vectors goes through memory.

// findUpdates finds the updates of copies that threads have for themselves: a load and a store at one
// place in one block, with nothing but arithmetic from one to the other.
func (a *packetInfo) findUpdates() {
	a.updates = map[*ir.Op]bool{}
	if len(a.t.Private) == 0 {
		return
	}
	a.findUpdatesIn(a.t.Body)
}

func (a *packetInfo) findUpdatesIn(b *ir.Block) {
	loads := map[*ir.Value]int{} // the last load at a place
	for i, o := range b.Ops {
		for _, r := range o.Regions {
			a.findUpdatesIn(r)
		}
		switch {
		case o.Code == ir.OpLoad && a.isCopy(o.Args[0]):
			loads[o.Args[0]] = i
		case o.Code == ir.OpStore && a.isCopy(o.Args[0]):
			if first, ok := loads[o.Args[0]]; ok && a.noteUpdate(b.Ops[first:i+1]) {
				a.vary(b.Ops[first].Results...)
			}
			delete(loads, o.Args[0])
		}
	}
}

// isCopy reports whether a place lies in a copy that the thread has for itself.
func (a *packetInfo) isCopy(p *ir.Value) bool {
	d := rootOf(p).Def
	if d == nil || d.Code != ir.OpBase {
		return false
	}
	for _, c := range a.t.Private {
		if int64(c.Base) == d.Aux {
			return true
		}
	}
	return false
}

// rootOf returns the address that a place is some bytes behind.
func rootOf(p *ir.Value) *ir.Value {
	for p.Def != nil && p.Def.Code == ir.OpOffset {
		p = p.Def.Args[0]
	}
	return p
}

// noteUpdate notes the ops of an update that begins and ends with run, and reports whether it is one: what
// is made of the loaded number goes nowhere but into the store.
func (a *packetInfo) noteUpdate(run []*ir.Op) bool {
	last := len(run) - 1
	part := map[*ir.Op]bool{run[0]: true, run[last]: true}
	made := map[*ir.Value]bool{run[0].Results[0]: true}
	for _, o := range run[1:last] {
		for _, v := range o.Args {
			if made[v] {
				if !o.Code.Is(ir.Pure) || len(o.Regions) > 0 {
					return false
				}
				part[o] = true
			}
		}
		if part[o] {
			for _, r := range o.Results {
				made[r] = true
			}
		}
	}
	for v := range made {
		for _, user := range a.users[v] {
			if !part[user] {
				return false
			}
		}
	}
	for o := range part {
		a.updates[o] = true
	}
	return true
}

// usersOf returns the ops that use each value of the task.
func usersOf(t *ir.Task) map[*ir.Value][]*ir.Op {
	users := map[*ir.Value][]*ir.Op{}
	for _, b := range t.Blocks() {
		ir.Visit(b, func(o *ir.Op) bool {
			for _, v := range o.Args {
				users[v] = append(users[v], o)
			}
			return true
		})
	}
	return users
}

// laneRun returns the number of ops at the start of ops that are done together, lane by lane: from the first,
// which is one of those, to the last such op with nothing but arithmetic between them.
func (a *packetInfo) laneRun(ops []*ir.Op) int {
	n := 0
	for i, o := range ops {
		switch {
		case a.byLane[o]:
			n = i + 1
		case n == 0 || !o.Code.Is(ir.Pure) || len(o.Regions) > 0:
			return n
		}
	}
	return n
}

// A laneWriter writes a run of ops for one lane.
type laneWriter struct {
	*packer
	inside map[*ir.Op]bool         // what is done lane by lane
	spills map[*ir.Value]*ir.Value // where the lanes of a vector are in memory
	used   map[ir.Kind]int         // places in memory that the run has
	lane   *ir.Value               // number of the lane, i64
	now    map[*ir.Value]*ir.Value // what stands for values in the lane
}

// inLanes writes a run of ops lane by lane. Arithmetic of it that needs nothing of the others is done before, in vectors.
func (p *packer) inLanes(run []*ir.Op, mask *ir.Value) {
	w := &laneWriter{packer: p, inside: map[*ir.Op]bool{}, spills: map[*ir.Value]*ir.Value{}, used: map[ir.Kind]int{}, now: map[*ir.Value]*ir.Value{}}
	made := map[*ir.Value]bool{}
	for _, o := range run {
		w.inside[o] = p.byLane[o]
		for _, v := range o.Args {
			w.inside[o] = w.inside[o] || made[v]
		}
		if !w.inside[o] {
			p.arithmetic(o)
			continue
		}
		for _, r := range o.Results {
			made[r] = true
		}
	}
	var results []*ir.Value
	for _, o := range run {
		if w.inside[o] {
			for _, v := range o.Args {
				w.spill(v, made)
			}
			results = append(results, w.wanted(o)...)
		}
	}
	places := make([]*ir.Value, len(results))
	for i, r := range results {
		places[i] = w.room(r.Type.Kind)
		p.b.Store(places[i], p.b.Const(ir.Vec(r.Type.Kind, p.lanes), 0))
	}
	p.eachLane(mask, func(lane *ir.Value) {
		w.lane = lane
		for _, o := range run {
			if w.inside[o] {
				w.op(o)
			}
		}
		for i, r := range results {
			p.b.Store(w.at(places[i], r.Type.Kind), w.now[r])
		}
	})
	for i, r := range results {
		p.to[r] = p.b.Load(ir.Vec(r.Type.Kind, p.lanes), places[i])
	}
}

// wanted returns the results of o that are used outside of the run.
func (w *laneWriter) wanted(o *ir.Op) (vs []*ir.Value) {
	for _, r := range o.Results {
		for _, user := range w.users[r] {
			if !w.inside[user] {
				vs = append(vs, r)
				break
			}
		}
	}
	return vs
}

// isAddress reports whether a value is cheaper computed again in each lane than taken from memory: a part of an address.
func isAddress(v *ir.Value) bool {
	return v.Def != nil && (v.Def.Code == ir.OpOffset || addressOnly(v.Def))
}

// spill puts the lanes of v into memory, or those of which v is computed.
func (w *laneWriter) spill(v *ir.Value, made map[*ir.Value]bool) {
	switch {
	case made[v] || v == w.index || !w.varying[v] || w.spills[v] != nil:
	case isAddress(v):
		for _, arg := range v.Def.Args {
			w.spill(arg, made)
		}
	case w.value(v).Type.Lanes > 1:
		at := w.room(v.Type.Kind)
		w.b.Store(at, w.value(v))
		w.spills[v] = at
	}
}

// room returns memory for a number in each lane, which the runs of the task share.
func (w *laneWriter) room(kind ir.Kind) *ir.Value {
	n := w.used[kind]
	w.used[kind]++
	if n == len(w.rooms[kind]) {
		w.rooms[kind] = append(w.rooms[kind], w.atStart(kind, true))
	}
	return w.rooms[kind][n]
}

// atStart returns an array with a number for each lane, made at the start of the body.
func (p *packer) atStart(kind ir.Kind, unset bool) *ir.Value {
	o := ir.NewOp(ir.OpAlloc, p.t.Pos, []ir.Type{ir.Scalar(ir.Ptr)})
	o.Kind, o.Aux = kind, int64(p.lanes)
	if unset {
		o.Flags |= ir.Unset
	}
	p.start = append(p.start, o)
	return o.Results[0]
}

// at returns the place of the lane's number in an array.
func (w *laneWriter) at(array *ir.Value, kind ir.Kind) *ir.Value {
	size := int64(kind.Size())
	return w.b.Op(ir.OpOffset, array, w.b.NoWrap(ir.OpMul, w.lane, w.b.Int(ir.Scalar(ir.I64), size)))
}

// get returns what v is in the lane.
func (w *laneWriter) get(v *ir.Value) *ir.Value {
	if n, ok := w.now[v]; ok {
		return n
	}
	n := w.value(v)
	switch {
	case w.spills[v] != nil:
		n = w.b.Load(ir.Scalar(v.Type.Kind), w.at(w.spills[v], v.Type.Kind))
	case v == w.index:
		n = w.b.NoWrap(ir.OpAdd, w.base, w.b.Convert(w.lane, v.Type.Kind))
	case !w.varying[v] || !isAddress(v):
		return n
	case w.arrays[rootOf(v)] != nil:
		n = w.cell(v)
	default:
		n = w.again(v.Def)
	}
	w.now[v] = n
	return n
}

// again writes an op for the lane.
func (w *laneWriter) again(o *ir.Op) *ir.Value {
	c := *o
	c.Args, c.Results = make([]*ir.Value, len(o.Args)), nil
	for i, v := range o.Args {
		c.Args[i] = w.get(v)
	}
	for i, r := range o.Results {
		v := &ir.Value{Type: r.Type, Def: &c, Index: i, Name: r.Name}
		c.Results = append(c.Results, v)
		w.now[r] = v
	}
	return w.b.Emit(&c)
}

// op writes an op of the run.
func (w *laneWriter) op(o *ir.Op) {
	w.b.Pos = o.Pos
	w.again(o)
}

// eachLane writes a loop over the lanes of a mask, in their order.
func (p *packer) eachLane(mask *ir.Value, body func(lane *ir.Value)) {
	i32, u64 := ir.Scalar(ir.I32), ir.Scalar(ir.U64)
	hi, args, types := p.b.Int(i32, int64(p.lanes)), []*ir.Value(nil), []ir.Type(nil)
	if mask != nil {
		bits := p.b.OpOf(ir.OpBits, u64, mask)
		hi = p.b.Convert(p.b.Op(ir.OpPopcount, bits), ir.I32)
		args, types = []*ir.Value{bits}, []ir.Type{u64}
	}
	loop := ir.NewOp(ir.OpFor, p.b.Pos, types, append([]*ir.Value{p.b.Int(i32, 0), hi}, args...)...)
	loop.Flags |= ir.Rolled
	p.b.Emit(loop)
	n := loop.Regions[0].AddParam(i32, "lane")
	if mask == nil {
		p.b.In(loop.Regions[0], func() {
			body(p.b.Convert(n, ir.I64))
			p.b.Jump(ir.OpContinue, loop)
		})
		return
	}
	left := loop.Regions[0].AddParam(u64, "left")
	p.b.In(loop.Regions[0], func() {
		one := p.b.Int(u64, 1)
		lowest := p.b.Op(ir.OpAnd, left, p.b.Op(ir.OpNeg, left))
		lane := p.b.Op(ir.OpSub, p.b.Int(u64, 63), p.b.Op(ir.OpClz, lowest))
		body(p.b.Convert(lane, ir.I64))
		p.b.Jump(ir.OpContinue, loop, p.b.Op(ir.OpAnd, left, p.b.Op(ir.OpSub, left, one)))
	})
}
