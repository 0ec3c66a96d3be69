package lower

import (
	"github.com/gotaichi/ti/internal/ir"
)

// rotation2 turns the plane, counter-clockwise for a positive angle.
func rotation2(l *lowerer, c *builtin) []*ir.Value {
	a := c.args[0][0]
	cos, sin := l.op(ir.OpCos, a), l.op(ir.OpSin, a)
	return []*ir.Value{cos, l.b.Op(ir.OpNeg, sin), sin, cos}
}

// rotation is Rodrigues' formula: cos + (1-cos)*outer(axis, axis) + sin*[axis]×.
func rotation(l *lowerer, c *builtin) []*ir.Value {
	axis, a := c.args[0], c.args[1][0]
	cos, sin := l.op(ir.OpCos, a), l.op(ir.OpSin, a)
	rest := l.scaled(axis, l.sub(l.num(cos, 1), cos))
	turn := l.scaled(axis, sin)
	m := make([]*ir.Value, 9)
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		m[3*i+i] = l.add(l.mul(rest[i], axis[i]), cos)
		both := l.mul(rest[i], axis[j])
		m[3*i+j], m[3*j+i] = l.sub(both, turn[k]), l.add(both, turn[k])
	}
	return m
}

// translate moves by a vector, which is the last column.
func translate(l *lowerer, c *builtin) []*ir.Value {
	v := c.args[0]
	return l.affine(v[0], len(v), func(i, j int) *ir.Value {
		if j == len(v) {
			return v[i]
		}
		return nil
	})
}

// scale has a vector on its diagonal.
func scale(l *lowerer, c *builtin) []*ir.Value {
	v := c.args[0]
	return l.affine(v[0], len(v), func(i, j int) *ir.Value {
		if i == j {
			return v[i]
		}
		return nil
	})
}

// homogeneous is a matrix with one row and one column more, as of the identity.
func homogeneous(l *lowerer, c *builtin) []*ir.Value {
	m, n := c.args[0], c.dims(0)[0]
	return l.affine(m[0], n, func(i, j int) *ir.Value {
		if j < n {
			return m[n*i+j]
		}
		return nil
	})
}

// affine makes a matrix of n+1 rows and columns of numbers like one. The first n rows
// are what at gives, and where that is nil, those of the identity, as the last one is.
func (l *lowerer) affine(like *ir.Value, n int, at func(i, j int) *ir.Value) []*ir.Value {
	one, zero := l.num(like, 1), l.num(like, 0)
	var m []*ir.Value
	for i := range n + 1 {
		for j := range n + 1 {
			var v *ir.Value
			if i < n {
				v = at(i, j)
			}
			switch {
			case v != nil:
			case i == j:
				v = one
			default:
				v = zero
			}
			m = append(m, v)
		}
	}
	return m
}
