package driver

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
)

// clampStores makes the ends of quantised forms visible to differentiation: what is stored is
// limited to what the form has. The number that is stored stays the same, and its derivative is
// that of the number before rounding, or 0 where the store clamps.
func clampStores(k *ir.Kernel, mode Mode) error {
	var err error
	var block func(b *ir.Block)
	block = func(b *ir.Block) {
		ops := b.Ops
		b.Ops = make([]*ir.Op, 0, len(ops))
		build := ir.NewBuilder(b)
		for _, o := range ops {
			for _, r := range o.Regions {
				block(r)
			}
			if (o.Code == ir.OpStore || o.Code == ir.OpAtomic) && o.DrawsToStore() && (mode == Tangent || mode.Records() || mode.Second()) {
				err = &NoDerivative{Place: placeOf(k, o.Pos), Msg: "a store that rounds by random numbers is made once, and this derivative would make it again; leave Stochastic out of the form, or take the gradient by Tape"}
			}
			if o.Code == ir.OpStore && o.IsPacked() {
				build.Pos = o.Pos
				if !clamp(build, o) {
					err = &NoDerivative{Place: placeOf(k, o.Pos), Msg: "the component is chosen at run time among several of different forms, which clamp at different ends; give them one form, or choose by an if"}
				}
			}
			build.Emit(o)
		}
	}
	block(k.Body)
	return err
}

// clamp limits what a store stores to the ends of the form. It reports false where these follow from
// a choice at run time.
func clamp(b *ir.Builder, o *ir.Op) bool {
	v, place := o.Args[1], o.Args[0].Def
	if !v.Type.Kind.IsFloat() {
		return true
	}
	lo, hi := math.Inf(-1), math.Inf(1)
	for _, c := range place.Choices() {
		if s := place.Field.StoredAs(c); s != nil {
			l, h := s.Coder.Ends(s.Group != nil)
			lo, hi = max(lo, l), min(hi, h)
		}
	}
	if place.Flags.Has(ir.Dynamic) && !sameEnds(place) {
		return false
	}
	v = b.Op(ir.OpMin, v, b.Float(v.Type, hi))
	o.Args = []*ir.Value{o.Args[0], b.Op(ir.OpMax, v, b.Float(v.Type, lo))}
	return true
}

// sameEnds reports whether all components that a place may be have the same ends.
func sameEnds(place *ir.Op) bool {
	var first *ir.Stored
	for _, c := range place.Choices() {
		s := place.Field.StoredAs(c)
		if s == nil || first != nil && s.Coder.Format != first.Coder.Format {
			return false
		}
		first = s
	}
	return true
}
