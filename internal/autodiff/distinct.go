package autodiff

import (
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/site"
)

// distinct reports whether it is certain that two accesses of an iteration are to different elements or components.
func (g *gridLoop) distinct(a, b *ir.Op) bool {
	p, q := a.Args[0].Def, b.Args[0].Def
	if p.Field != q.Field || p.Aux != q.Aux && !p.Flags.Has(ir.Dynamic) && !q.Flags.Has(ir.Dynamic) {
		return true
	}
	for _, g.assumes = range []bool{false, true} { // at first without what a launch would have to check
		for k := range p.Field.Rank() {
			if g.differ(p.Args[k], q.Args[k]) {
				return true
			}
		}
	}
	return false
}

// differ reports whether it is certain that two indices of an iteration differ.
func (g *gridLoop) differ(v, w *ir.Value) bool {
	if g.numbersDiffer(v, w, indexModulus) {
		return true
	}
	s, ok := g.shift(v)
	t, ok2 := g.shift(w)
	if !ok || !ok2 || s.axis < 0 || s.axis != t.axis || s.low || s.high || t.low || t.high {
		return false
	}
	if !s.wraps && !t.wraps && s.lengths == t.lengths {
		return s.add != t.add
	}
	n, _, ok := g.length(s.axis)
	return ok && n > 0 && (s.add-t.add)%n != 0
}

// numbersDiffer reports whether it is certain that two integers differ modulo n: numbers of which each is v or -v plus
// a constant, or whose remainders differ. So the planes of two steps of time are distinguished, and those that are
// written and read in turn.
func (g *gridLoop) numbersDiffer(v, w *ir.Value, n int64) bool {
	x, y := termsOf(v), termsOf(w)
	whole := n == indexModulus // and not a remainder
	if bits := min(v.Type.Kind.Bits(), w.Type.Kind.Bits()); whole && bits < 32 {
		n = 1 << bits // sums of a short type
	}
	if n&(n-1) != 0 && (isFar(x.plus) || isFar(y.plus)) { // one sum may be too large for its type, which changes its remainder
		return false
	}
	if isSameNumber(x.of, y.of) {
		if x.of == nil || x.negative == y.negative {
			return (x.plus-y.plus)%n != 0 && (n&(n-1) == 0 || g.isSmall(x.of))
		}
		return n%2 == 0 && (x.plus-y.plus)%2 != 0 && (n&(n-1) == 0 || g.isSmall(x.of))
	}
	if x.of == nil || y.of == nil || !whole || x.negative != y.negative || x.plus != y.plus {
		return false
	}
	m, k := divisor(x.of), divisor(y.of)
	return m > 0 && m == k && g.numbersDiffer(x.of.Def.Args[0], y.of.Def.Args[0], m)
}

// indexModulus is 2 to the power of the bits of an index. Longer ones are compared likewise.
const indexModulus = 1 << 32

// terms are an integer as another one, or its negative, plus a constant.
type terms struct {
	of       *ir.Value // nil for none
	negative bool
	plus     int64
}

func termsOf(v *ir.Value) (t terms) {
	t.of = unmarked(v)
	sign := int64(1)
	for {
		if c, known := ir.IntOf(t.of); known {
			return terms{plus: t.plus + sign*signed(t.of.Type.Kind, c)}
		}
		o := t.of.Def
		if o == nil || o.Code != ir.OpAdd && o.Code != ir.OpSub {
			return t
		}
		of, number := 0, 1
		c, known := ir.IntOf(o.Args[1])
		if !known {
			of, number = 1, 0
			if c, known = ir.IntOf(o.Args[0]); !known {
				return t
			}
		}
		c = signed(t.of.Type.Kind, c)
		if o.Code == ir.OpSub && number == 1 {
			c = -c
		}
		t.plus += sign * c
		if o.Code == ir.OpSub && number == 0 {
			t.negative, sign = !t.negative, -sign
		}
		t.of = unmarked(o.Args[of])
	}
}

// isFar reports whether an index plus n may be too large for 32 bits, or too small, where the index is far from that.
func isFar(n int64) bool { return max(n, -n) >= 1<<30 }

// isSmall reports whether v, of 32 bits or more, is so far from the ends of its type that sums of it and small
// constants exist. Indices of the loop are, if its limits are. Of what all iterations have alike it is taken for
// granted, and a launch asks for it before it gathers: see checkSmall.
func (g *gridLoop) isSmall(v *ir.Value) bool {
	if v == nil { // a constant
		return true
	}
	if axis := slices.Index(g.op.Regions[0].Params, v); axis >= 0 {
		if g.op.Code == ir.OpFieldFor {
			return !isFar(g.low[axis]) && !isFar(g.low[axis]+g.size[axis])
		}
		lo, ok1 := ir.IntOf(g.lo[axis])
		hi, ok2 := ir.IntOf(g.hi[axis])
		return ok1 && ok2 && !isFar(lo) && !isFar(hi)
	}
	if !g.assumes || !g.isSame(v) {
		return false
	}
	if !slices.Contains(g.small, v) {
		g.small = append(g.small, v)
	}
	return true
}

// checkSmall emits a failure for where one of vs, which the iterations of o have alike, is so near the end of its type
// that remainders of it and of its neighbours may be equal: elements that the backward pass takes for different ones
// would not be. The backward pass has them, since it wants the indices.
func (r *reverser) checkSmall(o *ir.Op, vs []*ir.Value) {
	for _, v := range vs {
		n := r.copySame(o, v)
		limit := int64(1) << (n.Type.Kind.Bits() - 2)
		m := new(message)
		m.say("the backward pass: ")
		m.show(n)
		m.say(" is too large to tell remainders of it and of its neighbours apart; use a number between " + fmt.Sprint(-limit) + " and " + fmt.Sprint(limit))
		small := r.b.Op(ir.OpAnd, r.b.Op(ir.OpGt, n, r.b.Int(n.Type, -limit)), r.b.Op(ir.OpLt, n, r.b.Int(n.Type, limit)))
		r.failWhen(r.b.Op(ir.OpNot, small), site.Overflow, m)
	}
}

// divisor is the constant that v is a remainder by, 0 if there is none. Of unsigned numbers, what is below 0 is large,
// and has its remainder by a power of two only, and so has a sum that is too large for a short type. Of longer types
// see isSmall.
func divisor(v *ir.Value) int64 {
	o := v.Def
	if o == nil || o.Code != ir.OpRem && o.Code != ir.OpMod && o.Code != ir.OpAnd {
		return 0
	}
	n, known := ir.IntOf(o.Args[1])
	if o.Code == ir.OpAnd {
		n++
	}
	if !known || n <= 0 || n&(n-1) != 0 && (o.Code == ir.OpAnd || v.Type.Kind.IsUnsigned() || v.Type.Kind.Bits() < 32) {
		return 0
	}
	return n
}

// isSameNumber reports whether two integers are equal for certain: the same arithmetic on the same values.
func isSameNumber(v, w *ir.Value) bool {
	if v == nil || w == nil {
		return v == w
	}
	v, w = unmarked(v), unmarked(w)
	if sameNumber(v, w) {
		return true
	}
	o, p := v.Def, w.Def
	return o != nil && p != nil && o.Code == p.Code && v.Type == w.Type && len(o.Args) > 0 && (isArithmetic(o) || isQuestion(o)) && slices.EqualFunc(o.Args, p.Args, isSameNumber)
}
