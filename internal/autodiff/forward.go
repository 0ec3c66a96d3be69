package autodiff

import (
	"github.com/gotaichi/ti/internal/ir"
)

// Forward returns a kernel that does what k does and carries tangents along: dual gives the field of the tangents of
// each field that has one. k stays as it is. The error is an [Unsupported].
func Forward(k *ir.Kernel, dual map[*ir.Field]*ir.Field, o Options) (*ir.Kernel, error) {
	body := normalBody(k.Body)
	out := *k
	out.Name = k.Name + ".dual"
	out.Fields = withAdjoints(k, dual)
	out.Body = &ir.Block{}
	f := newVaried(body, dual, nil)
	w := &forwarder{facts: f, b: ir.NewBuilder(out.Body), values: map[*ir.Value]*ir.Value{}, tangents: map[*ir.Value]*ir.Value{}, shadows: map[*ir.Op]*ir.Value{}}
	if o.Strict {
		w.b.Flags = ir.Strict
	}
	w.list(body.Ops)
	relax(out.Body)
	return &out, f.err
}

// A forwarder emits a kernel with tangents.
type forwarder struct {
	*facts
	b        *ir.Builder
	values   map[*ir.Value]*ir.Value // what stands for values of the normal form
	tangents map[*ir.Value]*ir.Value // their tangents; none for 0
	shadows  map[*ir.Op]*ir.Value    // of an array, that of its tangents
	serial   *ir.Op                  // the parallel loop whose iterations run in order, nil outside of one
	parts    []*ir.Op                // of the assignment or update that goes on with the next op
}

// value is what stands for a value of the normal form.
func (w *forwarder) value(v *ir.Value) *ir.Value { return w.values[v] }

func (w *forwarder) of(vs ...*ir.Value) []*ir.Value {
	out := make([]*ir.Value, len(vs))
	for i, v := range vs {
		out[i] = w.values[v]
	}
	return out
}

// tangent is that of v, a zero where it has none.
func (w *forwarder) tangent(v *ir.Value) *ir.Value {
	if d := w.tangents[v]; d != nil {
		return d
	}
	return w.b.Const(v.Type, 0)
}

// both are values and, behind them, the tangents of those whose counterparts in like vary.
func (w *forwarder) both(vs, like []*ir.Value) []*ir.Value {
	out := w.of(vs...)
	for i, v := range vs {
		if w.varied[like[i]] {
			out = append(out, w.tangent(v))
		}
	}
	return out
}

// bind makes to stand for values and the tangents of those that vary.
func (w *forwarder) bind(vs, to []*ir.Value) {
	n := len(vs)
	for i, v := range vs {
		w.values[v] = to[i]
		if w.varied[v] {
			w.tangents[v] = to[n]
			n++
		}
	}
}

// types are those of values and of the tangents of those that vary.
func (w *forwarder) types(vs []*ir.Value) (types []ir.Type) {
	var more []ir.Type
	for _, v := range vs {
		types = append(types, v.Type)
		if w.varied[v] {
			more = append(more, v.Type)
		}
	}
	return append(types, more...)
}

func (w *forwarder) list(ops []*ir.Op) {
	for _, o := range ops {
		w.b.Pos = o.Pos
		switch o.Code {
		case ir.OpLoad:
			w.copy(o)
			if place := w.dualAt(o); place != nil {
				w.tangents[o.Results[0]] = w.b.Load(o.Results[0].Type, place)
			}
		case ir.OpStore, ir.OpAtomic:
			w.part(o)
		case ir.OpAlloc:
			w.copy(o)
			if w.arrayOf[o].varied {
				w.shadows[o] = w.b.Alloc(o.Kind, int(o.Aux), o.Results[0].Name)
			}
		case ir.OpIf:
			w.ifOp(o)
		case ir.OpFor, ir.OpLoop, ir.OpParFor, ir.OpFieldFor:
			w.loop(o)
		case ir.OpOrdinal:
			if w.serial == nil {
				w.copy(o)
				break
			}
			w.values[o.Results[0]] = w.b.Int(o.Results[0].Type, w.serial.Aux) // random numbers stay those of the parallel loop
		case ir.OpStopGrad:
			w.values[o.Results[0]] = w.values[o.Args[0]]
		case ir.OpCall:
			w.copy(o)
			w.call(o)
		default:
			w.copy(o)
			w.op(o)
		}
	}
}

// copy emits an op without regions.
func (w *forwarder) copy(o *ir.Op) {
	c := *o
	c.Args, c.Results = w.of(o.Args...), nil
	for i, v := range o.Results {
		r := &ir.Value{Type: v.Type, Def: &c, Index: i, Name: v.Name}
		c.Results = append(c.Results, r)
		w.values[v] = r
	}
	w.b.Emit(&c)
}

// op emits the tangent of an op's result. Any tangent may be infinite, as another kernel may have stored it. A factor
// 0 makes 0 of that, as it does of an adjoint on the backward pass, before that meets what is infinite.
func (w *forwarder) op(o *ir.Op) {
	for i, a := range o.Args {
		d := w.tangents[a]
		if d == nil || !isDifferentiable(o, i) {
			continue
		}
		r := o.Results[0]
		if o.Code == ir.OpConvert {
			w.tangents[r] = w.b.Convert(d, r.Type.Kind)
			return
		}
		var none func() *ir.Value
		switch rule := ruleOf(o.Code); {
		case rule.singular:
			none = func() *ir.Value { return w.b.Op(ir.OpOr, nothing(w.b, w.tangents[a]), w.isFlat(o, i)) }
		case rule.factors && i < 2 && mayVanish(o.Args[1-i]):
			none = func() *ir.Value { return nothing(w.b, w.value(o.Args[1-i])) }
		case rule.bounded:
			none = func() *ir.Value { return w.isFlat(o, i) }
		}
		if d = apply(w.b, o, i, d, none, w.value); d == nil {
			continue
		}
		if was := w.tangents[r]; was != nil {
			d = w.b.Op(ir.OpAdd, was, d)
		}
		w.tangents[r] = d
	}
}

// isFlat emits whether the partial derivative of o with respect to operand i is 0.
func (w *forwarder) isFlat(o *ir.Op, i int) *ir.Value {
	return nothing(w.b, apply(w.b, o, i, w.b.Float(o.Args[i].Type, 1), nil, w.value))
}

// dualAt emits the place of the tangent of what o accesses, nil if it has none.
func (w *forwarder) dualAt(o *ir.Op) *ir.Value {
	d := o.Args[0].Def
	if a := w.arrayAt(o); a != nil {
		shadow := w.shadows[a.alloc]
		if shadow == nil || d.Code != ir.OpCell {
			return shadow
		}
		c := w.b.Op(ir.OpCell, shadow, w.values[d.Args[1]])
		c.Def.Flags = d.Flags & ir.InBounds
		return c
	}
	g := w.gradAt(o.Args[0])
	if g == nil {
		return nil
	}
	p := *d
	p.Field, p.Args = g, w.of(d.Args...)
	p.Results = []*ir.Value{{Type: ir.Scalar(ir.Ptr), Def: &p}}
	return w.b.Emit(&p)
}

// isProduct reports whether o multiplies or divides a real number in place.
func isProduct(o *ir.Op) bool {
	return o.Code == ir.OpAtomic && (o.Atomic == ir.AtomicMul || o.Atomic == ir.AtomicDiv) && o.Args[1].Type.Kind.IsFloat()
}

// within is the tangent d of what o stores, 0 where it is clamped.
func (w *forwarder) within(o *ir.Op, stored, d *ir.Value) *ir.Value {
	if !o.IsPacked() {
		return d
	}
	beyond := isBeyond(w.b, o, stored, w.value)
	return w.b.Op(ir.OpSelect, beyond, w.b.Const(d.Type, 0), d)
}

func (w *forwarder) ifOp(o *ir.Op) {
	types := w.types(o.Results)
	region := func(b *ir.Block) func() {
		return func() {
			ops := b.Ops
			w.list(ops[:len(ops)-1])
			w.b.Yield(w.both(ops[len(ops)-1].Args, o.Results)...)
		}
	}
	w.bind(o.Results, w.b.If(w.values[o.Args[0]], types, region(o.Regions[0]), region(o.Regions[1])))
}

// loop emits a loop of any kind; the tangents of what varies are carried too.
func (w *forwarder) loop(o *ir.Op) {
	twice := o.IsParallel() && w.changesTwo(o)
	if twice && !(o.Code == ir.OpFieldFor && o.Field.Sparse) {
		w.inOrder(o)
		return
	}
	c := *o
	c.Results = nil
	if o.Code == ir.OpFor || o.Code == ir.OpLoop {
		init, params := carried(o)
		bounds := o.Args[:len(o.Args)-len(init)]
		c.Args = append(w.of(bounds...), w.both(init, params)...)
		for i, t := range w.types(params) {
			c.Results = append(c.Results, &ir.Value{Type: t, Def: &c, Index: i})
		}
	} else {
		c.Args = w.of(o.Args...)
		if twice {
			c.Flags |= ir.Serial
		}
	}
	body := &ir.Block{Parent: &c}
	c.Regions = []*ir.Block{body}
	w.b.Emit(&c)
	w.b.In(body, func() { w.loopBody(o, &c, body) })
	if len(o.Results) > 0 {
		_, params := carried(o)
		w.results(o, params, c.Results)
	}
}

// inOrder emits serial loops instead of a parallel one.
func (w *forwarder) inOrder(o *ir.Op) {
	params := o.Regions[0].Params
	bounds := w.of(o.Args...)
	if o.Code == ir.OpFieldFor {
		for i, p := range params {
			lo, hi := rangeOf(w.b, o.Field, i, p.Type)
			bounds = append(bounds, lo, hi)
		}
	}
	var nest func(i int)
	nest = func(i int) {
		if i == len(params) {
			w.list(inner(o))
			return
		}
		c := ir.NewOp(ir.OpFor, o.Pos, nil, bounds[2*i], bounds[2*i+1])
		w.values[params[i]] = c.Regions[0].AddParam(params[i].Type, params[i].Name)
		w.b.Emit(c)
		w.b.In(c.Regions[0], func() {
			nest(i + 1)
			w.b.Jump(ir.OpContinue, c)
		})
	}
	w.serial = o
	nest(0)
	w.serial = nil
}

// rangeOf emits the first index of a field along an axis, and the one behind the last.
func rangeOf(b *ir.Builder, f *ir.Field, axis int, t ir.Type) (lo, hi *ir.Value) {
	lo = b.Int(t, f.Low(axis))
	n, at := f.Extent(axis)
	if at == nil {
		return lo, b.Int(t, f.Low(axis)+n)
	}
	return lo, b.Op(ir.OpAdd, lo, b.Length(at, t.Kind))
}

// changesTwo reports whether a loop accumulates minima, maxima or products that have tangents, or sums that clamp of
// several iterations.
func (w *forwarder) changesTwo(o *ir.Op) (found bool) {
	ir.Visit(o.Regions[0], func(p *ir.Op) bool {
		found = found || w.clampsSum(p) && !w.ownElement(o, p)
		if isExtremum(p) || isProduct(p) {
			a := w.arrayAt(p)
			found = found || w.gradAt(p.Args[0]) != nil || a != nil && a.varied && !w.contains(o, a.alloc)
		}
		return !found
	})
	return found
}

// results binds those of a loop, which vary as its parameters do or not at all.
func (w *forwarder) results(o *ir.Op, params, to []*ir.Value) {
	n := len(params)
	for i, p := range params {
		w.values[o.Results[i]] = to[i]
		if w.varied[p] {
			w.tangents[o.Results[i]] = to[n]
			n++
		}
	}
}

func (w *forwarder) loopBody(o, c *ir.Op, body *ir.Block) {
	all := o.Regions[0].Params
	if o.IsParallel() {
		for _, p := range all {
			w.values[p] = body.AddParam(p.Type, p.Name)
		}
		w.list(inner(o))
		w.b.Jump(ir.OpContinue, c)
		return
	}
	_, params := carried(o)
	if o.Code == ir.OpFor {
		w.values[all[0]] = body.AddParam(all[0].Type, all[0].Name)
	}
	var fresh []*ir.Value
	for _, t := range w.types(params) {
		fresh = append(fresh, body.AddParam(t, ""))
	}
	w.bind(params, fresh)
	w.list(inner(o))
	on, done := next(o)
	vals := w.both(on, params)
	if done == nil {
		w.b.Jump(ir.OpContinue, c, vals...)
		return
	}
	w.b.If(w.values[done], nil, func() { w.b.Jump(ir.OpBreak, c, vals...) }, func() { w.b.Jump(ir.OpContinue, c, vals...) })
	w.b.Jump(ir.OpContinue, c, vals...) // never reached
}
