package autodiff

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/fold"
)

// A stencil may visit its neighbours by a serial loop, such as "for dx := -1; dx <= 1; dx++". Only once that is
// unrolled lies each load at a constant distance from the iteration, and may be gathered.

// Limits of unrolling: the iterations of one loop, since a gather takes no more places; and the ops of a parallel loop
// as they are visited, those of all iterations of its serial loops together.
const (
	mostTrips    = mostGathered
	mostUnrolled = 1500
)

// An unrolledLoop is a serial loop that was unrolled, for people, with the most iterations that it has.
type unrolledLoop struct {
	pos   ir.Pos
	trips int
}

// unrollStencils unrolls the serial loops in those parallel loops whose backward pass gathers something then. It
// returns for each of them what was unrolled, and which others could gather, but at a higher cost than that of
// atomics. What loads of stored values have become then is added to readback, as [reload] does.
//
// Input: a body in the normal form. Output: the same form; other parallel loops are as they were.
func unrollStencils(body *ir.Block, grad map[*ir.Field]*ir.Field, readback map[*ir.Op]*ir.Op, without option.Switches) (loops map[*ir.Op][]unrolledLoop, costly map[*ir.Op]bool) {
	if without.Has(option.Gather) {
		return nil, nil
	}
	used := usedIn(body)
	var tried []*ir.Op
	rolled := map[*ir.Op]*ir.Block{}
	loops = map[*ir.Op][]unrolledLoop{}
	ir.Visit(body, func(o *ir.Op) bool {
		if !o.IsParallel() || !mayUnroll(o, grad, used) {
			return true
		}
		u := &unroller{b: ir.NewBuilder(&ir.Block{Parent: o}), copies: copies{}, consts: map[number]*ir.Value{}, left: mostUnrolled}
		if u.body(o) {
			tried, rolled[o], loops[o] = append(tried, o), o.Regions[0], u.loops
			o.Regions[0] = u.b.Block
		}
		return false
	})
	if len(tried) == 0 {
		return nil, nil
	}
	reload(body, grad, readback)
	f := newVaried(body, grad, readback)
	f.without = without
	for changed := true; changed; {
		changed = f.use()
	}
	for _, o := range tried {
		ir.Visit(o.Regions[0], func(p *ir.Op) bool {
			f.wants(p)
			return true
		})
	}
	for _, o := range tried {
		if groups, _ := f.gatherings(o); len(groups) == 0 {
			o.Regions[0] = rolled[o]
			delete(loops, o)
		}
	}
	return loops, f.costly
}

// usedIn has the values that are operands.
func usedIn(body *ir.Block) map[*ir.Value]bool {
	used := map[*ir.Value]bool{}
	ir.Visit(body, func(o *ir.Op) bool {
		for _, a := range o.Args {
			used[a] = true
		}
		return true
	})
	return used
}

// mayUnroll reports whether a parallel loop has serial loops, loads that may be gathered, and nothing but the loops in
// the way. Where the backward pass may need old values of atomics, loops stay: a launch stores these in another way
// outside of serial loops.
func mayUnroll(o *ir.Op, grad map[*ir.Field]*ir.Field, used map[*ir.Value]bool) bool {
	loops, loads, other := false, false, false
	ir.Visit(o.Regions[0], func(p *ir.Op) bool {
		switch p.Code {
		case ir.OpFor, ir.OpLoop:
			loops = true
		case ir.OpLoad:
			d := p.Args[0].Def
			loads = loads || d != nil && d.Code == ir.OpPtr && grad[d.Field] != nil
		case ir.OpAtomic:
			other = other || used[p.Results[0]] || isExtremum(p)
		case ir.OpAlloc, ir.OpCall, ir.OpAppend, ir.OpParFor, ir.OpFieldFor:
			other = true
		}
		return !other
	})
	return loops && loads && !other
}

// An unroller copies the body of a parallel loop, with its serial loops unrolled. What the index of a loop decides is
// computed: else the limits would hold for what is dropped later.
type unroller struct {
	copies
	b      *ir.Builder
	start  []*ir.Op // constants
	consts map[number]*ir.Value
	known  []map[formula]*ir.Value // what is computed, in the blocks around
	loops  []unrolledLoop
	left   int  // ops that may be visited yet
	failed bool // a loop is too long, or only a launch knows its length
}

// A number is a constant of a type.
type number struct {
	t    ir.Type
	bits uint64
}

// A formula is an op on integers. Equal ones have one result.
type formula struct {
	code  ir.Code
	flags ir.Flags
	t     ir.Type
	args  [3]*ir.Value
}

// body copies the body of o and reports whether all loops in it were unrolled.
func (u *unroller) body(o *ir.Op) bool {
	for _, p := range o.Regions[0].Params {
		u.copies[p] = u.b.Block.AddParam(p.Type, p.Name)
	}
	u.scope(func() { u.list(inner(o)) })
	if u.failed {
		return false
	}
	u.b.Pos = o.Pos
	u.b.Jump(ir.OpContinue, o)
	u.b.Block.Ops = slices.Concat(u.start, u.b.Block.Ops)
	return true
}

// scope runs f, and forgets what that has computed.
func (u *unroller) scope(f func()) {
	u.known = append(u.known, map[formula]*ir.Value{})
	f()
	u.known = u.known[:len(u.known)-1]
}

// list copies ops, and returns what they yield.
func (u *unroller) list(ops []*ir.Op) []*ir.Value {
	for _, o := range ops {
		if u.left--; u.left < 0 {
			u.failed = true
		}
		if u.failed {
			return nil
		}
		u.b.Pos = o.Pos
		switch o.Code {
		case ir.OpYield:
			return u.of(o.Args)
		case ir.OpIf:
			u.branch(o)
		case ir.OpFor:
			u.counted(o)
		case ir.OpLoop:
			u.loop(o)
		default:
			u.op(o)
		}
	}
	return nil
}

// branch copies an if, or the region that is known to run.
func (u *unroller) branch(o *ir.Op) {
	if c, known := ir.ConstOf(u.of(o.Args)[0]); known {
		yields := u.list(o.Regions[1-c&1].Ops)
		if !u.failed {
			u.bind(o.Results, yields)
		}
		return
	}
	c := u.copy(o)
	for i, r := range o.Regions {
		u.b.In(c.Regions[i], func() {
			u.scope(func() {
				yields := u.list(r.Ops)
				u.b.Pos = o.Pos
				u.b.Yield(yields...)
			})
		})
	}
	u.bind(o.Results, c.Results)
	u.b.Emit(c)
}

// counted unrolls a for.
func (u *unroller) counted(o *ir.Op) {
	args := u.of(o.Args)
	lo, known := ir.IntOf(args[0])
	hi, known2 := ir.IntOf(args[1])
	if !known || !known2 || hi > lo && uint64(hi)-uint64(lo) > mostTrips || args[0].Type.Kind.IsUnsigned() && (lo < 0 || hi < 0) {
		u.failed = true
		return
	}
	state := args[2:]
	params := o.Regions[0].Params
	for k := lo; k < hi; k++ {
		u.copies[params[0]] = u.constant(params[0].Type, ir.IntBits(params[0].Type.Kind, k))
		u.bind(params[1:], state)
		u.list(inner(o))
		if u.failed {
			return
		}
		on, _ := next(o)
		state = u.of(on)
	}
	u.bind(o.Results, state)
	u.unrolled(o, int(max(0, hi-lo)))
}

// unrolled notes that a loop had so many iterations, for some iteration of those around.
func (u *unroller) unrolled(o *ir.Op, trips int) {
	i := slices.IndexFunc(u.loops, func(l unrolledLoop) bool { return l.pos == o.Pos })
	if i < 0 {
		u.loops = append(u.loops, unrolledLoop{o.Pos, trips})
		return
	}
	u.loops[i].trips = max(u.loops[i].trips, trips)
}

// loop unrolls a loop if constants decide after each iteration whether there is another one.
func (u *unroller) loop(o *ir.Op) {
	state := u.of(o.Args)
	for n := 1; ; n++ {
		u.bind(o.Regions[0].Params, state)
		u.list(inner(o))
		if u.failed {
			return
		}
		on, done := next(o)
		state = u.of(on)
		last, known := ir.ConstOf(u.of([]*ir.Value{done})[0])
		switch {
		case !known || last == 0 && n > mostTrips: // the test of a for makes an iteration more
			u.failed = true
			return
		case last != 0:
			u.bind(o.Results, state)
			u.unrolled(o, n-1)
			return
		}
	}
}

// op copies any other op, or finds its result.
func (u *unroller) op(o *ir.Op) {
	if o.Code == ir.OpConst {
		bits, _ := ir.ConstOf(o.Results[0])
		u.copies[o.Results[0]] = u.constant(o.Results[0].Type, bits)
		return
	}
	c := u.copy(o)
	if bits, ok := fold.Op(c); ok {
		u.copies[o.Results[0]] = u.constant(c.Results[0].Type, bits)
		return
	}
	if c.Code.Is(ir.Commutative) && len(c.Args) == 2 {
		if _, first := ir.ConstOf(c.Args[0]); first { // where a neighbour's distance is looked for
			c.Args[0], c.Args[1] = c.Args[1], c.Args[0]
		}
	}
	if key, ok := formulaOf(c); ok {
		for _, known := range u.known {
			if v := known[key]; v != nil {
				u.copies[o.Results[0]] = v
				return
			}
		}
		u.known[len(u.known)-1][key] = c.Results[0]
	}
	u.bind(o.Results, c.Results)
	u.b.Emit(c)
}

// copy makes an op like o, without what is in its regions.
func (u *unroller) copy(o *ir.Op) *ir.Op {
	c := *o
	c.Args, c.Results, c.Regions = u.of(o.Args), nil, nil
	for i, r := range o.Results {
		c.Results = append(c.Results, &ir.Value{Type: r.Type, Def: &c, Index: i, Name: r.Name})
	}
	for range o.Regions {
		c.Regions = append(c.Regions, &ir.Block{Parent: &c})
	}
	return &c
}

// formulaOf returns the formula of an op that computes an integer or a condition.
func formulaOf(o *ir.Op) (f formula, ok bool) {
	if !isArithmetic(o) && !isQuestion(o) || len(o.Args) > len(f.args) {
		return f, false
	}
	f = formula{code: o.Code, flags: o.Flags, t: o.Results[0].Type}
	copy(f.args[:], o.Args)
	return f, true
}

// isQuestion reports whether an op is a remainder or a condition, by which stencils treat the border.
func isQuestion(o *ir.Op) bool {
	switch o.Code {
	case ir.OpRem, ir.OpMod, ir.OpAnd, ir.OpOr, ir.OpNot, ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe, ir.OpSelect:
		k := o.Results[0].Type.Kind
		return k.IsInt() || k == ir.Bool
	}
	return false
}

// constant is a constant at the start of the body.
func (u *unroller) constant(t ir.Type, bits uint64) *ir.Value {
	n := number{t, bits}
	if u.consts[n] == nil {
		b := ir.NewBuilder(&ir.Block{})
		b.Pos = u.b.Pos
		u.consts[n] = b.Const(t, bits)
		u.start = append(u.start, b.Block.Ops...)
	}
	return u.consts[n]
}
