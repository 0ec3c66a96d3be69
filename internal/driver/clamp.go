package driver

import "github.com/gotaichi/ti/internal/ir"

// clampStores makes the ends of quantised forms visible to differentiation: what is stored is
// limited to what the form has. The number that is stored stays the same, and its derivative is
// that of the number before rounding, or 0 where the store clamps. What updates clamp, package
// autodiff finds itself, as it depends on what the element held before.
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
				err = &NoDerivative{Place: placeOf(k, o.Pos), Msg: "a store that rounds by random numbers is made once, and this derivative would make it again; leave Stochastic out of the form, or " + undrawn(mode)}
			}
			if o.Code == ir.OpStore && o.IsPacked() {
				build.Pos = o.Pos
				clamp(build, o)
			}
			build.Emit(o)
		}
	}
	block(k.Body)
	return err
}

// undrawn names a derivative that goes through a store that rounds by random numbers.
func undrawn(mode Mode) string {
	if mode == Record {
		return "do without the value that an update returns, which the backward pass of this kernel needs"
	}
	return "take the gradient by Tape"
}

// clamp limits what a store stores to the ends of the form.
func clamp(b *ir.Builder, o *ir.Op) {
	v, place := o.Args[1], o.Args[0].Def
	if !v.Type.Kind.IsFloat() {
		return
	}
	var index *ir.Value
	if place.Flags.Has(ir.Dynamic) {
		index = place.Args[len(place.Args)-1]
	}
	lo, hi := b.Ends(place, index, v.Type)
	v = b.Op(ir.OpMin, v, hi)
	o.Args = []*ir.Value{o.Args[0], b.Op(ir.OpMax, v, lo)}
}
