package algebra

import (
	"math/bits"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// Rules for quotients and remainders, mostly of integers.

func (s *simplifier) div(o *ir.Op) *ir.Value {
	x, y := o.Args[0], o.Args[1]
	k := x.Type.Kind
	if k.IsFloat() {
		return s.divFloat(o)
	}
	if c, ok := ir.ConstOf(x); ok && c == 0 {
		return x
	}
	c, ok := constant(o)
	if !ok {
		return nil
	}
	switch {
	case c == 0:
		return y
	case c == 1:
		return x
	case k.IsSigned() && int64(c) == -1:
		return s.make(o, 0, ir.OpNeg, x)
	case k.IsSigned() && int64(c) < 0:
		return nil
	}
	if v := s.exactQuotient(x, c, o); v != nil {
		return v
	}
	natural := k.IsUnsigned() || s.isNatural(x)
	if n := bits.TrailingZeros64(c); c == 1<<n && (natural || o.Code == ir.OpFloorDiv) {
		return s.make(o, 0, ir.OpShr, x, s.number(o, ir.Type{Kind: ir.U32, Lanes: x.Type.Lanes}, int64(n)))
	}
	if o.Code == ir.OpFloorDiv && natural {
		return s.make(o, 0, ir.OpDiv, x, y)
	}
	// (a/c2)/c: the product must not wrap.
	if d, c2, ok := inner(x, ir.OpDiv); ok && o.Code == ir.OpDiv && int64(c2) > 0 && int64(c) > 0 {
		if p, ok := analysis.MulExact(int64(c), int64(c2)); ok && ir.IntBits(k, p) == uint64(p) {
			return s.make(o, 0, ir.OpDiv, d.Args[0], s.bits(o, x.Type, uint64(p)))
		}
	}
	return nil
}

// exactQuotient returns a for x = a*c, and for x = a*c + b with 0 ≤ b < c, if nothing is negative and nothing wraps.
func (s *simplifier) exactQuotient(x *ir.Value, c uint64, o *ir.Op) *ir.Value {
	if a := product(x, c); a != nil {
		return a
	}
	sum := DefOf(x, ir.OpAdd)
	if sum == nil || !sum.Flags.Has(ir.NoWrap) {
		return nil
	}
	for i := range 2 {
		a, b := product(sum.Args[i], c), sum.Args[1-i]
		if a == nil || !s.below(b, c) {
			continue
		}
		// Truncation and rounding down differ where the sum is negative.
		if o.Code == ir.OpFloorDiv || x.Type.Kind.IsUnsigned() || s.isNatural(a) {
			return a
		}
	}
	return nil
}

// product returns a if x is a*c and does not wrap.
func product(x *ir.Value, c uint64) *ir.Value {
	if d, c2, ok := inner(x, ir.OpMul); ok && c2 == c && d.Flags.Has(ir.NoWrap) {
		return d.Args[0]
	}
	return nil
}

// below reports whether 0 ≤ v < c is known, c being positive.
func (s *simplifier) below(v *ir.Value, c uint64) bool {
	d := v.Def
	if d == nil { // the index of a loop with constant bounds
		loop := v.Block.Parent
		if loop == nil {
			hi, ok := s.limit[v]
			return ok && s.natural[v] && hi <= int64(c)
		}
		if loop.Code != ir.OpFor || v.Index != 0 {
			return false
		}
		lo, okLo := ir.IntOf(loop.Args[0])
		hi, okHi := ir.IntOf(loop.Args[1])
		return okLo && okHi && lo >= 0 && hi >= 0 && uint64(hi) <= c
	}
	n, ok := uint64(0), false
	if len(d.Args) == 2 {
		n, ok = ir.ConstOf(d.Args[1])
	}
	switch d.Code {
	case ir.OpConst:
		return d.Bits < c
	case ir.OpAnd:
		return ok && n < c
	case ir.OpRem:
		return ok && int64(n) > 0 && n <= c && (v.Type.Kind.IsUnsigned() || s.isNatural(d.Args[0]))
	case ir.OpMod:
		return ok && int64(n) > 0 && n <= c
	case ir.OpMin:
		return ok && n < c && s.isNatural(d.Args[0])
	}
	return false
}

func (s *simplifier) rem(o *ir.Op) *ir.Value {
	x, y := o.Args[0], o.Args[1]
	k := x.Type.Kind
	if k.IsFloat() {
		return nil
	}
	if c, ok := ir.ConstOf(x); ok && c == 0 {
		return x
	}
	if x == y {
		return s.number(o, x.Type, 0) // for 0 as well
	}
	c, ok := constant(o)
	if !ok {
		return nil
	}
	switch {
	case c == 0:
		return y
	case c == 1, k.IsSigned() && int64(c) == -1, product(x, c) != nil:
		return s.number(o, x.Type, 0)
	case k.IsSigned() && int64(c) < 0:
		return nil
	case s.below(x, c):
		return x
	}
	if sum := DefOf(x, ir.OpAdd); sum != nil && sum.Flags.Has(ir.NoWrap) {
		for i := range 2 {
			a, b := product(sum.Args[i], c), sum.Args[1-i]
			if a != nil && s.below(b, c) && (o.Code == ir.OpMod || k.IsUnsigned() || s.isNatural(a)) {
				return b
			}
		}
	}
	natural := k.IsUnsigned() || s.isNatural(x)
	if c&(c-1) == 0 && (natural || o.Code == ir.OpMod) {
		return s.make(o, 0, ir.OpAnd, x, s.bits(o, x.Type, c-1))
	}
	if o.Code == ir.OpMod && natural {
		return s.make(o, 0, ir.OpRem, x, y)
	}
	return nil
}
