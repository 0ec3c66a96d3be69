package lower

import "github.com/gotaichi/ti/internal/ir"

// An elimination is a square matrix of n rows after Gauss and Jordan, with partial
// pivoting: in memory, row by row, the matrix (now the identity) and, if asked for,
// beside it what became of an identity matrix (now the inverse). It serves matrices
// of more than four rows, for which a closed form is no longer small or accurate.
type elimination struct {
	n, width int       // width is n, or 2n with the inverse
	mem      *ir.Value // n rows of width cells
	det      *ir.Value
}

// eliminate appends the elimination of m: loops over memory, since the code of
// unrolled ones would grow with the cube of n. The inverse of a singular matrix
// comes out infinite or NaN, its determinant 0.
func (l *lowerer) eliminate(m []*ir.Value, n int, inverse bool) *elimination {
	kind := m[0].Type.Kind
	e := &elimination{n: n, width: n}
	if inverse {
		e.width = 2 * n
	}
	e.mem = l.b.Alloc(kind, e.width*n, "")
	for i, v := range m {
		l.b.Store(e.cell(l, l.int(int64(i/n)), l.int(int64(i%n))), v)
	}
	one := l.numOf(kind, 1)
	if inverse {
		l.count(int64(n), func(i *ir.Value) {
			l.b.Store(e.cell(l, i, l.add(i, l.int(int64(n)))), one)
		})
	}
	o := ir.NewOp(ir.OpFor, l.b.Pos, []ir.Type{one.Type}, l.int(0), l.int(int64(n)), one)
	l.b.Emit(o)
	col := o.Regions[0].AddParam(ir.Scalar(l.kernel.Int), "")
	det := o.Regions[0].AddParam(one.Type, "")
	l.in(o.Regions[0], func() {
		pivot := e.swap(l, col)
		flip := l.b.Op(ir.OpSelect, l.b.Op(ir.OpEq, pivot, col), det, l.b.Op(ir.OpNeg, det))
		p := l.b.Load(one.Type, e.cell(l, col, col))
		inv := l.div(one, p)
		if !inverse {
			zero := l.num(p, 0)
			inv = l.b.Op(ir.OpSelect, l.b.Op(ir.OpEq, p, zero), zero, inv)
		}
		e.scale(l, col, inv)
		e.clear(l, col)
		l.b.Jump(ir.OpContinue, o, l.mul(flip, p))
	})
	e.det = o.Result()
	return e
}

// cell appends the place of an entry.
func (e *elimination) cell(l *lowerer, row, col *ir.Value) *ir.Value {
	return l.b.Op(ir.OpCell, e.mem, l.add(l.mul(row, l.int(int64(e.width))), col))
}

// swap brings the row with the largest entry of the column, from the diagonal
// down, up to the diagonal and returns its former number.
func (e *elimination) swap(l *lowerer, col *ir.Value) *ir.Value {
	kind := e.mem.Def.Kind
	magnitude := func(row *ir.Value) *ir.Value {
		return l.b.Op(ir.OpAbs, l.b.Load(ir.Scalar(kind), e.cell(l, row, col)))
	}
	first := magnitude(col)
	o := ir.NewOp(ir.OpFor, l.b.Pos, []ir.Type{col.Type, first.Type},
		l.add(col, l.int(1)), l.int(int64(e.n)), col, first)
	l.b.Emit(o)
	r := o.Regions[0]
	row, best, most := r.AddParam(col.Type, ""), r.AddParam(col.Type, ""), r.AddParam(first.Type, "")
	l.in(r, func() {
		x := magnitude(row)
		more := l.b.Op(ir.OpGt, x, most)
		l.b.Jump(ir.OpContinue, o, l.b.Op(ir.OpSelect, more, row, best), l.b.Op(ir.OpSelect, more, x, most))
	})
	pivot := o.Results[0]
	l.count(int64(e.width), func(c *ir.Value) {
		a, b := e.cell(l, col, c), e.cell(l, pivot, c)
		x, y := l.b.Load(ir.Scalar(kind), a), l.b.Load(ir.Scalar(kind), b)
		l.b.Store(a, y)
		l.b.Store(b, x)
	})
	return pivot
}

// scale multiplies a row by s.
func (e *elimination) scale(l *lowerer, row, s *ir.Value) {
	l.count(int64(e.width), func(c *ir.Value) {
		p := e.cell(l, row, c)
		l.b.Store(p, l.mul(l.b.Load(s.Type, p), s))
	})
}

// clear makes the column zero in all rows but its own by subtracting multiples of
// that row.
func (e *elimination) clear(l *lowerer, col *ir.Value) {
	t := ir.Scalar(e.mem.Def.Kind)
	l.count(int64(e.n), func(row *ir.Value) {
		f := l.b.Load(t, e.cell(l, row, col))
		f = l.b.Op(ir.OpSelect, l.b.Op(ir.OpEq, row, col), l.num(f, 0), f)
		l.count(int64(e.width), func(c *ir.Value) {
			p := e.cell(l, row, c)
			l.b.Store(p, l.sub(l.b.Load(t, p), l.mul(f, l.b.Load(t, e.cell(l, col, c)))))
		})
	})
}

// inverse reads the inverse.
func (e *elimination) inverse(l *lowerer) []*ir.Value {
	vals := make([]*ir.Value, e.n*e.n)
	for i := range vals {
		p := e.cell(l, l.int(int64(i/e.n)), l.int(int64(e.n+i%e.n)))
		vals[i] = l.b.Load(ir.Scalar(e.mem.Def.Kind), p)
	}
	return vals
}
