package algebra

import "github.com/gotaichi/ti/internal/ir"

// Rules for conversions, tables and addresses.

// digits returns the number of bits of the integers that a float kind represents exactly.
func digits(k ir.Kind) int {
	switch k {
	case ir.F16:
		return 11
	case ir.F32:
		return 24
	}
	return 53
}

// exactly reports whether kind to represents every number of kind from.
func exactly(from, to ir.Kind) bool {
	switch {
	case from == to, from == ir.Bool:
		return true
	case to == ir.Bool:
		return false
	case from.IsFloat():
		return to.IsFloat() && from.Bits() <= to.Bits()
	case to.IsFloat():
		n := from.Bits()
		if from.IsSigned() {
			n--
		}
		return n <= digits(to)
	case from.IsSigned():
		return to.IsSigned() && from.Bits() <= to.Bits()
	}
	return from.Bits() < to.Bits() || to.IsUnsigned() && from.Bits() == to.Bits()
}

func (s *simplifier) convert(o *ir.Op) *ir.Value {
	x, t := o.Args[0], o.Results[0].Type
	if x.Type == t {
		return x
	}
	d := DefOf(x, ir.OpConvert)
	if d == nil {
		return nil
	}
	from, mid := d.Args[0].Type.Kind, x.Type.Kind
	switch {
	case exactly(from, mid):
		// The conversion through mid loses nothing. It saturates, and a direct conversion from an integer wraps, only for numbers out of range.
		if mid.IsFloat() && from.IsInt() && t.Kind.IsInt() && !exactly(from, t.Kind) {
			return nil
		}
	case from.IsInt() && mid.IsInt() && t.Kind.IsInt() && t.Kind.Bits() <= mid.Bits():
		// Both cut off high bits.
	default:
		return nil
	}
	return s.make(o, 0, ir.OpConvert, d.Args[0])
}

func (s *simplifier) bitcast(o *ir.Op) *ir.Value {
	x := o.Args[0]
	if x.Type == o.Results[0].Type {
		return x
	}
	if d := DefOf(x, ir.OpBitcast); d != nil {
		return s.make(o, 0, ir.OpBitcast, d.Args[0])
	}
	return nil
}

func (s *simplifier) lookup(o *ir.Op) *ir.Value {
	if i, ok := ir.IntOf(o.Args[0]); ok && i >= 0 && i < int64(len(o.Table.Data)) {
		return s.bits(o, o.Results[0].Type, o.Table.Data[i])
	}
	return nil
}

// offset combines constant offsets, and drops an offset of 0.
func (s *simplifier) offset(o *ir.Op) *ir.Value {
	c, ok := ir.IntOf(o.Args[1])
	if !ok {
		return nil
	}
	if c == 0 {
		return o.Args[0]
	}
	if d := DefOf(o.Args[0], ir.OpOffset); d != nil {
		if c2, ok := ir.IntOf(d.Args[1]); ok {
			return s.make(o, 0, ir.OpOffset, d.Args[0], s.number(o, o.Args[1].Type, c+c2))
		}
	}
	return nil
}
