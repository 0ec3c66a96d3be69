package algebra

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/fold"
)

// A rule returns a value that can replace the result of an op, or nil. The constant operand of a commutative op or comparison is the last.
type rule func(*simplifier, *ir.Op) *ir.Value

// ruleFor returns the rule for ops of the given code, nil if there is none.
func ruleFor(code ir.Code) rule {
	switch code {
	case ir.OpAdd:
		return (*simplifier).add
	case ir.OpSub:
		return (*simplifier).sub
	case ir.OpMul:
		return (*simplifier).mul
	case ir.OpDiv, ir.OpFloorDiv:
		return (*simplifier).div
	case ir.OpRem, ir.OpMod:
		return (*simplifier).rem
	case ir.OpNeg:
		return (*simplifier).neg
	case ir.OpAbs:
		return (*simplifier).abs
	case ir.OpMin, ir.OpMax:
		return (*simplifier).minMax
	case ir.OpFma:
		return (*simplifier).fma
	case ir.OpPow:
		return (*simplifier).pow
	case ir.OpFloor, ir.OpCeil, ir.OpRound, ir.OpTrunc, ir.OpRoundEven:
		return (*simplifier).whole
	case ir.OpAnd:
		return (*simplifier).and
	case ir.OpOr:
		return (*simplifier).or
	case ir.OpXor:
		return (*simplifier).xor
	case ir.OpNot:
		return (*simplifier).not
	case ir.OpShl, ir.OpShr:
		return (*simplifier).shift
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe:
		return (*simplifier).compare
	case ir.OpSelect:
		return (*simplifier).choose
	case ir.OpConvert:
		return (*simplifier).convert
	case ir.OpBitcast:
		return (*simplifier).bitcast
	case ir.OpLookup:
		return (*simplifier).lookup
	case ir.OpOffset:
		return (*simplifier).offset
	}
	return nil
}

// constant returns the bits of o's last operand if it is a constant.
func constant(o *ir.Op) (uint64, bool) { return ir.ConstOf(o.Args[len(o.Args)-1]) }

// inner returns the op of v and its constant, if the op has the given code and a constant second operand.
func inner(v *ir.Value, code ir.Code) (d *ir.Op, c uint64, ok bool) {
	if d = DefOf(v, code); d == nil || len(d.Args) != 2 {
		return nil, 0, false
	}
	c, ok = ir.ConstOf(d.Args[1])
	return d, c, ok
}

// sumExact adds two constants of integer kind k and reports whether the exact
// sum fits it.
func sumExact(k ir.Kind, a, b uint64) (sum uint64, exact bool) {
	sum = ir.IntBits(k, int64(a+b))
	if k.IsUnsigned() {
		return sum, sum >= a
	}
	wide, ok := analysis.AddExact(int64(a), int64(b))
	return sum, ok && uint64(wide) == sum
}

func (s *simplifier) add(o *ir.Op) *ir.Value {
	if o.Args[0].Type.Kind.IsFloat() {
		return s.addFloat(o)
	}
	x, y := o.Args[0], o.Args[1]
	if c, ok := constant(o); ok {
		if c == 0 {
			return x
		}
		if d, c2, ok := inner(x, ir.OpAdd); ok {
			sum, exact := sumExact(x.Type.Kind, c, c2)
			flags := o.Flags & d.Flags & ir.NoWrap
			if !exact {
				flags = 0
			}
			return s.make(o, flags, ir.OpAdd, d.Args[0], s.bits(o, x.Type, sum))
		}
		if d := DefOf(x, ir.OpSub); d != nil { // (c2 - a) + c
			if c2, ok := ir.ConstOf(d.Args[0]); ok {
				sum, _ := sumExact(x.Type.Kind, c, c2)
				return s.make(o, 0, ir.OpSub, s.bits(o, x.Type, sum), d.Args[1])
			}
		}
		return nil
	}
	switch {
	case DefOf(x, ir.OpSub) != nil && x.Def.Args[1] == y:
		return x.Def.Args[0] // (a-y)+y
	case DefOf(y, ir.OpSub) != nil && y.Def.Args[1] == x:
		return y.Def.Args[0]
	case DefOf(y, ir.OpNeg) != nil:
		return s.make(o, 0, ir.OpSub, x, y.Def.Args[0])
	case DefOf(x, ir.OpNeg) != nil:
		return s.make(o, 0, ir.OpSub, y, x.Def.Args[0])
	}
	return nil
}

func (s *simplifier) sub(o *ir.Op) *ir.Value {
	if o.Args[0].Type.Kind.IsFloat() {
		return s.subFloat(o)
	}
	x, y := o.Args[0], o.Args[1]
	k := x.Type.Kind
	if x == y {
		return s.number(o, x.Type, 0)
	}
	if c, ok := constant(o); ok {
		if c == 0 {
			return x
		}
		if k.IsUnsigned() && o.Flags.Has(ir.NoWrap) {
			return nil // an addition would wrap, and the flag would be lost
		}
		negated := ir.IntBits(k, -int64(c))
		flags := o.Flags & ir.NoWrap
		if negated == c { // the smallest integer
			flags = 0
		}
		return s.make(o, flags, ir.OpAdd, x, s.bits(o, x.Type, negated))
	}
	if c, ok := ir.ConstOf(x); ok && c == 0 {
		return s.make(o, o.Flags&ir.NoWrap, ir.OpNeg, y)
	}
	switch {
	case DefOf(x, ir.OpAdd) != nil && x.Def.Args[1] == y:
		return x.Def.Args[0]
	case DefOf(x, ir.OpAdd) != nil && x.Def.Args[0] == y:
		return x.Def.Args[1]
	case DefOf(y, ir.OpNeg) != nil:
		return s.make(o, 0, ir.OpAdd, x, y.Def.Args[0])
	}
	return nil
}

func (s *simplifier) mul(o *ir.Op) *ir.Value {
	if o.Args[0].Type.Kind.IsFloat() {
		return s.mulFloat(o)
	}
	x := o.Args[0]
	c, ok := constant(o)
	if !ok {
		return nil
	}
	k := x.Type.Kind
	switch {
	case c == 0:
		return o.Args[1]
	case c == 1:
		return x
	case k.IsSigned() && int64(c) == -1:
		return s.make(o, o.Flags&ir.NoWrap, ir.OpNeg, x)
	}
	if d, c2, ok := inner(x, ir.OpMul); ok {
		flags := o.Flags & d.Flags & ir.NoWrap
		p := ir.IntBits(k, int64(c*c2))
		if wide, ok := analysis.MulExact(int64(c), int64(c2)); !ok || uint64(wide) != p {
			flags = 0
		}
		return s.make(o, flags, ir.OpMul, d.Args[0], s.bits(o, x.Type, p))
	}
	return nil
}

func (s *simplifier) neg(o *ir.Op) *ir.Value {
	x := o.Args[0]
	if d := DefOf(x, ir.OpNeg); d != nil {
		return d.Args[0]
	}
	if d := DefOf(x, ir.OpSub); d != nil && (x.Type.Kind.IsInt() || !o.Flags.Has(ir.Strict)) {
		return s.make(o, 0, ir.OpSub, d.Args[1], d.Args[0])
	}
	return nil
}

func (s *simplifier) abs(o *ir.Op) *ir.Value {
	x := o.Args[0]
	if x.Type.Kind.IsUnsigned() || x.Type.Kind.IsInt() && s.isNatural(x) {
		return x
	}
	switch {
	case DefOf(x, ir.OpAbs) != nil:
		return x
	case DefOf(x, ir.OpNeg) != nil:
		return s.make(o, 0, ir.OpAbs, x.Def.Args[0])
	}
	return nil
}

func (s *simplifier) minMax(o *ir.Op) *ir.Value {
	x, y := o.Args[0], o.Args[1]
	if x == y {
		return x
	}
	k := x.Type.Kind
	c, ok := constant(o)
	if !ok || !k.IsInt() {
		return nil
	}
	lo, hi := analysis.KindRange(k)
	least, most := ir.IntBits(k, lo), ir.IntBits(k, hi)
	if o.Code == ir.OpMax {
		least, most = most, least
	}
	switch {
	case c == most:
		return x
	case c == least:
		return y
	case o.Code == ir.OpMax && k.IsSigned() && int64(c) <= 0 && s.isNatural(x):
		return x
	}
	if d, c2, ok := inner(x, o.Code); ok {
		if fold.Compare(ir.OpLt, k, c, c2) == (o.Code == ir.OpMin) {
			return s.make(o, 0, o.Code, d.Args[0], y)
		}
		return x
	}
	return nil
}

// isNatural reports whether the integer v, of a signed kind, is proved not to be negative.
func (s *simplifier) isNatural(v *ir.Value) bool { return s.natural[v] || s.provenNatural(v, 6) }

// provenNatural visits ops up to this depth.
func (s *simplifier) provenNatural(v *ir.Value, depth int) bool {
	if known, ok := s.natural[v]; ok {
		return known
	}
	d := v.Def
	if d == nil { // the index of a serial loop that starts at a natural number
		loop := v.Block.Parent
		return loop != nil && loop.Code == ir.OpFor && v.Index == 0 && depth > 0 && s.provenNatural(loop.Args[0], depth-1)
	}
	if v.Type.Kind.IsUnsigned() {
		return true
	}
	all := func(args ...*ir.Value) bool {
		for _, a := range args {
			if depth == 0 || !s.provenNatural(a, depth-1) {
				return false
			}
		}
		return true
	}
	switch d.Code {
	case ir.OpConst:
		return int64(d.Bits) >= 0
	case ir.OpLen, ir.OpPopcount, ir.OpClz:
		return true
	case ir.OpConvert:
		from := d.Args[0].Type.Kind
		return from == ir.Bool || from.IsInt() && from.Bits() < v.Type.Kind.Bits() && all(d.Args[0])
	case ir.OpAdd, ir.OpMul:
		return d.Flags.Has(ir.NoWrap) && all(d.Args...)
	case ir.OpDiv, ir.OpFloorDiv, ir.OpMin, ir.OpOr:
		return all(d.Args...)
	case ir.OpRem, ir.OpShr:
		return all(d.Args[0])
	case ir.OpMod:
		c, ok := ir.IntOf(d.Args[1])
		return ok && c > 0
	case ir.OpMax, ir.OpAnd:
		return all(d.Args[0]) || all(d.Args[1])
	case ir.OpSelect:
		return all(d.Args[1:]...)
	}
	return false
}
