package versioning

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// This file is the part of predication that finds, for an index check, the sums that the start of a task can compute and compare
// instead.

// A sum of numbers with absolute values of at most farthest, times factors of at most largestFactor, does not overflow an i64.
const (
	farthest      = 1 << 48
	largestFactor = 1 << 12
)

// A comparison means that 0 ≤ x, or that x < limit for one of the sums in x. Terms are values of the prologue, arguments, lengths and
// numbers in the frame.
type comparison struct {
	x     []startSum
	limit *ir.Value // nil for 0 ≤ x
	bound int64     // instead of limit, if it is a constant
	key   string
}

// A startSum is a sum that the start of a task can compute in 64 bits.
type startSum struct {
	terms []startTerm
	c     int64
}

type startTerm struct {
	v    *ir.Value // of the prologue; or
	b    ir.Bound  // a limit of a dim of
	kind ir.Kind   // this kind
	coef int64
}

// condition returns comparisons that imply c in all iterations.
func (p *predication) condition(c *ir.Value) (all []comparison, ok bool) {
	switch d := c.Def; {
	case d == nil:
		return nil, false
	case d.Code == ir.OpAnd:
		x, ok1 := p.condition(d.Args[0])
		y, ok2 := p.condition(d.Args[1])
		return append(x, y...), ok1 && ok2
	case d.Code == ir.OpLt && !d.Args[0].Type.Kind.IsSigned() && d.Args[0].Type.Kind.IsInt():
		return p.below(d.Args[0], d.Args[1])
	}
	return nil, false
}

// below returns the comparisons for x < limit, as unsigned numbers of w bits. The computation of x may wrap: x is a sum of integers
// modulo 2^w, and if that sum is at least 0 and less than the limit, it equals x.
func (p *predication) below(x, limit *ir.Value) ([]comparison, bool) {
	c := comparison{bound: -1}
	if n, ok := ir.IntOf(limit); ok {
		if n < 0 { // above all i64, as a u64
			return nil, false
		}
		c.bound = n
	} else if c.limit = p.start(limit); c.limit == nil {
		return nil, false
	}
	// x is this number modulo 2^w.
	signed := x
	for first := true; ; first = false {
		d := signed.Def
		if d == nil || d.Code != ir.OpBitcast && d.Code != ir.OpConvert || !d.Args[0].Type.Kind.IsInt() ||
			!first && !p.r.Get(d.Args[0]).Fits(signed.Type.Kind) {
			break
		}
		signed = d.Args[0]
	}
	known := p.r.Get(signed) // including the conditions around it
	sum, ok := p.modular(x, 1, x.Type.Kind.Size())
	highest, found := p.extreme(sum, true)
	var all []comparison
	if d := x.Def; (!ok || !found) && d != nil && d.Code == ir.OpConvert && d.Args[0].Type.Kind == ir.I32 {
		// A 32-bit sum that may wrap equals x if it is in the range of an i32.
		sum, ok = p.modular(d.Args[0], 1, 4)
		highest, found = p.extreme(sum, true)
		all = append(all, comparison{x: []startSum{highest}, bound: 1 << 31})
	}
	if ok && found && (len(highest.terms) > 0 || c.limit != nil || highest.c < c.bound) {
		c.x = append(c.x, highest)
	}
	if !known.Any && known.Len != nil && max(known.Off, -known.Off) < farthest {
		c.x = append(c.x, startSum{[]startTerm{{b: ir.Bound{From: ir.FromLen, Param: known.Len}, coef: 1}}, known.Off})
	}
	if len(c.x) == 0 { // or some iteration certainly fails
		return nil, false
	}
	all = append(all, c)
	if !known.Any && known.Lo >= 0 {
		return all, true
	}
	lowest, found := p.extreme(sum, false)
	if !ok || !found || len(lowest.terms) == 0 && lowest.c < 0 {
		return nil, false
	}
	if len(lowest.terms) > 0 {
		all = append(all, comparison{x: []startSum{lowest}, bound: -1})
	}
	return all, true
}

// known reports whether v is known where the test is.
func (p *predication) known(v *ir.Value) bool {
	return p.atStart[v] || p.inside != nil && !p.inside[v]
}

// start returns the value of the prologue that v equals, up to conversions that keep its number; nil if there is none.
func (p *predication) start(v *ir.Value) *ir.Value {
	for !p.known(v) {
		d := v.Def
		if d == nil || d.Code != ir.OpBitcast && d.Code != ir.OpConvert || !d.Args[0].Type.Kind.IsInt() || p.r.Get(d.Args[0]).Any || p.r.Get(d.Args[0]).Lo < 0 {
			return nil
		}
		v = d.Args[0]
	}
	if x := p.r.Get(v); x.Any || x.Lo < 0 {
		return nil
	}
	return v
}

// modular splits v, times k, into terms whose sum is v modulo 2^(8*size).
func (p *predication) modular(v *ir.Value, k int64, size int) (analysis.Linear, bool) {
	if n, ok := ir.IntOf(v); ok {
		c, ok := analysis.MulExact(n, k)
		return analysis.Linear{C: c}, ok && max(c, -c) < farthest
	}
	if max(k, -k) > largestFactor {
		return analysis.Linear{}, false
	}
	if d := v.Def; d != nil && v.Type.Kind.Size() == size && v.Type.Lanes == 1 && !p.known(v) {
		switch d.Code {
		case ir.OpAdd, ir.OpSub:
			second := k
			if d.Code == ir.OpSub {
				second = -k
			}
			x, ok1 := p.modular(d.Args[0], k, size)
			y, ok2 := p.modular(d.Args[1], second, size)
			return x.Plus(y, 1), ok1 && ok2
		case ir.OpMul:
			for i, a := range d.Args {
				if n, ok := ir.IntOf(a); ok && max(n, -n) <= largestFactor {
					return p.modular(d.Args[1-i], n*k, size)
				}
			}
		case ir.OpBitcast:
			return p.modular(d.Args[0], k, size)
		case ir.OpConvert:
			if from := d.Args[0].Type.Kind; from.IsInt() {
				return p.exact(d.Args[0], k)
			}
		}
	}
	return p.exact(v, k)
}

// exact splits v, times k, into terms, if no step wraps.
func (p *predication) exact(v *ir.Value, k int64) (analysis.Linear, bool) {
	x := p.r.LinearOf(v)
	for _, t := range x.Terms {
		if max(t.Coef, -t.Coef) > largestFactor {
			return analysis.Linear{}, false
		}
	}
	return x.Scaled(k), max(x.C, -x.C) < farthest
}

// extreme returns the largest or smallest value of x in any iteration.
func (p *predication) extreme(x analysis.Linear, largest bool) (startSum, bool) {
	if len(x.Terms) > 6 {
		return startSum{}, false
	}
	sum := startSum{c: x.C}
	for _, t := range x.Terms {
		if !p.add(&sum, t.V, t.Coef, largest) {
			return startSum{}, false
		}
	}
	return sum, true
}

// add adds the largest or smallest value of coef*v to sum.
func (p *predication) add(sum *startSum, v *ir.Value, coef int64, largest bool) bool {
	if max(coef, -coef) > largestFactor {
		return false
	}
	up := largest == (coef > 0)
	if p.known(v) {
		if !p.small(v) {
			return false
		}
		sum.terms = append(sum.terms, startTerm{v: v, coef: coef})
		return true
	}
	if d, ok := p.dims[v]; ok {
		limit, c := d.Lo, int64(0)
		if up {
			limit, c = d.Hi, -1
		}
		if limit.From == ir.FromList || limit.From != ir.FromConst && limit.From != ir.FromLen && d.Kind.Size() == 8 || max(limit.Const, -limit.Const) > farthest {
			return false
		}
		sum.c += coef * (limit.Const + c)
		if limit.Const = 0; limit.From != ir.FromConst {
			sum.terms = append(sum.terms, startTerm{b: limit, kind: d.Kind, coef: coef})
		}
		return true
	}
	if o, ok := p.serial[v]; ok && !up {
		return p.addAll(sum, p.r.LinearOf(o.Args[0]), coef, largest)
	} else if ok {
		x := p.r.LinearOf(o.Args[1])
		x.C--
		return p.addAll(sum, x, coef, largest)
	}
	// Another value that varies, such as a remainder.
	x := p.r.Get(v)
	if full := analysis.KindInterval(v.Type.Kind); x.Any || up && x.Hi >= full.Hi || !up && x.Lo <= full.Lo || max(x.Hi, -x.Lo) > farthest {
		return false
	}
	if up {
		sum.c += coef * x.Hi
	} else {
		sum.c += coef * x.Lo
	}
	return true
}

// addAll adds the largest or smallest value of coef*x to sum.
func (p *predication) addAll(sum *startSum, x analysis.Linear, coef int64, largest bool) bool {
	if len(x.Terms) > 4 || max(x.C, -x.C) > farthest {
		return false
	}
	sum.c += coef * x.C
	for _, t := range x.Terms {
		if c, ok := analysis.MulExact(coef, t.Coef); !ok || !p.add(sum, t.V, c, largest) {
			return false
		}
	}
	return true
}

// small reports whether sums of v cannot overflow.
func (p *predication) small(v *ir.Value) bool {
	if !v.Type.Kind.IsInt() || v.Type.Lanes != 1 {
		return false
	}
	x := p.r.Get(v)
	return v.Type.Kind.Size() < 8 || v.Def != nil && v.Def.Code == ir.OpLen || !x.Any && max(x.Hi, -x.Lo) <= farthest
}

// describe returns a key of c, so that equal comparisons are made once.
func (c comparison) describe() string {
	s := fmt.Sprint(c.bound)
	if c.limit != nil {
		s += fmt.Sprint(" %", c.limit.ID)
	}
	for _, x := range c.x {
		s += fmt.Sprint(" | ", x.c)
		for _, t := range x.terms {
			if t.v != nil {
				s += fmt.Sprintf(" %d*%%%d", t.coef, t.v.ID)
			} else {
				s += fmt.Sprintf(" %d*(%d %d %p)", t.coef, t.b.From, t.b.Slot, t.b.Param)
			}
		}
	}
	return s
}

// conjunction appends all comparisons to the prologue.
func (p *predication) conjunction() *ir.Value {
	ops := p.t.Prologue.Ops
	end := ops[len(ops)-1]
	p.t.Prologue.Ops = ops[: len(ops)-1 : len(ops)-1]
	b := ir.NewBuilder(p.t.Prologue)
	b.Pos = p.t.Pos
	all := p.conjoin(b)
	b.Emit(end)
	return all
}

// conjoin appends all comparisons.
func (p *predication) conjoin(b *ir.Builder) (all *ir.Value) {
	for _, c := range p.all {
		var holds *ir.Value
		for _, x := range c.x {
			one := p.compare(b, c, x)
			if holds != nil {
				one = b.Op(ir.OpOr, holds, one)
			}
			holds = one
		}
		if all != nil {
			holds = b.Op(ir.OpAnd, all, holds)
		}
		all = holds
	}
	return all
}

// compare appends the comparison c of the sum x.
func (p *predication) compare(b *ir.Builder, c comparison, x startSum) *ir.Value {
	i64 := ir.Scalar(ir.I64)
	sum := b.Int(i64, x.c)
	for _, t := range x.terms {
		v := t.v
		if v == nil {
			v = p.limit(b, t.b, t.kind)
		}
		v = b.Convert(v, ir.I64)
		if t.coef != 1 {
			v = b.Op(ir.OpMul, v, b.Int(i64, t.coef))
		}
		sum = b.Op(ir.OpAdd, sum, v)
	}
	switch {
	case c.limit != nil:
		return b.Op(ir.OpLt, sum, b.Convert(c.limit, ir.I64))
	case c.bound >= 0:
		return b.Op(ir.OpLt, sum, b.Int(i64, c.bound))
	}
	return b.Op(ir.OpGe, sum, b.Int(i64, 0))
}

// limit appends the op that reads the limit of a dim.
func (p *predication) limit(b *ir.Builder, limit ir.Bound, kind ir.Kind) *ir.Value {
	switch limit.From {
	case ir.FromLen:
		o := ir.NewOp(ir.OpLen, b.Pos, []ir.Type{ir.Scalar(ir.I64)})
		o.Param = limit.Param
		v := b.Emit(o)
		if limit.Div > 1 {
			v = b.Op(ir.OpDiv, v, b.Int(v.Type, limit.Div))
		}
		return v
	case ir.FromArg:
		o := ir.NewOp(ir.OpParam, b.Pos, []ir.Type{ir.Scalar(kind)})
		o.Aux = limit.Slot
		return b.Emit(o)
	}
	o := ir.NewOp(ir.OpFrame, b.Pos, []ir.Type{ir.Scalar(ir.Ptr)})
	o.Aux, o.Bits, o.Kind = limit.Slot, 1, ir.I64
	return b.OpOf(ir.OpLoad, ir.Scalar(ir.I64), b.Emit(o))
}
