package lower

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/site"
	"github.com/gotaichi/ti/internal/typed"
)

// scalarFns are the builtins that are a few ops on each component.
var scalarFns = map[typed.Fn]func(l *lowerer, x []*ir.Value) *ir.Value{
	typed.Sqr:        func(l *lowerer, x []*ir.Value) *ir.Value { return l.mul(x[0], x[0]) },
	typed.Fract:      func(l *lowerer, x []*ir.Value) *ir.Value { return l.sub(x[0], l.b.Op(ir.OpFloor, x[0])) },
	typed.Radians:    func(l *lowerer, x []*ir.Value) *ir.Value { return l.mul(x[0], l.num(x[0], math.Pi/180)) },
	typed.Degrees:    func(l *lowerer, x []*ir.Value) *ir.Value { return l.mul(x[0], l.num(x[0], 180/math.Pi)) },
	typed.Mix:        func(l *lowerer, x []*ir.Value) *ir.Value { return l.add(x[0], l.mul(l.sub(x[1], x[0]), x[2])) },
	typed.Step:       step,
	typed.Hypot:      hypot,
	typed.Smoothstep: smoothstep,
	typed.IntPow:     intPow,
	typed.Clamp:      func(l *lowerer, x []*ir.Value) *ir.Value { return l.clamp(x[0], x[1], x[2]) },
}

// step is 0 where x < edge, else 1.
func step(l *lowerer, x []*ir.Value) *ir.Value {
	below := l.b.Op(ir.OpLt, x[1], x[0])
	return l.b.Op(ir.OpSelect, below, l.num(x[0], 0), l.num(x[0], 1))
}

// hypot is √(x²+y²) as a·√(1+(b/a)²), where a is the larger of the two without their signs: no
// square overflows or vanishes. It is infinite with an infinite argument, also beside NaN,
// as in C.
func hypot(l *lowerer, x []*ir.Value) *ir.Value {
	a, b := l.b.Op(ir.OpAbs, x[0]), l.b.Op(ir.OpAbs, x[1])
	less := l.b.Op(ir.OpLt, a, b)
	a, b = l.b.Op(ir.OpSelect, less, b, a), l.b.Op(ir.OpSelect, less, a, b)
	zero, inf := l.num(a, 0), l.num(a, math.Inf(1))
	r := l.div(b, a)
	long := l.mul(a, l.b.Op(ir.OpSqrt, l.add(l.num(a, 1), l.mul(r, r))))
	long = l.b.Op(ir.OpSelect, l.b.Op(ir.OpEq, a, zero), zero, long)
	infinite := l.b.Op(ir.OpOr, l.b.Op(ir.OpEq, a, inf), l.b.Op(ir.OpEq, b, inf))
	return l.b.Op(ir.OpSelect, infinite, inf, long)
}

// smoothstep is t*t*(3-2*t) of the clamped position t of x between two edges.
func smoothstep(l *lowerer, x []*ir.Value) *ir.Value {
	t := l.div(l.sub(x[2], x[0]), l.sub(x[1], x[0]))
	t = l.clamp(t, l.num(t, 0), l.num(t, 1))
	return l.mul(l.mul(t, t), l.sub(l.num(t, 3), l.mul(l.num(t, 2), t)))
}

// clamp emits x clamped between lo and hi; hi wins where they cross.
func (l *lowerer) clamp(x, lo, hi *ir.Value) *ir.Value {
	return l.b.Op(ir.OpMin, l.b.Op(ir.OpMax, x, lo), hi)
}

// otherFns are the builtins of no family.
var otherFns = map[typed.Fn]func(l *lowerer, c *builtin) []*ir.Value{
	typed.IfElse:        ifElse,
	typed.Bitcast:       bitcast,
	typed.Random:        random,
	typed.Randn:         randn,
	typed.RGBA:          rgba,
	typed.AssumeInRange: assumeInRange,
	typed.LoopUnique:    loopUnique,
	typed.StopGrad:      stopGrad,
}

// loopUnique marks a number that no two iterations share, or the components of a vector, which together
// differ. Debug mode trusts no promise.
func loopUnique(l *lowerer, c *builtin) []*ir.Value {
	x := c.args[0]
	if !l.iterating || l.debug || l.accesses {
		return x
	}
	n := uint64(0) // a constant has no part in how iterations differ
	for _, v := range x {
		if _, constant := ir.ConstOf(v); !constant {
			n++
		}
	}
	if n > 1 {
		l.promised++
	}
	comp := int32(0)
	return each(x, func(v *ir.Value) *ir.Value {
		if _, constant := ir.ConstOf(v); constant {
			return v
		}
		u := l.b.Op(ir.OpUnique, v)
		if n > 1 {
			u.Def.Aux, u.Def.Stride, u.Def.Bits = l.promised, comp, n
			comp++
		}
		return u
	})
}

// stopGrad marks its argument if that is asked for.
func stopGrad(l *lowerer, c *builtin) []*ir.Value {
	if !l.stops {
		return c.args[0]
	}
	return each(c.args[0], func(v *ir.Value) *ir.Value { return l.b.Op(ir.OpStopGrad, v) })
}

// assumeInRange brings x to where it is promised to be, which range analysis sees and no
// false promise can break. In debug mode one fails.
func assumeInRange(l *lowerer, c *builtin) []*ir.Value {
	vals := make([]*ir.Value, len(c.args[0]))
	for i, x := range c.args[0] {
		of := func(arg int) *ir.Value {
			a := c.args[arg]
			return a[min(i, len(a)-1)]
		}
		vals[i] = l.assumed(x, of(1), of(2), of(3))
	}
	return vals
}

// assumed is assumeInRange of one component.
func (l *lowerer) assumed(x, base, lo, hi *ir.Value) *ir.Value {
	kind := x.Type.Kind
	if !kind.IsSigned() {
		kind = ir.I64 // differences have signs
	}
	base, lo, hi = l.b.Convert(base, kind), l.b.Convert(lo, kind), l.b.Convert(hi, kind)
	most := l.b.Op(ir.OpSub, hi, l.num(hi, 1))
	away := l.b.Op(ir.OpSub, l.b.Convert(x, kind), base)
	if l.debug {
		kept := l.b.Op(ir.OpAnd, l.b.Op(ir.OpGe, away, lo), l.b.Op(ir.OpLt, away, hi))
		l.require(kept, site.Site{Kind: site.Assert, Text: []site.Piece{
			{Text: "assumeInRange: "}, {Verb: "%d", Kind: x.Type.Kind}, {Text: " is "}, {Verb: "%d", Kind: kind},
			{Text: " away from the base, and the promise is at least "}, {Verb: "%d", Kind: kind}, {Text: " and less than "}, {Verb: "%d", Kind: kind},
		}}, x, away, lo, hi)
	}
	return l.b.Convert(l.b.Op(ir.OpAdd, base, l.clamp(away, lo, most)), x.Type.Kind)
}

// ifElse chooses by one condition, or one for each component.
func ifElse(l *lowerer, c *builtin) []*ir.Value {
	cond, a, b := c.args[0], c.args[1], c.args[2]
	vals := make([]*ir.Value, len(a))
	for i := range a {
		vals[i] = l.b.Op(ir.OpSelect, cond[min(i, len(cond)-1)], a[i], b[i])
	}
	return vals
}

func bitcast(l *lowerer, c *builtin) []*ir.Value {
	k := kindOf(typed.ScalarOf(c.T))
	return each(c.args[0], func(x *ir.Value) *ir.Value {
		if l.gradient && x.Type.Kind.IsFloat() { // there and back it would be the number itself
			x = l.b.Op(ir.OpStopGrad, x)
		}
		return l.b.Bitcast(x, k)
	})
}

// rgba packs a colour of floats from 0 to 1 into 0xAABBGGRR; alpha is 1 if left out.
func rgba(l *lowerer, c *builtin) []*ir.Value {
	var word *ir.Value
	for i, x := range c.args[0] {
		x = l.clamp(x, l.num(x, 0), l.num(x, 1))
		x = l.add(l.mul(x, l.num(x, 255)), l.num(x, 0.5))
		b := l.b.Bitcast(l.b.Convert(x, ir.I32), ir.U32)
		if i == 0 {
			word = b
			continue
		}
		word = l.b.Op(ir.OpOr, word, l.b.Op(ir.OpShl, b, l.num(b, float64(8*i))))
	}
	if len(c.args[0]) == 3 {
		word = l.b.Op(ir.OpOr, word, l.num(word, 0xff000000))
	}
	return []*ir.Value{word}
}
