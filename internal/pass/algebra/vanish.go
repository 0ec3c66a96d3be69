package algebra

import "github.com/gotaichi/ti/internal/ir"

// A derivative is 0 if its adjoint is 0, even if the other factor is infinite or NaN:
//
//	p = d·w; p is no number and d = 0 ? 0 : p
//
// If d is 0, p is 0 or NaN. So it is enough to test whether d is 0, and a loop often has one such test for several products. Autodiff tests
// both, since it differentiates its results again: a product that is 0 changes with d.

// whereVanishes returns a test whether d is 0, if o is such a select; otherwise nil. The sign of a zero is lost.
func whereVanishes(o *ir.Op) *ir.Value {
	both, p := DefOf(o.Args[0], ir.OpAnd), o.Args[2]
	if zero, ok := floatOf(o.Args[1]); both == nil || !ok || !isZero(zero, false) {
		return nil
	}
	for i, c := range both.Args {
		nan, equal := DefOf(both.Args[1-i], ir.OpIsNaN), DefOf(c, ir.OpEq)
		if nan == nil || equal == nil || nan.Args[0] != p {
			continue
		}
		if zero, ok := floatConst(equal); ok && zero == 0 && vanishesWith(p, equal.Args[0]) {
			return c
		}
	}
	return nil
}

// vanishesWith reports whether p is 0 or NaN if d is 0, and the sign of that zero does not matter.
func vanishesWith(p, d *ir.Value) bool {
	if p == d {
		return true
	}
	o := p.Def
	if o == nil || o.Flags.Has(ir.Strict) {
		return false
	}
	switch o.Code {
	case ir.OpMul:
		return vanishesWith(o.Args[0], d) || vanishesWith(o.Args[1], d)
	case ir.OpDiv, ir.OpNeg:
		return vanishesWith(o.Args[0], d)
	}
	return false
}
