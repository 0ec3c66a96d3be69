package lower

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/site"
)

// A powering computes a power of integers by repeated squaring. In debug mode, exact
// says whether all the products so far fit; else it is nil.
type powering struct {
	l     *lowerer
	exact *ir.Value
}

// intPow is pow of integers: x[0] to the power x[1], modulo two to the width of x[0].
func intPow(l *lowerer, x []*ir.Value) *ir.Value {
	base, n := x[0], x[1]
	p := &powering{l: l}
	if l.debug && base.Type.Kind.IsSigned() {
		p.exact = l.b.Const(ir.Scalar(ir.Bool), 1)
	}
	r := p.power(base, n)
	if p.exact != nil {
		l.needs(p.exact, site.Overflow, ir.OpPow, x, " does not fit "+base.Type.Kind.String())
	}
	return r
}

func (p *powering) power(base, n *ir.Value) *ir.Value {
	kind := n.Type.Kind
	if k, ok := ir.IntOf(n); ok && (k >= 0 || kind.IsUnsigned()) {
		return p.unrolled(base, uint64(k))
	}
	if kind.IsUnsigned() {
		return p.loop(base, n)
	}
	l := p.l
	negative := l.b.Op(ir.OpLt, n, l.num(n, 0))
	if l.debug {
		l.needs(l.b.Op(ir.OpNot, negative), site.Overflow, ir.OpPow, []*ir.Value{base, n}, ": the exponent is negative")
	}
	r := p.loop(base, l.b.Bitcast(l.b.Op(ir.OpMax, n, l.num(n, 0)), kind.Unsigned()))
	return l.b.Op(ir.OpSelect, negative, p.inverse(base, n), r)
}

// unrolled is base to the power n, n being known: no more than two products for each
// bit of it.
func (p *powering) unrolled(base *ir.Value, n uint64) *ir.Value {
	if n == 0 {
		return p.l.num(base, 1)
	}
	for ; n&1 == 0; n >>= 1 {
		base = p.product(base, base, nil)
	}
	r := base
	for n >>= 1; n > 0; n >>= 1 {
		base = p.product(base, base, nil)
		if n&1 != 0 {
			r = p.product(r, base, nil)
		}
	}
	return r
}

// loop is base to the power n, an unsigned number: the squares of base are multiplied
// that the bits of n choose. It squares no further than n needs, so that a product that
// does not fit is always one of the result.
func (p *powering) loop(base, n *ir.Value) *ir.Value {
	l := p.l
	init := []*ir.Value{l.num(base, 1), base, n}
	if p.exact != nil {
		init = append(init, p.exact)
	}
	o := ir.NewOp(ir.OpLoop, l.b.Pos, typesOf(init), init...)
	l.b.Emit(o)
	l.in(o.Regions[0], func() {
		var in []*ir.Value
		for _, v := range init {
			in = append(in, o.Regions[0].AddParam(v.Type, ""))
		}
		r, square, n := in[0], in[1], in[2]
		if p.exact != nil {
			p.exact = in[3]
		}
		odd := l.b.Op(ir.OpNe, l.b.Op(ir.OpAnd, n, l.num(n, 1)), l.num(n, 0))
		r = l.b.Op(ir.OpSelect, odd, p.product(r, square, odd), r)
		n = l.b.Op(ir.OpShr, n, l.num(n, 1))
		l.b.If(l.b.Op(ir.OpNe, n, l.num(n, 0)), nil, func() { l.b.Yield() }, func() {
			l.b.Jump(ir.OpBreak, o, p.carried(r, square, n)...)
		})
		l.b.Jump(ir.OpContinue, o, p.carried(r, p.product(square, square, nil), n)...)
	})
	if p.exact != nil {
		p.exact = o.Results[3]
	}
	return o.Results[0]
}

// carried lists what the loop carries.
func (p *powering) carried(vals ...*ir.Value) []*ir.Value {
	if p.exact != nil {
		vals = append(vals, p.exact)
	}
	return vals
}

// product is x*y, which need not fit where used, if not nil, is false.
func (p *powering) product(x, y, used *ir.Value) *ir.Value {
	l := p.l
	r := l.b.Op(ir.OpMul, x, y)
	if p.exact != nil {
		fits := l.exactProduct(x.Type.Kind, r, x, y)
		if used != nil {
			fits = l.b.Op(ir.OpOr, fits, l.b.Op(ir.OpNot, used))
		}
		p.exact = l.b.Op(ir.OpAnd, p.exact, fits)
	}
	return r
}

// inverse is the integer part of base to the power n, a negative number: 0, but for the
// bases 1 and -1.
func (p *powering) inverse(base, n *ir.Value) *ir.Value {
	l := p.l
	one, zero := l.num(base, 1), l.num(base, 0)
	r := l.b.Op(ir.OpSelect, l.b.Op(ir.OpEq, base, one), one, zero)
	if !base.Type.Kind.IsSigned() {
		return r
	}
	minus := l.b.Int(base.Type, -1)
	odd := l.b.Op(ir.OpNe, l.b.Op(ir.OpAnd, n, l.num(n, 1)), l.num(n, 0))
	return l.b.Op(ir.OpSelect, l.b.Op(ir.OpEq, base, minus), l.b.Op(ir.OpSelect, odd, minus, one), r)
}
