package autodiff

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// Calls are of functions with derivatives of their own: others are inlined by lowering.

// ownRule returns the function that computes the derivative of a call, nil if there is none.
func ownRule(o *ir.Op) *ir.Func {
	if o.Code != ir.OpCall {
		return nil
	}
	return o.Func.Rule
}

// callRule emits the call of the derivative of o; d gives the adjoint of a result. It returns the adjoints of the
// arguments that are floats.
func callRule(b *ir.Builder, o *ir.Op, value func(*ir.Value) *ir.Value, d func(*ir.Value) *ir.Value) []*ir.Value {
	var args []*ir.Value
	for _, a := range o.Args {
		args = append(args, value(a))
	}
	if o.Func.Rule.TakesResults {
		for _, r := range o.Results {
			args = append(args, value(r))
		}
	}
	for _, r := range o.Results {
		if r.Type.Kind.IsFloat() {
			args = append(args, d(r))
		}
	}
	return b.Call(o.Func.Rule, args...)
}

// floats are the values that are floats.
func floats(vs []*ir.Value) (list []*ir.Value) {
	for _, v := range vs {
		if v.Type.Kind.IsFloat() {
			list = append(list, v)
		}
	}
	return list
}

// reverseCall takes the backward pass through a call.
func (r *reverser) reverseCall(o *ir.Op) {
	ds := map[*ir.Value]*ir.Value{}
	for _, v := range floats(o.Results) {
		if d := r.take(v); d != nil {
			ds[v] = d
		}
	}
	if len(ds) == 0 {
		return
	}
	seed := func(v *ir.Value) *ir.Value { return r.orZero(ds[v], v.Type) }
	var back []*ir.Value
	if slices.ContainsFunc(o.Results, func(v *ir.Value) bool { return r.masked[v] }) {
		back = r.unlessMasked(o, seed)
	} else {
		back = callRule(r.b, o, r.of, seed)
	}
	r.checkCall(o, ds, back)
	for i, a := range floats(o.Args) {
		r.add(a, back[i])
	}
}

// unlessMasked calls the derivative of o. If the adjoints of all results are 0, since a select chose other values or nothing
// depends on them, NaNs that the derivative makes of these zeros are replaced by 0.
func (r *reverser) unlessMasked(o *ir.Op, seed func(v *ir.Value) *ir.Value) []*ir.Value {
	back := callRule(r.b, o, r.of, seed)
	var none *ir.Value
	for _, v := range floats(o.Results) {
		is := nothing(r.b, seed(v))
		if isWhole(v) {
			is = r.b.OpOf(ir.OpAll, ir.Scalar(ir.Bool), is)
		}
		if none != nil {
			is = r.b.Op(ir.OpAnd, none, is)
		}
		none = is
	}
	kept := make([]*ir.Value, len(back))
	for i, p := range back {
		if isWhole(p) {
			kept[i] = r.b.Op(ir.OpSelect, none, r.b.Op(ir.OpSelect, r.b.Op(ir.OpIsNaN, p), r.b.Float(p.Type, 0), p), p)
			continue
		}
		kept[i] = where(r.b, r.b.Op(ir.OpAnd, r.b.Op(ir.OpIsNaN, p), none), r.b.Float(p.Type, 0), p)
	}
	return kept
}

// maxSeeds is the number of results up to which a tangent is made of one call of the derivative for each of them; the
// calls for more are a loop.
const maxSeeds = 3

// call emits the tangents of the results of a call: by the function that computes them, if there is one, else the
// derivative is evaluated for each of them.
func (w *forwarder) call(o *ir.Op) {
	if !slices.ContainsFunc(o.Args, func(a *ir.Value) bool { return w.tangents[a] != nil }) {
		return
	}
	if ownRule(o) == nil {
		w.fail(o, "%s", o.Func.NoRule)
		return
	}
	results := floats(o.Results)
	if o.Func.Tangent != nil {
		for i, d := range w.callTangent(o) {
			w.tangents[results[i]] = d
		}
		return
	}
	if isLong(o) {
		for i, d := range w.rows(o) {
			w.tangents[results[i]] = d
		}
		return
	}
	value := func(v *ir.Value) *ir.Value { return w.values[v] }
	if len(results) <= maxSeeds {
		for _, r := range results {
			w.tangents[r] = w.rowTimesTangent(o, r.Type, callRule(w.b, o, value, func(v *ir.Value) *ir.Value {
				if v == r {
					return w.b.Float(v.Type, 1)
				}
				return w.b.Const(v.Type, 0)
			}))
		}
		return
	}
	i32 := ir.Scalar(ir.I32)
	types := make([]ir.Type, len(results))
	init := []*ir.Value{w.b.Int(i32, 0), w.b.Int(i32, int64(len(results)))}
	for i, r := range results {
		types[i] = r.Type
		init = append(init, w.b.Const(r.Type, 0))
	}
	loop := ir.NewOp(ir.OpFor, w.b.Pos, types, init...)
	body := loop.Regions[0]
	row := body.AddParam(i32, "")
	for _, t := range types {
		body.AddParam(t, "")
	}
	w.b.Emit(loop)
	w.b.In(body, func() {
		is := func(i int) *ir.Value { return w.b.Op(ir.OpEq, row, w.b.Int(i32, int64(i))) }
		n := -1
		back := callRule(w.b, o, value, func(v *ir.Value) *ir.Value {
			n++
			return where(w.b, is(n), w.b.Float(v.Type, 1), w.b.Const(v.Type, 0))
		})
		on := make([]*ir.Value, len(results))
		for i, r := range results {
			on[i] = where(w.b, is(i), w.rowTimesTangent(o, r.Type, back), body.Params[i+1])
		}
		w.b.Jump(ir.OpContinue, loop, on...)
	})
	for i, r := range results {
		w.tangents[r] = loop.Results[i]
	}
}

// rowTimesTangent multiplies derivatives by the arguments with the tangents of these, as type t.
func (w *forwarder) rowTimesTangent(o *ir.Op, t ir.Type, row []*ir.Value) *ir.Value {
	sum := w.b.Const(t, 0)
	for i, a := range floats(o.Args) {
		if d := w.tangents[a]; d != nil {
			factor := w.b.Convert(row[i], t.Kind)
			product := w.b.Op(ir.OpMul, factor, w.b.Convert(d, t.Kind))
			none := w.b.Op(ir.OpAnd, w.b.Op(ir.OpIsNaN, product), nothing(w.b, factor))
			if zero := w.b.Float(product.Type, 0); isWhole(a) {
				product = w.b.OpOf(ir.OpTotal, t, w.b.Op(ir.OpSelect, none, zero, product))
			} else {
				product = where(w.b, none, zero, product) // as in op
			}
			sum = w.b.Op(ir.OpAdd, sum, product)
		}
	}
	return sum
}

// Inline puts the bodies of functions in place of their calls, of all or of those without a derivative of their own.
// With the last calls go values of several lanes.
func Inline(k *ir.Kernel, all bool) {
	for inlineIn(k.Body, all) {
	}
	if all {
		k.Funcs = nil
		takeApart(k.Body)
	}
}

// DropStops takes the marks of values that are constant to differentiation out of a kernel that is not differentiated
// again: functions with a derivative of their own bring them along, and that derivative too, and so does a kernel that
// stores old values.
func DropStops(body *ir.Block) {
	marked := map[*ir.Value]*ir.Value{}
	var drop func(b *ir.Block)
	drop = func(b *ir.Block) {
		b.Ops = slices.DeleteFunc(b.Ops, func(o *ir.Op) bool {
			if o.Code != ir.OpStopGrad {
				return false
			}
			marked[o.Results[0]] = o.Args[0]
			return true
		})
		for _, o := range b.Ops {
			for _, r := range o.Regions {
				drop(r)
			}
		}
	}
	drop(body)
	ir.Substitute(body, marked)
}

// inlineIn inlines the calls in a block, and reports whether there were any.
func inlineIn(b *ir.Block, all bool) (found bool) {
	var ops []*ir.Op
	replaced := map[*ir.Value]*ir.Value{}
	for _, o := range b.Ops {
		for _, r := range o.Regions {
			found = inlineIn(r, all) || found
		}
		if o.Code != ir.OpCall || !all && ownRule(o) != nil {
			ops = append(ops, o)
			continue
		}
		found = true
		block := bodyOf(o)
		inside, results := block.Regions[0].Ops, block.Results
		if last := len(inside) - 1; inside[last].Code == ir.OpBreak && !jumpsTo(inside[:last], block) {
			ops, results = append(ops, inside[:last]...), inside[last].Args
		} else {
			ops = append(ops, block)
		}
		for i, r := range o.Results {
			replaced[r] = results[i]
		}
	}
	b.Ops = ops
	ir.Substitute(b, replaced)
	return found
}

// jumpsTo reports whether a jump in ops is to target.
func jumpsTo(ops []*ir.Op, target *ir.Op) (found bool) {
	ir.Visit(&ir.Block{Ops: ops}, func(o *ir.Op) bool {
		found = found || o.Target == target
		return !found
	})
	return found
}

// bodyOf is a block with the body of the function that o calls.
func bodyOf(o *ir.Op) *ir.Op {
	types := make([]ir.Type, len(o.Results))
	for i, r := range o.Results {
		types[i] = r.Type
	}
	block := ir.NewOp(ir.OpBlock, o.Pos, types)
	values := map[*ir.Value]*ir.Value{}
	for i, p := range o.Func.Body.Params {
		values[p] = o.Args[i]
	}
	c := ir.NewCloner(values)
	block.Regions[0].Ops = c.List(o.Func.Body.Ops)
	ir.Visit(block.Regions[0], func(p *ir.Op) bool {
		if p.Code == ir.OpReturn {
			p.Code, p.Target = ir.OpBreak, block
		}
		return true
	})
	return block
}
