package lower

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/site"
	"github.com/gotaichi/ti/internal/typed"
)

// This file lowers sections, parts of fields that functions are given. An element of a section is an element of the
// field with another index. Nothing else is known of sections afterwards, so whatever holds for fields holds for them.
//
// The checks of a section with bounds are made here: that the section lies in the field where it is made, and that an
// index is one of the section at each element. An index that is none becomes one that no element of the field has, so
// the access does nothing, and reports no second time (see ir.Guess). Where both are known to hold the element is in
// bounds.

// A span is what belongs to a section along one axis of its field, as values.
type span struct {
	kept, limited     bool
	at                *ir.Value // the index; nil for a kept axis
	begin, step, size *ir.Value // of a kept axis
}

// spans returns the axes of a section, or of a field that is taken whole if s is nil.
func (l *lowerer) spans(f *ir.Field, s *typed.Section) []span {
	all := make([]span, f.Rank())
	for i := range all {
		if s != nil && !s.Axes[i].Kept() {
			all[i].at = l.expr(s.Axes[i].At)[0]
			continue
		}
		all[i] = span{kept: true, begin: l.int(f.Low(i)), step: l.int(1)}
		if s != nil && s.Axes[i].Limited() {
			a := s.Axes[i]
			all[i].limited = true
			all[i].begin, all[i].step, all[i].size = l.toInt(l.expr(a.Begin)[0]), l.toInt(l.expr(a.Step)[0]), l.toInt(l.expr(a.Size)[0])
			continue
		}
		all[i].size = l.extent(f, i)
	}
	return all
}

func (l *lowerer) toInt(v *ir.Value) *ir.Value { return l.b.Convert(v, l.kernel.Int) }

// sectionPlace makes p, which has the index in a section, the place in the field.
func (l *lowerer) sectionPlace(p *place, e *typed.Element) {
	spans := l.spans(p.field, e.Section)
	index := p.index
	p.index = make([]*ir.Value, len(spans))
	var shown []*ir.Value
	var ok *ir.Value
	checked := e.Section.Limited() && !l.unchecked
	for i, s := range spans {
		if !s.kept {
			p.index[i] = s.at
			continue
		}
		k := index[len(shown)]
		shown = append(shown, k)
		if checked && !l.below(k, s.size) {
			ok = l.both(ok, l.inside(k, s.size))
		}
	}
	n := 0
	for i, s := range spans {
		if s.kept {
			p.index[i] = l.along(index[n], s, checked && ok == nil)
			n++
		}
	}
	p.written = append(e.Index[:len(e.Index):len(e.Index)], e.Section.Operands()...)
	switch {
	case !checked:
	case ok == nil:
		p.inBounds = true
	default:
		p.reported = true
		l.reportIndex(ok, p.field, e.Section.Name, shown, spans)
		for i, s := range spans {
			if s.limited {
				p.index[i] = l.b.Op(ir.OpSelect, ok, l.toInt(p.index[i]), l.int(p.field.Low(i)-1))
				break
			}
		}
	}
}

// silence marks accesses of elements of sections whose index has been reported if it is out of range.
func (l *lowerer) silence() {
	if len(l.reported) == 0 {
		return
	}
	ir.Visit(l.kernel.Body, func(o *ir.Op) bool {
		switch o.Code {
		case ir.OpLoad, ir.OpStore, ir.OpAtomic:
			if at := o.Args[0].Def; at != nil && l.reported[at] {
				o.Flags |= ir.Guess
			}
		}
		return true
	})
}

// along returns the index in the field of index k of a section.
func (l *lowerer) along(k *ir.Value, s span, exact bool) *ir.Value {
	if isConst(s.begin, 0) && isConst(s.step, 1) {
		return k
	}
	k = l.toInt(k)
	op := func(code ir.Code, x, y *ir.Value) *ir.Value {
		v := l.b.Op(code, x, y)
		if exact {
			v.Def.Flags |= ir.NoWrap
		}
		return v
	}
	if !isConst(s.step, 1) {
		k = op(ir.OpMul, k, s.step)
	}
	if !isConst(s.begin, 0) {
		k = op(ir.OpAdd, k, s.begin)
	}
	return k
}

func isConst(v *ir.Value, n int64) bool {
	c, ok := ir.IntOf(v)
	return ok && c == n
}

// reportIndex appends the report of an index that is outside of a section.
func (l *lowerer) reportIndex(ok *ir.Value, f *ir.Field, name string, index []*ir.Value, spans []span) {
	text := []site.Piece{{Text: "index ["}}
	vals := l.list(&text, index)
	text = append(text, site.Piece{Text: "] of " + name + ", a section of " + f.Name + ", is out of range: its shape is ["})
	var shape []*ir.Value
	for _, s := range spans {
		if s.kept {
			shape = append(shape, s.size)
		}
	}
	vals = append(vals, l.list(&text, shape)...)
	unknown := slices.Repeat([]int64{-1}, len(index))
	l.require(ok, site.Site{Kind: site.Section, What: name, Shape: unknown, Text: append(text, site.Piece{Text: "]"})}, vals...)
}

// list appends numbers to a text, and returns those that are not constant.
func (l *lowerer) list(text *[]site.Piece, vals []*ir.Value) []*ir.Value {
	for i, v := range vals {
		if i > 0 {
			*text = append(*text, site.Piece{Text: " "})
		}
		*text = append(*text, site.Piece{Verb: "%v", Kind: v.Type.Kind})
	}
	return vals
}

// sectioned lowers what is known of a section at run time.
func (l *lowerer) sectioned(e *typed.Sectioned) []*ir.Value {
	f := l.field(e.Field)
	operands := l.exprs(e.Index)
	l.at(e.Pos)
	c := &cutter{l: l, e: e, f: f, outer: l.spans(f, e.Of), operands: operands}
	spans := c.cut()
	if c.ok != nil {
		l.require(c.ok, site.Site{Kind: site.Section, Text: c.text}, c.vals...)
	}
	var vals []*ir.Value
	kind := kindOf(typed.ScalarOf(e.T))
	for i, s := range spans {
		switch {
		case !s.kept && c.ok != nil && c.outer[i].limited: // no index of the field
			vals = append(vals, l.b.Op(ir.OpSelect, c.ok, l.toInt(s.at), l.int(f.Low(i)-1)))
		case !s.kept:
			vals = append(vals, s.at)
		case s.limited:
			size := s.size
			if c.ok != nil {
				size = l.b.Op(ir.OpSelect, c.ok, size, l.int(0))
			}
			size = l.b.Convert(size, kind)
			l.sizes[size] = true
			vals = append(vals, s.begin, s.step, size)
		}
	}
	return each(vals, func(v *ir.Value) *ir.Value { return l.b.Convert(v, kind) })
}

// A cutter makes a section of a field or of another section.
type cutter struct {
	l        *lowerer
	e        *typed.Sectioned
	f        *ir.Field
	outer    []span // of what is cut
	operands []*ir.Value

	ok   *ir.Value    // whether the section lies in what is cut; nil if it does, or nothing is checked
	text []site.Piece // of the report if not
	vals []*ir.Value  // numbers in the text
}

// cut returns the axes of the section.
func (c *cutter) cut() []span {
	spans := append([]span(nil), c.outer...)
	name := c.f.Name
	if c.e.Of != nil {
		name = c.e.Of.Name
	}
	c.say("section " + c.e.Text + " is out of range: it is " + name)
	n := 0
	steps := false
	for i, s := range c.outer {
		if !s.kept {
			continue
		}
		cut := c.e.Cuts[n]
		n++
		switch {
		case cut.At >= 0:
			spans[i] = c.at(i, c.operands[cut.At])
		case cut != typed.Whole:
			spans[i] = c.limit(i, cut)
			steps = steps || cut.Step >= 0
		default:
			c.say("[:]")
		}
	}
	c.say(", and the shape of " + name + " is [")
	c.numbers(func(i int) *ir.Value { return c.outer[i].size })
	c.say("]")
	if c.e.Of == nil && slices.ContainsFunc(c.f.Origin, func(low int64) bool { return low != 0 }) {
		c.say(", its lowest index [")
		c.numbers(func(i int) *ir.Value { return c.outer[i].begin })
		c.say("]")
	}
	if steps {
		c.say("; a step is at least 1")
	}
	c.dropped()
	if c.l.unchecked || !c.mustFit(spans) {
		c.ok = nil
	}
	return spans
}

// dropped requires that the indices that took axes away lie in the field. Nothing has checked them where all axes of the outer
// section are whole: they are left to the field's own check at each access, which a section with bounds may leave out.
func (c *cutter) dropped() {
	if slices.ContainsFunc(c.outer, func(s span) bool { return s.limited }) {
		return
	}
	ok := c.ok
	for i, s := range c.outer {
		if !s.kept {
			c.inside(s.at, c.f.Low(i), c.l.extent(c.f, i))
		}
	}
	if c.ok == ok {
		return
	}
	c.say("; " + c.e.Of.Name + " is " + c.f.Name)
	for _, s := range c.outer {
		c.say("[")
		if s.kept {
			c.say(":")
		} else {
			c.show(s.at)
		}
		c.say("]")
	}
	c.say(", and the shape of " + c.f.Name + " is [")
	for i := range c.outer {
		if i > 0 {
			c.say(" ")
		}
		c.show(c.l.extent(c.f, i))
	}
	c.say("]")
}

// mustFit reports whether a section is checked where it is made. If the field's own checks see each index in the end,
// it need not be.
func (c *cutter) mustFit(spans []span) bool {
	for i, s := range spans {
		if s.limited || !s.kept && c.outer[i].limited {
			return true
		}
	}
	return false
}

func (c *cutter) say(text string) { c.text = append(c.text, site.Piece{Text: text}) }

func (c *cutter) show(v *ir.Value) {
	c.text, c.vals = append(c.text, site.Piece{Verb: "%v", Kind: v.Type.Kind}), append(c.vals, v)
}

// numbers says a number of each axis that is kept in what is cut.
func (c *cutter) numbers(of func(axis int) *ir.Value) {
	first := true
	for i, s := range c.outer {
		if s.kept {
			if !first {
				c.say(" ")
			}
			first = false
			c.show(of(i))
		}
	}
}

// low is the lowest index of axis i in what is cut.
func (c *cutter) low(i int) int64 {
	if c.e.Of != nil {
		return 0
	}
	return c.f.Low(i)
}

func (c *cutter) needs(cond *ir.Value) { c.ok = c.l.both(c.ok, cond) }

// at cuts axis i at index k.
func (c *cutter) at(i int, k *ir.Value) span {
	l, s := c.l, c.outer[i]
	c.say("[")
	c.show(k)
	c.say("]")
	c.inside(k, c.low(i), s.size)
	if c.e.Of == nil {
		return span{at: k}
	}
	return span{at: l.along(k, s, false)}
}

// inside requires low <= k < low+size.
func (c *cutter) inside(k *ir.Value, low int64, size *ir.Value) {
	l, from := c.l, k
	if low != 0 {
		from = l.b.Op(ir.OpSub, l.b.Convert(k, ir.I64), l.b.Int(ir.Scalar(ir.I64), low))
	}
	if !l.below(from, size) {
		c.needs(l.inside(from, size))
	}
}

// limit cuts axis i at bounds.
func (c *cutter) limit(i int, cut typed.Cut) span {
	l, s, low := c.l, c.outer[i], c.low(i)
	end := l.calculate(ir.OpAdd, s.size, l.int(low))
	lo, hi, step := l.int(low), end, l.int(1)
	show := func(before string, number int, to **ir.Value) {
		c.say(before)
		if number >= 0 {
			*to = c.operands[number]
			c.show(*to)
		}
	}
	show("[", cut.Lo, &lo)
	show(":", cut.Hi, &hi)
	if cut.Step >= 0 {
		show(":", cut.Step, &step)
	}
	c.say("]")
	if cut.Lo >= 0 {
		c.atMost(l.int(low), lo)
	}
	c.atMost(lo, hi)
	if cut.Hi >= 0 {
		c.atMost(hi, end)
	}
	if cut.Step >= 0 {
		c.atMost(l.int(1), step)
		step = l.toInt(l.capped(step, s.size))
	}
	lo, hi = l.toInt(lo), l.toInt(hi)
	size := l.calculate(ir.OpSub, hi, lo)
	if !isConst(step, 1) { // rounded up, of at least 1 in a way that does not wrap
		last := l.calculate(ir.OpDiv, l.calculate(ir.OpSub, size, l.int(1)), step)
		size = l.calculate(ir.OpSelect, l.b.Op(ir.OpGt, size, l.int(0)), l.calculate(ir.OpAdd, last, l.int(1)), l.int(0))
	}
	begin := l.calculate(ir.OpAdd, s.begin, l.calculate(ir.OpMul, l.calculate(ir.OpSub, lo, l.int(low)), s.step))
	return span{kept: true, limited: true, begin: begin, step: l.calculate(ir.OpMul, s.step, step), size: size}
}

// atMost asks for x <= y, unless that is known.
func (c *cutter) atMost(x, y *ir.Value) {
	l := c.l
	a, ok1 := ir.IntOf(x)
	b, ok2 := ir.IntOf(y)
	if ok1 && ok2 && a <= b || alike(x, y) {
		return
	}
	if n, ok := l.lowest(y); ok && ok1 && a <= n {
		return
	}
	if limit, off, ok := l.limit(x); ok && off <= 1 && alike(limit, y) {
		return
	}
	if b, n, ok := plus(x); ok && n <= 0 && alike(b, y) {
		if lo, ok := l.lowest(b); ok && lo >= 0 {
			return
		}
	}
	if x.Type.Kind != l.kernel.Int || y.Type.Kind != l.kernel.Int {
		x, y = l.b.Convert(x, ir.I64), l.b.Convert(y, ir.I64)
	}
	c.needs(l.b.Op(ir.OpLe, x, y))
}
