package ir

import "slices"

// blockParams reads (%0.i: i32, %1: f32) into b.
func (p *parser) blockParams(b *Block) {
	p.want('(')
	for p.err == nil && !p.got(')') {
		if len(b.Params) > 0 {
			p.want(',')
		}
		id, name := p.def()
		p.want(':')
		p.define(id, b.AddParam(p.typ(), name))
	}
}

// def reads the name of a value where it is defined: %3 or %3.x.
func (p *parser) def() (id, hint string) {
	p.want('%')
	id = p.label()
	if p.at < len(p.text) && p.text[p.at] == '.' {
		p.at++
		if hint = p.word(); hint == "" {
			p.fail("a name was expected")
		}
	} else if isIdent(id) {
		hint = id
	}
	return id, hint
}

func (p *parser) define(id string, v *Value) {
	if p.values[id] != nil {
		p.fail("%%%s is defined twice", id)
		return
	}
	p.values[id] = v
}

// use reads the name of a value.
func (p *parser) use() *Value {
	p.want('%')
	id := p.label()
	v := p.values[id]
	if v == nil {
		p.fail("%%%s is not defined before it is used", id)
	}
	return v
}

// block reads ops up to a closing brace.
func (p *parser) block(b *Block) {
	if p.depth++; p.depth > maxDepth {
		p.fail("regions are nested more than %d deep", maxDepth)
	}
	for p.err == nil && !p.got('}') {
		b.Ops = append(b.Ops, p.op())
		p.eol()
	}
	p.depth--
}

// op reads one op with its regions, without the end of its line.
func (p *parser) op() *Op {
	o := &Op{}
	label := ""
	if p.got('^') {
		label = p.label()
		p.want(':')
		if p.labels[label] != nil {
			p.fail("an op around has the label ^%s too", label)
		}
	}
	type definition struct{ id, hint string }
	var defs []definition
	for p.err == nil && p.peek('%') {
		id, hint := p.def()
		defs = append(defs, definition{id, hint})
		if !p.got(',') {
			p.want('=')
			break
		}
	}
	p.code(o)
	text := p.attrs(o)
	for p.err == nil && p.peek('%') {
		o.Args = append(o.Args, p.use())
		if !p.got(',') {
			break
		}
	}
	if len(defs) > 0 {
		p.want(':')
		for i, t := range p.types() {
			o.Results = append(o.Results, &Value{Type: t, Def: o, Index: i})
		}
	}
	if p.gotWord("alias") {
		o.Alias = int32(p.small(1<<31 - 1))
	}
	o.Pos = p.pos()
	if len(defs) != len(o.Results) {
		p.fail("%d names for %d results", len(defs), len(o.Results))
		return o
	}
	if o.Code == OpConst {
		if len(o.Results) != 1 {
			p.fail("a constant has one result")
			return o
		}
		o.Bits = p.bits(o.Results[0].Type.Kind, text)
	}
	if label != "" {
		p.labels[label] = o
	}
	p.regions(o)
	delete(p.labels, label)
	for i, d := range defs {
		o.Results[i].Name = d.hint
		p.define(d.id, o.Results[i])
	}
	return o
}

// code reads the name of an op with the flags behind it.
func (p *parser) code(o *Op) {
	name := p.word()
	c, ok := ParseCode(name)
	if !ok {
		p.fail("there is no op %q", name)
		return
	}
	o.Code = c
	for p.at < len(p.text) && p.text[p.at] == '.' {
		p.at++
		w := p.word()
		flag := Flags(0)
		for _, n := range flagNames {
			if n.name == w {
				flag = n.flag
			}
		}
		switch {
		case orders[c] != 0 && o.Order == Plain && slices.Contains(orderNames[1:], w):
			o.Order, _ = ParseOrder(w)
		case flag != 0:
			o.Flags |= flag
		case c == OpAtomic && o.Atomic == AtomicNone:
			o.Atomic = p.atomic(w)
		case c == OpTally && o.Tally == TallyAll:
			if o.Tally = parseTally(w); o.Tally == TallyAll {
				p.fail("a tally has no part %q", w)
			}
		default:
			p.fail("there is no flag %q", w)
		}
	}
	if c == OpAtomic && o.Atomic == AtomicNone {
		p.fail("an atomic names what it does, as in atomic.add")
	}
}

// attrs reads what stands between name and operands; of a constant it returns the
// text, as its kind comes later.
func (p *parser) attrs(o *Op) string {
	switch o.Code {
	case OpConst:
		return p.constant()
	case OpParam, OpBase, OpArgPtr, OpShuffle, OpLane, OpPart:
		o.Aux = p.int()
	case OpSlide:
		o.Aux, o.Bits, o.Stride = p.small(1<<16), uint64(p.small(1<<16)), int32(p.small(1<<16))
	case OpParFor:
		o.Aux = p.int()
		p.phase(o)
		p.threads(o)
		p.hints(o)
	case OpFrame:
		o.Aux = p.int()
		if !p.peek(':') {
			o.Bits = uint64(p.small(1 << 40))
			p.wantWord("x")
			o.Kind = p.kind()
		}
	case OpLen:
		o.Param = p.param()
	case OpElem:
		o.Param = p.param()
		p.component(o)
	case OpPtr:
		o.Field = p.fieldRef()
		p.component(o)
	case OpFieldFor:
		o.Aux = p.int()
		p.phase(o)
		p.threads(o)
		p.hints(o)
		o.Field = p.fieldRef()
	case OpActivate, OpDeactivate, OpAppend, OpCount, OpShrink:
		o.Field = p.fieldRef()
	case OpIsActive:
		if p.gotWord("first") {
			o.Aux = p.small(1 << 20)
		}
		o.Field = p.fieldRef()
	case OpVisit:
		o.Field = p.fieldRef()
	case OpMask:
		o.Aux = p.small(64)
		o.Field = p.fieldRef()
	case OpEntry:
		o.Stride = int32(p.small(1 << 20))
		p.want('.')
		o.Aux = p.small(1 << 20)
		o.Bits = uint64(p.small(1 << 62))
	case OpListMask:
		o.Stride = int32(p.small(1 << 20))
		p.want('.')
		o.Aux = p.small(1 << 20)
	case OpGrow, OpFind, OpEnter:
		o.Store = p.store()
	case OpUnique:
		if !p.peek('%') {
			o.Aux = p.small(1 << 30)
			p.want('.')
			o.Stride = int32(p.small(1 << 20))
			p.wantWord("of")
			o.Bits = uint64(p.small(1 << 20))
		}
	case OpAlloc:
		o.Aux = p.int()
		p.wantWord("x")
		o.Kind = p.kind()
	case OpLookup:
		p.want('#')
		n := p.int()
		if n < 0 || n >= int64(len(p.k.Tables)) {
			p.fail("there is no table %d", n)
			return ""
		}
		o.Table = p.k.Tables[n]
	case OpCall:
		p.want('@')
		o.Func = p.funcRef()
	case OpFail:
		p.want('#')
		o.Aux = p.int()
		o.Bits = uint64(p.small(1 << 16))
	case OpRecord, OpTally:
		p.want('#')
		o.Aux = p.int()
	case OpBreak, OpContinue:
		if p.got('^') {
			l := p.label()
			if o.Target = p.labels[l]; o.Target == nil {
				p.fail("no op around has the label ^%s", l)
			}
		}
	}
	return ""
}

// component reads .1, or .1/9 or .1/9*4 where the component is Dynamic.
func (p *parser) component(o *Op) {
	p.want('.')
	o.Aux = p.small(1 << 40)
	if o.Flags.Has(Dynamic) {
		p.want('/')
		o.Bits, o.Stride = uint64(p.small(1<<40)), 1
		if p.got('*') {
			o.Stride = int32(p.small(1 << 20))
		}
	}
}

// regions reads { … } else { … }.
func (p *parser) regions(o *Op) {
	for i := range o.Code.Info().Regions {
		if i > 0 {
			p.wantWord("else")
		}
		p.want('{')
		r := &Block{Parent: o}
		if p.peek('(') {
			p.blockParams(r)
		}
		p.eol()
		p.block(r)
		o.Regions = append(o.Regions, r)
		if p.err != nil {
			return
		}
	}
}

// maxThreads bounds what a source can ask for; maxBlock likewise.
const (
	maxThreads = 1 << 20
	maxBlock   = 1 << 20
)

// threads reads the limit on threads of a parallel loop, if it has one.
func (p *parser) threads(o *Op) {
	if p.gotWord("threads") {
		o.Bits = uint64(p.small(maxThreads))
	}
}

// funcRef reads the name of a function that stands before.
func (p *parser) funcRef() *Func {
	n := p.dotted()
	if p.funcs[n] == nil {
		p.fail("there is no function %s", n)
	}
	return p.funcs[n]
}
