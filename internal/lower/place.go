package lower

import (
	"go/token"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/ir"
)

// A place is where components of a value are kept: a variable that is values, or
// memory. Its index operands are evaluated already.
type place struct {
	pos   token.Position
	kind  ir.Kind
	comps []comp
	ptrs  []*ir.Value // of comps, made on demand; see ptr

	// One of these says what holds the components.
	v     *check.Var // a variable that is values
	mem   *ir.Value  // an alloc
	table *ir.Table
	field *ir.Field
	elem  *ir.Param
	index []*ir.Value // of field (all axes) or elem (one)

	total int // components of the whole variable or element
}

// A comp is the number of a component: lo, or lo+dyn for a run-time dyn that is in
// range if 0 ≤ dyn < limit.
type comp struct {
	lo    int
	dyn   *ir.Value
	limit int
}

// isValue reports whether p is a variable that is values, not memory.
func (p *place) isValue() bool { return p.v != nil }

// holds returns a place for all n components of type t.
func (p *place) holds(t check.Type) *place {
	p.total = check.Components(t)
	p.kind = kindOf(check.ScalarOf(t))
	p.comps = make([]comp, p.total)
	for i := range p.comps {
		p.comps[i].lo = i
	}
	return p
}

// place evaluates the index operands of e. An e that is no place gets a fresh one
// with its value, which serves for reading.
func (l *lowerer) place(e check.Expr) *place {
	switch e := e.(type) {
	case *check.VarRef:
		return l.varPlace(e)
	case *check.Element:
		p := (&place{pos: e.Pos, field: l.field(e.Field)}).holds(e.T)
		for _, i := range e.Index {
			p.index = append(p.index, l.expr(i)...)
		}
		return p
	case *check.SliceElement:
		p := (&place{pos: e.Pos, elem: l.env[e.Slice].slice}).holds(e.T)
		p.index = l.expr(e.Index)
		return p
	case *check.Extract:
		p := l.place(e.X)
		from := p.comps
		p.comps, p.ptrs, p.pos = make([]comp, len(e.Comps)), nil, e.Pos
		for i, c := range e.Comps {
			p.comps[i] = from[c]
		}
		return p
	case *check.Index:
		return l.indexed(e)
	case *check.Const:
		return (&place{pos: e.Pos, table: l.constTable("", e)}).holds(e.T)
	}
	return l.spill(e.Position(), l.expr(e), e.Type())
}

// varPlace returns the place of a variable.
func (l *lowerer) varPlace(e *check.VarRef) *place {
	p := &place{pos: e.Pos}
	switch b := l.env[e.Var]; {
	case b.vals != nil:
		p.v = e.Var
	case b.table != nil:
		p.table = b.table
	default:
		p.mem = b.mem
	}
	return p.holds(e.Var.Type)
}

// spill puts values into memory, or a table if they are constant.
func (l *lowerer) spill(pos token.Position, vals []*ir.Value, t check.Type) *place {
	p := (&place{pos: pos}).holds(t)
	if p.table = l.tableOf("", vals); p.table == nil {
		p.mem = l.b.Alloc(p.kind, len(vals), "")
		l.fill(p.mem, vals)
	}
	return p
}

// load reads all components of p.
func (l *lowerer) load(p *place) []*ir.Value {
	l.at(p.pos)
	vals := make([]*ir.Value, len(p.comps))
	for i, c := range p.comps {
		switch {
		case p.v != nil:
			vals[i] = l.env[p.v].vals[c.lo]
		case p.table != nil && c.dyn == nil:
			vals[i] = l.b.Const(ir.Scalar(p.kind), p.table.Data[c.lo])
		case p.table != nil:
			vals[i] = l.lookup(p.table, l.number(p, c))
		default:
			vals[i] = l.b.Load(ir.Scalar(p.kind), l.ptr(p, i))
		}
	}
	return vals
}

// store writes all components of p.
func (l *lowerer) store(p *place, vals []*ir.Value) {
	if p.v == nil {
		for i := range p.comps {
			l.b.Store(l.ptr(p, i), vals[i])
		}
		return
	}
	all := append([]*ir.Value(nil), l.env[p.v].vals...)
	for i, c := range p.comps {
		all[c.lo] = vals[i]
	}
	l.set(p.v, all)
}

// ptr returns the address of component i of p, which is memory.
func (l *lowerer) ptr(p *place, i int) *ir.Value {
	if p.ptrs == nil {
		p.ptrs = make([]*ir.Value, len(p.comps))
	}
	if p.ptrs[i] != nil {
		return p.ptrs[i]
	}
	pos := l.b.Pos
	l.at(p.pos)
	p.ptrs[i] = l.newPtr(p, p.comps[i])
	l.b.Pos = pos
	return p.ptrs[i]
}

func (l *lowerer) newPtr(p *place, c comp) *ir.Value {
	if p.mem != nil {
		return l.b.Op(ir.OpCell, p.mem, l.number(p, c))
	}
	code := ir.OpPtr
	if p.elem != nil {
		code = ir.OpElem
	}
	o := ir.NewOp(code, l.b.Pos, []ir.Type{ir.Scalar(ir.Ptr)}, p.index...)
	o.Field, o.Param, o.Aux = p.field, p.elem, int64(c.lo)
	if c.dyn != nil {
		o.Args = append(o.Args, c.dyn)
		o.Flags |= ir.Dynamic
		o.Bits = uint64(c.limit)
	}
	return l.b.Emit(o)
}

// number returns the number of component c of p as a value, one out of range
// where c is.
func (l *lowerer) number(p *place, c comp) *ir.Value {
	switch {
	case c.dyn == nil:
		return l.int(int64(c.lo))
	case c.lo == 0 && c.limit == p.total:
		return c.dyn
	}
	ok := l.inRange(c.dyn, c.limit)
	n := l.b.Op(ir.OpAdd, l.b.Convert(c.dyn, l.kernel.Int), l.int(int64(c.lo)))
	return l.b.Op(ir.OpSelect, ok, n, l.int(-1))
}
