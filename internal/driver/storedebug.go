package driver

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/site"
)

// checkStores adds the checks of debug mode to stores of integers in fewer bits, and to atomics: a number that does
// not fit is an error, unless its format wraps.
func checkStores(k *ir.Kernel) {
	var block func(b *ir.Block)
	block = func(b *ir.Block) {
		ops := b.Ops
		b.Ops = make([]*ir.Op, 0, len(ops))
		check := &storeCheck{k: k, b: ir.NewBuilder(b)}
		for _, o := range ops {
			for _, r := range o.Regions {
				block(r)
			}
			check.b.Pos = o.Pos
			if o.Code == ir.OpStore {
				check.access(o)
			}
			check.b.Emit(o)
			if o.Code == ir.OpAtomic {
				check.access(o)
			}
		}
	}
	block(k.Body)
}

// A storeCheck appends checks to a block.
type storeCheck struct {
	k *ir.Kernel
	b *ir.Builder
}

// access appends the checks of a store or an atomic: one for each form in which the number may be stored.
func (s *storeCheck) access(o *ir.Op) {
	if !o.IsPacked() {
		return
	}
	place := o.Args[0].Def
	choices := place.Choices()
	var checked []quant.Format
	for _, c := range choices {
		coder := clamping(place.Field, c)
		if coder == nil || slices.Contains(checked, coder.Format) {
			continue
		}
		checked = append(checked, coder.Format)
		var elsewhere *ir.Value // whether the number is stored in another form; nil for never
		for i, other := range choices {
			if d := clamping(place.Field, other); d != nil && d.Format == coder.Format {
				continue
			}
			n := place.Args[len(place.Args)-1]
			this := s.b.Op(ir.OpEq, n, s.b.Int(n.Type, int64(i)))
			if elsewhere != nil {
				this = s.b.Op(ir.OpOr, elsewhere, this)
			}
			elsewhere = this
		}
		s.number(o, coder, elsewhere)
	}
}

// clamping returns the form of integers that a component is clamped to; nil for none.
func clamping(f *ir.Field, comp int) *quant.Coder {
	s := f.StoredAs(comp)
	if s == nil || s.Coder.Class != quant.Int || s.Coder.Wrap || s.Coder.Kind == ir.Bool {
		return nil
	}
	return s.Coder
}

// number appends the check that what o stores fits c, unless that is stored elsewhere.
func (s *storeCheck) number(o *ir.Op, c *quant.Coder, elsewhere *ir.Value) {
	v := o.Args[1]
	if o.Code == ir.OpAtomic {
		if o.Atomic == ir.AtomicAdd || o.Atomic == ir.AtomicSub {
			s.sum(o, c, elsewhere)
			return
		}
		v = s.b.Updated(o.Atomic, o.Results[0], o.Args[1:])
	}
	if kind := v.Type.Kind; kind.Bits() == c.Bits && kind.IsUnsigned() == c.Unsigned {
		return
	}
	s.require(s.within(c, v), elsewhere, c, "", v)
}

// sum appends the check of a sum or difference. It is added to the code as an integer of any size, and does not wrap as
// the element type does. One that does not fit that is reported by the check of the operation itself.
func (s *storeCheck) sum(o *ir.Op, c *quant.Coder, elsewhere *ir.Value) {
	old, v := o.Results[0], o.Args[1]
	kind := v.Type.Kind
	if kind.IsSigned() && kind.Bits() == c.Bits {
		return
	}
	code, _ := o.Atomic.Code()
	if kind.Bits() <= 32 {
		sum := s.b.Op(code, s.b.Convert(old, ir.I64), s.b.Convert(v, ir.I64))
		s.require(s.within(c, sum), elsewhere, c, "", sum)
		return
	}
	sum := s.b.Op(code, old, v)
	ok := s.within(c, sum)
	switch {
	case kind.IsSigned(): // the sum has another sign than both, or the difference than the first of unlike numbers
		first := s.b.Op(ir.OpXor, old, sum)
		second := s.b.Op(ir.OpXor, v, sum)
		if o.Atomic == ir.AtomicSub {
			second = s.b.Op(ir.OpXor, old, v)
		}
		wrapped := s.b.Op(ir.OpLt, s.b.Op(ir.OpAnd, first, second), s.b.Int(v.Type, 0))
		ok = s.b.Op(ir.OpOr, ok, wrapped)
	case o.Atomic == ir.AtomicAdd:
		ok = s.b.Op(ir.OpAnd, ok, s.b.Op(ir.OpGe, sum, old))
	default:
		ok = s.b.Op(ir.OpAnd, ok, s.b.Op(ir.OpGe, old, v))
	}
	sign := " + "
	if o.Atomic == ir.AtomicSub {
		sign = " - "
	}
	s.require(ok, elsewhere, c, sign, old, v)
}

// within appends the test whether an integer is one of a form.
func (s *storeCheck) within(c *quant.Coder, v *ir.Value) *ir.Value {
	ok := s.b.Op(ir.OpLe, v, s.b.Int(v.Type, c.Hi))
	if v.Type.Kind.IsSigned() {
		ok = s.b.Op(ir.OpAnd, ok, s.b.Op(ir.OpGe, v, s.b.Int(v.Type, c.Lo)))
	}
	return ok
}

// require makes the launch fail, with the values in the message and sign between them, unless ok or elsewhere.
func (s *storeCheck) require(ok, elsewhere *ir.Value, c *quant.Coder, sign string, values ...*ir.Value) {
	b := s.b
	if elsewhere != nil {
		ok = b.Op(ir.OpOr, ok, elsewhere)
	}
	b.If(ok, nil, func() { b.Yield() }, func() {
		fail := ir.NewOp(ir.OpFail, b.Pos, nil)
		var text []site.Piece
		for i, v := range values {
			if i > 0 {
				text = append(text, site.Piece{Text: sign})
			}
			text = append(text, site.Piece{Verb: "%v", Kind: v.Type.Kind})
			fail.Args = append(fail.Args, b.Convert(v, ir.I64))
		}
		text = append(text, site.Piece{Text: " does not fit " + c.String()})
		fail.Aux, fail.Bits = int64(len(s.k.Sites)), uint64(len(values))
		s.k.Sites = append(s.k.Sites, &ir.Site{Pos: b.Pos, Site: site.Site{Kind: site.Overflow, Text: text}})
		b.Emit(fail)
		b.Yield()
	})
}
