package ontree

import (
	"github.com/gotaichi/ti/internal/typed"
)

// A departure is a jump out of statements.
type departure struct {
	kind   departureKind
	target typed.Stmt // of a break or continue
	values []uint64   // of a return
}

type departureKind uint8

const (
	breaking departureKind = iota
	continuing
	returning
)

// stmts runs statements up to a jump, and returns that; nil if there is none.
func (m *machine) stmts(list []typed.Stmt) *departure {
	for _, s := range list {
		before := m.ordinal
		x := m.stmt(s)
		if !m.inLoop && m.branch == 0 {
			m.ordinal = before + m.countIn([]typed.Stmt{s})
		}
		if x != nil {
			return x
		}
	}
	return nil
}

func (m *machine) stmt(s typed.Stmt) *departure {
	m.step()
	switch s := s.(type) {
	case *typed.Block:
		return m.stmts(s.List)
	case *typed.Define:
		o := m.zero(s.Var.Type)
		if s.Init != nil {
			o.comps = m.expr(s.Init)
		}
		m.vars[s.Var] = o
	case *typed.Assign:
		m.assign(s)
	case *typed.Update:
		m.update(s)
	case *typed.ExprStmt:
		m.expr(s.X)
	case *typed.If:
		return m.ifStmt(s)
	case *typed.Scope:
		return left(m.nested(s.Body.List), s)
	case *typed.Loop:
		return m.whileLoop(s)
	case *typed.RangeFor:
		return m.rangeFor(s)
	case *typed.FieldFor:
		return m.fieldFor(s)
	case *typed.Unrolled:
		return m.unrolled(s)
	case *typed.Break:
		return &departure{kind: breaking, target: s.Target}
	case *typed.Continue:
		return &departure{kind: continuing, target: s.Target}
	case *typed.Return:
		return m.returned(s)
	default:
		notCovered("statement %T", s)
	}
	return nil
}

// nested runs statements in a branch or serial loop.
func (m *machine) nested(list []typed.Stmt) *departure {
	m.branch++
	x := m.stmts(list)
	m.branch--
	return x
}

// left is a jump as it goes on outside of s, which it may leave.
func left(x *departure, s typed.Stmt) *departure {
	if x != nil && x.kind == breaking && x.target == s {
		return nil
	}
	return x
}

// continues reports whether s has another iteration after its body was left by x.
func continues(x *departure, s typed.Stmt) bool {
	return x == nil || x.kind == continuing && x.target == s
}

func (m *machine) ifStmt(s *typed.If) *departure {
	switch {
	case m.expr(s.Cond)[0] != 0:
		return m.nested(s.Then.List)
	case s.Else != nil:
		return m.nested(s.Else.List)
	}
	return nil
}

// returned evaluates the results of a function.
func (m *machine) returned(s *typed.Return) *departure {
	x := &departure{kind: returning}
	for _, e := range s.Values {
		x.values = append(x.values, m.expr(e)...)
	}
	return x
}

// assign evaluates the index operands of all places, then all values, and then stores.
func (m *machine) assign(s *typed.Assign) {
	places := make([]*place, len(s.Places))
	for i, p := range s.Places {
		if p != nil {
			places[i] = m.place(p)
		}
	}
	var values []uint64
	var sizes []int
	for _, e := range s.Values {
		values = append(values, m.expr(e)...)
		if t, several := e.Type().(*typed.Tuple); several {
			for _, r := range t.Types {
				sizes = append(sizes, len(m.kindsOf(r)))
			}
		} else {
			sizes = append(sizes, len(m.kindsOf(e.Type())))
		}
	}
	for i, p := range places {
		if p != nil {
			m.store(p, values[:sizes[i]])
		}
		values = values[sizes[i]:]
	}
}

// update runs place = place op value.
func (m *machine) update(s *typed.Update) {
	p := m.place(s.Place)
	v := m.expr(s.Value)
	if s.Atomic && len(v) > 0 && m.addHalves(s.Op, p, v) {
		return
	}
	old := m.load(p)
	t := s.Place.Type()
	var now []uint64
	if s.Op == typed.MatMul {
		now = product(typed.ScalarOf(t), old, v, typed.Dims(t), typed.Dims(s.Value.Type()))
	} else {
		now = m.elementwise(s.Op, old, v, m.kindsOf(t), m.kindsOf(s.Value.Type()))
	}
	m.storeAgain(p, now)
}
