package spirv

import (
	"fmt"
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
)

// convert changes the kind of a number. Floats become integers with saturation, and a NaN 0.
func (f *function) convert(from, to ir.Kind, v id) id {
	t, yes := f.kind(to), f.kind(ir.Bool)
	switch {
	case from == to:
		return v
	case from == ir.F16:
		return f.convert(ir.F32, to, f.widenHalf(v))
	case to == ir.F16:
		return f.toHalf(from, v)
	case to == ir.Bool && from.IsFloat():
		return f.inst(opFUnordNotEqual, yes, v, f.zero(from, false))
	case to == ir.Bool:
		return f.inst(opINotEqual, yes, v, f.number(from.Bits(), 0))
	case from == ir.Bool && to.IsFloat():
		return f.inst(opSelect, t, v, f.real(to, 1), f.zero(to, false))
	case from == ir.Bool:
		return f.inst(opSelect, t, v, f.number(to.Bits(), 1), f.number(to.Bits(), 0))
	case from.IsFloat() && to.IsFloat():
		return f.inst(opFConvert, t, v)
	case to.IsFloat() && from.IsSigned():
		return f.inst(opConvertSToF, t, v)
	case to.IsFloat():
		return f.inst(opConvertUToF, t, v)
	case from.IsFloat():
		return f.saturate(from, to, v)
	case from.Bits() == to.Bits():
		return v
	case from.IsSigned() && from.Bits() < to.Bits():
		return f.inst(opBitwiseOr, t, f.inst(opSConvert, t, v), f.hidden(to.Bits()))
	}
	return f.inst(opUConvert, t, v)
}

// hidden is a 0 that llvmpipe does not know to be one. The specialisation constant makes it one to other drivers. See package documentation.
func (f *function) hidden(bits int) id {
	return f.once(fmt.Sprint("hidden", bits), func() id {
		limited := f.inst(opINotEqual, f.kind(ir.Bool), f.limit, f.word(0))
		return f.inst(opSelect, f.integer(bits), limited, f.resized(64, bits, f.pushed(launch.PushZero)), f.number(bits, 0))
	})
}

// saturate converts a float to an integer. A number that does not fit is replaced before: such a conversion has no defined result.
func (f *function) saturate(from, to ir.Kind, v id) id {
	t, ft, yes, n := f.kind(to), f.kind(from), f.kind(ir.Bool), to.Bits()
	op, lowest, most := uint32(opConvertFToU), uint64(0), uint64(math.MaxUint64)>>(64-n)
	limit, low := math.Ldexp(1, n), 0.0
	if to.IsSigned() {
		op, lowest, most = opConvertFToS, 1<<(n-1), 1<<(n-1)-1
		limit = math.Ldexp(1, n-1)
		low = -limit
	}
	bottom := f.zero(from, false)
	if low != 0 {
		bottom = f.real(from, low)
	}
	over := f.inst(opFOrdGreaterThanEqual, yes, v, f.real(from, limit))
	under := f.inst(opFOrdLessThan, yes, v, bottom)
	nan := f.isNaN(from, v)
	out := f.inst(opLogicalOr, yes, nan, f.inst(opLogicalOr, yes, over, under))
	safe := f.inst(opSelect, ft, out, f.zero(from, false), v)
	wide := to
	if n < 32 { // the conversion has instructions for 32 and 64 bits
		wide = map[bool]ir.Kind{true: ir.I32, false: ir.U32}[to.IsSigned()]
	}
	r := f.inst(op, f.kind(wide), safe)
	r = f.resized(wide.Bits(), n, r)
	r = f.inst(opSelect, t, over, f.number(n, most), r)
	r = f.inst(opSelect, t, under, f.number(n, lowest), r)
	return f.inst(opSelect, t, nan, f.number(n, 0), r)
}
