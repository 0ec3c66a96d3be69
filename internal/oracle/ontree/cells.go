package ontree

import (
	"cmp"
	"slices"

	"github.com/gotaichi/ti/internal/typed"
)

// cellOp runs an operation on a cell or list. In a dense tree all cells are active.
func (m *machine) cellOp(e *typed.CellOp) []uint64 {
	f, name := m.field(e.Field)
	el := &element{name: name, field: f}
	for _, x := range e.Index {
		m.addIndex(el, x)
	}
	var value []uint64
	if e.Value != nil {
		value = m.expr(e.Value)
	}
	if e.Fn.OfList() {
		part := *f
		part.Shape = f.Shape[:len(f.Shape)-1]
		el.field = &part
	}
	in := m.reach(&place{pos: e.Pos, comps: []int{0}, element: el})
	number := func(n int64) []uint64 { return []uint64{word(m.int, uint64(n))} }
	if !in || f.Home == nil {
		switch e.Fn {
		case typed.IsActive:
			return []uint64{truth(in)}
		case typed.Append:
			return number(-1)
		case typed.ListLen:
			return number(0)
		}
		return nil
	}
	switch n := f.Home; e.Fn {
	case typed.Activate:
		n.Activate(el.index)
	case typed.Deactivate:
		m.pending = append(m.pending, pending{n, el.index})
	case typed.IsActive:
		return []uint64{truth(n.Active(el.index))}
	case typed.Append:
		k := n.Grow(el.index)
		if k >= 0 {
			index := append(slices.Clone(el.index), k)
			for c, x := range value {
				f.activate(index, c)
				f.Store(index, c, x)
			}
		}
		return number(k)
	case typed.ListLen:
		return number(n.Len(el.index))
	case typed.Empty:
		n.Shrink(el.index, 0)
	case typed.Resize:
		to := whole(e.Value, value)
		switch length := n.Len(el.index); {
		case to < 0 || to > length:
			m.fail(failAt(e.Pos, BadLength))
		case to < length:
			n.Shrink(el.index, to)
		}
	default:
		notCovered("operation %d on cells", e.Fn)
	}
	return nil
}

// whole is the value of an integer expression.
func whole(e typed.Expr, v []uint64) int64 { return number(typed.ScalarOf(e.Type()), v[0]) }

// activeCells runs a loop over the active cells of a field or node of a sparse tree. A parallel one, and a serial one of the
// outermost scope, visits the cells that are active when it starts.
func (m *machine) activeCells(s *typed.FieldFor, f *Field) *departure {
	task := m.branch == 0 && !m.inLoop && (s.Parallel || s.Serial && len(f.Shape) > 0 && leftByBreakOnly(s))
	if !task {
		return m.liveCells(s, f)
	}
	m.settle()
	m.ordinal++
	var end func()
	outer, printed := m.random, len(m.outputs)
	if s.Parallel {
		end = m.enter(s.Body)
	}
	var x *departure
	for _, index := range f.Home.Cells() {
		m.step()
		at, n := make([]uint64, len(index)), uint64(0)
		spans := make([]span, len(index))
		for a, i := range index {
			at[a], spans[a].of = word(m.int, uint64(i)), m.int
			n = n*uint64(f.Shape[a]) + uint64(i-f.low(a))
		}
		m.defineIndex(s.Index, s.Group, at)
		m.beginIteration(n, spans, at)
		inLoop := m.inLoop
		m.inLoop = true
		x = m.stmts(s.Body.List)
		m.inLoop = inLoop
		if !continues(x, s) {
			break
		}
	}
	if end != nil {
		end()
	}
	m.random, m.loop = outer, nil
	own := m.outputs[printed:]
	slices.SortStableFunc(own, func(a, b Output) int { return cmp.Compare(a.Number, b.Number) })
	m.settle()
	if continues(x, s) {
		return nil
	}
	return left(x, s)
}

// leftByBreakOnly reports whether nothing but its own breaks leaves a loop early.
func leftByBreakOnly(s *typed.FieldFor) bool {
	inside, ok := map[typed.Stmt]bool{s: true}, true
	typed.Visit(s.Body.List, func(t typed.Stmt) {
		inside[t] = true
		switch t := t.(type) {
		case *typed.Return:
			ok = false
		case *typed.Break:
			ok = ok && inside[t.Target]
		case *typed.Continue:
			ok = ok && inside[t.Target]
		}
	})
	return ok
}

// liveCells runs a serial loop inside of other code, which visits the cells in the order of their indices, each if it is active when its turn comes.
func (m *machine) liveCells(s *typed.FieldFor, f *Field) *departure {
	if s.Field.Unbounded {
		notCovered("a loop over a field without bounds inside of other code")
	}
	index := make([]int64, len(f.Shape))
	var out *departure
	var nest func(a int) bool
	nest = func(a int) bool {
		if a < len(index) {
			n, lo := f.Shape[a], f.low(a)
			if s.Field.List && a == len(index)-1 {
				n, lo = f.Home.Len(index[:a]), 0
			}
			for i := range n {
				index[a] = lo + i
				if !nest(a + 1) {
					return false
				}
			}
			return true
		}
		m.step()
		if !s.Field.List && !f.Home.Active(index) {
			return true
		}
		at := make([]uint64, len(index))
		for a, i := range index {
			at[a] = word(m.int, uint64(i))
		}
		m.defineIndex(s.Index, s.Group, at)
		x := m.nested(s.Body.List)
		if !continues(x, s) {
			out = left(x, s)
			return false
		}
		return true
	}
	nest(0)
	return out
}
