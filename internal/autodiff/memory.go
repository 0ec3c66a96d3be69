package autodiff

import "github.com/gotaichi/ti/internal/ir"

// adjointAt emits the place of the adjoint of what o accesses, nil if it has none; shared says that other iterations
// may change it.
func (r *reverser) adjointAt(o *ir.Op) (place *ir.Value, shared bool) {
	if a := r.arrayAt(o); a != nil {
		shadow := r.shadow(a)
		if shadow == nil {
			return nil, false
		}
		shared = r.parallel != nil && !r.contains(r.parallel, a.alloc)
		if d := o.Args[0].Def; d.Code == ir.OpCell {
			c := r.b.Op(ir.OpCell, shadow, r.of(d.Args[1]))
			c.Def.Flags = d.Flags & ir.InBounds
			return c, shared
		}
		return shadow, shared
	}
	g := r.gradAt(o.Args[0])
	if g == nil {
		return nil, false
	}
	p := *o.Args[0].Def
	if r.isCertain(o.Args[0].Def) && !g.Sparse {
		p.Flags |= ir.InBounds
	}
	p.Field, p.Args = g, r.all(p.Args)
	p.Results = []*ir.Value{{Type: ir.Scalar(ir.Ptr), Def: &p}}
	return r.b.Emit(&p), true
}

// shadow is the array of the adjoints of a.
func (r *reverser) shadow(a *array) *ir.Value {
	for f := r.frame; f != nil; f = f.up {
		if s := f.shadows[a.alloc]; s != nil {
			return s
		}
	}
	return nil
}

// outsideOf reports whether a load is from an array of the kernel, in a parallel loop.
func (r *reverser) outsideOf(o *ir.Op) bool {
	a := r.arrayAt(o)
	return a != nil && !r.contains(r.parallel, a.alloc)
}

func (r *reverser) reverseLoad(o *ir.Op) {
	d := r.take(o.Results[0])
	if d == nil || r.gathered[o] {
		return
	}
	if r.into != nil && (r.gradAt(o.Args[0]) != nil || r.outsideOf(o)) {
		if v := r.into(o); v != nil {
			r.add(v, d)
		}
		return
	}
	r.whereActive(o, func() {
		place, shared := r.adjointAt(o)
		switch {
		case place == nil:
		case shared:
			old := r.b.Atomic(ir.AtomicAdd, place, d)
			if r.CheckNaN {
				r.plus(old, d)
			}
		default:
			r.b.Store(place, r.plus(r.b.Load(d.Type, place), d))
		}
	})
}

// whereActive runs f where the adjoint of what o accesses is in an active cell: adjoints of others are dropped, since a
// backward pass activates nothing.
func (r *reverser) whereActive(o *ir.Op, f func()) {
	if is := r.isActive(o); is != nil {
		r.when(is, f)
		return
	}
	f()
}

// isActive emits whether the adjoint of what o accesses is in an active cell, nil if all are.
func (r *reverser) isActive(o *ir.Op) *ir.Value {
	g := r.gradAt(o.Args[0])
	if g == nil || !g.Sparse {
		return nil
	}
	index := o.Args[0].Def.Args[:g.Rank()] // without that of a component
	is := ir.NewOp(ir.OpIsActive, r.b.Pos, []ir.Type{ir.Scalar(ir.Bool)}, r.all(index)...)
	is.Field = g
	return r.b.Emit(is)
}

// reverseStore takes the adjoint of what was stored, to which belongs what the iteration has read of it. That of an
// array goes back to what it was before, and so does that of an element if it is cleared; else it is left to the
// program.
func (r *reverser) reverseStore(o *ir.Op) {
	v := o.Args[1]
	place, _ := r.adjointAt(o)
	if place == nil {
		return
	}
	var back, all *ir.Value // what the iteration has read gives, and with it all
	if o := r.readback[o]; o != nil {
		back = r.take(o.Results[0])
	}
	clears := r.Clear || r.arrayAt(o) != nil
	leaves := back != nil && !clears && (r.into == nil || r.settling[o])
	if r.settled[o] { // it is in memory already
		back, leaves = nil, false
	}
	if r.active(v) || leaves {
		all = r.b.Load(v.Type, place)
		if back != nil {
			all = r.plus(all, back)
		}
		r.add(v, all)
	}
	if leaves || clears && r.into == nil {
		if !leaves {
			all = r.b.Const(v.Type, 0)
		}
		r.whereActive(o, func() {
			at, _ := r.adjointAt(o)
			r.b.Store(at, all)
		})
	}
}

func (r *reverser) reverseAtomic(o *ir.Op) {
	v := o.Args[len(o.Args)-1]
	if !v.Type.Kind.IsFloat() {
		return
	}
	if r.clampsSum(o) {
		r.reverseSum(o)
		return
	}
	switch o.Atomic {
	case ir.AtomicAdd, ir.AtomicSub:
		if !r.active(v) {
			return
		}
		place, _ := r.adjointAt(o)
		if place == nil {
			return
		}
		d := r.b.Load(v.Type, place)
		if o.Atomic == ir.AtomicSub {
			d = r.b.Op(ir.OpNeg, d)
		}
		r.add(v, d)
	case ir.AtomicMul, ir.AtomicDiv:
		if a := r.arrayAt(o); a != nil {
			r.fail(o, "the iterations of a parallel loop multiply or divide the variable %s in place, and its values between are lost; make the loop serial, or add up logarithms", a.alloc.Results[0].Name)
			return
		}
		r.fail(o, "an element with an adjoint is multiplied or divided in place, and its value before is lost; store the product elsewhere")
	case ir.AtomicMin, ir.AtomicMax:
		r.reverseExtremum(o)
	default:
		r.fail(o, "atomic %s on an element with an adjoint has no derivative", o.Atomic)
	}
}
