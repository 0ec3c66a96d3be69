package autodiff

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// forwardLoop emits a loop, which keeps what its backward pass needs.
func (r *reverser) forwardLoop(o *ir.Op) {
	var s *stack
	if r.keep && r.works(o) {
		s = r.newStack(o)
		r.snapshot(o, s)
		if len(s.items) > 0 {
			r.room(s)
		}
		r.noteKept(o, s)
		r.frame.stacks[o] = s
	}
	if o.Code == ir.OpFor {
		r.forwardFor(o, s)
	} else {
		r.forwardWhile(o, s)
	}
}

// forwardFor emits a for. The number of its iterations is known before, and so is how many of the states are kept.
func (r *reverser) forwardFor(o *ir.Op, s *stack) {
	args := r.all(o.Args)
	lo := args[0]
	if s != nil {
		s.count = r.owned(r.length(lo, args[1]))
		if len(s.items) > 0 && !s.single {
			last := r.b.Op(ir.OpSub, r.b.Op(ir.OpMax, s.count, r.i64(1)), r.i64(1))
			digits := r.b.Op(ir.OpSub, r.i64(64), r.b.Op(ir.OpClz, last))
			s.shift = r.owned(r.b.Op(ir.OpMax, r.b.Op(ir.OpSub, digits, r.i64(s.level())), r.i64(0)))
		}
	}
	c := ir.NewOp(ir.OpFor, o.Pos, nil, args...)
	r.loopLike(o, c, func(body *ir.Block) {
		if s != nil && len(s.items) > 0 {
			n := r.b.Op(ir.OpSub, r.b.Convert(body.Params[0], ir.I64), r.b.Convert(lo, ir.I64))
			if s.single {
				r.push(s, n)
				defer r.storeInside(s, n)()
			} else {
				r.pushSome(s, n, s.shift)
				defer r.storeInside(s, r.wrapped(s, n))()
			}
		}
		r.sweep(inner(o))
		on, _ := next(o)
		r.b.Jump(ir.OpContinue, c, r.all(on)...)
	})
}

// storeInside has values of the iteration stored as entry n, until the function that it returns is called.
func (r *reverser) storeInside(s *stack, n *ir.Value) (end func()) {
	storing := r.storing
	r.storing = with(storing, s, n)
	return func() { r.storing = storing }
}

// wrapped is the entry for the values of iteration n. They are of use if no more iterations follow than there are
// entries.
func (r *reverser) wrapped(s *stack, n *ir.Value) *ir.Value {
	return r.b.Op(ir.OpAnd, n, r.i64(s.entries-1))
}

// sweep emits the body of a loop forward. The loops in it keep nothing yet: on the backward pass they run once more.
func (r *reverser) sweep(ops []*ir.Op) {
	keep := r.keep
	r.keep = false
	r.forward(ops)
	r.keep = keep
}

// owned notes where v was emitted, which is here.
func (r *reverser) owned(v *ir.Value) *ir.Value {
	r.home[v] = r.b.Block
	return v
}

// loopLike emits c, a copy of the loop o, with the body that f emits, and sets its results.
func (r *reverser) loopLike(o, c *ir.Op, f func(body *ir.Block)) {
	r.b.Emit(c)
	body := c.Regions[0]
	r.region(c, 0, func() {
		for _, p := range o.Regions[0].Params {
			r.set(p, body.AddParam(p.Type, p.Name))
		}
		f(body)
	})
	for _, v := range o.Results {
		w := &ir.Value{Type: v.Type, Def: c, Index: len(c.Results), Name: v.Name}
		c.Results = append(c.Results, w)
		r.set(v, w)
	}
}

// length is the number of iterations of a for, an i64.
func (r *reverser) length(lo, hi *ir.Value) *ir.Value {
	n := r.b.Op(ir.OpSub, r.b.Convert(hi, ir.I64), r.b.Convert(lo, ir.I64))
	return r.b.Op(ir.OpMax, n, r.i64(0))
}

// low is v modulo 1<<shift.
func (r *reverser) low(v, shift *ir.Value) *ir.Value {
	mask := r.b.Op(ir.OpSub, r.b.Op(ir.OpShl, r.i64(1), shift), r.i64(1))
	return r.b.Op(ir.OpAnd, v, mask)
}

// pushSome keeps the state of iteration n if it begins a segment.
func (r *reverser) pushSome(s *stack, n, shift *ir.Value) {
	begins := r.b.Op(ir.OpEq, r.low(n, shift), r.i64(0))
	r.when(begins, func() { r.push(s, r.b.Op(ir.OpShr, n, shift)) })
}

// when emits an if without results.
func (r *reverser) when(cond *ir.Value, f func()) {
	c := ir.NewOp(ir.OpIf, r.b.Pos, nil, cond)
	r.b.Emit(c)
	r.region(c, 0, func() {
		f()
		r.b.Yield()
	})
	r.region(c, 1, func() { r.b.Yield() })
}

// forwardWhile emits a loop of unknown length. It counts its iterations. When the stack is full, every second
// state goes.
func (r *reverser) forwardWhile(o *ir.Op, s *stack) {
	args := r.all(o.Args)
	c := ir.NewOp(ir.OpLoop, o.Pos, nil, args...)
	keeps := s != nil && len(s.items) > 0
	var count, shift *ir.Value
	r.loopLike(o, c, func(body *ir.Block) {
		var more []*ir.Value
		if s != nil {
			count = body.AddParam(ir.Scalar(ir.I64), "count")
			more = append(more, r.b.Op(ir.OpAdd, count, r.i64(1)))
		}
		if keeps {
			shift = body.AddParam(ir.Scalar(ir.I64), "shift")
			more = append(more, r.pushGrowing(s, count, shift))
			defer r.storeInside(s, r.wrapped(s, count))()
		}
		r.sweep(inner(o))
		on, done := next(o)
		vals := append(r.all(on), more...)
		r.b.If(r.of(done), nil, func() { r.b.Jump(ir.OpBreak, c, vals...) }, func() { r.b.Yield() })
		r.b.Jump(ir.OpContinue, c, vals...)
	})
	if s == nil {
		return
	}
	at := slices.Index(r.b.Block.Ops, c)
	if at < 0 {
		panic("autodiff: a loop is not where it was emitted")
	}
	extra := func() *ir.Value {
		zero := ir.NewOp(ir.OpConst, o.Pos, []ir.Type{ir.Scalar(ir.I64)})
		r.b.Block.Ops = slices.Insert(r.b.Block.Ops, at, zero)
		c.Args = append(c.Args, zero.Results[0])
		v := &ir.Value{Type: ir.Scalar(ir.I64), Def: c, Index: len(c.Results)}
		c.Results = append(c.Results, v)
		return r.owned(v)
	}
	s.count = extra()
	if keeps {
		s.shift = extra()
	}
}

// pushGrowing keeps the state of iteration count if it begins a segment, and returns how long segments are from now on.
func (r *reverser) pushGrowing(s *stack, count, shift *ir.Value) *ir.Value {
	begins := r.b.Op(ir.OpEq, r.low(count, shift), r.i64(0))
	c := ir.NewOp(ir.OpIf, r.b.Pos, []ir.Type{ir.Scalar(ir.I64)}, begins)
	r.b.Emit(c)
	r.region(c, 0, func() {
		full := r.b.Op(ir.OpEq, r.b.Op(ir.OpShr, count, shift), r.i64(s.entries))
		r.when(full, func() { r.compact(s) })
		longer := r.b.Op(ir.OpAdd, shift, r.b.Convert(full, ir.I64))
		r.push(s, r.b.Op(ir.OpShr, count, longer))
		r.b.Yield(longer)
	})
	r.region(c, 1, func() { r.b.Yield(shift) })
	return c.Results[0]
}

// A backward is the backward pass through a loop.
type backward struct {
	o       *ir.Op
	stack   *stack
	lo      *ir.Value   // of a for
	carried []int       // numbers of the carried values whose adjoints are carried back
	outside []*ir.Value // values from outside of the loop to whose adjoints iterations add
}

// reverseLoop emits the iterations of a loop in reverse order, each with its forward sweep.
func (r *reverser) reverseLoop(o *ir.Op) {
	w := &backward{o: o}
	for f := r.frame; f != nil && w.stack == nil; f = f.up {
		w.stack = f.stacks[o]
	}
	w.stack.count = r.lift(w.stack.count)
	if w.stack.shift != nil {
		w.stack.shift = r.lift(w.stack.shift)
	}
	init, params := carried(o)
	on, _ := next(o)
	for i := range params {
		if r.active(params[i]) || r.active(o.Results[i]) || r.active(on[i]) {
			w.carried = append(w.carried, i)
		}
	}
	w.outside = r.usedFrom(o)
	if o.Code == ir.OpFor {
		w.lo = r.of(o.Args[0])
	}
	var ds []*ir.Value
	for _, i := range w.carried {
		ds = append(ds, r.orZero(r.take(o.Results[i]), o.Results[i].Type))
	}
	for _, v := range w.outside {
		ds = append(ds, r.orZero(r.take(v), v.Type))
	}
	ds = r.iterations(w, ds)
	for i, v := range w.outside {
		r.add(v, ds[len(w.carried)+i])
	}
	for i, n := range w.carried {
		r.add(init[n], ds[i])
	}
}

func (r *reverser) orZero(d *ir.Value, t ir.Type) *ir.Value {
	if d == nil {
		return r.b.Const(t, 0)
	}
	return d
}

// usedFrom lists the values from outside of o that have adjoints and are used in it.
func (r *reverser) usedFrom(o *ir.Op) (vs []*ir.Value) {
	for _, region := range o.Regions {
		ir.Visit(region, func(p *ir.Op) bool {
			for _, a := range p.Args {
				if r.active(a) && !r.isWithin(o, a) && !slices.Contains(vs, a) {
					vs = append(vs, a)
				}
			}
			return true
		})
	}
	return vs
}

// iterations goes back through all iterations, with adjoints carried along.
func (r *reverser) iterations(w *backward, ds []*ir.Value) []*ir.Value {
	s := w.stack
	switch {
	case len(s.items) == 0 || s.single:
		// Where the order does not matter, memory likes it forward.
		forward := len(w.carried) == 0 && r.anyOrder(w.o)
		return r.counted(r.i64(0), s.count, ds, func(t *ir.Value, ds []*ir.Value) []*ir.Value {
			n := t
			if !forward {
				n = r.mirror(s.count, t)
			}
			return r.iteration(w, n, n, n, s, ds)
		})
	}
	// A batch is a segment, or a part of one that has more iterations than there are entries.
	one := r.i64(1)
	digits := r.b.Op(ir.OpMin, s.shift, r.i64(s.level()))
	size := r.b.Op(ir.OpShl, one, digits)
	batches := r.b.Op(ir.OpShr, r.b.Op(ir.OpAdd, s.count, r.b.Op(ir.OpSub, size, one)), digits)
	inside := &stack{kept: s.kept, entries: s.entries}
	for _, it := range s.items {
		c := *it
		inside.items = append(inside.items, &c)
	}
	r.room(inside)
	return r.counted(r.i64(0), batches, ds, func(t *ir.Value, ds []*ir.Value) []*ir.Value {
		first := r.b.Op(ir.OpShl, r.mirror(batches, t), digits)
		length := r.b.Op(ir.OpMin, size, r.b.Op(ir.OpSub, s.count, first))
		r.again(w, inside, first, length)
		return r.counted(r.i64(0), length, ds, func(t *ir.Value, ds []*ir.Value) []*ir.Value {
			j := r.mirror(length, t)
			n := r.b.Op(ir.OpAdd, first, j)
			return r.iteration(w, n, j, r.b.Op(ir.OpSelect, r.isDense(s), n, j), inside, ds)
		})
	})
}

// anyOrder reports whether the ways back through the iterations of o, of which nothing is carried in values, may be
// taken in any order: they read adjoints of elements of fields that they do not change. A sum that clamps changes that
// of its own element: it silences the updates before it.
func (r *reverser) anyOrder(o *ir.Op) bool {
	read, changed := map[*ir.Field]bool{}, map[*ir.Field]bool{}
	any := true
	ir.Visit(o.Regions[0], func(p *ir.Op) bool {
		if p.Code != ir.OpLoad && p.Code != ir.OpStore && p.Code != ir.OpAtomic || !r.works(p) {
			return any
		}
		a := r.arrayAt(p)
		switch {
		case a != nil && r.contains(o, a.alloc):
		case a != nil || p.Code == ir.OpStore || isExtremum(p) || r.clampsSum(p):
			any = any && a != nil && p.Code == ir.OpLoad
		case p.Code == ir.OpLoad:
			changed[p.Args[0].Def.Field] = true
		default:
			read[p.Args[0].Def.Field] = true
		}
		return any
	})
	for f := range read {
		any = any && !changed[f]
	}
	return any
}

// mirror is n-1-t.
func (r *reverser) mirror(n, t *ir.Value) *ir.Value {
	return r.b.Op(ir.OpSub, r.b.Op(ir.OpSub, n, r.i64(1)), t)
}

// isDense reports whether a stack has the state of each iteration.
func (r *reverser) isDense(s *stack) *ir.Value { return r.b.Op(ir.OpEq, s.shift, r.i64(0)) }

// again runs iterations of a segment forward and keeps the state of each of them, and their values. Those of the
// segment before the first one run too, and what they store goes into the first entry, which the first one overwrites.
// Where segments have one iteration, the loop itself has kept the values.
func (r *reverser) again(w *backward, inside *stack, first, length *ir.Value) {
	r.within(func() {
		before := r.low(first, w.stack.shift)
		begin := r.b.Op(ir.OpSub, first, before)
		r.pop(w.stack, r.b.Op(ir.OpShr, first, w.stack.shift))
		r.recall(w.stack)
		var init []*ir.Value
		for _, it := range w.stack.items {
			if it.param != nil {
				init = append(init, r.of(it.param))
			}
		}
		last := r.b.Op(ir.OpSub, length, r.i64(1))
		to := last
		if inside.keepsInside() {
			to = r.b.Op(ir.OpSelect, r.isDense(w.stack), last, length)
		}
		end := r.counted(r.i64(0), r.b.Op(ir.OpAdd, before, to), init, func(j *ir.Value, state []*ir.Value) []*ir.Value {
			entry := r.b.Op(ir.OpMax, r.b.Op(ir.OpSub, j, before), r.i64(0))
			return r.step(w, inside, r.b.Op(ir.OpAdd, begin, j), entry, state)
		})
		r.within(func() {
			r.stands(inside, end)
			if to == last {
				r.push(inside, last)
			} else { // one iteration has been pushed, or all have
				r.when(r.isDense(w.stack), func() { r.push(inside, last) })
			}
		})
	})
}

// stands makes values stand for the parameters of the items of a state.
func (r *reverser) stands(s *stack, state []*ir.Value) {
	i := 0
	for _, it := range s.items {
		if it.param != nil {
			r.set(it.param, state[i])
			i++
		}
	}
}

// step keeps a state as entry j and runs iteration n, which gives the next one.
func (r *reverser) step(w *backward, inside *stack, n, j *ir.Value, state []*ir.Value) (on []*ir.Value) {
	r.within(func() {
		r.stands(inside, state)
		r.push(inside, j)
		r.index(w, n)
		r.unkept(w)
		end := r.storeInside(inside, j)
		r.sweep(inner(w.o))
		end()
		all, _ := next(w.o)
		_, params := carried(w.o)
		for _, it := range inside.items {
			if it.param != nil {
				on = append(on, r.of(all[slices.Index(params, it.param)]))
			}
		}
	})
	return on
}

// index makes iteration n's index stand for that of a for.
func (r *reverser) index(w *backward, n *ir.Value) {
	if w.lo != nil {
		p := w.o.Regions[0].Params[0]
		r.set(p, r.b.Op(ir.OpAdd, w.lo, r.b.Convert(n, p.Type.Kind)))
	}
}

// unkept lets zero stand for what is carried and not kept: nothing that is needed depends on it.
func (r *reverser) unkept(w *backward) {
	_, params := carried(w.o)
	for _, p := range params {
		if _, ok := r.frame.values[p]; !ok {
			r.set(p, r.b.Const(p.Type, 0))
		}
	}
}

// unread reports of an array whether the iterations of o write to it, and the backward pass through one of them does
// not read it.
func (r *reverser) unread(o *ir.Op) func(a *array) bool {
	filled := r.filled[o]
	if f := r.reread[o]; f != nil {
		filled = f
	}
	if filled == nil {
		return nil
	}
	return func(a *array) bool {
		return !filled[a] && !slices.ContainsFunc(a.writes, func(w *ir.Op) bool { return r.extrema[w] != nil || r.old[w] })
	}
}

// iteration emits the forward sweep of iteration n, whose state is entry j of s and whose values are entry v, and the
// backward pass through it.
func (r *reverser) iteration(w *backward, n, j, v *ir.Value, s *stack, ds []*ir.Value) (back []*ir.Value) {
	outer := r.adj
	r.adj = newAdjoints()
	r.within(func() {
		r.recall(w.stack)
		r.popRead(s, j, r.unread(w.o))
		r.index(w, n)
		r.unkept(w)
		on, _ := next(w.o)
		_, params := carried(w.o)
		loading, ignored := r.loading, r.ignored
		r.loading, r.ignored = with(loading, s, v), r.unread(w.o)
		r.forward(inner(w.o))
		r.ignored = ignored
		r.b.Pos = w.o.Pos
		for i, u := range w.outside {
			r.add(u, ds[len(w.carried)+i])
		}
		for i, c := range w.carried {
			r.add(on[c], ds[i])
		}
		r.reverse(inner(w.o))
		for _, c := range w.carried {
			back = append(back, r.orZero(r.adj.of[params[c]], params[c].Type))
		}
		for _, u := range w.outside {
			back = append(back, r.orZero(r.adj.of[u], u.Type))
		}
		r.loading = loading // loops within the iteration have loaded, too
	})
	r.adj = outer
	return back
}
