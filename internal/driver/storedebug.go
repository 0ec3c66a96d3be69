package driver

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/site"
)

// checkStores adds the checks of debug mode to stores of integers in fewer bits: one that does not
// fit is an error, unless its format wraps.
func checkStores(k *ir.Kernel) {
	var block func(b *ir.Block)
	block = func(b *ir.Block) {
		ops := b.Ops
		b.Ops = make([]*ir.Op, 0, len(ops))
		build := ir.NewBuilder(b)
		for _, o := range ops {
			for _, r := range o.Regions {
				block(r)
			}
			c, is := checkedStore(o)
			build.Pos = o.Pos
			if is && o.Code == ir.OpStore {
				checkFits(k, build, c, o.Args[1])
			}
			build.Emit(o)
			if is && o.Code == ir.OpAtomic { // of 32 bits at most, so that the sum fits
				code, _ := o.Atomic.Code()
				checkFits(k, build, c, build.Op(code, build.Convert(o.Results[0], ir.I64), build.Convert(o.Args[1], ir.I64)))
			}
		}
	}
	block(k.Body)
}

// checkedStore returns the format that the operand of a store, or the sum of an atomic, has to fit.
func checkedStore(o *ir.Op) (c *quant.Coder, is bool) {
	if o.Code != ir.OpStore && o.Code != ir.OpAtomic || !o.IsPacked() || o.Args[0].Def.Flags.Has(ir.Dynamic) {
		return nil, false
	}
	place := o.Args[0].Def
	s := place.Field.StoredAs(int(place.Aux))
	if s == nil || s.Coder.Class != quant.Int || s.Coder.Wrap || s.Coder.Kind == ir.Bool {
		return nil, false
	}
	sum := o.Atomic == ir.AtomicAdd || o.Atomic == ir.AtomicSub
	return s.Coder, o.Code == ir.OpStore || sum && s.Coder.Kind.Bits() <= 32
}

// checkFits appends a check of an integer.
func checkFits(k *ir.Kernel, b *ir.Builder, c *quant.Coder, v *ir.Value) {
	kind := v.Type.Kind
	if kind.Bits() == c.Bits && kind.IsUnsigned() == c.Unsigned {
		return
	}
	ok := b.Op(ir.OpLe, v, b.Int(v.Type, c.Hi))
	if kind.IsSigned() {
		ok = b.Op(ir.OpAnd, ok, b.Op(ir.OpGe, v, b.Int(v.Type, c.Lo)))
	}
	b.If(ok, nil, func() { b.Yield() }, func() {
		fail := ir.NewOp(ir.OpFail, b.Pos, nil, b.Convert(v, ir.I64))
		fail.Aux, fail.Bits = int64(len(k.Sites)), 1
		k.Sites = append(k.Sites, &ir.Site{Pos: b.Pos, Site: site.Site{
			Kind: site.Overflow, Text: []site.Piece{{Verb: "%v", Kind: kind}, {Text: " does not fit " + c.String()}},
		}})
		b.Emit(fail)
		b.Yield()
	})
}
