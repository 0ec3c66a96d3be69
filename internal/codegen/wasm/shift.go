package wasm

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
)

// shift has Go's rules: what is shifted by the width or more has only copies of its sign left, or zeros. Counts are compared as unsigned numbers. The instructions
// take a count modulo the width of their type, which is that of the number, or 32 for a narrow one: more bits than a narrow one has leave nothing of it either.
func (f *function) shift(o *ir.Op, t valType, k ir.Kind) {
	a, n := o.Args[0], f.resolve(o.Args[1])
	operate := f.typeOf(a)
	if o.Code == ir.OpShl {
		operate = t
	}
	name, width, arithmetic := shiftOf(o, operate, k)
	if c, ok := ir.ConstOf(n); ok {
		f.shiftConstant(operate, k, name, a, c&math.MaxUint64, uint64(width), arithmetic)
	} else {
		f.shiftBy(operate, name, func() { f.pushAs(operate, a) }, f.hold(n), f.typeOf(n), width, arithmetic)
	}
	if o.Code == ir.OpShl {
		f.fit(k)
	}
	f.cut(operate, t)
}

// shiftOf is the instruction that shifts numbers of kind k that are a t, the width of that, and whether it copies their sign.
func shiftOf(o *ir.Op, t valType, k ir.Kind) (name string, width int64, arithmetic bool) {
	if width = 32; t == i64 {
		width = 64
	}
	switch {
	case o.Code == ir.OpShl:
		return t.String() + ".shl", width, false
	case k.IsSigned():
		return t.String() + ".shr_s", width, true
	}
	return t.String() + ".shr_u", width, false
}

func (f *function) shiftConstant(t valType, k ir.Kind, name string, a *ir.Value, n, width uint64, arithmetic bool) {
	switch {
	case n >= width && !arithmetic:
		f.zero(t)
		return
	case n >= width:
		n = width - 1
	}
	f.pushAs(t, a)
	f.number(t, int64(n))
	f.do(name)
}

// shiftBy shifts what a puts on the stack.
func (f *function) shiftBy(t valType, name string, a func(), n operand, countType valType, width int64, arithmetic bool) {
	fits := func() {
		f.put(n)
		f.number(countType, width)
		f.do(countType.String() + ".lt_u")
	}
	resize := func() {
		switch {
		case countType == i64 && t == i32:
			f.do("i32.wrap_i64")
		case countType == i32 && t == i64:
			f.do("i64.extend_i32_u")
		}
	}
	a()
	f.put(n)
	if arithmetic {
		f.number(countType, width-1)
		fits()
		f.do("select")
		resize()
		f.do(name)
		return
	}
	resize()
	f.do(name)
	f.zero(t)
	fits()
	f.do("select")
}
