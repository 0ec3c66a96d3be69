package algebra

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
)

// Rules for floats. Exact rules apply always. Rules that reassociate, or lose the sign of a zero, apply to ops without the flag Strict.

// floatConst returns the last operand of o, if it is a constant.
func floatConst(o *ir.Op) (float64, bool) { return floatOf(o.Args[len(o.Args)-1]) }

func floatOf(v *ir.Value) (float64, bool) {
	bits, ok := ir.ConstOf(v)
	if !ok || !v.Type.Kind.IsFloat() {
		return 0, false
	}
	return ir.FloatValue(v.Type.Kind, bits), true
}

// float appends the constant x of type t if that is 0 or a normal number of the kind: reassociation with such a number makes no new NaN
// or infinity.
func (s *simplifier) float(o *ir.Op, t ir.Type, x float64) *ir.Value {
	bits := ir.FloatBits(t.Kind, x)
	a := math.Abs(ir.FloatValue(t.Kind, bits))
	least := 0x1p-1022
	switch t.Kind {
	case ir.F16:
		least = 0x1p-14
	case ir.F32:
		least = 0x1p-126
	}
	if a != 0 && a < least || math.IsInf(a, 0) || a != a {
		return nil
	}
	return s.bits(o, t, bits)
}

func isZero(x float64, negative bool) bool { return x == 0 && math.Signbit(x) == negative }

func (s *simplifier) addFloat(o *ir.Op) *ir.Value {
	x, y := o.Args[0], o.Args[1]
	strict := o.Flags.Has(ir.Strict)
	if c, ok := floatConst(o); ok {
		if isZero(c, true) || c == 0 && !strict {
			return x
		}
		if d, _, ok := inner(x, ir.OpAdd); ok && !strict && !d.Flags.Has(ir.Strict) {
			c2, _ := floatConst(d)
			if sum := s.float(o, x.Type, c+c2); sum != nil {
				return s.make(o, 0, ir.OpAdd, d.Args[0], sum)
			}
		}
		return nil
	}
	switch {
	case DefOf(y, ir.OpNeg) != nil:
		return s.make(o, 0, ir.OpSub, x, y.Def.Args[0])
	case DefOf(x, ir.OpNeg) != nil:
		return s.make(o, 0, ir.OpSub, y, x.Def.Args[0])
	}
	return nil
}

func (s *simplifier) subFloat(o *ir.Op) *ir.Value {
	x, y := o.Args[0], o.Args[1]
	strict := o.Flags.Has(ir.Strict)
	if c, ok := floatConst(o); ok && c == c {
		if isZero(c, false) || c == 0 && !strict {
			return x
		}
		return s.make(o, 0, ir.OpAdd, x, s.bits(o, y.Type, ir.FloatBits(y.Type.Kind, -c)))
	}
	if c, ok := floatOf(x); ok && (isZero(c, true) || c == 0 && !strict) {
		return s.make(o, 0, ir.OpNeg, y)
	}
	if d := DefOf(y, ir.OpNeg); d != nil {
		return s.make(o, 0, ir.OpAdd, x, d.Args[0])
	}
	return nil
}

func (s *simplifier) mulFloat(o *ir.Op) *ir.Value {
	x, y := o.Args[0], o.Args[1]
	if c, ok := floatConst(o); ok {
		switch c {
		case 1:
			return x
		case -1:
			return s.make(o, 0, ir.OpNeg, x)
		}
		if d := DefOf(x, ir.OpNeg); d != nil && c == c {
			return s.make(o, 0, ir.OpMul, d.Args[0], s.bits(o, y.Type, ir.FloatBits(y.Type.Kind, -c)))
		}
		if d, _, ok := inner(x, ir.OpMul); ok && !o.Flags.Has(ir.Strict) && !d.Flags.Has(ir.Strict) && c != 0 {
			// A product too small for the kind would turn large numbers into 0.
			if c2, _ := floatConst(d); ir.FloatValue(x.Type.Kind, ir.FloatBits(x.Type.Kind, c*c2)) != 0 {
				if p := s.float(o, x.Type, c*c2); p != nil {
					return s.make(o, 0, ir.OpMul, d.Args[0], p)
				}
			}
		}
		return nil
	}
	if dx, dy := DefOf(x, ir.OpNeg), DefOf(y, ir.OpNeg); dx != nil && dy != nil {
		return s.make(o, 0, ir.OpMul, dx.Args[0], dy.Args[0])
	}
	return nil
}

func (s *simplifier) divFloat(o *ir.Op) *ir.Value {
	x, y := o.Args[0], o.Args[1]
	c, ok := floatConst(o)
	if !ok || o.Code != ir.OpDiv {
		return nil
	}
	switch c {
	case 1:
		return x
	case -1:
		return s.make(o, 0, ir.OpNeg, x)
	case 0:
		return nil
	}
	// A power of two has an exact reciprocal.
	if frac, _ := math.Frexp(c); math.Abs(frac) != 0.5 && o.Flags.Has(ir.Strict) {
		return nil
	}
	if r := s.float(o, y.Type, 1/c); r != nil {
		return s.make(o, 0, ir.OpMul, x, r)
	}
	return nil
}

func (s *simplifier) fma(o *ir.Op) *ir.Value {
	if c, ok := floatOf(o.Args[2]); ok && isZero(c, true) {
		return s.make(o, 0, ir.OpMul, o.Args[0], o.Args[1])
	}
	for i := range 2 {
		switch c, ok := floatOf(o.Args[i]); {
		case ok && c == 1:
			return s.make(o, 0, ir.OpAdd, o.Args[1-i], o.Args[2])
		case ok && c == -1:
			return s.make(o, 0, ir.OpSub, o.Args[2], o.Args[1-i])
		}
	}
	return nil
}

// pow replaces a power by a few cheap operations if the exponent is constant, or if the base is 2. It keeps the special cases of IEEE
// 754. With strict maths only replacements with the same bits as pow are used, since a power with an exponent that is no constant has
// these bits.
func (s *simplifier) pow(o *ir.Op) *ir.Value {
	x, t := o.Args[0], o.Results[0].Type
	strict := o.Flags.Has(ir.Strict)
	if c, ok := floatOf(x); ok && c == 2 && !strict {
		return s.make(o, 0, ir.OpExp2, o.Args[1])
	}
	y, ok := floatConst(o)
	if !ok {
		return nil
	}
	switch y {
	case 0: // 1 even for a NaN
		return s.number(o, t, 1)
	case 1:
		return x
	case 2:
		return s.make(o, 0, ir.OpMul, x, x)
	case -1:
		return s.make(o, 0, ir.OpDiv, s.number(o, t, 1), x)
	case 0.5:
		// The square root, except for -0, which gives 0, and -inf, which gives inf.
		inf := math.Inf(1)
		root := s.make(o, 0, ir.OpAbs, s.make(o, 0, ir.OpSqrt, x))
		isMinusInf := s.makeOf(o, 0, t.With(ir.Bool), ir.OpEq, x, s.bits(o, t, ir.FloatBits(t.Kind, -inf)))
		return s.make(o, 0, ir.OpSelect, isMinusInf, s.bits(o, t, ir.FloatBits(t.Kind, inf)), root)
	}
	if strict {
		return nil
	}
	switch y {
	case 3:
		return s.make(o, 0, ir.OpMul, s.make(o, 0, ir.OpMul, x, x), x)
	case 4:
		square := s.make(o, 0, ir.OpMul, x, x)
		return s.make(o, 0, ir.OpMul, square, square)
	}
	return nil
}

// whole drops a rounding to whole numbers of a number that is whole.
func (s *simplifier) whole(o *ir.Op) *ir.Value {
	d := o.Args[0].Def
	if d == nil {
		return nil
	}
	switch d.Code {
	case ir.OpFloor, ir.OpCeil, ir.OpRound, ir.OpTrunc, ir.OpRoundEven:
		return d.Results[0]
	case ir.OpConvert:
		if from := d.Args[0].Type.Kind; from.IsInt() || from == ir.Bool {
			return d.Results[0]
		}
	}
	return nil
}
