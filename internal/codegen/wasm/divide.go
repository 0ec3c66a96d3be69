package wasm

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
)

// division translates the four integer divisions. A divisor for which the instruction traps is replaced by 1, which gives the quotient of the smallest number by
// -1, and remainders of 0. Only a quotient by zero has to be set.
func (f *function) division(code ir.Code, k ir.Kind, t valType, a, b operand) {
	name, sign := t.String(), "_u"
	if k.IsSigned() {
		sign = "_s"
	}
	isZero := func() {
		f.put(b)
		f.do(name + ".eqz")
	}
	f.number(t, 1)
	f.put(b)
	isZero()
	// Words that hold narrow numbers do not overflow. The instruction for remainders does not either.
	if k.IsSigned() && code != ir.OpRem && code != ir.OpMod && k.Bits() >= 32 {
		f.put(b)
		f.number(t, -1)
		f.do(name + ".eq")
		f.put(a)
		f.number(t, math.MinInt64>>(64-k.Bits()))
		f.do(name + ".eq")
		f.do("i32.and")
		f.do("i32.or")
	}
	f.do("select")
	safe := f.keep(t)
	operate := func(what string) {
		f.put(a)
		f.put(safe)
		f.do(name + what + sign)
	}
	// noneIsZero sets the quotient q by zero.
	noneIsZero := func(q func()) {
		f.zero(t)
		q()
		isZero()
		f.do("select")
	}
	switch {
	case code == ir.OpRem || code == ir.OpMod && !k.IsSigned():
		operate(".rem")
		return
	case code == ir.OpDiv || !k.IsSigned():
		noneIsZero(func() {
			operate(".div")
			f.fit(k)
		})
		return
	}
	// Rounding down differs where the remainder is not 0 and has another sign than the divisor.
	operate(".rem")
	r := f.keep(t)
	down := func() {
		f.put(r)
		f.zero(t)
		f.do(name + ".ne")
		f.put(r)
		f.put(b)
		f.do(name + ".xor")
		f.zero(t)
		f.do(name + ".lt_s")
		f.do("i32.and")
	}
	if code == ir.OpMod {
		f.put(r)
		f.put(b)
		f.do(name + ".add")
		f.put(r)
		down()
		f.do("select")
		return
	}
	noneIsZero(func() {
		operate(".div")
		down()
		if t == i64 {
			f.do("i64.extend_i32_u")
		}
		f.do(name + ".sub")
		f.fit(k)
	})
}
