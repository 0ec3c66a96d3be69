package bits

import "github.com/gotaichi/ti/internal/ir"

// A plane is a bool of each lane, as the bit of the same number in a word. Bits above the last lane are undefined.
type plane struct {
	v    *ir.Value // nil if all lanes have the same
	ones bool
}

var (
	none = plane{}
	all  = plane{ones: true}
)

func (p plane) constant() bool { return p.v == nil }

// A logic appends operations on planes.
type logic struct {
	*ir.Builder
	kind ir.Kind // of words
}

func (l *logic) typ() ir.Type { return ir.Scalar(l.kind) }

// pattern returns the plane with the given bits.
func (l *logic) pattern(bits uint64) plane {
	mask := ^uint64(0) >> (64 - l.kind.Bits())
	switch bits & mask {
	case 0:
		return none
	case mask:
		return all
	}
	return plane{v: l.Const(l.typ(), bits&mask)}
}

// word returns a plane as a value.
func (l *logic) word(p plane) *ir.Value {
	switch {
	case p.v != nil:
		return p.v
	case p.ones:
		return l.Int(l.typ(), -1)
	}
	return l.Const(l.typ(), 0)
}

func (l *logic) not(a plane) plane {
	if a.constant() {
		return plane{ones: !a.ones}
	}
	if d := a.v.Def; d != nil && d.Code == ir.OpNot {
		return plane{v: d.Args[0]}
	}
	return plane{v: l.Op(ir.OpNot, a.v)}
}

func (l *logic) and(a, b plane) plane {
	switch {
	case a == b, b == all:
		return a
	case a == all:
		return b
	case a == none, b == none:
		return none
	}
	return plane{v: l.Op(ir.OpAnd, a.v, b.v)}
}

func (l *logic) or(a, b plane) plane {
	switch {
	case a == b, b == none:
		return a
	case a == none:
		return b
	case a == all, b == all:
		return all
	}
	return plane{v: l.Op(ir.OpOr, a.v, b.v)}
}

func (l *logic) xor(a, b plane) plane {
	switch {
	case a == b:
		return none
	case a == none:
		return b
	case b == none:
		return a
	case a == all:
		return l.not(b)
	case b == all:
		return l.not(a)
	}
	return plane{v: l.Op(ir.OpXor, a.v, b.v)}
}

// mux returns a in the lanes of c, and b elsewhere.
func (l *logic) mux(c, a, b plane) plane {
	switch {
	case c == all || a == b:
		return a
	case c == none:
		return b
	case a == all:
		return l.or(c, b)
	case a == none:
		return l.and(l.not(c), b)
	case b == all:
		return l.or(l.not(c), a)
	case b == none:
		return l.and(c, a)
	}
	return l.or(l.and(c, a), l.and(l.not(c), b))
}

// majority returns the lanes set in at least two of three planes: the carry of a full adder.
func (l *logic) majority(a, b, c plane) plane {
	return l.or(l.and(a, b), l.and(c, l.xor(a, b)))
}

// splat returns the plane with the same bool in all lanes.
func (l *logic) splat(v *ir.Value) plane {
	if n, ok := ir.ConstOf(v); ok {
		return plane{ones: n != 0}
	}
	return plane{v: l.Op(ir.OpSelect, v, l.Int(l.typ(), -1), l.Const(l.typ(), 0))}
}

// below returns the lanes less than n, an i64 of any size.
func (l *logic) below(n *ir.Value) plane {
	i64 := ir.Scalar(ir.I64)
	if c, ok := ir.IntOf(n); ok {
		switch width := int64(l.kind.Bits()); {
		case c <= 0:
			return none
		case c >= width:
			return all
		default:
			return l.pattern(1<<c - 1)
		}
	}
	n = l.Op(ir.OpMax, l.Op(ir.OpMin, n, l.Int(i64, int64(l.kind.Bits()))), l.Int(i64, 0))
	one := l.Int(l.typ(), 1)
	return plane{v: l.Op(ir.OpSub, l.Op(ir.OpShl, one, l.Convert(n, ir.U32)), one)} // a shift by the width gives 0
}
