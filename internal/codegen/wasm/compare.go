package wasm

import "github.com/gotaichi/ti/internal/ir"

// compareName is the instruction that compares numbers of a kind.
func compareName(code ir.Code, t valType, k ir.Kind) string {
	name := t.String() + "." + code.String()
	if k.IsFloat() || code == ir.OpEq || code == ir.OpNe {
		return name
	}
	if k.IsSigned() {
		return name + "_s"
	}
	return name + "_u"
}

func (f *function) compareOp(o *ir.Op) {
	a, b := o.Args[0], o.Args[1]
	k := a.Type.Kind
	t := f.typeOf(a)
	switch {
	case k == ir.F16:
		f.half(o)
		return
	case k == ir.Ptr || k == ir.BlockRef:
		t = i32
	}
	f.pushAs(t, a)
	switch {
	case o.Code == ir.OpEq && (t == i32 || t == i64) && isZero(b):
		f.do(t.String() + ".eqz")
		return
	case o.Code == ir.OpEq || o.Code == ir.OpNe || k.IsFloat():
		f.pushAs(t, b)
	default:
		if !k.IsSigned() {
			f.guard(t, a, b)
		}
		f.pushAs(t, b)
		f.guard(t, b, a)
	}
	f.do(compareName(o.Code, t, k))
}

// guard is for the number v on the stack, which is to be compared with another one, as less or greater. For a branch on a comparison of 0 with what an "and" has made, wazero tests the bits, and takes
// no notice of which of the two is 0, nor on arm64 of what an "and" leaves of a carry: 0 < a&b becomes a&b < 0. An instruction in between prevents that. Constants also reach a comparison through
// variables, so only those other than 0 are known not to be 0. A signed number on the left needs no guard: a&b < 0 is compared as it is.
func (f *function) guard(t valType, v, other *ir.Value) {
	if bits, ok := ir.ConstOf(f.resolve(other)); ok && bits != 0 || !mayEndInAnd(f.resolve(v)) {
		return
	}
	f.number(t, 0)
	f.do(t.String() + ".or")
}

// mayEndInAnd reports whether the last instruction for a number may be an "and", in the block of WebAssembly of its use.
func mayEndInAnd(v *ir.Value) bool {
	o := v.Def
	if o == nil || len(o.Regions) > 0 { // set by jumps
		return false
	}
	switch o.Code {
	case ir.OpConst, ir.OpLoad, ir.OpSelect, ir.OpCall, ir.OpAtomic, ir.OpParam, ir.OpLen:
		return false
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpNeg, ir.OpOr, ir.OpXor, ir.OpConvert:
		return v.Type.Kind.Bits() < 32 && !v.Type.Kind.IsSigned() // what does not fit is cut off
	}
	return true
}

// isZero reports whether v is the constant 0.
func isZero(v *ir.Value) bool {
	bits, ok := ir.ConstOf(v)
	return ok && bits == 0
}
