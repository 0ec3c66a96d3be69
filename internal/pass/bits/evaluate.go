package bits

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/note"
)

// A value replaces a value of the source: one of the three fields is set.
type value struct {
	uniform *ir.Value // the same in all lanes
	number  *number   // of each lane
	// index means the index of the lane plus a constant, modulo mod unless that is 0.
	index     bool
	plus, mod int64
}

// An evaluator appends one iteration of the new loop, for a word of lanes.
type evaluator struct {
	logic
	v       *vectoriser
	careful bool      // words may be out of range, and lanes out of the range of the loop
	at      *ir.Value // the word of the iteration
	base    *ir.Value // i64, the index of lane 0

	active  plane // lanes in the range of the loop
	outside plane // lanes with an access out of range
	values  map[*ir.Value]value
	loads   map[reach]loaded
	stores  []*stored
	updates []func() // atomics that are yet to be appended
	mergers map[*ir.Op]*merger
}

// A merger collects the lanes that continue after a block, and their results.
type merger struct {
	masks  []plane
	values [][]value
}

// iteration appends to b the iteration for the word at.
func (v *vectoriser) iteration(b *ir.Block, at *ir.Value, careful bool) *ir.Block {
	w := &evaluator{v: v, careful: careful, at: at, values: map[*ir.Value]value{}, loads: map[reach]loaded{}, mergers: map[*ir.Op]*merger{}}
	w.logic = logic{Builder: ir.NewBuilder(b), kind: v.word}
	w.Pos = v.loop.Pos
	wide := w.Convert(at, ir.I64)
	w.base = w.NoWrap(ir.OpAdd, w.NoWrap(ir.OpMul, wide, w.i64(v.lanes)), w.i64(v.first))
	if w.active = w.pattern(^uint64(0) >> (64 - v.lanes)); careful && !v.wholeWords() && !v.elementwise {
		from := w.below(w.fold(ir.OpSub, v.lo, w.base))
		w.active = w.and(w.active, w.and(w.not(from), w.below(w.fold(ir.OpSub, v.hi, w.base))))
	}
	if v.elementwise {
		w.elements()
		return b
	}
	w.values[v.body.Params[v.lane]] = value{index: true}
	w.block(v.body, w.active)
	if w.outside == none {
		w.effects()
		return b
	}
	w.If(w.some(w.outside), nil, func() { w.oneByOne(); w.Yield() }, func() { w.effects(); w.Yield() })
	w.Block.Ops[len(w.Block.Ops)-1].Flags |= ir.Seldom
	return b
}

// wholeWords reports whether the loop runs over whole words.
func (v *vectoriser) wholeWords() bool {
	lo, ok := constOf(v.lo)
	hi, ok2 := constOf(v.hi)
	return ok && ok2 && (lo-v.first)%v.lanes == 0 && (hi-v.first)%v.lanes == 0
}

// effects appends the stores and atomics.
func (w *evaluator) effects() {
	for _, f := range w.updates {
		f()
	}
	w.flush()
}

// oneByOne appends the iterations of the source for the active lanes, one after the other, because one of them fails.
func (w *evaluator) oneByOne() {
	i32 := ir.Scalar(ir.I32)
	loop := ir.NewOp(ir.OpFor, w.Pos, nil, w.Int(i32, 0), w.Int(i32, w.v.lanes))
	loop.Flags |= ir.Rolled
	n := loop.Regions[0].AddParam(i32, "")
	w.Emit(loop)
	w.In(loop.Regions[0], func() {
		bit := w.Op(ir.OpAnd, w.Op(ir.OpShr, w.word(w.active), w.Convert(n, ir.U32)), w.Int(w.typ(), 1))
		w.If(w.Op(ir.OpNe, bit, w.Const(w.typ(), 0)), nil, func() { w.copyOf(w.Convert(n, ir.I64), loop) }, func() { w.Yield() })
		w.Jump(ir.OpContinue, loop)
	})
}

// copyOf appends an iteration of the source, in a loop over lanes.
func (w *evaluator) copyOf(lane *ir.Value, loop *ir.Op) {
	m := map[*ir.Value]*ir.Value{}
	var index []*ir.Value
	for d, p := range w.v.body.Params {
		if m[p] = w.v.index[d]; d == w.v.lane {
			m[p] = w.Convert(w.NoWrap(ir.OpAdd, w.base, lane), p.Type.Kind)
		}
		index = append(index, m[p])
	}
	w.Op(ir.OpIteration, index...)
	c := ir.NewCloner(m)
	c.Ops[w.v.loop] = loop
	w.Block.Ops = append(w.Block.Ops, c.List(w.v.body.Ops)...)
}

// of returns the replacement of a value of the source.
func (w *evaluator) of(v *ir.Value) value {
	if x, ok := w.values[v]; ok {
		return x
	}
	return value{uniform: w.v.uniform.Of(v)} // or of code before the loop
}

// areUniform reports whether values are equal in all lanes.
func (w *evaluator) areUniform(vs []*ir.Value) bool {
	for _, v := range vs {
		if w.of(v).uniform == nil {
			return false
		}
	}
	return true
}

// block appends the ops of a block for the lanes of mask. It returns the operands of its yield, and the lanes that reach its end.
func (w *evaluator) block(b *ir.Block, mask plane) (yields []value, out plane) {
	for _, o := range b.Ops {
		w.Pos = o.Pos
		switch o.Code {
		case ir.OpYield:
			for _, a := range o.Args {
				yields = append(yields, w.of(a))
			}
			return yields, mask
		case ir.OpContinue:
			return nil, none // of the parallel loop: there is no other
		case ir.OpBreak:
			e := w.mergers[o.Target]
			var vs []value
			for _, a := range o.Args {
				vs = append(vs, w.of(a))
			}
			e.masks, e.values = append(e.masks, mask), append(e.values, vs)
			return nil, none
		}
		mask = w.op(o, mask)
	}
	return nil, mask
}

// op appends one op, and returns the lanes that are active after it.
func (w *evaluator) op(o *ir.Op, mask plane) plane {
	switch o.Code {
	case ir.OpPtr, ir.OpElem, ir.OpCell:
		if w.areUniform(o.Args) {
			w.hoist(o)
		}
		return mask
	case ir.OpIf:
		return w.branch(o, mask)
	case ir.OpBlock:
		return w.leave(o, mask)
	case ir.OpLoad:
		w.loadOp(o, mask)
		return mask
	case ir.OpStore:
		w.storeOp(o, mask)
		return mask
	case ir.OpAtomic:
		w.atomicOp(o, mask)
		return mask
	}
	switch {
	case o.Code == ir.OpRand:
		stop(o.Pos, note.BitsRandom)
	case o.Code.Is(ir.Loop):
		stop(o.Pos, note.BitsLoop)
	case o.Code == ir.OpRecord:
		stop(o.Pos, note.Printed)
	case o.Code == ir.OpAlloc:
		stop(o.Pos, note.ArrayInMemory)
	case !o.Code.Is(ir.Pure):
		stop(o.Pos, note.BitsOther, o.Code.String())
	case w.areUniform(o.Args):
		w.hoist(o)
	default:
		w.values[o.Results[0]] = w.compute(o)
	}
	return mask
}

// hoist computes an op with uniform operands at the start of an iteration of the new loop.
func (w *evaluator) hoist(o *ir.Op) {
	for _, r := range o.Results {
		if w.v.uniform[r] != nil {
			return
		}
	}
	if (o.Code == ir.OpPtr || o.Code == ir.OpElem) && !o.Flags.Has(ir.InBounds) {
		w.v.iterationOf()
	}
	c := ir.NewCloner(map[*ir.Value]*ir.Value{})
	for _, a := range o.Args {
		c.Values[a] = w.of(a).uniform
	}
	n := c.Op(o)
	w.v.head.Emit(n)
	for i, r := range o.Results {
		w.v.uniform[r] = n.Results[i]
	}
}

// branch appends both regions of an if, each for its lanes.
func (w *evaluator) branch(o *ir.Op, mask plane) plane {
	cond := w.planeOf(o, w.of(o.Args[0]))
	then, m1 := w.block(o.Regions[0], w.and(mask, cond))
	els, m2 := w.block(o.Regions[1], w.and(mask, w.not(cond)))
	for i, r := range o.Results {
		switch {
		case then == nil:
			w.values[r] = els[i]
		case els == nil:
			w.values[r] = then[i]
		case w.areUniform(o.Args) && then[i].uniform != nil && els[i].uniform != nil:
			w.pick(r, w.of(o.Args[0]).uniform, then[i].uniform, els[i].uniform)
		default:
			w.values[r] = w.merge(o, r.Type.Kind, cond, then[i], els[i])
		}
	}
	if !leaves(o) {
		return mask
	}
	return w.or(m1, m2)
}

// pick selects one of two uniform values.
func (w *evaluator) pick(r, cond, x, y *ir.Value) {
	if w.v.uniform[r] == nil {
		w.v.uniform[r] = w.v.head.Op(ir.OpSelect, cond, x, y)
	}
}

// leaves reports whether o contains a jump.
func leaves(o *ir.Op) bool {
	found := false
	for _, r := range o.Regions {
		ir.Visit(r, func(p *ir.Op) bool {
			found = found || p.Code == ir.OpContinue || p.Code == ir.OpBreak
			return !found
		})
	}
	return found
}

// leave appends a block that is left early.
func (w *evaluator) leave(o *ir.Op, mask plane) plane {
	e := &merger{}
	w.mergers[o] = e
	values, out := w.block(o.Regions[0], mask)
	if values != nil || len(o.Results) == 0 {
		e.masks, e.values = append(e.masks, out), append(e.values, values)
	}
	for i, r := range o.Results {
		x := e.values[0][i]
		for k := 1; k < len(e.values); k++ {
			x = w.merge(o, r.Type.Kind, e.masks[k], e.values[k][i], x)
		}
		w.values[r] = x
	}
	if !leavesFurther(o) {
		return mask
	}
	out = none
	for _, m := range e.masks {
		out = w.or(out, m)
	}
	return out
}

// leavesFurther reports whether a block contains a jump out of more than the block.
func leavesFurther(b *ir.Op) bool {
	found := false
	ir.Visit(b.Regions[0], func(p *ir.Op) bool {
		found = found || p.Code == ir.OpContinue || p.Code == ir.OpBreak && p.Target != b
		return !found
	})
	return found
}

// merge returns x in the lanes of c, and y in the others.
func (w *evaluator) merge(o *ir.Op, k ir.Kind, c plane, x, y value) value {
	if x == y || c == all {
		return x
	} else if c == none {
		return y
	}
	if k.IsFloat() {
		stop(o.Pos, note.BitsFloat)
	}
	if k == ir.Bool {
		return value{number: fromPlane(w.mux(c, w.planeOf(o, x), w.planeOf(o, y)))}
	}
	return value{number: w.choose(c, w.numberOf(o, x, k), w.numberOf(o, y, k))}
}

// loadOp appends a load.
func (w *evaluator) loadOp(o *ir.Op, mask plane) {
	place := o.Args[0].Def
	if place == nil {
		stop(o.Pos, note.BitsOther, o.Code.String())
	}
	r := o.Results[0]
	if isAccess(o) {
		if s := w.spot(o); s != nil {
			n := fromPlane(w.read(o, s, mask))
			w.values[r] = value{number: n}
			return
		}
	}
	if !w.areUniform(place.Args) {
		w.v.stopPlain(o)
	}
	if w.v.written.touch(place) {
		stop(o.Pos, note.BitsOfOther, objectOf(place))
	}
	if mask != w.active && !place.Flags.Has(ir.InBounds) {
		stop(o.Pos, note.BitsCondition, objectOf(place))
	}
	w.hoist(o)
}

// iterationOf names the first iteration of the source at the start of an iteration of the new loop.
func (v *vectoriser) iterationOf() {
	index := slices.Clone(v.index)
	index[v.lane] = v.head.Convert(v.lo, v.body.Params[v.lane].Type.Kind)
	v.head.Op(ir.OpIteration, index...)
}

// objectOf names the object that a place is in.
func objectOf(place *ir.Op) string {
	switch {
	case place.Field != nil:
		return place.Field.Name
	case place.Param != nil:
		return place.Param.Name
	}
	return place.Args[0].Name
}

// storeOp appends a store.
func (w *evaluator) storeOp(o *ir.Op, mask plane) {
	place := o.Args[0].Def
	if !isAccess(o) || w.v.array(place) == nil {
		w.v.stopPlain(o)
	}
	s := w.spot(o)
	if s == nil {
		stop(o.Pos, note.BitsOfOther, place.Field.Name)
	}
	w.write(o, s, w.code(o, s, w.of(o.Args[1])), mask)
}

// code returns the bits of x as stored.
func (w *evaluator) code(o *ir.Op, s *spot, x value) plane {
	k := s.array.field.Comps[s.array.comp]
	n := w.numberOf(o, x, k)
	wraps := s.array.field.StoredAs(s.array.comp).Coder.Wrap
	switch {
	case n.lo >= 0 && n.hi <= 1, wraps:
		return w.extended(n, 1)[0]
	}
	return w.positive(n)
}

// planeOf returns a bool as a plane.
func (w *evaluator) planeOf(o *ir.Op, x value) plane {
	if x.uniform != nil {
		return w.splat(x.uniform)
	}
	return w.extended(w.numberOf(o, x, ir.Bool), 1)[0]
}

// numberOf returns an integer or bool of kind k as a number of each lane.
func (w *evaluator) numberOf(o *ir.Op, x value, k ir.Kind) *number {
	switch {
	case x.number != nil:
		return x.number
	case x.index:
		return w.indexNumber(o, x, k)
	case k == ir.Bool:
		return fromPlane(w.splat(x.uniform))
	case !k.IsInt():
		stop(o.Pos, note.BitsFloat)
	}
	if c, ok := ir.IntOf(x.uniform); ok && c >= -largest && c <= largest {
		return fromConst(c)
	}
	if k.Bits() == 64 {
		stop(o.Pos, note.BitsLarge)
	}
	lo, hi := limits(k)
	n := &number{lo: lo, hi: hi}
	for i := range k.Bits() {
		bit := w.Op(ir.OpAnd, w.Op(ir.OpShr, x.uniform, w.Int(ir.Scalar(ir.U32), int64(i))), w.Int(x.uniform.Type, 1))
		n.planes = append(n.planes, w.splat(w.Op(ir.OpNe, bit, w.Const(bit.Type, 0))))
	}
	return n
}

// indexNumber returns the index of each lane as a number. Its low bits follow from the number of the lane.
func (w *evaluator) indexNumber(o *ir.Op, x value, k ir.Kind) *number {
	low := lowBits(w.v.lanes)
	if low < 0 || x.mod != 0 || (w.v.first+x.plus)%w.v.lanes != 0 || k.Bits() == 64 {
		stop(o.Pos, note.BitsIndex)
	}
	lo, hi := limits(k)
	n := &number{lo: lo, hi: hi}
	base := w.Convert(w.NoWrap(ir.OpAdd, w.base, w.i64(x.plus)), k)
	for i := range k.Bits() {
		if i < low {
			n.planes = append(n.planes, w.digits(i, 0))
			continue
		}
		bit := w.Op(ir.OpAnd, w.Op(ir.OpShr, base, w.Int(ir.Scalar(ir.U32), int64(i))), w.Int(base.Type, 1))
		n.planes = append(n.planes, w.splat(w.Op(ir.OpNe, bit, w.Const(bit.Type, 0))))
	}
	return n
}

// lowBits returns the number of index bits in which lanes differ; -1 if the number of lanes is no power of two.
func lowBits(lanes int64) int {
	for i := range 7 {
		if lanes == 1<<i {
			return i
		}
	}
	return -1
}

// digits returns bit i of the number of each lane plus a constant.
func (w *evaluator) digits(i int, plus int64) plane {
	pattern := uint64(0)
	for lane := range w.v.lanes {
		pattern |= uint64((lane+plus)>>i&1) << lane
	}
	return w.pattern(pattern)
}
