package lower

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/typed"
)

// vectorFns are the builtins on vectors; most take scalars as vectors of one.
var vectorFns = map[typed.Fn]func(l *lowerer, c *builtin) []*ir.Value{
	typed.Dot:       func(l *lowerer, c *builtin) []*ir.Value { return one(l.dot(c.args[0], c.args[1])) },
	typed.Length:    func(l *lowerer, c *builtin) []*ir.Value { return one(l.norm(c.args[0])) },
	typed.Length2:   func(l *lowerer, c *builtin) []*ir.Value { return one(l.dot(c.args[0], c.args[0])) },
	typed.Distance:  distance,
	typed.Normalize: normalize,
	typed.Reflect:   reflect,
	typed.Refract:   refract,
	typed.Cross:     cross,
	typed.Outer2:    outer,
	typed.Sum:       reduceBy(ir.OpAdd),
	typed.Product:   reduceBy(ir.OpMul),
	typed.MinOf:     reduceBy(ir.OpMin),
	typed.MaxOf:     reduceBy(ir.OpMax),
	typed.All:       reduceBy(ir.OpAnd),
	typed.Any:       reduceBy(ir.OpOr),
}

func one(x *ir.Value) []*ir.Value { return []*ir.Value{x} }

// reduceBy combines all components, from the first to the last.
func reduceBy(code ir.Code) func(*lowerer, *builtin) []*ir.Value {
	return func(l *lowerer, c *builtin) []*ir.Value { return one(l.reduce(code, c.args[0])) }
}

func (l *lowerer) reduce(code ir.Code, vals []*ir.Value) *ir.Value {
	x := vals[0]
	for _, v := range vals[1:] {
		x = l.op(code, x, v)
	}
	return x
}

// dot is the sum of products.
func (l *lowerer) dot(x, y []*ir.Value) *ir.Value {
	return l.reduce(ir.OpAdd, l.zip(ir.OpMul, x, y))
}

// norm is the Euclidean length.
func (l *lowerer) norm(x []*ir.Value) *ir.Value {
	if len(x) == 1 {
		return l.b.Op(ir.OpAbs, x[0])
	}
	return l.rootOfSquares(l.dot(x, x))
}

// rootOfSquares is the root of a sum of squares. The derivative of a length is 0 where the length is.
func (l *lowerer) rootOfSquares(sum *ir.Value) *ir.Value {
	if !l.gradient {
		return l.b.Op(ir.OpSqrt, sum)
	}
	none := l.b.Op(ir.OpEq, sum, l.num(sum, 0))
	return l.b.If(none, []ir.Type{sum.Type}, func() { l.b.Yield(l.num(sum, 0)) }, func() { l.b.Yield(l.b.Op(ir.OpSqrt, sum)) })[0]
}

func distance(l *lowerer, c *builtin) []*ir.Value {
	return one(l.norm(l.zip(ir.OpSub, c.args[0], c.args[1])))
}

// normalize divides a vector by its length; of a zero vector it is NaN.
func normalize(l *lowerer, c *builtin) []*ir.Value {
	x := c.args[0]
	n := l.norm(x)
	if l.gradient {
		return l.smoothly(n, x)
	}
	if l.b.Flags.Has(ir.Strict) {
		return each(x, func(v *ir.Value) *ir.Value { return l.div(v, n) })
	}
	inv := l.div(l.num(n, 1), n)
	return l.scaled(x, inv)
}

// smoothly is x divided by its length n, whose derivative is 0 where n is 0.
func (l *lowerer) smoothly(n *ir.Value, x []*ir.Value) []*ir.Value {
	nan := l.b.Float(n.Type, math.NaN())
	none := l.b.Op(ir.OpEq, n, l.num(n, 0))
	return l.b.If(none, typesOf(x), func() {
		l.b.Yield(each(x, func(*ir.Value) *ir.Value { return nan })...)
	}, func() {
		l.b.Yield(each(x, func(v *ir.Value) *ir.Value { return l.div(v, n) })...)
	})
}

// scaled multiplies each component by s.
func (l *lowerer) scaled(x []*ir.Value, s *ir.Value) []*ir.Value {
	return each(x, func(v *ir.Value) *ir.Value { return l.mul(v, s) })
}

// reflect is d - 2*dot(n, d)*n.
func reflect(l *lowerer, c *builtin) []*ir.Value {
	d, n := c.args[0], c.args[1]
	t := l.dot(n, d)
	return l.zip(ir.OpSub, d, l.scaled(n, l.mul(l.num(t, 2), t)))
}

// refract is the direction of d after the surface of normal n, eta being the ratio
// of the refractive indices; zero where all light is reflected.
func refract(l *lowerer, c *builtin) []*ir.Value {
	d, n, eta := c.args[0], c.args[1], c.args[2][0]
	r := l.refraction(l.dot(n, d), eta)
	out := make([]*ir.Value, len(d))
	for i := range out {
		out[i] = r.of(l, d[i], n[i])
	}
	return out
}

// A refraction has the values that all components of a refracted direction share.
type refraction struct{ away, eta, along *ir.Value }

// refraction computes them from t, the dot product of normal and direction.
func (l *lowerer) refraction(t, eta *ir.Value) refraction {
	one, zero := l.num(t, 1), l.num(t, 0)
	k := l.sub(one, l.mul(l.mul(eta, eta), l.sub(one, l.mul(t, t))))
	away := l.b.Op(ir.OpLt, k, zero)
	root := l.b.Op(ir.OpSqrt, k)
	return refraction{away, eta, l.add(l.mul(eta, t), root)}
}

// of returns the component of the refracted direction, d and n being those of
// direction and normal.
func (r refraction) of(l *lowerer, d, n *ir.Value) *ir.Value {
	out := l.sub(l.mul(d, r.eta), l.mul(n, r.along))
	return l.b.Op(ir.OpSelect, r.away, l.num(out, 0), out)
}

// cross is the product of two 3-vectors, or the scalar one of two 2-vectors.
func cross(l *lowerer, c *builtin) []*ir.Value {
	x, y := c.args[0], c.args[1]
	minor := func(i, j int) *ir.Value { return l.sub(l.mul(x[i], y[j]), l.mul(x[j], y[i])) }
	if len(x) == 2 {
		return one(minor(0, 1))
	}
	return []*ir.Value{minor(1, 2), minor(2, 0), minor(0, 1)}
}

// outer is the matrix of all products, a row for each component of the first.
func outer(l *lowerer, c *builtin) []*ir.Value {
	var vals []*ir.Value
	for _, x := range c.args[0] {
		vals = append(vals, l.scaled(c.args[1], x)...)
	}
	return vals
}
