package lower

import (
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/typed"
)

// indexed resolves X[i] or X[i][j]… with run-time indices.
func (l *lowerer) indexed(e *typed.Index) *place {
	root, chain := typed.Expr(e), []*typed.Index(nil)
	for {
		x, ok := root.(*typed.Index)
		if !ok {
			break
		}
		chain = append([]*typed.Index{x}, chain...)
		root = x.X
	}
	p := l.place(root)
	if p.v != nil {
		p = l.memoryOf(p)
	}
	dims := typed.Dims(root.Type())[:len(chain)]
	index := make([]*ir.Value, len(chain))
	for i, x := range chain {
		index[i] = l.expr(x.I)[0]
	}
	l.at(e.Pos)
	size := typed.Components(e.T)
	parts := len(p.comps) / size
	row := index[0]
	if len(chain) > 1 {
		row = l.row(index, dims)
	}
	q := *p
	q.ptrs, q.pos = nil, e.Pos
	if stride, ok := evenParts(p.comps, size); ok {
		q.comps = p.comps[:size]
		q.terms = append(slices.Clone(p.terms), term{idx: row, limit: parts, stride: stride})
		return &q
	}
	l.pick(&q, p.comps, row)
	return &q
}

// evenParts reports whether comps are parts of size components each, all with the
// same distances between them, and how far a part is from the one before.
func evenParts(comps []int, size int) (stride int, ok bool) {
	if len(comps) == size {
		return size, true
	}
	stride = comps[size] - comps[0]
	for i := size; i < len(comps); i++ {
		if comps[i]-comps[i-size] != stride {
			return 0, false
		}
	}
	return stride, stride > 0
}

// memoryOf returns a place with run-time numbers for p, which is a variable that
// is values: its table or memory where it has one, else a copy.
func (l *lowerer) memoryOf(p *place) *place {
	b := l.env[p.v]
	if b.table == nil && b.mem == nil {
		return l.spill(p.pos, l.load(p))
	}
	q := *p
	q.v, q.storage = nil, b.mem
	if b.table != nil {
		q.storage = b.table
	}
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

// pick makes q the one of comps, scalars of a swizzle, that number row says.
func (l *lowerer) pick(q *place, comps []int, row *ir.Value) {
	first, last := slices.Min(comps), slices.Max(comps)
	n := l.int(-1)
	for r, c := range comps {
		is := l.b.Op(ir.OpEq, row, l.b.Int(row.Type, int64(r)))
		n = l.b.Op(ir.OpSelect, is, l.int(int64(c-first)), n)
	}
	q.comps = []int{first}
	q.terms = append(slices.Clone(q.terms), term{idx: n, limit: last - first + 1, stride: 1})
}

// lookup appends the read of a table.
func (l *lowerer) lookup(t *ir.Table, i *ir.Value) *ir.Value {
	o := ir.NewOp(ir.OpLookup, l.b.Pos, []ir.Type{ir.Scalar(t.Kind)}, i)
	o.Table = t
	return l.b.Emit(o)
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
func constBits(k ir.Kind, n typed.Num) uint64 {
	switch {
	case k == ir.Bool:
		return ir.BoolBits(n.Bool())
	case k.IsFloat():
		return ir.FloatBits(k, n.Float())
	}
	return ir.IntBits(k, n.Int())
}
