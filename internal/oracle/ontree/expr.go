package ontree

import (
	"math"
	"slices"

	"github.com/gotaichi/ti/internal/typed"
)

// expr evaluates an expression and returns its components, which nothing else refers to.
func (m *machine) expr(e typed.Expr) []uint64 {
	switch e := e.(type) {
	case *typed.Const:
		return m.constant(e)
	case *typed.VarRef:
		if o := m.vars[e.Var]; o != nil && m.refs[e.Var] == nil {
			return slices.Clone(o.comps)
		}
		return m.load(m.place(e))
	case *typed.Element, *typed.SliceElement, *typed.Index:
		return m.load(m.place(e))
	case *typed.Extent:
		f, _ := m.field(e.Field)
		return []uint64{m.length(f.Shape[e.Axis])}
	case *typed.Sectioned:
		return m.sectioned(e)
	case *typed.Extract:
		return m.extract(e)
	case *typed.Compose:
		var v []uint64
		for _, x := range e.Elems {
			v = append(v, m.expr(x)...)
		}
		return v
	case *typed.Splat:
		return slices.Repeat(m.expr(e.X), len(m.kindsOf(e.T)))
	case *typed.Convert:
		v, from, to := m.expr(e.X), m.kindsOf(e.X.Type()), m.kindsOf(e.T)
		for i := range v {
			v[i] = convert(from[i], to[i], v[i])
		}
		return v
	case *typed.Unary:
		v, ks := m.expr(e.X), m.kindsOf(e.T)
		for i := range v {
			v[i] = unary(e.Op, ks[i], v[i])
		}
		return v
	case *typed.Binary:
		return m.binary(e)
	case *typed.Logic:
		return m.logic(e)
	case *typed.Call:
		return m.call(e)
	case *typed.Builtin:
		return m.builtin(e)
	case *typed.Atomic:
		return m.atomic(e)
	case *typed.CellOp:
		return m.cellOp(e)
	case *typed.Output:
		m.print(e)
		return nil
	case *typed.Assert:
		m.assert(e)
		return nil
	}
	notCovered("expression %T", e)
	return nil
}

// length is a length as an int of the source, the largest one for a length that is larger.
func (m *machine) length(n int64) uint64 {
	if m.int == typed.I32 {
		n = min(n, math.MaxInt32)
	}
	return word(m.int, uint64(n))
}

func (m *machine) constant(e *typed.Const) []uint64 {
	v := m.consts[e]
	if v == nil {
		for i, s := range m.kindsOf(e.T) {
			v = append(v, e.Vals[i].Bits(s))
		}
		m.consts[e] = v
	}
	return slices.Clone(v)
}

// extract evaluates a choice of components. Of a place only these are read.
func (m *machine) extract(e *typed.Extract) []uint64 {
	if isPlace(e) {
		return m.load(m.place(e))
	}
	all := m.expr(e.X)
	v := make([]uint64, len(e.Comps))
	for i, c := range e.Comps {
		v[i] = all[c]
	}
	return v
}

// isPlace reports whether e is in memory: a variable, an element, or what is chosen at run time from any value.
func isPlace(e typed.Expr) bool {
	for {
		switch x := e.(type) {
		case *typed.VarRef, *typed.Element, *typed.SliceElement, *typed.Index:
			return true
		case *typed.Extract:
			e = x.X
		default:
			return false
		}
	}
}

func (m *machine) binary(e *typed.Binary) []uint64 {
	x := m.expr(e.X)
	y := m.expr(e.Y)
	if e.Op == typed.MatMul {
		return product(typed.ScalarOf(e.T), x, y, typed.Dims(e.X.Type()), typed.Dims(e.Y.Type()))
	}
	return m.elementwise(e.Op, x, y, m.kindsOf(e.X.Type()), m.kindsOf(e.Y.Type()))
}

// elementwise applies an operator to each pair of components.
func (m *machine) elementwise(op typed.Op, x, y []uint64, kx, ky []typed.Scalar) []uint64 {
	v := make([]uint64, len(x))
	for i := range x {
		if op == typed.Shl || op == typed.Shr {
			v[i] = shift(op, kx[i], x[i], ky[i], y[i])
		} else {
			v[i] = binary(op, kx[i], x[i], y[i])
		}
	}
	return v
}

// product is the product of linear algebra: a vector on the left is a row, one on the right a column.
func product(s typed.Scalar, x, y []uint64, dx, dy []int) []uint64 {
	rows, inner, cols := 1, dx[len(dx)-1], 1
	if len(dx) == 2 {
		rows = dx[0]
	}
	if len(dy) == 2 {
		cols = dy[1]
	}
	v := make([]uint64, 0, rows*cols)
	for r := range rows {
		for c := range cols {
			var sum uint64
			for k := range inner {
				t := binary(typed.Mul, s, x[r*inner+k], y[k*cols+c])
				if k == 0 {
					sum = t
				} else {
					sum = binary(typed.Add, s, sum, t)
				}
			}
			v = append(v, sum)
		}
	}
	return v
}

// logic evaluates && and ||, the right side only if it matters.
func (m *machine) logic(e *typed.Logic) []uint64 {
	x := m.expr(e.X)
	if (x[0] != 0) == (e.Op == typed.LOr) {
		return x
	}
	m.branch++
	y := m.expr(e.Y)
	m.branch--
	return y
}

// atomic runs an atomic and returns the old value.
func (m *machine) atomic(e *typed.Atomic) []uint64 {
	p := m.place(e.Place)
	var expected []uint64
	if e.Expected != nil {
		expected = m.expr(e.Expected)
	}
	v := m.expr(e.Value)
	if !e.Used && m.addHalves(e.Op, p, v) {
		return make([]uint64, len(v))
	}
	old := m.load(p)
	now, ks := slices.Clone(old), m.kindsOf(e.Place.Type())
	for i := range now {
		switch e.Op {
		case typed.Fetch:
		case typed.Xchg:
			now[i] = v[i]
		case typed.CAS:
			if binary(typed.Eq, ks[i], old[i], expected[i]) != 0 {
				now[i] = v[i]
			}
		default:
			now[i] = binary(e.Op, ks[i], old[i], v[i])
		}
	}
	if e.Op != typed.Fetch {
		m.storeAgain(p, now)
	}
	return old
}

// storeAgain stores at a place that has been read. If it is not there, that has been reported.
func (m *machine) storeAgain(p *place, v []uint64) {
	before, first := m.failures, m.first
	m.store(p, v)
	m.failures, m.first = before, first
}

// print hands text to the host.
func (m *machine) print(e *typed.Output) {
	m.outputs = append(m.outputs, Output{Format: e.Format, Number: m.random.iteration, Values: m.text(e.Format, e.Args)})
}

func (m *machine) assert(e *typed.Assert) {
	ok := m.expr(e.Cond)[0]
	v := m.text(e.Format, e.Args)
	if ok == 0 {
		f := failAt(e.Pos, FalseAssert)
		f.Values = v
		m.fail(f)
	}
}

// text evaluates arguments and returns the components that a format names.
func (m *machine) text(format []typed.TextPart, args []typed.Expr) []uint64 {
	all := make([][]uint64, len(args))
	for i, a := range args {
		all[i] = m.expr(a)
	}
	v := []uint64{}
	for _, p := range format {
		if p.Verb != "" {
			v = append(v, all[p.Arg][p.Comp])
		}
	}
	return v
}
