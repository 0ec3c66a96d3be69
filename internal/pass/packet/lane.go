package packet

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// This file is the part of packets that executes ops lane by lane: updates of elements that several lanes may share. An update is an
// atomic, or a load, operations and store of a thread's private copy (update.go). It is executed for one lane after the other, in their
// order. Vectors that it needs go through memory.

// usersOf returns the ops that use each value of the task.
func usersOf(t *ir.Task) map[*ir.Value][]*ir.Op {
	users := map[*ir.Value][]*ir.Op{}
	for _, b := range t.Blocks() {
		noteUsers(b, users)
	}
	return users
}

// noteUsers adds the users in a block.
func noteUsers(b *ir.Block, users map[*ir.Value][]*ir.Op) {
	ir.Visit(b, func(o *ir.Op) bool {
		for _, v := range o.Args {
			users[v] = append(users[v], o)
		}
		return true
	})
}

// laneRun returns the number of ops at the start of ops that are executed together, lane by lane: from the first, which must be executed
// so, to the last such op with only arithmetic between them.
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
	inside map[*ir.Op]bool         // the ops executed lane by lane
	spills map[*ir.Value]*ir.Value // the arrays in memory that hold the lanes of a vector
	used   map[ir.Kind]int         // the number of arrays that the run uses
	lane   *ir.Value               // number of the lane, i64
	now    map[*ir.Value]*ir.Value // the replacements of values in the lane
}

// inLanes writes a run of ops lane by lane. Arithmetic that does not depend on the other ops is done before, in vectors.
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
	for _, o := range run {
		if w.inside[o] {
			for _, v := range o.Args {
				w.spill(v, made)
			}
		}
	}
	results, addresses := w.wanted(run)
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
	for _, o := range addresses {
		p.pure(o)
	}
}

// wanted returns the results of a run that are used outside of it, and the parts of addresses that are. These addresses are not stored:
// they are recomputed after the run, in vectors, and where later runs need them, from stored results.
func (w *laneWriter) wanted(run []*ir.Op) (results []*ir.Value, addresses []*ir.Op) {
	needed := map[*ir.Value]bool{}
	for _, o := range slices.Backward(run) {
		if !w.inside[o] {
			continue
		}
		for _, r := range o.Results {
			if !needed[r] && !slices.ContainsFunc(w.users[r], func(user *ir.Op) bool { return !w.inside[user] }) {
				continue
			}
			if !isAddress(r) {
				results = append(results, r)
				continue
			}
			addresses = append(addresses, o)
			for _, v := range o.Args {
				needed[v] = true
			}
		}
	}
	slices.Reverse(results)
	slices.Reverse(addresses)
	return results, addresses
}

// isAddress reports whether a value is part of an address, and so recomputed in each lane, which is cheaper than loading it. Memory holds
// no pointers, so pointers selected by lanes count as parts of addresses, too.
func isAddress(v *ir.Value) bool {
	return v.Def != nil && (v.Def.Code == ir.OpOffset || v.Def.Code == ir.OpSelect && v.Type.Kind == ir.Ptr || addressOnly(v.Def))
}

// spill stores the lanes of v, or of its operands. Values of an earlier run are stored already (see wanted).
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

// room returns an array with a number for each lane, which the runs of the task share.
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

// get returns the value of v in the lane.
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

// again recomputes an op for the lane.
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
