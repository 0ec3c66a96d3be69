package autodiff

import (
	"maps"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// Functions with a derivative of their own take and give values of many components as the lanes of one value. These come
// from arrays and go into arrays, which are differentiated as any others, and so are sums of such values. When all calls
// are inlined, these values are taken apart: each is an array that does not change, or what computes its lanes one by one.

// takeApart replaces values of several lanes by loops over arrays.
func takeApart(body *ir.Block) {
	w := &parter{b: &ir.Builder{}, uses: map[*ir.Value]int{}, held: map[*ir.Value]*lanes{}, arrays: map[*ir.Op]*wholeArray{},
		at: map[*ir.Op]spot{}, same: map[*ir.Value]*ir.Value{}, in: map[*ir.Op][]*ir.Value{}, out: map[*ir.Op][]*ir.Value{}}
	if w.scan(body, nil) {
		w.block(body)
		ir.Substitute(body, w.same)
	}
}

// A parter takes the values of a body apart.
type parter struct {
	b      *ir.Builder
	uses   map[*ir.Value]int
	held   map[*ir.Value]*lanes
	arrays map[*ir.Op]*wholeArray
	at     map[*ir.Op]spot         // loads and stores of arrays
	same   map[*ir.Value]*ir.Value // what stands for values of one lane, and for arrays
	in     map[*ir.Op][]*ir.Value  // of a loop, the arrays of what is carried; nil for values of one lane
	out    map[*ir.Op][]*ir.Value  // of what has regions, those of the results
	ops    int                     // that have been scanned
}

// A spot is where an op stands: its number in the order of the text, its block, and the innermost loop around it.
type spot struct {
	number int
	block  *ir.Block
	loop   *ir.Op
}

// A wholeArray is what is known of a local array.
type wholeArray struct {
	spot
	writes, reads []*ir.Op
}

// lanes are those of a value: elements of an array that does not change as long as the value is there, or what at emits.
type lanes struct {
	array *ir.Value
	at    func(i *ir.Value) *ir.Value
}

// scan counts uses, finds the accesses of arrays, and reports whether there are values of several lanes.
func (w *parter) scan(b *ir.Block, loop *ir.Op) (found bool) {
	for _, o := range b.Ops {
		w.ops++
		here := spot{w.ops, b, loop}
		for _, a := range o.Args {
			w.uses[a]++
			found = found || a.Type.Lanes > 1
		}
		switch o.Code {
		case ir.OpAlloc:
			w.arrays[o] = &wholeArray{spot: here}
		case ir.OpLoad:
			if a := w.arrays[allocOf(o.Args[0])]; a != nil {
				a.reads, w.at[o] = append(a.reads, o), here
			}
		case ir.OpStore, ir.OpAtomic:
			if a := w.arrays[allocOf(o.Args[0])]; a != nil {
				a.writes, w.at[o] = append(a.writes, o), here
			}
		}
		inner := loop
		if o.Code.Is(ir.Loop) {
			inner = o
		}
		for _, r := range o.Regions {
			found = w.scan(r, inner) || found
		}
	}
	return found
}

func isWhole(v *ir.Value) bool { return v.Type.Lanes > 1 }

// anyLane emits whether a bool is true in any lane.
func anyLane(b *ir.Builder, v *ir.Value) *ir.Value {
	if !isWhole(v) {
		return v
	}
	return b.OpOf(ir.OpAny, ir.Scalar(ir.Bool), v)
}

// block takes the values of a block apart.
func (w *parter) block(b *ir.Block) {
	ops := b.Ops
	b.Ops = make([]*ir.Op, 0, len(ops))
	w.b.In(b, func() {
		for _, o := range ops {
			w.b.Pos = o.Pos
			w.op(o)
		}
	})
}

func (w *parter) op(o *ir.Op) {
	switch {
	case o.Code == ir.OpIf || o.Code == ir.OpBlock:
		w.branch(o)
	case o.Code.Is(ir.Loop):
		w.loop(o)
	case o.Code.Is(ir.Terminator):
		w.jump(o)
	case !slices.ContainsFunc(o.Args, isWhole) && !slices.ContainsFunc(o.Results, isWhole):
		w.b.Emit(o)
	case o.Code == ir.OpLoad:
		w.load(o)
	case o.Code == ir.OpStore:
		w.store(o)
	case o.Code == ir.OpAtomic:
		w.atomic(o)
	case o.Code == ir.OpAny:
		w.fold(o, ir.OpOr, 0)
	case o.Code == ir.OpAll:
		w.fold(o, ir.OpAnd, 1)
	case o.Code == ir.OpTotal:
		w.fold(o, ir.OpAdd, 0)
	case o.Code == ir.OpConst:
		x := w.b.Const(o.Results[0].Type.Elem(), o.Bits)
		w.held[o.Results[0]] = &lanes{at: func(*ir.Value) *ir.Value { return x }}
	case o.Code == ir.OpSplat:
		w.held[o.Results[0]] = &lanes{at: func(*ir.Value) *ir.Value { return o.Args[0] }}
	case o.Code.Is(ir.Pure) && o.Code.Info().Rule != ir.RuleFree || o.Code == ir.OpConvert || o.Code == ir.OpBitcast:
		w.lanewise(o)
	default:
		panic("autodiff: " + o.Code.String() + " of a value of several lanes")
	}
}

func (w *parter) regions(o *ir.Op) {
	for _, r := range o.Regions {
		w.block(r)
	}
}

// lane emits lane i of a value; a value of one lane is the same in all.
func (w *parter) lane(v, i *ir.Value) *ir.Value {
	if !isWhole(v) {
		return v
	}
	if h := w.held[v]; h.array == nil {
		return h.at(i)
	}
	return w.b.Load(v.Type.Elem(), w.cell(w.held[v].array, i))
}

func (w *parter) cell(array, i *ir.Value) *ir.Value {
	c := w.b.Op(ir.OpCell, array, i)
	c.Def.Flags |= ir.InBounds
	return c
}

// each emits a loop over the lanes of type t.
func (w *parter) each(t ir.Type, f func(i *ir.Value)) {
	i32 := ir.Scalar(ir.I32)
	o := ir.NewOp(ir.OpFor, w.b.Pos, nil, w.b.Int(i32, 0), w.b.Int(i32, int64(t.Lanes)))
	w.b.Emit(o)
	i := o.Regions[0].AddParam(i32, "")
	w.b.In(o.Regions[0], func() {
		f(i)
		w.b.Jump(ir.OpContinue, o)
	})
}

// room makes an array for the lanes of type t, all of which are to be stored.
func (w *parter) room(t ir.Type) *ir.Value {
	a := w.b.Alloc(t.Kind, int(t.Lanes), "")
	a.Def.Flags |= ir.Unset
	return a
}

// copy stores a value in an array.
func (w *parter) copy(array, v *ir.Value) {
	w.each(v.Type, func(i *ir.Value) { w.b.Store(w.cell(array, i), w.lane(v, i)) })
}

// keep has a new array hold v.
func (w *parter) keep(v *ir.Value) {
	array := w.room(v.Type)
	w.copy(array, v)
	w.held[v] = &lanes{array: array}
}

// lanewise computes the lanes of a result where they are used, or once if there are several uses.
func (w *parter) lanewise(o *ir.Op) {
	v := o.Results[0]
	w.held[v] = &lanes{at: func(i *ir.Value) *ir.Value {
		c := *o
		c.Args = make([]*ir.Value, len(o.Args))
		for j, a := range o.Args {
			c.Args[j] = w.lane(a, i)
		}
		c.Results = []*ir.Value{{Type: v.Type.Elem(), Def: &c}}
		return w.b.Emit(&c)
	}}
	if w.uses[v] > 1 {
		w.keep(v)
	}
}

// load has a value be the array that it is loaded from, or a copy if that may change.
func (w *parter) load(o *ir.Op) {
	v, place := o.Results[0], o.Args[0]
	a, here := w.arrays[place.Def], w.at[o]
	if a != nil && a.loop == here.loop && int64(v.Type.Lanes) == place.Def.Aux &&
		!slices.ContainsFunc(a.writes, func(p *ir.Op) bool { return w.at[p].number > here.number }) {
		w.held[v] = &lanes{array: w.stands(place)}
		return
	}
	w.held[v] = &lanes{at: func(i *ir.Value) *ir.Value { return w.b.Load(v.Type.Elem(), w.cellFrom(place, i)) }}
	w.keep(v)
}

// stands is the array that stands for another one.
func (w *parter) stands(array *ir.Value) *ir.Value { return ir.Resolve(w.same, array) }

// cellFrom is the place of element i of those from a place on.
func (w *parter) cellFrom(place, i *ir.Value) *ir.Value {
	if place.Def.Code == ir.OpAlloc {
		return w.cell(w.stands(place), i)
	}
	array, first := place.Def.Args[0], place.Def.Args[1]
	return w.cell(w.stands(array), w.b.Op(ir.OpAdd, w.b.Convert(first, ir.I32), i))
}

// store copies a value into an array, which the array of the value stands for if the other one holds nothing else.
func (w *parter) store(o *ir.Op) {
	place, v := o.Args[0], o.Args[1]
	a, here := w.arrays[place.Def], w.at[o]
	if array := w.held[v].array; array != nil && a != nil && len(a.writes) == 1 && a.block == here.block && int64(v.Type.Lanes) == place.Def.Aux &&
		!slices.ContainsFunc(a.reads, func(p *ir.Op) bool { return w.at[p].number < here.number }) {
		w.same[place] = array
		return
	}
	w.each(v.Type, func(i *ir.Value) { w.b.Store(w.cellFrom(place, i), w.lane(v, i)) })
}

// atomic does to each element what o does to all, and holds the old ones.
func (w *parter) atomic(o *ir.Op) {
	old := o.Results[0]
	array := w.room(old.Type)
	w.each(old.Type, func(i *ir.Value) {
		c := *o
		c.Args = []*ir.Value{w.cellFrom(o.Args[0], i)}
		for _, a := range o.Args[1:] {
			c.Args = append(c.Args, w.lane(a, i))
		}
		c.Results = []*ir.Value{{Type: old.Type.Elem(), Def: &c}}
		w.b.Store(w.cell(array, i), w.b.Emit(&c))
	})
	w.held[old] = &lanes{array: array}
}

// fold makes one number of all lanes.
func (w *parter) fold(o *ir.Op, code ir.Code, from int64) {
	v, i32 := o.Args[0], ir.Scalar(ir.I32)
	t := v.Type.Elem()
	init := w.b.Const(t, uint64(from)) // 0 has the same bits in all kinds
	loop := ir.NewOp(ir.OpFor, o.Pos, []ir.Type{t}, w.b.Int(i32, 0), w.b.Int(i32, int64(v.Type.Lanes)), init)
	w.b.Emit(loop)
	i, sum := loop.Regions[0].AddParam(i32, ""), loop.Regions[0].AddParam(t, "")
	w.b.In(loop.Regions[0], func() {
		next := w.b.Op(code, sum, w.lane(v, i))
		next.Def.Flags |= o.Flags & ir.Strict
		w.b.Jump(ir.OpContinue, loop, next)
	})
	w.same[o.Results[0]] = loop.Results[0]
}

// apart holds values by arrays, those that are given or new ones, and returns which are of one lane, numbered anew.
func (w *parter) apart(vs, arrays []*ir.Value) (plain, all []*ir.Value) {
	all = make([]*ir.Value, len(vs))
	for i, v := range vs {
		if !isWhole(v) {
			v.Index = len(plain)
			plain = append(plain, v)
			continue
		}
		if arrays != nil {
			all[i] = arrays[i]
		} else {
			all[i] = w.room(v.Type)
		}
		w.held[v] = &lanes{array: all[i]}
	}
	return plain, all
}

// branch takes an if or block apart.
func (w *parter) branch(o *ir.Op) {
	o.Results, w.out[o] = w.apart(o.Results, nil)
	w.b.Emit(o)
	w.regions(o)
}

// loop takes a loop apart: an array holds what is carried, and changes where an iteration ends.
func (w *parter) loop(o *ir.Op) {
	if o.IsParallel() {
		w.b.Emit(o)
		w.regions(o)
		return
	}
	body := o.Regions[0]
	var init []*ir.Value
	carried := make([]*ir.Value, len(o.Args))
	for i, a := range o.Args {
		if isWhole(a) {
			carried[i] = w.room(a.Type)
			w.copy(carried[i], a)
		} else {
			init = append(init, a)
		}
	}
	var arrays []*ir.Value
	if o.Code == ir.OpFor {
		w.in[o] = carried[2:]
		body.Params, _ = w.apart(body.Params, slices.Insert(slices.Clone(carried[2:]), 0, nil))
		arrays = carried[2:]
	} else {
		w.in[o] = carried
		body.Params, _ = w.apart(body.Params, carried)
	}
	o.Args = init
	o.Results, w.out[o] = w.apart(o.Results, arrays)
	w.b.Emit(o)
	w.regions(o)
}

// jump ends a block: arrays take what several lanes are given for.
func (w *parter) jump(o *ir.Op) {
	var to []*ir.Value
	switch o.Code {
	case ir.OpYield:
		to = w.out[w.b.Block.Parent]
	case ir.OpBreak:
		to = w.out[o.Target]
	case ir.OpContinue:
		to = w.in[o.Target]
	}
	var plain []*ir.Value
	before := map[*ir.Value]*lanes{}
	for i, v := range o.Args {
		if !isWhole(v) {
			plain = append(plain, v)
			continue
		}
		if before[v] == nil {
			before[v] = w.held[v]
		}
		// What is given for one may be made of what another one holds until now.
		if h := w.held[v]; o.Code != ir.OpYield && h.array != to[i] && (h.array == nil || slices.Contains(to, h.array)) {
			w.keep(v)
		}
	}
	for i, v := range o.Args {
		if isWhole(v) && w.held[v].array != to[i] {
			w.copy(to[i], v)
		}
	}
	maps.Copy(w.held, before) // copies are seen here alone
	o.Args = plain
	w.b.Emit(o)
}
