package wgsl

import "github.com/gotaichi/ti/internal/ir"

// A loop is a construct that can be left, or gone on with, from within.
type loop struct {
	op      *ir.Op   // nil for the loop over the iterations of a task
	carried []string // variables for the operands of continue
	results []string // variables for those of break
	through []jump   // that leave it on their way out
}

// A jump is one over several loops, by a number that says where to go on.
type jump struct {
	number int
	to     *loop
	brk    bool
}

// ops prints those of a block.
func (p *printer) ops(b *ir.Block) {
	for _, o := range b.Ops {
		if p.failed != nil {
			return
		}
		p.op(o)
	}
}

func (p *printer) op(o *ir.Op) {
	switch o.Code {
	case ir.OpIf:
		p.ifOp(o)
	case ir.OpFor:
		p.forOp(o)
	case ir.OpLoop:
		p.loopOp(o)
	case ir.OpBlock:
		p.blockOp(o)
	case ir.OpContinue, ir.OpBreak:
		p.jumpOp(o)
	case ir.OpReturn:
		if len(o.Args) > 0 {
			p.refuse(o, "results")
			return
		}
		p.line("return;")
	case ir.OpBase, ir.OpOffset, ir.OpAlloc, ir.OpCell, ir.OpLoad, ir.OpStore, ir.OpAtomic, ir.OpFail:
		p.memory(o)
	case ir.OpParam:
		p.define(o.Results[0], o, castWord(o.Results[0].Type.Kind, p.given(o)))
	case ir.OpPoll, ir.OpPrefetch, ir.OpIteration, ir.OpYield:
	default:
		p.arithmetic(o)
	}
}

// variables makes them for values, with their first numbers if there are any.
func (p *printer) variables(o *ir.Op, vs, first []*ir.Value) (all []string) {
	for i, v := range vs {
		n := p.name("c")
		if all = append(all, n); i < len(first) {
			p.line("var %s: %s = %s;", n, p.typ(o, v.Type), p.use(o, first[i]))
		} else {
			p.line("var %s: %s;", n, p.typ(o, v.Type))
		}
	}
	return all
}

// set stores values to variables, and get reads them.
func (p *printer) set(o *ir.Op, to []string, vs []*ir.Value) {
	for i, v := range vs {
		p.line("%s = %s;", to[i], p.use(o, v))
	}
}

func (p *printer) get(o *ir.Op, vs []*ir.Value, from []string) {
	for i, v := range vs {
		p.define(v, o, from[i])
	}
}

// yields sets the results of a construct whose region ends.
func (p *printer) yields(b *ir.Block, to []string) (met bool) {
	t := b.Terminator()
	if t == nil || t.Code == ir.OpYield {
		if t != nil {
			p.set(t, to, t.Args)
		}
		return true
	}
	return false
}

func (p *printer) ifOp(o *ir.Op) {
	results := p.variables(o, o.Results, nil)
	p.open("if (%s)", p.use(o, o.Args[0]))
	p.ops(o.Regions[0])
	p.yields(o.Regions[0], results)
	if els := o.Regions[1]; len(els.Ops) > 1 || len(els.Ops) == 1 && (els.Ops[0].Code != ir.OpYield || len(results) > 0) {
		p.indent--
		p.open("} else")
		p.ops(els)
		p.yields(els, results)
	}
	p.close()
	p.get(o, o.Results, results)
}

// enter begins a loop, and leave ends it.
func (p *printer) enter(l *loop) {
	p.loops = append(p.loops, l)
	p.open("loop")
}

func (p *printer) leave(l *loop) {
	p.close()
	p.loops = p.loops[:len(p.loops)-1]
	for _, j := range l.through {
		p.open("if (escape == %du)", j.number)
		p.jump(j)
		p.close()
	}
}

func (p *printer) loopOp(o *ir.Op) {
	params := o.Regions[0].Params
	l := &loop{op: o, carried: p.variables(o, params, o.Args), results: p.variables(o, o.Results, nil)}
	p.enter(l)
	p.get(o, params, l.carried)
	p.ops(o.Regions[0])
	p.leave(l)
	p.get(o, o.Results, l.results)
}

// forOp has the results of a break in the variables of what is carried.
func (p *printer) forOp(o *ir.Op) {
	params := o.Regions[0].Params
	if params[0].Type.Kind.Bits() != 32 {
		p.refuse(o, "loops over "+params[0].Type.Kind.String())
		return
	}
	index := p.variables(o, params[:1], o.Args[:1])
	l := &loop{op: o, carried: p.variables(o, params[1:], o.Args[2:])}
	l.results = l.carried
	hi := p.use(o, o.Args[1])
	p.enter(l)
	p.get(o, params[:1], index)
	p.open("if (%s >= %s)", p.use(o, params[0]), hi)
	p.line("break;")
	p.close()
	p.get(o, params[1:], l.carried)
	p.ops(o.Regions[0])
	p.open("continuing")
	p.line("%s = %s + 1;", index[0], index[0])
	p.close()
	p.leave(l)
	p.get(o, o.Results, l.results)
}

func (p *printer) blockOp(o *ir.Op) {
	l := &loop{op: o, results: p.variables(o, o.Results, nil)}
	p.enter(l)
	p.ops(o.Regions[0])
	if p.yields(o.Regions[0], l.results) {
		p.line("break;")
	}
	p.leave(l)
	p.get(o, o.Results, l.results)
}

func (p *printer) jumpOp(o *ir.Op) {
	for i := len(p.loops) - 1; i >= 0; i-- {
		l := p.loops[i]
		if l.op != o.Target {
			continue
		}
		if o.Code == ir.OpBreak {
			p.set(o, l.results, o.Args)
		} else {
			p.set(o, l.carried, o.Args)
		}
		p.jump(jump{to: l, brk: o.Code == ir.OpBreak})
		return
	}
	p.refuse(o, "such a jump")
}

// jump goes to the end of a loop around, or to its next round.
func (p *printer) jump(j jump) {
	inner := p.loops[len(p.loops)-1]
	switch {
	case inner != j.to:
		if j.number == 0 {
			p.jumps++
			j.number = p.jumps
			p.line("escape = %du;", j.number)
		}
		inner.through = append(inner.through, j)
		p.line("break;")
		return
	case j.number != 0:
		p.line("escape = 0u;")
	}
	if j.brk {
		p.line("break;")
	} else {
		p.line("continue;")
	}
}
