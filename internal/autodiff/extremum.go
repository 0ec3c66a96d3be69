package autodiff

import (
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// The adjoint of a minimum or maximum over iterations goes to the lowest iteration that attained it. The backward pass
// finds that in two steps: first each iteration whose value is the extremum claims the element, by an atomic maximum
// of a key that is larger the earlier the iteration is; then the iteration that still finds its key takes the adjoint,
// and leaves zero. Keys lie in a field beside that of the adjoints ([Options].Keys), which is zero between launches.
//
// The value is computed again to be compared. So kernels with such accumulations are computed strictly: the host asks
// for that, and [Reverse] does so on the backward pass. Values near to the extremum have smaller keys, in case that
// they follow from a sum whose order changes.

// Parts of a key: one bit says that the value is the extremum and not only near it; then come, counted down, the
// number of the loop in the kernel, and those of the iteration and of the accumulation in it ([extremaIn.numberOf]).
// Only loops with accumulations have numbers, and the serial code between two of them has one.
const (
	exactBit  = 61
	loopShift = 52
	stepShift = 18
	mostLoops = 1 << (exactBit - loopShift)
)

// An extremum is an accumulation of a minimum or maximum whose adjoint goes to an iteration.
type extremum struct {
	id *ir.Value // i64, from 1 to 1<<exactBit: the key without its highest bit

	// Of a variable of the kernel, or an element of its array under a constant index: the values before and after the
	// loop. If they are equal, the adjoint belongs to what came before.
	initial, final *ir.Value
	// Of an array of the kernel under other indices: arrays with these values.
	initials, finals *ir.Op
}

// isExtremum reports whether o accumulates a minimum or maximum of real numbers.
func isExtremum(o *ir.Op) bool {
	return o.Code == ir.OpAtomic && (o.Atomic == ir.AtomicMin || o.Atomic == ir.AtomicMax) && o.Args[1].Type.Kind.IsFloat()
}

// extrema finds the accumulations of minima and maxima in the normal form, and adds what numbers them. Those of arrays
// that no other iteration sees become plain code.
func extrema(body *ir.Block, grad map[*ir.Field]*ir.Field) (map[*ir.Op]*extremum, error) {
	all := map[*ir.Op]*extremum{}
	var at numbers
	for i := 0; i < len(body.Ops); i++ {
		o := body.Ops[i]
		if isExtremum(o) && allocOf(o.Args[0]) != nil {
			i += plainExtremum(body, i)
			continue
		}
		parallel := o.IsParallel()
		x := &extremaIn{grad: grad, all: all, own: map[*ir.Op]bool{}}
		if parallel {
			x.body = o.Regions[0]
		}
		before := ir.NewBuilder(&ir.Block{})
		before.Pos = o.Pos
		if x.find(o); len(x.found) == 0 {
			continue
		}
		if x.loop, x.first = at.next(len(x.found), parallel || x.inLoop); x.loop >= mostLoops {
			return nil, &Unsupported{Pos: o.Pos, Msg: fmt.Sprintf("more than %d loops of a kernel accumulate minima or maxima; make several kernels of it", mostLoops)}
		}
		if x.inLoop {
			if parallel {
				x.body.Ops = slices.Insert(x.body.Ops, 0, x.newCounter(o.Pos))
			} else {
				body.Ops = slices.Insert(body.Ops, i, x.newCounter(o.Pos))
				i++
			}
		}
		for n, p := range x.found {
			x.number(p, x.first+int64(n), o, before)
		}
		body.Ops = slices.Insert(body.Ops, i, before.Block.Ops...)
		i += len(before.Block.Ops)
		n, m := x.addBounds(body, i)
		i += n + m
	}
	return all, nil
}

// numbers are those of the next loop, and of the next accumulation in the serial code before it.
type numbers struct{ loop, step int64 }

// next returns the number of a loop and that of the first of n accumulations in it.
func (at *numbers) next(n int, isLoop bool) (loop, first int64) {
	if !isLoop {
		at.step += int64(n)
		return at.loop, at.step - int64(n)
	}
	if at.step > 0 {
		at.loop++
	}
	at.loop, at.step = at.loop+1, 0
	return at.loop - 1, 0
}

// extremaIn are those in an op of a kernel.
type extremaIn struct {
	loop    int64 // its number
	first   int64 // the number of its first accumulation
	grad    map[*ir.Field]*ir.Field
	all     map[*ir.Op]*extremum
	body    *ir.Block       // of a parallel loop
	own     map[*ir.Op]bool // the arrays of an iteration
	found   []*ir.Op
	inLoop  bool // some are in a serial loop, and a counter numbers them
	counter *ir.Value
}

func (x *extremaIn) newCounter(pos ir.Pos) *ir.Op {
	o := ir.NewOp(ir.OpAlloc, pos, []ir.Type{ir.Scalar(ir.Ptr)})
	o.Kind, o.Aux = ir.I64, 1
	x.counter = o.Results[0]
	return o
}

// find notes the accumulations in o.
func (x *extremaIn) find(o *ir.Op) {
	x.list(&ir.Block{Ops: []*ir.Op{o}}, false)
}

func (x *extremaIn) list(b *ir.Block, inLoop bool) {
	for i := 0; i < len(b.Ops); i++ {
		o := b.Ops[i]
		if o.Code == ir.OpAlloc {
			x.own[o] = true
		}
		if isExtremum(o) {
			a := allocOf(o.Args[0])
			switch {
			case a != nil && (x.body == nil || x.own[a]):
				i += plainExtremum(b, i)
			case a != nil || x.hasAdjoint(o):
				x.found = append(x.found, o)
				x.inLoop = x.inLoop || inLoop
			}
		}
		for _, r := range o.Regions {
			x.list(r, inLoop || o.Code == ir.OpFor || o.Code == ir.OpLoop)
		}
	}
}

func (x *extremaIn) hasAdjoint(o *ir.Op) bool {
	d := o.Args[0].Def
	return d != nil && d.Code == ir.OpPtr && x.grad[d.Field] != nil
}

// plainExtremum replaces the atomic at i by a load, an extremum and a store, and returns how many ops came
// instead of one.
func plainExtremum(b *ir.Block, i int) int {
	o := b.Ops[i]
	c := ir.NewBuilder(&ir.Block{})
	c.Pos, c.Flags = o.Pos, o.Flags&ir.Strict
	old := c.Load(o.Args[1].Type, o.Args[0])
	code, _ := o.Atomic.Code()
	c.Store(o.Args[0], c.Op(code, old, o.Args[1]))
	stopped(c, old, o)
	b.Ops = slices.Replace(b.Ops, i, i+1, c.Block.Ops...)
	return len(c.Block.Ops) - 1
}

// number emits, before the accumulation p, of number n in the loop, its id.
func (x *extremaIn) number(p *ir.Op, n int64, loop *ir.Op, before *ir.Builder) {
	b := ir.NewBuilder(&ir.Block{})
	b.Pos = p.Pos
	i64 := func(n int64) *ir.Value { return b.Int(ir.Scalar(ir.I64), n) }
	step := i64(n)
	if x.counter != nil {
		step = b.Load(ir.Scalar(ir.I64), x.counter)
		b.Store(x.counter, b.Op(ir.OpAdd, step, i64(1)))
	}
	taken := step
	if x.body != nil {
		taken = x.numberOf(b, before, loop, step)
	}
	id := b.Op(ir.OpSub, i64(1<<exactBit-x.loop<<loopShift), taken)
	x.all[p] = &extremum{id: id}
	if p == loop {
		before.Block.Ops = append(before.Block.Ops, b.Block.Ops...)
		return
	}
	block, at := standsIn(loop, p)
	block.Ops = slices.Insert(block.Ops, at, b.Block.Ops...)
}

// standsIn returns the block in a region of o that p stands in, and where.
func standsIn(o, p *ir.Op) (b *ir.Block, at int) {
	for _, r := range o.Regions {
		if i := slices.Index(r.Ops, p); i >= 0 {
			return r, i
		}
		for _, q := range r.Ops {
			if b, at = standsIn(q, p); b != nil {
				return b, at
			}
		}
	}
	return nil, 0
}

// addBounds emits, around the loop at a place, what keeps the values of the variables of the kernel that it
// accumulates. It returns how many ops came before and behind the loop.
func (x *extremaIn) addBounds(body *ir.Block, at int) (n, m int) {
	before, behind := ir.NewBuilder(&ir.Block{}), ir.NewBuilder(&ir.Block{})
	type cell struct {
		array    *ir.Op
		index    int64
		constant bool
	}
	known := map[cell]*extremum{}
	for _, p := range x.found {
		a := allocOf(p.Args[0])
		if a == nil {
			continue
		}
		before.Pos, behind.Pos = p.Pos, p.Pos
		index, constant := constantIndex(p.Args[0])
		b := known[cell{a, index, constant}]
		if b == nil {
			b = &extremum{}
			known[cell{a, index, constant}] = b
			if constant {
				b.initial, b.final = loadAt(before, p, a, index), loadAt(behind, p, a, index)
			} else {
				b.initials, b.finals = copyOf(before, before, a), copyOf(before, behind, a)
			}
		}
		e := x.all[p]
		e.initial, e.final, e.initials, e.finals = b.initial, b.final, b.initials, b.finals
	}
	body.Ops = slices.Insert(body.Ops, at+1, behind.Block.Ops...)
	body.Ops = slices.Insert(body.Ops, at, before.Block.Ops...)
	return len(before.Block.Ops), len(behind.Block.Ops)
}

// constantIndex is the index of a place in an array, 0 for a variable, if it is constant.
func constantIndex(place *ir.Value) (index int64, constant bool) {
	if place.Def.Code != ir.OpCell {
		return 0, true
	}
	return ir.IntOf(place.Def.Args[1])
}

// loadAt loads what p accumulates, in array a, whose index is constant.
func loadAt(b *ir.Builder, p, a *ir.Op, index int64) *ir.Value {
	place := p.Args[0]
	if d := place.Def; d.Code == ir.OpCell {
		place = b.Op(ir.OpCell, a.Results[0], b.Int(d.Args[1].Type, index))
		place.Def.Flags = d.Flags
	}
	return b.Load(p.Args[1].Type, place)
}

// copyOf makes an array, and copies array a to it.
func copyOf(make, b *ir.Builder, a *ir.Op) *ir.Op {
	to := make.Alloc(a.Kind, int(a.Aux), "")
	i32 := ir.Scalar(ir.I32)
	loop := ir.NewOp(ir.OpFor, b.Pos, nil, b.Int(i32, 0), b.Int(i32, a.Aux))
	i := loop.Regions[0].AddParam(i32, "")
	b.Emit(loop)
	b.In(loop.Regions[0], func() {
		cell := func(array *ir.Value) *ir.Value {
			p := b.Op(ir.OpCell, array, i)
			p.Def.Flags |= ir.InBounds
			return p
		}
		from := cell(a.Results[0])
		b.Store(cell(to), b.Load(ir.Scalar(a.Kind), from))
		b.Jump(ir.OpContinue, loop)
	})
	return to.Def
}

// extremaOf are the accumulations of minima and maxima in o: in fields, or in variables of the kernel.
func (r *reverser) extremaOf(o *ir.Op, inFields bool) (found bool) {
	for p := range r.extrema {
		found = found || (p == o || r.contains(o, p)) && (allocOf(p.Args[0]) == nil) == inFields
	}
	return found
}

// claims emits a parallel loop like o in which iterations claim the extrema of fields or of variables that they
// attained.
func (r *reverser) claims(o *ir.Op, inFields bool) {
	if !r.extremaOf(o, inFields) {
		return
	}
	what := claimVariables
	if inFields {
		what = claimFields
	}
	r.rerun(o, what)
}

// rerun emits a parallel loop like o, whose iterations run forward once more for a purpose.
func (r *reverser) rerun(o *ir.Op, what purpose) {
	keep, up := r.keep, r.parallel
	r.keep, r.parallel, r.purpose = false, o, what
	r.within(func() {
		r.body(o, func() {
			r.recall(r.frame.up.stacks[o])
			r.forward(inner(o))
		})
	})
	r.keep, r.parallel, r.purpose = keep, up, claimNothing
}

// A purpose is what the forward sweep runs for, beside what the backward pass needs.
type purpose int

const (
	claimNothing   purpose = iota
	claimFields            // claim extrema of fields
	claimVariables         // and of variables of the kernel
	silenceSums            // silence adjoints where sums have clamped
)

// claim emits the claim of an accumulation.
func (r *reverser) claim(o *ir.Op) {
	x := r.extrema[o]
	if x == nil {
		return
	}
	inField := allocOf(o.Args[0]) == nil
	serial := r.parallel == nil && r.sweeping()
	if !(serial || r.purpose == claimFields && inField || r.purpose == claimVariables && !inField) {
		return
	}
	key := r.key(o, x)
	r.when(r.b.Op(ir.OpNe, key, r.i64(0)), func() {
		if place := r.keyAt(o, x); place != nil {
			r.b.Atomic(ir.AtomicMax, place, key)
		}
	})
}

// key is that of an iteration whose value is the extremum or near it, else 0.
func (r *reverser) key(o *ir.Op, x *extremum) *ir.Value {
	v := r.of(o.Args[1])
	var m, initial *ir.Value
	switch {
	case x.final != nil:
		initial, m = r.of(x.initial), r.of(x.final)
	case x.finals != nil: // the loads stand for none of the normal form: there the loop comes before what it leaves
		index := r.of(o.Args[0].Def.Args[1])
		at := func(array *ir.Op) *ir.Value { return r.b.Load(v.Type, r.cell(r.of(array.Results[0]), index)) }
		initial, m = at(x.initials), at(x.finals)
	default:
		m = r.b.Load(v.Type, r.of(o.Args[0]))
	}
	id := r.of(x.id)
	if o.IsPacked() {
		return r.b.Op(ir.OpSelect, r.isStored(o, v, m), r.b.Op(ir.OpAdd, id, r.i64(1<<exactBit)), r.i64(0))
	}
	near := map[ir.Kind]float64{ir.F64: 1.0 / (1 << 40)}[v.Type.Kind]
	if near == 0 {
		near = 1.0 / (1 << 16)
	}
	off := r.b.Op(ir.OpAbs, r.b.Op(ir.OpSub, v, m))
	isNear := r.b.Op(ir.OpLe, off, r.b.Op(ir.OpMul, r.b.Op(ir.OpAbs, m), r.b.Float(v.Type, near)))
	key := r.b.Op(ir.OpSelect, isNear, id, r.i64(0))
	key = r.b.Op(ir.OpSelect, r.b.Op(ir.OpEq, v, m), r.b.Op(ir.OpAdd, id, r.i64(1<<exactBit)), key)
	if initial != nil {
		key = r.b.Op(ir.OpSelect, r.b.Op(ir.OpEq, initial, m), r.i64(0), key)
	}
	return key
}

// keyAt emits the place of the keys of what o accumulates.
func (r *reverser) keyAt(o *ir.Op, x *extremum) *ir.Value {
	if a := allocOf(o.Args[0]); a != nil {
		if r.variableKeys[a] == nil {
			return nil
		}
		index := r.b.Int(ir.Scalar(ir.I32), 0)
		if d := o.Args[0].Def; d.Code == ir.OpCell {
			index = r.of(d.Args[1])
		}
		return r.cell(r.variableKeys[a], index)
	}
	f := o.Args[0].Def.Field
	if r.keys[f] == nil {
		if r.Keys != nil {
			r.keys[f] = r.Keys(f)
		}
		if r.keys[f] == nil {
			r.fail(o, "the derivative of a minimum or maximum over iterations needs memory beside %s, which is not to be had", f.Name)
			return nil
		}
	}
	p := *o.Args[0].Def
	p.Field, p.Args = r.keys[f], r.all(p.Args)
	p.Results = []*ir.Value{{Type: ir.Scalar(ir.Ptr), Def: &p}}
	p.Flags |= ir.InBounds // as the element exists
	return r.b.Emit(&p)
}

// reverseExtremum takes the adjoint if the claim of the iteration holds.
func (r *reverser) reverseExtremum(o *ir.Op) {
	place, _ := r.adjointAt(o)
	x := r.extrema[o]
	if place == nil || x == nil {
		return
	}
	v := o.Args[1]
	key := r.key(o, x)
	taken := r.given(r.b.Op(ir.OpNe, key, r.i64(0)), v.Type, func() *ir.Value {
		at := r.keyAt(o, x)
		if at == nil {
			return r.b.Const(v.Type, 0)
		}
		found := r.b.Atomic(ir.AtomicCAS, at, key, r.i64(0))
		return r.given(r.b.Op(ir.OpEq, found, key), v.Type, func() *ir.Value {
			take := func() *ir.Value {
				d := r.b.Load(v.Type, place) // nobody else changes it: there is one key of this value
				r.b.Store(place, r.b.Const(v.Type, 0))
				return d
			}
			if is := r.isActive(o); is != nil {
				return r.given(is, v.Type, take)
			}
			return take()
		})
	})
	if o.IsPacked() {
		taken = r.b.Op(ir.OpSelect, isBeyond(r.b, o, r.of(v), r.of), r.b.Const(v.Type, 0), taken)
	}
	r.add(v, taken)
}

// given emits an if whose result is that of f, or 0.
func (r *reverser) given(cond *ir.Value, t ir.Type, f func() *ir.Value) *ir.Value {
	c := ir.NewOp(ir.OpIf, r.b.Pos, []ir.Type{t}, cond)
	r.b.Emit(c)
	r.region(c, 0, func() { r.b.Yield(f()) })
	r.region(c, 1, func() { r.b.Yield(r.b.Const(t, 0)) })
	return c.Results[0]
}
