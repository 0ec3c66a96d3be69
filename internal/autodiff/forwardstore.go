package autodiff

import "github.com/gotaichi/ti/internal/ir"

// This file is the part of forward mode that emits stores and atomics. The parts of an assignment or update that are joined stay so, and
// their tangents are joined behind them.

// part emits a store or atomic and its tangent, with those that are joined to it when the last comes.
func (w *forwarder) part(o *ir.Op) {
	w.parts = append(w.parts, o)
	if o.Flags.Has(ir.More) {
		return
	}
	parts := w.parts
	w.parts = nil
	if o.Code == ir.OpStore {
		w.stores(parts)
	} else {
		w.atomics(parts)
	}
}

// stores emits the stores of an assignment.
func (w *forwarder) stores(parts []*ir.Op) {
	for _, o := range parts {
		w.copy(o)
	}
	var to, ds []*ir.Value
	for _, o := range parts {
		if place := w.dualAt(o); place != nil {
			to, ds = append(to, place), append(ds, w.tangent(o.Args[1]))
		}
	}
	w.storeAll(to, ds)
}

// storeAll emits stores that are joined.
func (w *forwarder) storeAll(places, vs []*ir.Value) {
	for i, p := range places {
		w.b.Store(p, vs[i])
	}
	w.b.Join(len(places))
}

// atomics emits the atomics of an update, which are of one kind.
func (w *forwarder) atomics(parts []*ir.Op) {
	varies := false
	for _, o := range parts {
		varies = varies || w.hasTangent(o)
	}
	switch o := parts[0]; {
	case varies && isExtremum(o):
		w.extremum(parts)
		return
	case varies && isProduct(o):
		w.product(parts)
		return
	}
	for _, o := range parts {
		w.copy(o)
	}
	var clamped, others []*ir.Op
	for _, o := range parts {
		if w.clampsSum(o) {
			clamped = append(clamped, o)
		} else if o.Args[len(o.Args)-1].Type.Kind.IsFloat() && w.hasTangent(o) {
			others = append(others, o)
		}
	}
	w.sum(clamped)
	w.add(others)
}

// hasTangent reports whether what o accesses has a tangent.
func (w *forwarder) hasTangent(o *ir.Op) bool {
	a := w.arrayAt(o)
	return w.gradAt(o.Args[0]) != nil || a != nil && a.varied
}

// add emits the tangents of sums.
func (w *forwarder) add(parts []*ir.Op) {
	var to, ds []*ir.Value
	for _, o := range parts {
		if o.Atomic != ir.AtomicAdd && o.Atomic != ir.AtomicSub {
			w.fail(o, "atomic %s on an element with a tangent has no derivative", o.Atomic)
			return
		}
		if d := w.tangents[o.Args[1]]; d != nil {
			to, ds = append(to, w.dualAt(o)), append(ds, d)
		}
	}
	for i, p := range to {
		w.b.Atomic(parts[0].Atomic, p, ds[i])
	}
	w.b.Join(len(to))
}

// extremum emits minima or maxima that are accumulated: the tangent is that of the value which was stored last. Their
// loop is serial, as two numbers change at once.
func (w *forwarder) extremum(parts []*ir.Op) {
	var places, old, now, changed []*ir.Value
	for _, o := range parts {
		v := o.Args[1]
		places = append(places, w.values[o.Args[0]])
		old = append(old, w.b.Load(v.Type, w.values[o.Args[0]]))
	}
	var some *ir.Value
	for i, o := range parts {
		code, _ := o.Atomic.Code()
		now = append(now, w.b.Op(code, old[i], w.values[o.Args[1]]))
		w.values[o.Results[0]] = old[i]
		changed = append(changed, w.b.Op(ir.OpNe, old[i], now[i]))
		if some == nil {
			some = changed[i]
		} else {
			some = w.b.Op(ir.OpOr, some, changed[i])
		}
	}
	w.b.If(some, nil, func() {
		w.storeAll(places, now)
		var to, ds []*ir.Value
		for i, o := range parts {
			at := w.dualAt(o)
			if at == nil {
				continue
			}
			d := w.within(o, now[i], w.tangent(o.Args[1]))
			if len(parts) > 1 {
				d = w.b.Op(ir.OpSelect, changed[i], d, w.b.Load(d.Type, at))
			}
			to, ds = append(to, at), append(ds, d)
		}
		w.storeAll(to, ds)
		w.b.Yield()
	}, func() { w.b.Yield() })
}

// product emits products or quotients that are accumulated, and their tangents, which are those of the plain ops.
// Their loop is serial, as two numbers change at once.
func (w *forwarder) product(parts []*ir.Op) {
	var places, at, old, now []*ir.Value
	for _, o := range parts {
		places, at = append(places, w.values[o.Args[0]]), append(at, w.dualAt(o))
	}
	for i, o := range parts {
		old = append(old, w.b.Load(o.Args[1].Type, places[i]))
		code, _ := o.Atomic.Code()
		now = append(now, w.b.Op(code, old[i], w.values[o.Args[1]]))
	}
	w.storeAll(places, now)
	var to, ds []*ir.Value
	for i, o := range parts {
		w.values[o.Results[0]] = old[i]
		if at[i] == nil {
			continue
		}
		v := o.Args[1]
		code, _ := o.Atomic.Code()
		before := &ir.Value{Type: v.Type}
		plain := ir.NewOp(code, o.Pos, []ir.Type{v.Type}, before, v)
		w.values[before], w.tangents[before] = old[i], w.b.Load(v.Type, at[i])
		w.values[plain.Results[0]] = now[i]
		w.op(plain)
		to, ds = append(to, at[i]), append(ds, w.within(o, now[i], w.tangents[plain.Results[0]]))
	}
	w.storeAll(to, ds)
}

// sum emits the tangents behind sums that clamp. Numbers and tangents change together, so iterations that share elements run in order.
func (w *forwarder) sum(parts []*ir.Op) {
	var to, ds []*ir.Value
	for _, o := range parts {
		v, at := o.Args[1], w.dualAt(o)
		code, _ := o.Atomic.Code()
		now := w.b.Load(v.Type, w.values[o.Args[0]])
		clamped := atEnd(w.b, o, now, w.values[v], w.value)
		d := w.b.Load(v.Type, at)
		if by := w.tangents[v]; by != nil {
			d = w.b.Op(code, d, by)
		}
		to, ds = append(to, at), append(ds, w.b.Op(ir.OpSelect, clamped, w.b.Const(v.Type, 0), d))
	}
	w.storeAll(to, ds)
}
