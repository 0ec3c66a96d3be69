package analysis

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// This file proves by congruences that two places are different elements: X[i] where i is even, and X[i+1] where i is even.

// An indexSum is a sum of the indices of a loop, each times a constant, of other values, and a constant. Sums of two
// loops with the same other values have them from outside of both.
type indexSum struct {
	coef  []int64   // of the loop's indices
	outer []LinTerm // the other values
	c     int64
	exact bool // the value is the sum; otherwise it may have wrapped, so that only residues of powers of two are those of the sum
}

// modulus returns the largest divisor of m of which the residues of the value are those of the sum.
func (x *indexSum) modulus(m int64) int64 {
	if x.exact {
		return m
	}
	return gcd(m, mostModulus)
}

// A Congruence says which residues a sum of the indices of a loop may have.
type Congruence struct {
	coef []int64 // of the loop's indices
	c    int64
	Residues
}

// A Spot is an element, as it is known in the iterations of a loop.
type Spot struct {
	params int         // indices of the loop
	index  []*indexSum // nil for an index that is no such sum
	facts  []Congruence
}

// Congruences has what the conditions around the accesses of a loop say of its indices.
type Congruences struct {
	Body LoopBody
	r    *RangeInfo
	at   map[*ir.Op][]Congruence
}

// CongruencesIn collects the conditions in the body of a loop, in code that r analysed.
func (r *RangeInfo) CongruencesIn(body LoopBody) *Congruences {
	s := &Congruences{Body: body, r: r, at: map[*ir.Op][]Congruence{}}
	s.block(body.Block, nil)
	return s
}

// block visits a block in which some congruences hold. Behind an if of which a region jumps away, the other one was taken.
func (s *Congruences) block(b *ir.Block, known []Congruence) {
	for _, o := range b.Ops {
		switch o.Code {
		case ir.OpLoad, ir.OpStore, ir.OpAtomic:
			if len(known) > 0 {
				s.at[o] = known
			}
		case ir.OpIf:
			for i, r := range o.Regions {
				holds := s.with(known, o.Args[0], i == 0)
				s.block(r, holds)
				if Jumps(o.Regions[1-i]) {
					known = holds
				}
			}
		default:
			for _, r := range o.Regions {
				s.block(r, known)
			}
		}
	}
}

// with adds the congruences that follow if a condition is true, or false.
func (s *Congruences) with(known []Congruence, cond *ir.Value, truth bool) []Congruence {
	known = slices.Clip(known) // the other region adds its own
	comparisons(cond, truth, func(d *ir.Op, truth bool) {
		z, x, ok := s.r.remainderTest(d, truth)
		if !ok {
			return
		}
		sum := s.sum(z)
		if sum == nil || len(sum.outer) > 0 {
			return
		}
		if m := sum.modulus(x.Mod); m > 1 {
			known = append(known, Congruence{sum.coef, sum.c, x.modulo(m)})
		}
	})
	return known
}

// Spot returns the element that an access of the loop is to.
func (s *Congruences) Spot(access *ir.Op, index []*ir.Value) *Spot {
	p := &Spot{params: len(s.Body.Params), facts: s.at[access]}
	for _, v := range index {
		p.index = append(p.index, s.sum(v))
	}
	return p
}

// sum returns v as a sum of indices, nil if it is none.
func (s *Congruences) sum(v *ir.Value) *indexSum {
	x := &indexSum{coef: make([]int64, len(s.Body.Params)), exact: true}
	terms := 0
	if !s.add(x, v, 1, &terms) {
		return nil
	}
	return x
}

// add adds k·v to x. It reports false if v is no such sum, or if coefficients become large.
func (s *Congruences) add(x *indexSum, v *ir.Value, k int64, terms *int) bool {
	if *terms++; *terms > maxTerms || k > 1<<31 || k < -1<<31 || !v.Type.Kind.IsInt() || v.Type.Lanes != 1 {
		return false
	}
	if c, ok := ir.IntOf(v); ok {
		if v.Type.Kind == ir.U64 && c < 0 {
			x.exact = false
		}
		p, ok1 := MulExact(c, k)
		sum, ok2 := AddExact(x.c, p)
		x.c = sum
		return ok1 && ok2
	}
	if i := slices.Index(s.Body.Params, v); i >= 0 {
		sum, ok := AddExact(x.coef[i], k)
		x.coef[i] = sum
		return ok
	}
	if d := v.Def; d != nil {
		switch d.Code {
		case ir.OpAdd, ir.OpSub, ir.OpNeg, ir.OpMul, ir.OpShl, ir.OpConvert:
			if ok, is := s.operation(x, d, k, terms); is {
				return ok
			}
		}
	}
	x.outer = append(x.outer, LinTerm{v, k})
	return true
}

// operation adds k times the result of d to x; is reports whether it is linear.
func (s *Congruences) operation(x *indexSum, d *ir.Op, k int64, terms *int) (ok, is bool) {
	exact := d.Flags.Has(ir.NoWrap) || s.r.Exact[d]
	a := d.Args[0]
	switch d.Code {
	case ir.OpAdd, ir.OpSub:
		x.exact = x.exact && exact
		other := k
		if d.Code == ir.OpSub {
			other = -k
		}
		return s.add(x, a, k, terms) && s.add(x, d.Args[1], other, terms), true
	case ir.OpNeg:
		x.exact = x.exact && exact
		return s.add(x, a, -k, terms), true
	case ir.OpMul:
		b := d.Args[1]
		c, isConst := ir.IntOf(b)
		if !isConst {
			c, isConst = ir.IntOf(a)
			a = b
		}
		if n, fits := MulExact(k, c); isConst && fits {
			x.exact = x.exact && exact
			return s.add(x, a, n, terms), true
		}
	case ir.OpShl:
		if c, isConst := ir.IntOf(d.Args[1]); isConst && c >= 0 && c < 31 {
			x.exact = false
			return s.add(x, a, k<<c, terms), true
		}
	case ir.OpConvert:
		if a.Type.Kind.IsInt() {
			x.exact = x.exact && s.r.Get(a).Fits(d.Result().Type.Kind)
			return s.add(x, a, k, terms), true
		}
	}
	return false, false
}

// Apart reports whether p and q, of an iteration of two loops each, are different elements in any case: a sum of their indices never has
// the same residue.
func (p *Spot) Apart(q *Spot) bool {
	return p.apartBy(p, q) || q.apartBy(p, q)
}

// apartBy compares the sums for which s has facts, or the indices of s, if all their coefficients have a divisor.
func (s *Spot) apartBy(p, q *Spot) bool {
	for i := range s.facts {
		if weights := s.weights(s.facts[i].coef); weights != nil && differ(p, q, weights, s.facts[i].Mod) {
			return true
		}
	}
	for k, x := range s.index {
		if x == nil {
			continue
		}
		m := int64(0)
		for _, c := range x.coef {
			m = gcd(m, c)
		}
		if m > mostModulus {
			m = gcd(m, mostModulus)
		}
		weights := make([]int64, len(s.index))
		if weights[k] = 1; m > 1 && differ(p, q, weights, m) {
			return true
		}
	}
	return false
}

// weights returns a sum of the indices of the spot that has the coefficients of a sum of the loop's indices; nil if there is none.
func (s *Spot) weights(coef []int64) []int64 {
	all := make([]int64, len(s.index))
	for n, c := range coef {
		if c == 0 {
			continue
		}
		k := slices.IndexFunc(s.index, func(x *indexSum) bool { return x != nil && x.isIndex(n) })
		if k < 0 {
			return nil
		}
		all[k] = c * s.index[k].coef[n]
	}
	return all
}

// isIndex reports whether x is the n-th index of the loop, or its negative, plus what does not change.
func (x *indexSum) isIndex(n int) bool {
	for i, c := range x.coef {
		if i != n && c != 0 || i == n && c != 1 && c != -1 {
			return false
		}
	}
	return true
}

// differ reports whether a sum of indices has different residues for two spots.
func differ(p, q *Spot, weights []int64, m int64) bool {
	for k, w := range weights {
		if w == 0 {
			continue
		}
		if p.index[k] == nil || q.index[k] == nil {
			return false
		}
		m = q.index[k].modulus(p.index[k].modulus(m))
	}
	if m < 2 {
		return false
	}
	x, y := p.weighted(weights, m), q.weighted(weights, m)
	if !sameOuter(x, y, m) {
		return false
	}
	return p.residues(x, m).apart(q.residues(y, m))
}

// weighted returns a sum of indices modulo m.
func (s *Spot) weighted(weights []int64, m int64) indexSum {
	x := indexSum{coef: make([]int64, s.params)}
	for k, w := range weights {
		if w = floorMod(w, m); w == 0 {
			continue
		}
		of := s.index[k]
		for i, c := range of.coef {
			x.coef[i] = floorMod(x.coef[i]+w*floorMod(c, m), m)
		}
		x.c = floorMod(x.c+w*floorMod(of.c, m), m)
		for _, t := range of.outer {
			x.outer = append(x.outer, LinTerm{t.V, w * floorMod(t.Coef, m)})
		}
	}
	return x
}

// sameOuter reports whether two sums modulo m have the same other values.
func sameOuter(x, y indexSum, m int64) bool {
	rest := slices.Clone(x.outer)
	for _, t := range y.outer {
		rest = append(rest, LinTerm{t.V, -t.Coef})
	}
	for i := range rest {
		total := int64(0)
		for _, t := range rest {
			if t.V == rest[i].V {
				total = floorMod(total+t.Coef, m)
			}
		}
		if total != 0 {
			return false
		}
	}
	return true
}

// residues returns the residues of x, without its other values.
func (s *Spot) residues(x indexSum, m int64) Residues {
	all := anyResidue(m)
	if !slices.ContainsFunc(x.coef, func(c int64) bool { return c != 0 }) {
		all = oneResidue(x.c, m)
	}
	for i := range s.facts {
		f := &s.facts[i]
		g := gcd(m, f.Mod)
		for t := range g { // x is t times the sum that the fact is about, and a constant
			if multipleOf(x.coef, f.coef, t, g) {
				all.set &= f.modulo(g).affine(t, x.c-t*floorMod(f.c, g)).ofMultiple(m).set
			}
		}
	}
	return all
}

// multipleOf reports whether a is t·b modulo g.
func multipleOf(a, b []int64, t, g int64) bool {
	for i := range a {
		if floorMod(a[i]-t*floorMod(b[i], g), g) != 0 {
			return false
		}
	}
	return true
}
