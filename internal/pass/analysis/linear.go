package analysis

import (
	"fmt"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
)

// A Linear form is an integer as a sum of values times constants, plus a constant, which is the form of addresses. Access lowering uses
// such forms so that accesses to neighbouring elements have the same terms and differ only in the constant.
type Linear struct {
	Terms []LinTerm // sorted by the numbers of their values; coefficients are not 0
	C     int64
}

type LinTerm struct {
	V    *ir.Value
	Coef int64
}

// Plus returns x + k*y.
func (x Linear) Plus(y Linear, k int64) Linear {
	if k == 0 {
		return x
	}
	z := Linear{C: x.C + k*y.C}
	if len(y.Terms) == 0 {
		z.Terms = x.Terms // terms are never modified
		return z
	}
	z.Terms = make([]LinTerm, 0, len(x.Terms)+len(y.Terms))
	i, j := 0, 0
	for i < len(x.Terms) || j < len(y.Terms) {
		switch {
		case j == len(y.Terms) || i < len(x.Terms) && x.Terms[i].V.ID < y.Terms[j].V.ID:
			z.Terms = append(z.Terms, x.Terms[i])
			i++
		case i == len(x.Terms) || y.Terms[j].V.ID < x.Terms[i].V.ID:
			z.Terms = append(z.Terms, LinTerm{y.Terms[j].V, k * y.Terms[j].Coef})
			j++
		default:
			if c := x.Terms[i].Coef + k*y.Terms[j].Coef; c != 0 {
				z.Terms = append(z.Terms, LinTerm{x.Terms[i].V, c})
			}
			i++
			j++
		}
	}
	return z
}

// Scaled returns k*x.
func (x Linear) Scaled(k int64) Linear { return Linear{}.Plus(x, k) }

// Split writes x as d*q + rest, where q has all terms that d divides.
func (x Linear) Split(d int64) (q, rest Linear) {
	for _, t := range x.Terms {
		if t.Coef%d == 0 {
			q.Terms = append(q.Terms, LinTerm{t.V, t.Coef / d})
		} else {
			rest.Terms = append(rest.Terms, t)
		}
	}
	q.C = FloorDiv(x.C, d)
	rest.C = x.C - d*q.C
	return q, rest
}

func atomOf(v *ir.Value) Linear { return Linear{Terms: []LinTerm{{v, 1}}} }

// LinearOf splits v into terms, as far as its arithmetic cannot wrap.
func (r *RangeInfo) LinearOf(v *ir.Value) Linear {
	if c, ok := ir.IntOf(v); ok {
		return Linear{C: c}
	}
	d := v.Def
	if d == nil || v.Type.Lanes != 1 {
		return atomOf(v)
	}
	wide := v.Type.Kind.IsInt() && v.Type.Kind.Size() == 8
	switch d.Code {
	case ir.OpAdd, ir.OpSub:
		if d.Flags.Has(ir.NoWrap) || r.Exact[d] || wide {
			k := int64(1)
			if d.Code == ir.OpSub {
				k = -1
			}
			return r.LinearOf(d.Args[0]).Plus(r.LinearOf(d.Args[1]), k)
		}
	case ir.OpNeg:
		if d.Flags.Has(ir.NoWrap) || r.Exact[d] || wide {
			return r.LinearOf(d.Args[0]).Scaled(-1)
		}
	case ir.OpMul:
		if !(d.Flags.Has(ir.NoWrap) || r.Exact[d] || wide) {
			break
		}
		if c, ok := ir.IntOf(d.Args[1]); ok {
			return r.LinearOf(d.Args[0]).Scaled(c)
		}
		if c, ok := ir.IntOf(d.Args[0]); ok {
			return r.LinearOf(d.Args[1]).Scaled(c)
		}
	case ir.OpShl:
		if c, ok := ir.IntOf(d.Args[1]); ok && c >= 0 && c < 31 {
			if x, ok := r.Get(d.Args[0]).mul(Point(1 << c)); ok && x.Fits(v.Type.Kind) {
				return r.LinearOf(d.Args[0]).Scaled(1 << c)
			}
		}
	case ir.OpConvert:
		from := d.Args[0].Type.Kind
		if from.IsInt() && r.Get(d.Args[0]).Fits(v.Type.Kind) {
			return r.LinearOf(d.Args[0])
		}
	}
	return atomOf(v)
}

// Interval bounds x; ok is false if nothing is known.
func (r *RangeInfo) Interval(x Linear) (Interval, bool) {
	sum, ok := Point(x.C), true
	for _, t := range x.Terms {
		p, ok1 := r.Get(t.V).mul(Point(t.Coef))
		s, ok2 := sum.add(p)
		sum, ok = s, ok && ok1 && ok2
	}
	return sum, ok
}

// Joined replaces (x/m)*m + x%m by x. Its parts are terms of their own after several dims of a block were collapsed into one.
func (r *RangeInfo) Joined(x Linear) Linear {
	for i := 0; i < len(x.Terms); i++ {
		rest := x.Terms[i]
		y, m := remainderOf(rest.V)
		if y == nil {
			continue
		}
		base, div := quotientOf(y)
		for _, u := range x.Terms {
			b, d := quotientOf(u.V)
			if b != base || d != div*m || u.Coef != rest.Coef*m || r.Get(base).Any || r.Get(base).Lo < 0 {
				continue
			}
			x = x.Plus(Linear{Terms: []LinTerm{rest}}, -1).Plus(Linear{Terms: []LinTerm{u}}, -1)
			x = x.Plus(Linear{Terms: []LinTerm{{y, rest.Coef}}}, 1)
			i = -1 // the result may be part of another such sum
			break
		}
	}
	return x
}

// remainderOf recognises y%m, y not negative; y is nil for another value.
func remainderOf(v *ir.Value) (y *ir.Value, m int64) {
	if v.Def == nil || len(v.Def.Args) != 2 {
		return nil, 0
	}
	c, ok := ir.IntOf(v.Def.Args[1])
	switch {
	case !ok:
	case v.Def.Code == ir.OpRem && c > 0:
		return v.Def.Args[0], c
	case v.Def.Code == ir.OpAnd && c > 0 && c < 1<<30 && c&(c+1) == 0:
		return v.Def.Args[0], c + 1
	}
	return nil, 0
}

// quotientOf splits v into base/d; d is 1 if v is no quotient.
func quotientOf(v *ir.Value) (base *ir.Value, d int64) {
	d = 1
	for v.Def != nil && len(v.Def.Args) == 2 {
		c, ok := ir.IntOf(v.Def.Args[1])
		switch {
		case ok && v.Def.Code == ir.OpDiv && c > 0 && c < 1<<30:
		case ok && v.Def.Code == ir.OpShr && c >= 0 && c < 30:
			c = 1 << c
		default:
			return v, d
		}
		if d *= c; d >= 1<<31 {
			return nil, 0
		}
		v = v.Def.Args[0]
	}
	return v, d
}

// Key returns a text that is the same for equal forms.
func (x Linear) Key() string {
	var s strings.Builder
	for _, t := range x.Terms {
		fmt.Fprintf(&s, "%d*%d+", t.V.ID, t.Coef)
	}
	fmt.Fprint(&s, x.C)
	return s.String()
}

// Stride returns the number of bytes by which the address p changes with index; linear is false if that is not a constant.
func (r *RangeInfo) Stride(p, index *ir.Value, depends map[*ir.Value]bool) (stride int64, linear bool) {
	for p.Def != nil && p.Def.Code == ir.OpOffset {
		for _, t := range r.LinearOf(p.Def.Args[1]).Terms {
			if t.V == index {
				stride += t.Coef
			} else if depends[t.V] {
				return 0, false
			}
		}
		p = p.Def.Args[0]
	}
	return stride, !depends[p]
}
