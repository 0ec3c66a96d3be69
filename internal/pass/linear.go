package pass

import "github.com/gotaichi/ti/internal/ir"

// A linear form is an integer as a sum of values times constants, plus a
// constant: the shape that addresses have. Access lowering computes with these
// so that the terms of all accesses to neighbouring elements are the same and
// only the constant differs.
type linear struct {
	terms []linTerm // in the order of their values' numbers, coefficients not 0
	c     int64
}

type linTerm struct {
	v    *ir.Value
	coef int64
}

// plus returns x + k*y.
func (x linear) plus(y linear, k int64) linear {
	z := linear{c: x.c + k*y.c}
	i, j := 0, 0
	for i < len(x.terms) || j < len(y.terms) {
		switch {
		case j == len(y.terms) || i < len(x.terms) && x.terms[i].v.ID < y.terms[j].v.ID:
			z.terms = append(z.terms, x.terms[i])
			i++
		case i == len(x.terms) || y.terms[j].v.ID < x.terms[i].v.ID:
			z.terms = append(z.terms, linTerm{y.terms[j].v, k * y.terms[j].coef})
			j++
		default:
			if c := x.terms[i].coef + k*y.terms[j].coef; c != 0 {
				z.terms = append(z.terms, linTerm{x.terms[i].v, c})
			}
			i++
			j++
		}
	}
	if k == 0 {
		return x
	}
	return z
}

// scaled returns k*x.
func (x linear) scaled(k int64) linear { return linear{}.plus(x, k) }

// split writes x as d*q + rest, with what d divides in q.
func (x linear) split(d int64) (q, rest linear) {
	for _, t := range x.terms {
		if t.coef%d == 0 {
			q.terms = append(q.terms, linTerm{t.v, t.coef / d})
		} else {
			rest.terms = append(rest.terms, t)
		}
	}
	q.c = floorDiv(x.c, d)
	rest.c = x.c - d*q.c
	return q, rest
}

// linearOf takes v apart as far as its arithmetic cannot wrap.
func (r *rangeInfo) linearOf(v *ir.Value) linear {
	if c, ok := ir.IntOf(v); ok {
		return linear{c: c}
	}
	atom := linear{terms: []linTerm{{v, 1}}}
	d := v.Def
	if d == nil || v.Type.Lanes != 1 {
		return atom
	}
	wide := v.Type.Kind.IsInt() && v.Type.Kind.Size() == 8
	switch d.Code {
	case ir.OpAdd, ir.OpSub:
		if d.Flags.Has(ir.NoWrap) || r.exact[d] || wide {
			k := int64(1)
			if d.Code == ir.OpSub {
				k = -1
			}
			return r.linearOf(d.Args[0]).plus(r.linearOf(d.Args[1]), k)
		}
	case ir.OpNeg:
		if d.Flags.Has(ir.NoWrap) || r.exact[d] || wide {
			return r.linearOf(d.Args[0]).scaled(-1)
		}
	case ir.OpMul:
		if !(d.Flags.Has(ir.NoWrap) || r.exact[d] || wide) {
			break
		}
		if c, ok := ir.IntOf(d.Args[1]); ok {
			return r.linearOf(d.Args[0]).scaled(c)
		}
		if c, ok := ir.IntOf(d.Args[0]); ok {
			return r.linearOf(d.Args[1]).scaled(c)
		}
	case ir.OpShl:
		if c, ok := ir.IntOf(d.Args[1]); ok && c >= 0 && c < 31 {
			if x, ok := r.get(d.Args[0]).mul(point(1 << c)); ok && x.fits(v.Type.Kind) {
				return r.linearOf(d.Args[0]).scaled(1 << c)
			}
		}
	case ir.OpConvert:
		from := d.Args[0].Type.Kind
		if from.IsInt() && r.get(d.Args[0]).fits(v.Type.Kind) {
			return r.linearOf(d.Args[0])
		}
	}
	return atom
}

// interval bounds x; ok is false if nothing is known.
func (r *rangeInfo) interval(x linear) (interval, bool) {
	sum, ok := point(x.c), true
	for _, t := range x.terms {
		p, ok1 := r.get(t.v).mul(point(t.coef))
		s, ok2 := sum.add(p)
		sum, ok = s, ok && ok1 && ok2
	}
	return sum, ok
}

// joined puts x back in the place of (x/m)*m + x%m, whose parts are terms of their own
// where a loop over several dims of a block has been made one.
func (r *rangeInfo) joined(x linear) linear {
	for i := 0; i < len(x.terms); i++ {
		rest := x.terms[i]
		y, m := remainderOf(rest.v)
		if y == nil {
			continue
		}
		base, div := quotientOf(y)
		for _, u := range x.terms {
			b, d := quotientOf(u.v)
			if b != base || d != div*m || u.coef != rest.coef*m || r.get(base).any || r.get(base).lo < 0 {
				continue
			}
			x = x.plus(linear{terms: []linTerm{rest}}, -1).plus(linear{terms: []linTerm{u}}, -1)
			x = x.plus(linear{terms: []linTerm{{y, rest.coef}}}, 1)
			i = -1 // what was joined may be a part of more
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

// quotientOf takes v for base/d, with d = 1 where it is no quotient.
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
