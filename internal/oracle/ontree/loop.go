package ontree

import (
	"math/bits"

	"github.com/gotaichi/ti/internal/typed"
)

// mostIterations is how many iterations a parallel loop may have.
const mostIterations = 1 << 62

// whileLoop runs a loop with a condition.
func (m *machine) whileLoop(s *typed.Loop) *departure {
	for s.Cond == nil || m.expr(s.Cond)[0] != 0 {
		x := m.nested(s.Body.List)
		if !continues(x, s) {
			return left(x, s)
		}
		if x := m.nested(s.Post); x != nil {
			return x
		}
		m.step()
	}
	return nil
}

// unrolled runs the bodies of a static loop.
func (m *machine) unrolled(s *typed.Unrolled) *departure {
	for _, b := range s.Bodies {
		if x := m.stmts(b.List); !continues(x, s) {
			return left(x, s)
		}
	}
	return nil
}

// A span is the indices of one dimension of a loop: n of them, from lo on.
type span struct {
	of typed.Scalar
	lo uint64
	n  uint64
}

func (m *machine) rangeFor(s *typed.RangeFor) *departure {
	var spans []span
	for _, d := range s.Dims {
		of := typed.ScalarOf(d.Lo.Type())
		lo := m.expr(d.Lo)[0]
		hi := m.expr(d.Hi)[0]
		sp := span{of: of, lo: lo}
		if binary(typed.Lt, of, lo, hi) != 0 {
			sp.n = uint64(number(of, hi)) - uint64(number(of, lo))
		}
		spans = append(spans, sp)
	}
	return m.iterate(s, spans, s.Index, s.Group, s.Body, s.Parallel)
}

// fieldFor runs a loop over the cells of a field or node of a dense tree.
func (m *machine) fieldFor(s *typed.FieldFor) *departure {
	f, _ := m.field(s.Field)
	if f.Home != nil {
		return m.activeCells(s, f)
	}
	var spans []span
	for a, n := range f.Shape {
		spans = append(spans, span{of: m.int, lo: word(m.int, uint64(f.low(a))), n: uint64(n)})
	}
	if len(spans) == 0 {
		spans = append(spans, span{of: m.int, n: 1})
	}
	return m.iterate(s, spans, s.Index, s.Group, s.Body, s.Parallel)
}

// iterate runs the iterations of a loop over a product of spans, the last the fastest.
func (m *machine) iterate(s typed.Stmt, spans []span, index []*typed.Var, group *typed.Var, body *typed.Block, parallel bool) *departure {
	parallel = parallel && m.branch == 0 && !m.inLoop
	if parallel {
		m.settle()
		m.ordinal++
		end := m.enter(body)
		defer func() {
			end()
			m.settle()
		}()
	}
	total, many := product64(spans)
	if parallel && many {
		panic(stop{ErrIterations})
	}
	for number := uint64(0); total > 0 || many; number++ { // a serial loop of more iterations does not end in practice
		at := make([]uint64, len(spans))
		rest := number
		for d := len(spans) - 1; d >= 0; d-- {
			sp := spans[d]
			at[d] = word(sp.of, sp.lo+rest%sp.n)
			rest /= sp.n
		}
		m.defineIndex(index, group, at)
		m.step()
		var x *departure
		if parallel {
			m.beginIteration(number, spans, at)
			x = m.stmts(body.List)
		} else {
			x = m.nested(body.List)
		}
		if !continues(x, s) {
			return left(x, s)
		}
		if !many && number+1 == total {
			break
		}
	}
	return nil
}

// product64 is the number of iterations, and whether it is too large.
func product64(spans []span) (total uint64, many bool) {
	total = 1
	for _, sp := range spans {
		if sp.n == 0 {
			return 0, false
		}
		over, low := bits.Mul64(total, sp.n)
		many = many || over != 0 || low > mostIterations
		total = low
	}
	return total, many
}

// defineIndex starts the life of the variables of a loop.
func (m *machine) defineIndex(index []*typed.Var, group *typed.Var, at []uint64) {
	if group != nil { // without components for a field of rank 0
		m.vars[group] = &object{at[:len(m.kindsOf(group.Type))]}
		return
	}
	for i, v := range index {
		if v != nil {
			m.vars[v] = &object{[]uint64{at[i]}}
		}
	}
}

// enter begins a parallel loop, and returns what ends it.
func (m *machine) enter(body *typed.Block) func() {
	outer := m.random
	m.inLoop = true
	m.beginSums(body)
	return func() {
		m.random, m.loop, m.inLoop = outer, nil, false
		m.endSums()
	}
}

// beginIteration begins an iteration of a parallel loop, which has random numbers of its own.
func (m *machine) beginIteration(n uint64, spans []span, at []uint64) {
	m.random = stream{key: m.env.Key, iteration: n, loop: uint32(m.ordinal)}
	m.loop = make([]int64, len(at))
	for d, sp := range spans {
		m.loop[d] = number(sp.of, at[d])
	}
}

// count is how many parallel loops are in the body of a kernel.
func (m *machine) count(f *typed.Func) int {
	n, known := m.loops[f]
	if !known {
		n = m.countIn(f.Body.List)
		m.loops[f] = n
	}
	return n
}

// countIn is how many parallel loops statements of the outermost scope have, those of the kernels that they call too.
func (m *machine) countIn(list []typed.Stmt) (n int) {
	for _, s := range list {
		switch s := s.(type) {
		case *typed.Block:
			n += m.countIn(s.List)
		case *typed.Unrolled:
			for _, b := range s.Bodies {
				n += m.countIn(b.List)
			}
		case *typed.RangeFor:
			n += m.countCalls(typed.Expressions(s)...)
			if s.Parallel {
				n++
			}
		case *typed.FieldFor:
			if s.Parallel || s.Serial && s.Field.Sparse && s.Field.Rank > 0 && leftByBreakOnly(s) {
				n++
			}
		default:
			n += m.countCalls(typed.Expressions(s)...)
		}
	}
	return n
}

func (m *machine) countCalls(es ...typed.Expr) (n int) {
	for _, e := range es {
		if e == nil {
			continue
		}
		if l, ok := e.(*typed.Logic); ok { // the right side is a branch
			n += m.countCalls(l.X)
			continue
		}
		if c, ok := e.(*typed.Call); ok && c.Func.Context == typed.Outermost {
			n += m.count(c.Func)
		}
		n += m.countCalls(typed.Operands(e)...)
	}
	return n
}
