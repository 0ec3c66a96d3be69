package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// So many index checks of an iteration are worth a question that stands for them, and so many
// indices may be kept for it.
const fewestChecks, mostKept = 4, 8

// A strip has at most mostCornered iterations, and a task enough strips for all threads; one of
// fewer than fewestCornered iterations is left as it is.
const mostCornered, fewestCornered, manyStrips = 64, 64, 64

// corners asks about all index checks of some iterations before the first of them, where it would
// ask at each access, as a loop over particles does that uses the 3×3 nodes around each.
//
// Input: a task with addresses, whose checks are ifs with a fail. Output: the same; a task with
// several checks whose conditions can be computed before the first effect of an iteration goes
// through its innermost dim in strips, each
//
//	%outside = for the strip { the question; the indices, into a local array }
//	if seldom %outside { for the strip { the body } } else { for the strip { the body without these checks } }
//
// Checks of one index at several constant distances become one of its lowest and highest, the
// corners of the stencil: 0 ≤ i+c < n for all c is i+least < n-(most-least) in unsigned numbers,
// which holds for numbers that wrap, too. The last loop takes the indices that were asked about from
// the array: what they were computed from may have changed since, in a program with a race, and no
// access may leave its field. The loop with all checks is run hardly ever, and says which access
// failed; the back end puts it out of line.
//
// Combining checks is the elimination of Gupta, "Optimizing Array Bound Checks Using Flow
// Analysis", ACM LOPLAS 2(1–4), 1993; two versions of the code keep our promise that the other
// accesses of an iteration take place.
func corners(t *ir.Task, opts *Options) {
	last := len(t.Dims) - 1
	if t.Body == nil || last < 0 || opts.Unchecked {
		return
	}
	n := cornerStrip(t)
	if n == 0 {
		return
	}
	ir.NumberBlock(t.Body, ir.NumberBlock(t.Prologue, 0))
	if c := stencilOf(t.Body); c != nil {
		for _, check := range c.checks {
			opts.Notes.CheckedAs(note.CheckedTogether, check.Pos)
		}
		c.strips(t, n)
	}
}

// cornersSuffice reports whether corners leaves no check in the loop that is run as a rule.
func cornersSuffice(t *ir.Task, opts *Options) bool {
	if cornerStrip(t) == 0 || opts.Unchecked || opts.Without.Has(option.Corners) {
		return false
	}
	c := stencilOf(t.Body)
	if c == nil {
		return false
	}
	fails := 0
	ir.Visit(t.Body, func(o *ir.Op) bool {
		if o.Code == ir.OpFail {
			fails++
		}
		return true
	})
	return fails == len(c.checks)
}

// cornerStrip is the length of the strips of t: a power of two, or 0 if there are to be none. Dims
// whose limits are not known count as one iteration.
func cornerStrip(t *ir.Task) int64 {
	inner, all := int64(0), int64(1)
	for _, d := range t.Dims {
		inner = 1
		if d.Lo.From == ir.FromConst && d.Hi.From == ir.FromConst {
			inner = max(1, d.Hi.Const-d.Lo.Const)
		}
		all = min(all, mostCornered*manyStrips) * min(inner, mostCornered*manyStrips)
	}
	if all < fewestCornered {
		return 0
	}
	n := int64(mostCornered)
	for n*manyStrips > all && n > 4 {
		n /= 2
	}
	if inner < n {
		return 0
	}
	return n
}

// A stencil is a body with checks that can be asked together.
type stencil struct {
	b       *ir.Block
	at      map[*ir.Op]int  // the places of its ops
	inside  map[*ir.Op]bool // its ops and those in their regions
	effect  int             // that of the first op with an effect on what others read
	early   map[*ir.Op]bool // ops that the question needs
	able    map[*ir.Op]bool // what computable has found out, so that it visits each op once
	checks  []*ir.Op
	atoms   []*ir.Value // the conjunction of these is the question
	reaches []reach     // the atoms, those of one index together
	kept    []*ir.Value // indices that are computed from memory
}

// newStencil is that of a block, without checks yet.
func newStencil(b *ir.Block) *stencil {
	c := &stencil{b: b, at: map[*ir.Op]int{}, inside: map[*ir.Op]bool{}, effect: len(b.Ops), early: map[*ir.Op]bool{}, able: map[*ir.Op]bool{}}
	ir.Visit(b, func(o *ir.Op) bool { c.inside[o] = true; return true })
	for i, o := range b.Ops {
		c.at[o] = i
		if c.effect == len(b.Ops) && changes(o) {
			c.effect = i
		}
	}
	return c
}

// stencilOf returns nil for a block that is none, or not worth it.
func stencilOf(b *ir.Block) *stencil {
	c := newStencil(b)
	conds := map[*ir.Value]bool{}
	for _, o := range b.Ops {
		if o.Code == ir.OpIf && failing(o.Regions[1]) && !failing(o.Regions[0]) && c.computable(o.Args[0]) {
			c.checks = append(c.checks, o)
			if !conds[o.Args[0]] {
				conds[o.Args[0]] = true
				c.conjuncts(o.Args[0])
			}
		}
	}
	if len(conds) < fewestChecks || !c.movable() || !c.gather() {
		return nil
	}
	return c
}

// changes reports whether o, or an op within it, writes what another may read.
func changes(o *ir.Op) bool {
	found := false
	unit.Within(o, func(o *ir.Op) bool {
		found = found || o.Effects().Writes&^(ir.Host|ir.Flow) != 0
		return !found
	})
	return found
}

// computable reports whether v is known before b, or can be computed at its start: by pure ops,
// and by loads before the first effect.
func (c *stencil) computable(v *ir.Value) bool {
	o := v.Def
	i, here := c.at[o]
	switch {
	case o == nil || !here:
		return true
	case o.Code == ir.OpLoad && i < c.effect && o.Effects().Reads&ir.Place != 0:
	case !o.Code.Is(ir.Pure) || len(o.Regions) > 0 || o.Code == ir.OpCall:
		return false
	}
	able, visited := c.able[o]
	if !visited {
		able = !slices.ContainsFunc(o.Args, func(a *ir.Value) bool { return !c.computable(a) })
		c.able[o] = able
	}
	return able
}

// movable reports whether nothing in b leaves it but its end, so that it can be one side of an if,
// and whether all it uses from outside may be handed over: the address of a local array would
// keep that in memory.
func (c *stencil) movable() bool {
	ok := true
	last := len(c.b.Ops) - 1
	inside := map[*ir.Value]bool{}
	for i, o := range c.b.Ops {
		unit.Within(o, func(o *ir.Op) bool {
			for _, v := range o.Results {
				inside[v] = true
			}
			for _, v := range o.Args {
				ok = ok && (inside[v] || v.Def == nil || v.Def.Code != ir.OpAlloc)
			}
			leaves := o.Code == ir.OpBreak || o.Code == ir.OpContinue || o.Code == ir.OpReturn
			ok = ok && !o.Code.Is(ir.Loop) && (!leaves || i == last)
			return ok
		})
	}
	return ok && last >= 0
}

// conjuncts splits a conjunction and keeps what it is of, each once.
func (c *stencil) conjuncts(v *ir.Value) {
	if o := v.Def; o != nil && o.Code == ir.OpAnd {
		c.conjuncts(o.Args[0])
		c.conjuncts(o.Args[1])
		return
	}
	if !slices.Contains(c.atoms, v) {
		c.atoms = append(c.atoms, v)
	}
}

// A reach is how far from an index checks go that compare it with one limit.
type reach struct {
	index       *ir.Value
	limit       *ir.Value
	atom        *ir.Value
	least, most int64
	of          int // how many checks it stands for
}

// gather finds what the question needs and what has to be kept. It reports whether the accesses behind
// the checks go by what is kept.
func (c *stencil) gather() bool {
	if !c.reach() {
		return false
	}
	for _, r := range c.reaches {
		if c.fromMemory(r.index) && !slices.Contains(c.kept, r.index) {
			c.kept = append(c.kept, r.index)
		}
	}
	ok := len(c.kept) > 0 && len(c.kept) <= mostKept // the others are the business of predicate
	for _, check := range c.checks {
		ir.Visit(check.Regions[0], func(o *ir.Op) bool {
			switch o.Code {
			case ir.OpLoad, ir.OpStore, ir.OpAtomic:
				ok = ok && !c.fromMemory(o.Args[0])
			case ir.OpLookup:
				ok = ok && !slices.ContainsFunc(o.Args, c.fromMemory)
			default:
				ok = ok && (o.Code.Is(ir.Pure) || o.Code == ir.OpYield || o.Code == ir.OpIf)
			}
			return ok
		})
	}
	return ok
}

// reach finds the indices of the atoms, and what the question needs. It reports whether all atoms compare an index.
func (c *stencil) reach() bool {
	for _, a := range c.atoms {
		r, ok := reachOf(a)
		if !ok {
			return false
		}
		i := slices.IndexFunc(c.reaches, func(s reach) bool { return s.of > 0 && r.of > 0 && s.index == r.index && sameInt(s.limit, r.limit) })
		if i < 0 {
			c.reaches = append(c.reaches, r)
		} else {
			s := &c.reaches[i]
			s.least, s.most, s.of = min(s.least, r.least), max(s.most, r.most), s.of+1
		}
	}
	for _, r := range c.reaches {
		c.need(r.index)
		if r.of <= 1 {
			c.need(r.atom)
		}
	}
	return true
}

// fromMemory reports whether v is computed from a load that may be repeated with another outcome,
// and not from an index that is kept.
func (c *stencil) fromMemory(v *ir.Value) bool {
	o := v.Def
	if o == nil || !c.inside[o] || slices.Contains(c.kept, v) {
		return false
	}
	if !o.Code.Is(ir.Pure) || len(o.Regions) > 0 {
		return true
	}
	return slices.ContainsFunc(o.Args, c.fromMemory)
}

// need marks what v is computed by.
func (c *stencil) need(v *ir.Value) {
	if _, here := c.at[v.Def]; v.Def == nil || !here || c.early[v.Def] {
		return
	}
	c.early[v.Def] = true
	for _, a := range v.Def.Args {
		c.need(a)
	}
}

// sameInt reports whether both are the same constant.
func sameInt(a, b *ir.Value) bool {
	x, ok1 := ir.IntOf(a)
	y, ok2 := ir.IntOf(b)
	return ok1 && ok2 && x == y
}

// reachOf takes the comparison of an index with a limit apart. Of is 0 unless the index has 32 bits
// and the limit is a constant, so that several can become one.
func reachOf(atom *ir.Value) (r reach, ok bool) {
	o := atom.Def
	if o == nil || o.Code != ir.OpLt || !o.Args[0].Type.Kind.IsUnsigned() || o.Args[0].Type.Lanes != 1 {
		return r, false
	}
	r = reach{index: o.Args[0], limit: o.Args[1], atom: atom}
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
			return r, true // the number has another width, or wraps elsewhere
		}
		r.index = d.Args[0]
	}
	return r, true
}

// exactAdds returns the additions of constants in the index of an atom that do not wrap where the atom is true: those of small
// constants, before the comparison with a small limit. What they add to is the index less constants, and so small, too.
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

// ask appends the comparison for all checks of r: the one that there is, or that of the corners.
func (r *reach) ask(b *ir.Builder, to *ir.Cloner) *ir.Value {
	if r.of <= 1 {
		return to.Value(r.atom)
	}
	limit, _ := ir.IntOf(r.limit)
	spread := r.most - r.least
	if spread >= limit {
		return b.Int(ir.Scalar(ir.Bool), 0) // one of them fails
	}
	v := to.Value(r.index)
	if r.least != 0 {
		v = b.Op(ir.OpAdd, v, b.Int(v.Type, r.least))
	}
	return b.Op(ir.OpLt, b.Bitcast(v, ir.U32), b.Int(ir.Scalar(ir.U32), limit-spread))
}
