package autodiff

import (
	"github.com/gotaichi/ti/internal/ir"
)

// An update of an element in few bits clamps where the sum is beyond the ends of the form. Then the element no longer
// changes with what it was before, nor with what was added: both derivatives are 0. What decides is the element and
// the sign of the increment: the update has clamped if the element stands, after it, at the end that the increment
// points to. So a sum that just reaches an end counts as clamped, and an increment of 0 never does.
//
// Forward mode looks right after the update. The backward pass does not know what the element was then, unless
// something keeps it. By the rules of data access nothing but further updates comes later, and it looks at what the
// element is in the end. So it takes an update as one that did not clamp if later ones have led away from the end.

// clampsSum reports whether o adds to or takes from an element with an adjoint or tangent that is stored in few bits.
func (f *facts) clampsSum(o *ir.Op) bool {
	return o.Code == ir.OpAtomic && (o.Atomic == ir.AtomicAdd || o.Atomic == ir.AtomicSub) && o.Args[1].Type.Kind.IsFloat() &&
		f.gradAt(o.Args[0]) != nil && o.IsPacked()
}

// atEnd emits whether the update o has clamped. The element holds now after it, and v was added or taken away. What
// stands for a value of the normal form is told by of.
func atEnd(b *ir.Builder, o *ir.Op, now, v *ir.Value, of func(*ir.Value) *ir.Value) *ir.Value {
	lo, hi := endsOf(b, o, of)
	rises, falls := ir.OpGt, ir.OpLt
	if o.Atomic == ir.AtomicSub {
		rises, falls = falls, rises
	}
	zero := b.Float(v.Type, 0)
	high := b.Op(ir.OpAnd, b.Op(ir.OpGe, now, hi), b.Op(rises, v, zero))
	low := b.Op(ir.OpAnd, b.Op(ir.OpLe, now, lo), b.Op(falls, v, zero))
	return b.Op(ir.OpOr, high, low)
}

// endsOf emits the ends of what o accesses.
func endsOf(b *ir.Builder, o *ir.Op, of func(*ir.Value) *ir.Value) (lo, hi *ir.Value) {
	place := o.Args[0].Def
	var index *ir.Value
	if place.Flags.Has(ir.Dynamic) {
		index = of(place.Args[len(place.Args)-1])
	}
	return b.Ends(place, index, o.Args[1].Type)
}

// isBeyond emits whether v clamps where o stores.
func isBeyond(b *ir.Builder, o *ir.Op, v *ir.Value, of func(*ir.Value) *ir.Value) *ir.Value {
	lo, hi := endsOf(b, o, of)
	return b.Op(ir.OpOr, b.Op(ir.OpLt, v, lo), b.Op(ir.OpGt, v, hi))
}

// isStored emits whether a packed element that holds now may have been given v. Numbers that are rounded alike pass
// for one another.
func (r *reverser) isStored(o *ir.Op, v, now *ir.Value) *ir.Value {
	place := o.Args[0].Def
	absolute, relative := 0.0, 0.0
	for _, c := range place.Choices() {
		s := place.Field.StoredAs(c)
		if s == nil {
			continue
		}
		if s.Group != nil {
			r.fail(o, "a minimum or maximum over iterations has no derivative where the number shares its exponent with others, which round it again; accumulate it in a field of its own, and store it from there")
		}
		x, y := s.Coder.Precision()
		absolute, relative = max(absolute, x), max(relative, y)
	}
	lo, hi := endsOf(r.b, o, r.of)
	v = r.b.Op(ir.OpMax, r.b.Op(ir.OpMin, v, hi), lo)
	most := r.b.Op(ir.OpAdd, r.b.Op(ir.OpMul, r.b.Op(ir.OpAbs, now), r.b.Float(v.Type, relative)), r.b.Float(v.Type, absolute))
	return r.b.Op(ir.OpLe, r.b.Op(ir.OpAbs, r.b.Op(ir.OpSub, v, now)), most)
}

// ownElement reports whether no other iteration of a parallel loop writes to the element that o updates: in all writes
// to the field, each index of the loop, plus a constant, is the same index of the element.
func (f *facts) ownElement(loop, o *ir.Op) bool {
	field := o.Args[0].Def.Field
	if field.View != nil {
		return false
	}
	params := loop.Regions[0].Params
	var axes []int    // of the element, by index of the loop
	var added []int64 // the constants
	own := true
	ir.Visit(loop.Regions[0], func(p *ir.Op) bool {
		if p.Code != ir.OpStore && p.Code != ir.OpAtomic || p.Args[0].Def == nil || p.Args[0].Def.Code != ir.OpPtr || p.Args[0].Def.Field != field {
			return own
		}
		index := p.Args[0].Def.Args[:field.Rank()]
		first := axes == nil
		for i, v := range params {
			axis, add, found := axisOf(index, v)
			switch {
			case !found:
				own = false
			case first:
				axes, added = append(axes, axis), append(added, add)
			default:
				own = own && axes[i] == axis && added[i] == add
			}
			if !own {
				break
			}
		}
		return own
	})
	return own
}

// axisOf finds the index among those of an element that is v plus a constant.
func axisOf(index []*ir.Value, v *ir.Value) (axis int, add int64, found bool) {
	for i, x := range index {
		x = unmarked(x)
		if x == v {
			return i, 0, true
		}
		d := x.Def
		if d == nil || d.Code != ir.OpAdd && d.Code != ir.OpSub || unmarked(d.Args[0]) != v {
			continue
		}
		if c, constant := ir.IntOf(d.Args[1]); constant {
			if d.Code == ir.OpSub {
				c = -c
			}
			return i, c, true
		}
	}
	return 0, 0, false
}

// hasClamped emits whether an update has clamped, as far as the backward pass knows.
func (r *reverser) hasClamped(o *ir.Op) *ir.Value {
	v := o.Args[1]
	now := r.b.Load(v.Type, r.of(o.Args[0]))
	if r.Reads != nil {
		r.Reads.of[now.Def] = o
	}
	return atEnd(r.b, o, now, r.of(v), r.of)
}

// reverseSum emits the backward pass of the update o. Where o has not clamped, the increment takes the adjoint of the
// element. Where it has, the increment gets nothing, and the adjoint becomes 0 for what the element was before.
func (r *reverser) reverseSum(o *ir.Op) {
	place, _ := r.adjointAt(o)
	if place == nil {
		return
	}
	v, clamped := o.Args[1], r.hasClamped(o)
	if r.active(v) {
		d := r.b.Load(v.Type, place)
		if o.Atomic == ir.AtomicSub {
			d = r.b.Op(ir.OpNeg, d)
		}
		r.add(v, r.b.Op(ir.OpSelect, clamped, r.b.Const(v.Type, 0), d))
	}
	if r.into == nil && (r.parallel == nil || r.ownElement(r.parallel, o)) {
		r.silence(o, clamped)
	}
}

// silence makes the adjoint of what o updates zero where the update has clamped.
func (r *reverser) silence(o *ir.Op, clamped *ir.Value) {
	r.when(clamped, func() {
		r.whereActive(o, func() {
			at, _ := r.adjointAt(o)
			r.b.Store(at, r.b.Const(o.Args[1].Type, 0))
		})
	})
}

// silenceShared emits a loop behind the backward pass of o. It silences the adjoints of elements that several
// iterations update, which all of these iterations have to see first.
func (r *reverser) silenceShared(o *ir.Op) {
	shared := false
	ir.Visit(o.Regions[0], func(p *ir.Op) bool {
		shared = shared || r.clampsSum(p) && !r.ownElement(o, p)
		return !shared
	})
	if shared {
		r.rerun(o, silenceSums)
	}
}

// silenceSum emits what the forward sweep in such a loop does for the update o.
func (r *reverser) silenceSum(o *ir.Op) {
	if r.purpose == silenceSums && r.clampsSum(o) && !r.ownElement(r.parallel, o) {
		r.silence(o, r.hasClamped(o))
	}
}
