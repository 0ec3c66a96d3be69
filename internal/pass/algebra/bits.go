package algebra

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// Rules for bits, bools, comparisons and selects.

// ones returns the bits of the value of kind k that has all bits set.
func ones(k ir.Kind) uint64 { return ir.IntBits(k, -1) }

func (s *simplifier) and(o *ir.Op) *ir.Value {
	x, y := o.Args[0], o.Args[1]
	if x == y {
		return x
	}
	if c, ok := constant(o); ok {
		switch c {
		case 0:
			return y
		case ones(x.Type.Kind):
			return x
		}
		if d, c2, ok := inner(x, ir.OpAnd); ok {
			return s.make(o, 0, ir.OpAnd, d.Args[0], s.bits(o, x.Type, c&c2))
		}
		return nil
	}
	if complements(x, y) {
		return s.bits(o, x.Type, 0)
	}
	return absorbed(x, y, ir.OpOr)
}

func (s *simplifier) or(o *ir.Op) *ir.Value {
	x, y := o.Args[0], o.Args[1]
	if x == y {
		return x
	}
	if c, ok := constant(o); ok {
		switch c {
		case 0:
			return x
		case ones(x.Type.Kind):
			return y
		}
		if d, c2, ok := inner(x, ir.OpOr); ok {
			return s.make(o, 0, ir.OpOr, d.Args[0], s.bits(o, x.Type, c|c2))
		}
		return nil
	}
	if complements(x, y) {
		return s.bits(o, x.Type, ones(x.Type.Kind))
	}
	return absorbed(x, y, ir.OpAnd)
}

// absorbed returns x or y, if it is an operand of the other one, which must be an op by: x & (x | z) is x, and so is x | (x & z) (the
// law of absorption). It returns nil otherwise.
func absorbed(x, y *ir.Value, by ir.Code) *ir.Value {
	if d := DefOf(y, by); d != nil && slices.Contains(d.Args, x) {
		return x
	}
	if d := DefOf(x, by); d != nil && slices.Contains(d.Args, y) {
		return y
	}
	return nil
}

// complements reports whether one of x and y is the not of the other.
func complements(x, y *ir.Value) bool {
	dx, dy := DefOf(x, ir.OpNot), DefOf(y, ir.OpNot)
	return dx != nil && dx.Args[0] == y || dy != nil && dy.Args[0] == x
}

func (s *simplifier) xor(o *ir.Op) *ir.Value {
	x, y := o.Args[0], o.Args[1]
	if x == y {
		return s.bits(o, x.Type, 0)
	}
	c, ok := constant(o)
	if !ok {
		return nil
	}
	switch c {
	case 0:
		return x
	case ones(x.Type.Kind):
		return s.make(o, 0, ir.OpNot, x)
	}
	if d, c2, ok := inner(x, ir.OpXor); ok {
		return s.make(o, 0, ir.OpXor, d.Args[0], s.bits(o, x.Type, c^c2))
	}
	return nil
}

func (s *simplifier) not(o *ir.Op) *ir.Value {
	d := o.Args[0].Def
	if d == nil {
		return nil
	}
	switch d.Code {
	case ir.OpNot:
		return d.Args[0]
	case ir.OpEq, ir.OpNe: // also with a NaN, to which every number is unequal
		return s.make(o, 0, analysis.Comparisons[d.Code].Inverse, d.Args...)
	case ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe:
		if d.Args[0].Type.Kind.IsInt() {
			return s.make(o, 0, analysis.Comparisons[d.Code].Inverse, d.Args...)
		}
	}
	return nil
}

func (s *simplifier) shift(o *ir.Op) *ir.Value {
	x := o.Args[0]
	if c, ok := ir.ConstOf(x); ok && c == 0 {
		return x
	}
	c, ok := constant(o)
	if !ok {
		return nil
	}
	count := o.Args[1].Type.Kind
	k := x.Type.Kind
	switch {
	case c == 0:
		return x
	case c >= uint64(k.Bits()) && (o.Code == ir.OpShl || k.IsUnsigned()):
		return s.number(o, x.Type, 0)
	case count.IsSigned() && int64(c) < 0:
		return nil
	}
	if d, c2, ok := inner(x, o.Code); ok && (!d.Args[1].Type.Kind.IsSigned() || int64(c2) >= 0) {
		total := min(c, 64) + min(c2, 64) // enough to shift out all bits
		return s.make(o, 0, o.Code, d.Args[0], s.number(o, ir.Type{Kind: ir.U32, Lanes: x.Type.Lanes}, int64(total)))
	}
	return nil
}

func (s *simplifier) compare(o *ir.Op) *ir.Value {
	x, y := o.Args[0], o.Args[1]
	k := x.Type.Kind
	bools := o.Results[0].Type
	if x == y {
		switch {
		case o.Code == ir.OpLt, o.Code == ir.OpGt: // false with a NaN too
			return s.bits(o, bools, 0)
		case k.IsFloat():
			return nil
		}
		return s.bits(o, bools, ir.BoolBits(o.Code != ir.OpNe))
	}
	c, ok := constant(o)
	if ok && k.IsFloat() {
		return s.compareRoot(o, ir.FloatValue(k, c))
	}
	switch {
	case k == ir.Bool:
		return s.compareBool(o, c, ok)
	case !ok || !k.IsInt():
		return nil
	}
	if v := s.compareLimit(o, c); v != nil {
		return v
	}
	equality := o.Code == ir.OpEq || o.Code == ir.OpNe
	if d, c2, ok := inner(x, ir.OpAdd); ok {
		diff := ir.IntBits(k, int64(c-c2))
		if equality {
			return s.make(o, 0, o.Code, d.Args[0], s.bits(o, x.Type, diff))
		}
		// If neither x nor the new limit wraps, the order stays.
		if exact, fits := analysis.AddExact(int64(c), -int64(c2)); fits && k.IsSigned() && uint64(exact) == diff && d.Flags.Has(ir.NoWrap) {
			return s.make(o, 0, o.Code, d.Args[0], s.bits(o, x.Type, diff))
		}
	}
	if d := DefOf(x, ir.OpConvert); d != nil && d.Args[0].Type.Kind == ir.Bool && equality {
		if c > 1 {
			return s.bits(o, bools, ir.BoolBits(o.Code == ir.OpNe))
		}
		if (c == 1) == (o.Code == ir.OpEq) {
			return d.Args[0]
		}
		return s.make(o, 0, ir.OpNot, d.Args[0])
	}
	return nil
}

// compareBool has the rules for eq and ne of bools.
func (s *simplifier) compareBool(o *ir.Op, c uint64, constant bool) *ir.Value {
	switch {
	case constant && (c == 1) == (o.Code == ir.OpEq):
		return o.Args[0]
	case constant:
		return s.make(o, 0, ir.OpNot, o.Args[0])
	case o.Code == ir.OpNe:
		return s.make(o, 0, ir.OpXor, o.Args[0], o.Args[1])
	}
	return nil
}

// compareLimit decides a comparison of an integer with a limit of its kind, or of a natural number with a number of at most 0.
func (s *simplifier) compareLimit(o *ir.Op, c uint64) *ir.Value {
	x := o.Args[0]
	k := x.Type.Kind
	lo, hi := analysis.KindRange(k)
	least, most := c == ir.IntBits(k, lo), c == ir.IntBits(k, hi)
	if k.IsSigned() && int64(c) <= 0 && s.isNatural(x) {
		if int64(c) < 0 {
			return s.bits(o, o.Results[0].Type, ir.BoolBits(o.Code == ir.OpNe || o.Code == ir.OpGt || o.Code == ir.OpGe))
		}
		least = true
	}
	switch {
	case least && o.Code == ir.OpLt, most && o.Code == ir.OpGt:
		return s.bits(o, o.Results[0].Type, 0)
	case least && o.Code == ir.OpGe, most && o.Code == ir.OpLe:
		return s.bits(o, o.Results[0].Type, 1)
	}
	return nil
}

func (s *simplifier) choose(o *ir.Op) *ir.Value {
	c, a, b := o.Args[0], o.Args[1], o.Args[2]
	if a == b {
		return a
	}
	if truth, ok := s.known(c); ok {
		if truth {
			return a
		}
		return b
	}
	ca, okA := ir.ConstOf(a)
	cb, okB := ir.ConstOf(b)
	if okA && okB && ca == cb {
		return a
	}
	if d := DefOf(c, ir.OpNot); d != nil {
		return s.make(o, 0, ir.OpSelect, d.Args[0], b, a)
	}
	if isZero := whereVanishes(o); isZero != nil {
		return s.make(o, 0, ir.OpSelect, s.makeOf(o, 0, isZero.Type, ir.OpNot, isZero), b, a)
	}
	if o.Results[0].Type.Kind != ir.Bool || c.Type.Lanes != a.Type.Lanes {
		return nil
	}
	switch {
	case okA && okB && ca == 1:
		return c
	case okA && okB:
		return s.make(o, 0, ir.OpNot, c)
	case okA && ca == 1, a == c:
		return s.make(o, 0, ir.OpOr, c, b)
	case okB && cb == 0, b == c:
		return s.make(o, 0, ir.OpAnd, c, a)
	case okA:
		return s.make(o, 0, ir.OpAnd, s.make(o, 0, ir.OpNot, c), b)
	case okB:
		return s.make(o, 0, ir.OpOr, s.make(o, 0, ir.OpNot, c), a)
	}
	return nil
}

// known returns the truth of a condition, if it is a constant or follows from the regions around.
func (s *simplifier) known(c *ir.Value) (truth, ok bool) {
	if bits, isConst := ir.ConstOf(c); isConst {
		return bits != 0, true
	}
	if truth, ok = s.facts[c]; ok {
		return truth, true
	}
	if d := DefOf(c, ir.OpNot); d != nil {
		if truth, ok = s.facts[d.Args[0]]; ok {
			return !truth, true
		}
	}
	return false, false
}
