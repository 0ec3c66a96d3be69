package versioning

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// A Question is one test for several checks of a block, which combines the checks of each index.
type Question struct {
	b       *ir.Block
	at      map[*ir.Op]int  // positions of its ops
	needed  map[*ir.Op]bool // ops that the test needs
	checks  []*ir.Op
	atoms   []*ir.Value // the test is the conjunction of these
	Reaches []Reach     // the atoms, combined for each index
}

// newQuestion returns the test for a block, without checks yet.
func newQuestion(b *ir.Block) *Question {
	c := &Question{b: b, at: map[*ir.Op]int{}, needed: map[*ir.Op]bool{}}
	for i, o := range b.Ops {
		c.at[o] = i
	}
	return c
}

// QuestionOf returns the test for checks that were in b; nil unless all of them compare an index that is computed there.
func QuestionOf(b *ir.Block, checks []*ir.Op) *Question {
	c := newQuestion(b)
	c.checks = checks
	for _, o := range checks {
		c.conjuncts(o.Args[0])
	}
	for _, a := range c.atoms {
		if _, here := c.at[a.Def]; a.Def == nil || !here {
			return nil
		}
		for _, add := range exactAdds(a) {
			add.Flags |= ir.NoWrap
		}
	}
	if !c.compare() {
		return nil
	}
	return c
}

// conjuncts splits a conjunction into atoms, without duplicates.
func (c *Question) conjuncts(v *ir.Value) {
	if o := v.Def; o != nil && o.Code == ir.OpAnd {
		c.conjuncts(o.Args[0])
		c.conjuncts(o.Args[1])
		return
	}
	if !slices.Contains(c.atoms, v) {
		c.atoms = append(c.atoms, v)
	}
}

// compare finds the indices of the atoms, and the ops that the test needs. It reports whether all atoms compare an index.
func (c *Question) compare() bool {
	for _, a := range c.atoms {
		r, ok := reachOf(a)
		if !ok {
			return false
		}
		i := slices.IndexFunc(c.Reaches, func(s Reach) bool { return s.of > 0 && r.of > 0 && s.index == r.index && sameInt(s.limit, r.limit) })
		if i < 0 {
			c.Reaches = append(c.Reaches, r)
		} else {
			s := &c.Reaches[i]
			s.least, s.most, s.of = min(s.least, r.least), max(s.most, r.most), s.of+1
		}
	}
	for _, r := range c.Reaches {
		for _, v := range r.Uses() {
			c.need(v)
		}
	}
	return true
}

// need marks the ops that compute v.
func (c *Question) need(v *ir.Value) {
	if _, here := c.at[v.Def]; v.Def == nil || !here || c.needed[v.Def] {
		return
	}
	c.needed[v.Def] = true
	for _, a := range v.Def.Args {
		c.need(a)
	}
}

// Needs reports whether the test needs o.
func (c *Question) Needs(o *ir.Op) bool { return c.needed[o] }

// A Reach is the range of constant distances from an index that checks compare with one limit.
type Reach struct {
	index       *ir.Value
	limit       *ir.Value
	atom        *ir.Value
	least, most int64
	of          int // the number of checks
}

// Uses lists the values of which Ask needs copies.
func (r *Reach) Uses() []*ir.Value {
	if r.of <= 1 {
		return []*ir.Value{r.index, r.atom}
	}
	return []*ir.Value{r.index}
}

// sameInt reports whether both are the same constant.
func sameInt(a, b *ir.Value) bool {
	x, ok1 := ir.IntOf(a)
	y, ok2 := ir.IntOf(b)
	return ok1 && ok2 && x == y
}

// reachOf splits the comparison of an index with a limit. Of is 0 unless the index has 32 bits and the limit is a constant; only such
// checks can be combined.
func reachOf(atom *ir.Value) (r Reach, ok bool) {
	o := atom.Def
	if o == nil || o.Code != ir.OpLt || !o.Args[0].Type.Kind.IsUnsigned() || o.Args[0].Type.Lanes != 1 {
		return r, false
	}
	r = Reach{index: o.Args[0], limit: o.Args[1], atom: atom}
	_, known := ir.IntOf(r.limit)
	cast := r.index.Def
	if known && r.index.Type.Kind == ir.U32 && cast != nil && cast.Code == ir.OpBitcast && cast.Args[0].Type.Kind == ir.I32 {
		r.of = 1
	}
	for d := r.index.Def; d != nil && len(d.Args) > 0 && d.Results[0].Type.Kind.IsInt() && d.Args[0].Type.Kind.IsInt(); d = r.index.Def {
		n, constant := int64(0), false
		if len(d.Args) == 2 {
			n, constant = ir.IntOf(d.Args[1])
		}
		switch {
		case d.Code == ir.OpBitcast || d.Code == ir.OpConvert:
		case d.Code == ir.OpAdd && constant && r.of == 1 && d.Results[0].Type.Kind == ir.I32:
			r.least, r.most = r.least+n, r.most+n
		case (d.Code == ir.OpAdd || d.Code == ir.OpSub) && constant && r.of == 0:
		default:
			return r, true
		}
		if r.of == 1 && d != cast && d.Code != ir.OpAdd {
			return r, true // the sum has another width, or wraps elsewhere
		}
		r.index = d.Args[0]
	}
	return r, true
}

// exactAdds returns the additions of constants in the index of an atom that do not wrap if the atom is true: small constants, and a
// comparison with a small limit. Their other operand is the index minus constants, and so small, too.
func exactAdds(atom *ir.Value) (adds []*ir.Op) {
	const small = 1 << 24
	r, ok := reachOf(atom)
	if !ok || r.of == 0 {
		return nil
	}
	limit, _ := ir.IntOf(r.limit)
	for v := atom.Def.Args[0].Def.Args[0]; v != r.index; v = v.Def.Args[0] {
		n, _ := ir.IntOf(v.Def.Args[1])
		if adds = append(adds, v.Def); limit > small || n > small || n < -small || len(adds) > 8 {
			return nil
		}
	}
	return adds
}

// Ask appends the comparison for all checks of r: the only one, or the one that combines them.
func (r *Reach) Ask(b *ir.Builder, to *ir.Cloner) *ir.Value {
	if r.of <= 1 {
		return to.Value(r.atom)
	}
	limit, _ := ir.IntOf(r.limit)
	spread := r.most - r.least
	if spread >= limit {
		return b.Int(ir.Scalar(ir.Bool), 0) // at least one of them fails
	}
	v := to.Value(r.index)
	if r.least != 0 {
		v = b.Op(ir.OpAdd, v, b.Int(v.Type, r.least))
	}
	return b.Op(ir.OpLt, b.Bitcast(v, ir.U32), b.Int(ir.Scalar(ir.U32), limit-spread))
}
