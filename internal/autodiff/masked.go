package autodiff

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// An operand that a select does not choose has the adjoint 0, even if the operand is infinite or NaN: ifelse(x > 0, x*log(x), 0) at 0.
// Its adjoint must stay 0 in the operations that the operand was computed by, and must not become NaN, as 0 times an infinite
// factor does. Values that an operand of a select depends on are called masked: their adjoints may be 0 for this reason.

// mask marks masked values and reports whether one was new. It visits ops from the last to the first, as use does.
func (f *facts) mask() (changed bool) {
	mark := func(v *ir.Value) {
		if v.Type.Kind.IsFloat() && !f.masked[v] {
			f.masked[v], changed = true, true
		}
	}
	join := func(from, to []*ir.Value) {
		for i, v := range from {
			if f.masked[v] {
				mark(to[i])
			}
		}
	}
	for _, o := range slices.Backward(f.ops) {
		switch o.Code {
		case ir.OpSelect:
			mark(o.Args[1])
			mark(o.Args[2])
		case ir.OpMin, ir.OpMax:
			mark(o.Args[0])
			mark(o.Args[1])
		case ir.OpLoad:
			if a := f.arrayAt(o); a != nil && !a.masked && f.masked[o.Results[0]] {
				a.masked, changed = true, true
			}
		case ir.OpStore, ir.OpAtomic:
			if a := f.arrayAt(o); a != nil && a.masked || isExtremum(o) || f.clampsSum(o) {
				mark(o.Args[len(o.Args)-1])
			}
		case ir.OpFor, ir.OpLoop:
			init, params := carried(o)
			on, _ := next(o)
			join(o.Results, on)
			join(o.Results, init)
			join(params, on)
			join(params, init)
		case ir.OpIf:
			if len(o.Results) > 0 {
				join(o.Results, o.Regions[0].Terminator().Args)
				join(o.Results, o.Regions[1].Terminator().Args)
			}
		default:
			if slices.ContainsFunc(o.Results, func(v *ir.Value) bool { return f.masked[v] }) {
				for _, a := range o.Args {
					mark(a)
				}
			}
		}
	}
	return changed
}

// markWild marks values that may be infinite or NaN although all fields and parameters are finite. Overflow does not count. A select
// in another kernel may not choose a value that depends on such a one: then its adjoint is 0.
func (f *facts) markWild(body *ir.Block) {
	begins := func(o *ir.Op) bool {
		switch o.Code {
		case ir.OpDiv, ir.OpRem, ir.OpMod:
			return mayVanish(o.Args[1])
		case ir.OpAtomic:
			return o.Atomic == ir.AtomicDiv
		case ir.OpPow, ir.OpRsqrt, ir.OpSqrt, ir.OpLog, ir.OpLog2, ir.OpTan, ir.OpAsin, ir.OpAcos, ir.OpCall:
			return true
		}
		return false
	}
	arrays := map[*array]bool{} // with such elements
	for changed := true; changed; {
		changed = false
		mark := func(v *ir.Value) {
			if v.Type.Kind.IsFloat() && !f.wild[v] {
				f.wild[v], changed = true, true
			}
		}
		join := func(to, from []*ir.Value) {
			for i, v := range from {
				if f.wild[v] {
					mark(to[i])
				}
			}
		}
		ir.Visit(body, func(o *ir.Op) bool {
			switch o.Code {
			case ir.OpLoad:
				if arrays[f.arrayAt(o)] {
					mark(o.Results[0])
				}
			case ir.OpStore, ir.OpAtomic:
				if a := f.arrayAt(o); a != nil && !arrays[a] && (begins(o) || f.wild[o.Args[len(o.Args)-1]]) {
					arrays[a], changed = true, true
				}
			case ir.OpFor, ir.OpLoop:
				init, params := carried(o)
				on, _ := next(o)
				join(params, init)
				join(params, on)
				join(o.Results, init)
				join(o.Results, on)
			case ir.OpYield:
				// by the if, below
			default:
				if begins(o) || slices.ContainsFunc(o.Args, func(v *ir.Value) bool { return f.wild[v] }) {
					for _, v := range o.Results {
						mark(v)
					}
				}
			}
			return true
		})
		ir.Visit(body, func(o *ir.Op) bool {
			if o.Code == ir.OpIf && len(o.Results) > 0 {
				join(o.Results, o.Regions[0].Terminator().Args)
				join(o.Results, o.Regions[1].Terminator().Args)
			}
			return true
		})
	}
}

// isGuarded reports whether the adjoint of operand i must be 0 if that of o's result is, also where the factor between them is infinite
// or NaN.
func (f *facts) isGuarded(o *ir.Op, i int) bool {
	r := ruleOf(o.Code)
	switch {
	case r.singular:
		return true
	case r.factors:
		return i < 2 && (f.masked[o.Results[0]] && !isFinite(o.Args[1-i]) || f.wild[o.Args[1-i]])
	}
	return r.bounded && (f.masked[o.Results[0]] || f.wild[o.Args[0]])
}

// nothing emits whether the adjoint d of o's result is 0.
func nothing(b *ir.Builder, d *ir.Value) *ir.Value { return b.Op(ir.OpEq, d, b.Float(d.Type, 0)) }

// isFinite reports whether a float is plainly finite.
func isFinite(v *ir.Value) bool {
	o := v.Def
	if o == nil {
		return false
	}
	switch o.Code {
	case ir.OpConst:
		bits, _ := ir.ConstOf(v)
		x := ir.FloatValue(v.Type.Kind, bits)
		return x-x == 0
	case ir.OpConvert:
		return o.Args[0].Type.Kind.IsInt() && v.Type.Kind != ir.F16
	case ir.OpNeg:
		return isFinite(o.Args[0])
	}
	return false
}

// mayVanish reports whether a float may be 0.
func mayVanish(v *ir.Value) bool {
	bits, constant := ir.ConstOf(v)
	return !constant || ir.FloatValue(v.Type.Kind, bits) == 0
}
