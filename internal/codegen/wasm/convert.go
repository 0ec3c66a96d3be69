package wasm

import "github.com/gotaichi/ti/internal/ir"

// convertOp translates a conversion. Those that leave the number as it is have no code; see [plan.same].
func (f *function) convertOp(o *ir.Op) {
	v, r := o.Args[0], o.Results[0]
	from, to := v.Type.Kind, r.Type.Kind
	t, result := f.typeOf(v), f.typeOf(r)
	if from.IsInt() && to.IsInt() && result == i32 {
		f.pushAs(i32, v)
		f.fit(to)
		return
	}
	f.push(v)
	f.convert(from, to, t)
	if is64(to) {
		f.cut(i64, result)
	}
}

// convert changes the kind of the number on the stack, which has type t. A number of 64 bits comes out with all of them.
func (f *function) convert(from, to ir.Kind, t valType) {
	sign := "_u"
	if from.IsSigned() {
		sign = "_s"
	}
	switch {
	case from == to:
	case from == ir.F16:
		f.widenHalf()
		f.convert(ir.F32, to, f32)
	case to == ir.F16:
		f.toHalf(from, t)
	case to == ir.Bool:
		f.zero(t)
		f.do(t.String() + ".ne")
	case from.IsFloat() && to.IsFloat():
		f.do(map[bool]string{true: "f64.promote_f32", false: "f32.demote_f64"}[to == ir.F64])
	case to.IsFloat():
		f.do(kindType(to).String() + ".convert_" + t.String() + sign)
	case from.IsFloat():
		f.saturate(to, t)
	case is64(to):
		if t != i64 {
			f.extend(from)
		}
	default:
		if t == i64 {
			f.do("i32.wrap_i64")
		}
		f.fit(to)
	}
}

// kindType is the type of numbers of a kind, of which all bits are kept.
func kindType(k ir.Kind) valType {
	switch {
	case k == ir.F32:
		return f32
	case k == ir.F64:
		return f64
	case is64(k):
		return i64
	}
	return i32
}

// saturate converts a float to an integer; a NaN becomes 0.
func (f *function) saturate(to ir.Kind, t valType) {
	sign := "_u"
	if to.IsSigned() {
		sign = "_s"
	}
	f.do(kindType(to).String() + ".trunc_sat_" + t.String() + sign)
	if to.Bits() >= 32 {
		return
	}
	v := f.keep(i32)
	limit := func(v func(), n int64, code ir.Code) operand {
		v()
		f.number(i32, n)
		v()
		f.number(i32, n)
		f.do(compareName(code, i32, to))
		f.do("select")
		return f.keep(i32)
	}
	most := int64(1)<<to.Bits() - 1
	if to.IsSigned() {
		most >>= 1
		v = limit(func() { f.put(v) }, -most-1, ir.OpGt)
	}
	f.put(limit(func() { f.put(v) }, most, ir.OpLt))
}

// bits takes the bits of the number on the stack for one of another kind.
func (f *function) bits(from, to valType, k ir.Kind) {
	switch {
	case from == f32 && to == i32, from == f64 && to == i64, from == i32 && to == f32, from == i64 && to == f64:
		f.do(to.String() + ".reinterpret_" + from.String())
	case from == f64: // of which the lower half is wanted
		f.do("i64.reinterpret_f64")
		f.do("i32.wrap_i64")
	case from == i64 && to == i32:
		f.do("i32.wrap_i64")
	default:
		f.fit(k)
	}
}
