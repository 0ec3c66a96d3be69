package lower

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/typed"
)

// random draws a uniform number for each component, in order: floats from 0 up to,
// not including, 1; integers over their whole range.
func random(l *lowerer, c *builtin) []*ir.Value {
	k := kindOf(typed.ScalarOf(c.T))
	vals := make([]*ir.Value, typed.Components(c.T))
	for i := range vals {
		vals[i] = l.uniform(k)
	}
	return vals
}

// draw appends one random u32.
func (l *lowerer) draw() *ir.Value { return l.b.OpOf(ir.OpRand, ir.Scalar(ir.U32)) }

// uniform draws a number of kind k. Of two draws the first has the higher bits.
func (l *lowerer) uniform(k ir.Kind) *ir.Value {
	switch k {
	case ir.F16:
		return l.mul(l.high(l.draw(), 11, k), l.numOf(k, 0x1p-11))
	case ir.F32:
		return l.mul(l.high(l.draw(), 24, k), l.numOf(k, 0x1p-24))
	case ir.F64:
		hi, lo := l.draw(), l.draw()
		whole := l.add(l.mul(l.high(hi, 27, k), l.numOf(k, 0x1p26)), l.high(lo, 26, k))
		return l.mul(whole, l.numOf(k, 0x1p-53))
	case ir.I64, ir.U64:
		hi, lo := l.b.Convert(l.draw(), ir.U64), l.b.Convert(l.draw(), ir.U64)
		word := l.b.Op(ir.OpOr, l.b.Op(ir.OpShl, hi, l.num(hi, 32)), lo)
		return l.b.Convert(word, k)
	case ir.Bool:
		d := l.draw()
		return l.b.Op(ir.OpGe, d, l.num(d, 1<<31))
	}
	return l.b.Convert(l.draw(), k)
}

// high returns the upper bits of a draw as a float. They fit in a signed integer,
// which processors convert faster.
func (l *lowerer) high(draw *ir.Value, bits int, k ir.Kind) *ir.Value {
	n := l.b.Op(ir.OpShr, draw, l.num(draw, float64(32-bits)))
	return l.b.Convert(l.b.Bitcast(n, ir.I32), k)
}

// randn draws a number of the normal distribution for each component.
func randn(l *lowerer, c *builtin) []*ir.Value {
	vals := make([]*ir.Value, typed.Components(c.T))
	for i := range vals {
		vals[i] = l.normal(kindOf(typed.ScalarOf(c.T)))
	}
	return vals
}

// normal draws a number of the normal distribution after Box and Muller:
// sqrt(-2*log(1-u)) * cos(2*pi*v). One of half precision is computed in single
// precision, for the sake of the tails.
func (l *lowerer) normal(result ir.Kind) *ir.Value {
	k := result
	if k == ir.F16 {
		k = ir.F32
	}
	u, v := l.uniform(k), l.uniform(k)
	r := l.mul(l.numOf(k, -2), l.b.Op(ir.OpLog, l.sub(l.numOf(k, 1), u)))
	angle := l.mul(v, l.numOf(k, 2*math.Pi))
	return l.b.Convert(l.mul(l.b.Op(ir.OpSqrt, r), l.b.Op(ir.OpCos, angle)), result)
}
