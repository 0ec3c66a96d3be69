package lower

import (
	"go/token"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/typed"
)

// A place is where components of a value are kept: a variable that is values, or
// memory. Its index operands are evaluated already.
type place struct {
	pos   token.Position
	kinds []ir.Kind // of all components of the variable or element
	comps []int     // the components that are meant, but for terms
	terms []term    // what run-time indices add to each of comps
	ptrs  []*ir.Value

	// One of these says what holds the components.
	v       *typed.Var // a variable that is values
	storage *storage
	field   *ir.Field
	elem    *ir.Param
	index   []*ir.Value  // of field (all axes) or elem (one)
	written []typed.Expr // what the source has for the index of field in the statement that is lowered; nil where that is not known

	part     bool // whether comps are some of a vector or array, which other places may overlap
	inBounds bool // whether index is known to be in range
	reported bool // whether an index out of range has been reported; see section.go
}

// A term is a run-time index into equal parts of a value: it adds idx*stride to the
// number of a component. It is in range if 0 ≤ idx < limit; inside says that it always is.
type term struct {
	idx           *ir.Value
	limit, stride int
	inside        bool
}

// isValue reports whether p is a variable that is values, not memory.
func (p *place) isValue() bool { return p.v != nil }

// kind returns the kind of component i of p.
func (p *place) kind(i int) ir.Kind { return p.kinds[p.comps[i]] }

// holds returns a place for all components, of the given kinds.
func (p *place) holds(kinds []ir.Kind) *place {
	p.kinds = kinds
	p.comps = make([]int, len(kinds))
	for i := range p.comps {
		p.comps[i] = i
	}
	return p
}

// place evaluates the index operands of e. An e that is no place gets a fresh one
// with its value, which serves for reading.
func (l *lowerer) place(e typed.Expr) *place {
	switch e := e.(type) {
	case *typed.VarRef:
		return l.varPlace(e)
	case *typed.Element:
		p := (&place{pos: e.Pos, field: l.field(e.Field)}).holds(kindsOf(e.T))
		p.index, p.written = l.exprs(e.Index), e.Index
		if e.Section != nil {
			l.sectionPlace(p, e)
		}
		return p
	case *typed.SliceElement:
		p := (&place{pos: e.Pos, elem: l.env[e.Slice].slice}).holds(kindsOf(e.T))
		p.index = l.expr(e.Index)
		return p
	case *typed.Extract:
		p := l.place(e.X)
		from := p.comps
		p.comps, p.ptrs, p.pos = make([]int, len(e.Comps)), nil, e.Pos
		for i, c := range e.Comps {
			p.comps[i] = from[c]
		}
		p.part = p.part || !isElement(e.X.Type(), e.Comps, e.T)
		return p
	case *typed.Index:
		return l.indexed(e)
	case *typed.Const:
		return (&place{pos: e.Pos, storage: l.constTable("", e)}).holds(kindsOf(e.T))
	}
	if l.large(e.Type()) {
		p := *l.inMemory(l.bulk(e)).place
		p.pos = e.Position()
		return &p
	}
	return l.spill(e.Position(), l.expr(e))
}

// varPlace returns the place of a variable.
func (l *lowerer) varPlace(e *typed.VarRef) *place {
	p := &place{pos: e.Pos}
	switch b := l.env[e.Var]; {
	case b.place != nil:
		*p = *b.place
		p.pos, p.ptrs, p.written = e.Pos, nil, nil
		return p
	case b.vals != nil:
		p.v = e.Var
	case b.table != nil:
		p.storage = b.table
	default:
		p.storage = b.mem
	}
	return p.holds(kindsOf(e.Var.Type))
}

// spill puts values into memory, or a table if they are constant.
func (l *lowerer) spill(pos token.Position, vals []*ir.Value) *place {
	p := (&place{pos: pos}).holds(kindsOfValues(vals))
	if p.storage = l.tableOf("", vals); p.storage == nil {
		p.storage = l.alloc(p.kinds, "")
		l.fill(p.storage, vals)
	}
	return p
}

// load reads all components of p.
func (l *lowerer) load(p *place) []*ir.Value {
	l.at(p.pos)
	vals := make([]*ir.Value, len(p.comps))
	for i, c := range p.comps {
		t := ir.Scalar(p.kind(i))
		switch table := p.table(c); {
		case p.v != nil:
			vals[i] = l.env[p.v].vals[c]
		case table != nil && p.terms == nil:
			vals[i] = l.b.Const(t, table.Data[p.storage.cell(c).number])
		case table != nil:
			vals[i] = l.lookup(table, l.number(p, c))
		default:
			vals[i] = l.b.Load(t, l.ptr(p, i))
		}
	}
	return vals
}

// table returns the table that has component c, nil if it is no constant.
func (p *place) table(c int) *ir.Table {
	if p.storage == nil {
		return nil
	}
	return p.storage.arrays[p.storage.cell(c).array].table
}

// store writes all components of p.
func (l *lowerer) store(p *place, vals []*ir.Value) { l.storeValue(p, value{list: vals}) }

// setComponents changes components of a variable that is values.
func (l *lowerer) setComponents(p *place, vals []*ir.Value) {
	all := append([]*ir.Value(nil), l.env[p.v].vals...)
	for i, c := range p.comps {
		all[c] = vals[i]
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

func (l *lowerer) newPtr(p *place, c int) *ir.Value {
	if p.storage != nil {
		cell := l.b.Op(ir.OpCell, p.storage.arrays[p.storage.cell(c).array].mem, l.number(p, c))
		if p.inside() {
			cell.Def.Flags |= ir.InBounds
		}
		return cell
	}
	code := ir.OpPtr
	if p.elem != nil {
		code = ir.OpElem
	}
	o := ir.NewOp(code, l.b.Pos, []ir.Type{ir.Scalar(ir.Ptr)}, p.index...)
	o.Field, o.Param, o.Aux = p.field, p.elem, int64(c)
	if p.inBounds {
		o.Flags |= ir.InBounds
	}
	if p.reported {
		l.reported[o] = true
	}
	if len(p.terms) > 0 {
		t := l.joined(p.terms)
		o.Args = append(o.Args, t.idx)
		o.Flags |= ir.Dynamic
		o.Bits, o.Stride = uint64(t.limit), int32(t.stride)
	}
	return l.b.Emit(o)
}

// joined returns one term for all of them. Its stride is their greatest common one,
// so that between the components it can mean there may be others, of other kinds.
func (l *lowerer) joined(terms []term) term {
	if len(terms) == 1 {
		return terms[0]
	}
	stride := 0
	for _, t := range terms {
		stride = gcd(t.stride, stride)
	}
	limit := 1
	strides := make([]int, len(terms))
	for i, t := range terms {
		strides[i] = t.stride / stride
		limit += (t.limit - 1) * strides[i]
	}
	return term{idx: l.sum(terms, 0, strides), limit: limit, stride: stride}
}

// inside reports whether p has run-time indices and all of them are known to be in range.
func (p *place) inside() bool {
	for _, t := range p.terms {
		if !t.inside {
			return false
		}
	}
	return len(p.terms) > 0
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// number returns the number of component c of p in its array as a value, one out
// of range where a term is.
func (l *lowerer) number(p *place, c int) *ir.Value {
	at := p.storage.cell(c)
	if len(p.terms) == 0 {
		return l.int(int64(at.number))
	}
	strides := make([]int, len(p.terms))
	for i, t := range p.terms {
		if t.limit > 1 {
			strides[i] = p.storage.cell(c+t.stride).number - at.number
		}
	}
	if t := p.terms[0]; len(p.terms) == 1 && at.number == 0 && strides[0] == 1 && t.limit == p.storage.arrays[at.array].n {
		return t.idx
	}
	return l.sum(p.terms, at.number, strides)
}

// sum returns first plus the index of each term times its stride, -1 if one of them
// is out of range.
func (l *lowerer) sum(terms []term, first int, strides []int) *ir.Value {
	var ok, n *ir.Value
	within := !slices.ContainsFunc(terms, func(t term) bool { return !t.inside })
	exact := func(v *ir.Value) *ir.Value {
		if within {
			v.Def.Flags |= ir.NoWrap
		}
		return v
	}
	for i, t := range terms {
		var in *ir.Value
		if !t.inside {
			in = l.inRange(t.idx, t.limit)
		}
		x := l.b.Convert(t.idx, l.kernel.Int)
		if strides[i] != 1 {
			x = exact(l.b.Op(ir.OpMul, x, l.int(int64(strides[i]))))
		}
		switch {
		case ok == nil:
			ok = in
		case in != nil:
			ok = l.b.Op(ir.OpAnd, ok, in)
		}
		if n == nil {
			n = x
		} else {
			n = exact(l.b.Op(ir.OpAdd, n, x))
		}
	}
	if first != 0 {
		n = exact(l.b.Op(ir.OpAdd, n, l.int(int64(first))))
	}
	if ok == nil {
		return n
	}
	return l.b.Op(ir.OpSelect, ok, n, l.int(-1))
}
