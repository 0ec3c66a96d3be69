package lower

import (
	"strings"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/ir"
)

// indexed resolves X[i] or X[i][j]… with run-time indices.
func (l *lowerer) indexed(e *check.Index) *place {
	root, chain := check.Expr(e), []*check.Index(nil)
	for {
		x, ok := root.(*check.Index)
		if !ok {
			break
		}
		chain = append([]*check.Index{x}, chain...)
		root = x.X
	}
	p := l.place(root)
	if p.v != nil {
		p = l.memoryOf(p, root.Type())
	}
	dims := check.Dims(root.Type())[:len(chain)]
	index := make([]*ir.Value, len(chain))
	for i, x := range chain {
		index[i] = l.expr(x.I)[0]
	}
	l.at(e.Pos)
	rest := check.Components(e.T)
	comps := make([]comp, rest)
	if first, ok := contiguous(p.comps); ok && len(chain) == 1 && rest == 1 {
		comps[0] = comp{lo: first, dyn: index[0], limit: dims[0]}
	} else {
		row := l.row(index, dims)
		for c := range comps {
			comps[c] = l.pick(p, row, c, rest)
		}
	}
	p.comps, p.ptrs, p.pos = comps, nil, e.Pos
	return p
}

// memoryOf returns a place with run-time numbers for p, which is a variable that
// is values: its table or memory where it has one, else a copy.
func (l *lowerer) memoryOf(p *place, t check.Type) *place {
	b := l.env[p.v]
	if b.table == nil && b.mem == nil {
		return l.spill(p.pos, l.load(p), t)
	}
	q := *p
	q.v, q.table, q.mem = nil, b.table, b.mem
	return &q
}

// row combines run-time indices into the number of a part, -1 if one of them is
// out of range.
func (l *lowerer) row(index []*ir.Value, dims []int) *ir.Value {
	var ok, n *ir.Value
	for i, x := range index {
		in := l.inRange(x, dims[i])
		x = l.b.Convert(x, l.kernel.Int)
		if i == 0 {
			ok, n = in, x
			continue
		}
		ok = l.b.Op(ir.OpAnd, ok, in)
		n = l.b.Op(ir.OpAdd, l.b.Op(ir.OpMul, n, l.int(int64(dims[i]))), x)
	}
	return l.b.Op(ir.OpSelect, ok, n, l.int(-1))
}

// inRange tests 0 ≤ x < n without wrapping, whatever x's kind.
func (l *lowerer) inRange(x *ir.Value, n int) *ir.Value {
	if x.Type.Kind.Bits() < l.kernel.Int.Bits() {
		x = l.b.Convert(x, l.kernel.Int)
	}
	below := l.b.Op(ir.OpLt, x, l.num(x, float64(n)))
	if x.Type.Kind.IsUnsigned() {
		return below
	}
	return l.b.Op(ir.OpAnd, l.b.Op(ir.OpGe, x, l.num(x, 0)), below)
}

// pick returns component c of part number row of p, whose parts have size
// components each. Row is -1 if out of range.
func (l *lowerer) pick(p *place, row *ir.Value, c, size int) comp {
	if first, ok := contiguous(p.comps); ok {
		n := row
		if size > 1 {
			n = l.b.Op(ir.OpAdd, l.b.Op(ir.OpMul, row, l.int(int64(size))), l.int(int64(c)))
			n = l.b.Op(ir.OpSelect, l.b.Op(ir.OpLt, row, l.int(0)), l.int(-1), n)
		}
		return comp{lo: first, dyn: n, limit: len(p.comps)}
	}
	n := l.int(-1)
	for r := 0; r*size+c < len(p.comps); r++ {
		is := l.b.Op(ir.OpEq, row, l.int(int64(r)))
		n = l.b.Op(ir.OpSelect, is, l.number(p, p.comps[r*size+c]), n)
	}
	return comp{dyn: n, limit: p.total}
}

// contiguous reports whether comps are constant and follow each other, and the
// first of them.
func contiguous(comps []comp) (first int, ok bool) {
	for i, c := range comps {
		if c.dyn != nil || c.lo != comps[0].lo+i {
			return 0, false
		}
	}
	return comps[0].lo, true
}

// lookup appends the read of a table.
func (l *lowerer) lookup(t *ir.Table, i *ir.Value) *ir.Value {
	o := ir.NewOp(ir.OpLookup, l.b.Pos, []ir.Type{ir.Scalar(t.Kind)}, i)
	o.Table = t
	return l.b.Emit(o)
}

// tableOf returns a table of vals if there are several and all are constant.
func (l *lowerer) tableOf(name string, vals []*ir.Value) *ir.Table {
	data := make([]uint64, len(vals))
	for i, v := range vals {
		bits, ok := ir.ConstOf(v)
		if !ok {
			return nil
		}
		data[i] = bits
	}
	if len(vals) == 0 {
		return nil
	}
	return l.table(name, vals[0].Type.Kind, data)
}

// constTable returns a table of a constant.
func (l *lowerer) constTable(name string, c *check.Const) *ir.Table {
	kind := kindOf(check.ScalarOf(c.T))
	data := make([]uint64, len(c.Vals))
	for i, n := range c.Vals {
		data[i] = constBits(kind, n)
	}
	return l.table(name, kind, data)
}

// table returns the kernel's table with that content.
func (l *lowerer) table(name string, kind ir.Kind, data []uint64) *ir.Table {
	var key strings.Builder
	key.WriteByte(byte(kind))
	for _, d := range data {
		for s := 0; s < 64; s += 8 {
			key.WriteByte(byte(d >> s))
		}
	}
	t := l.tables[key.String()]
	if t == nil {
		t = &ir.Table{Name: name, Index: len(l.kernel.Tables), Kind: kind, Data: data}
		l.tables[key.String()] = t
		l.kernel.Tables = append(l.kernel.Tables, t)
	}
	return t
}

// constBits returns the bits of n in kind k.
func constBits(k ir.Kind, n check.Num) uint64 {
	switch {
	case k == ir.Bool:
		return ir.BoolBits(n.Bool())
	case k.IsFloat():
		return ir.FloatBits(k, n.Float())
	}
	return ir.IntBits(k, n.Int())
}
