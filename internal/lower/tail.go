package lower

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/typed"
)

// A jump reports whether a statement is a jump to a certain place.
type jump func(typed.Stmt) bool

// returns, continueOf and breakOf recognise jumps.
func returns(s typed.Stmt) bool { _, ok := s.(*typed.Return); return ok }

func continueOf(t typed.Stmt) jump {
	return func(s typed.Stmt) bool { c, ok := s.(*typed.Continue); return ok && c.Target == t }
}

func breakOf(t typed.Stmt) jump {
	return func(s typed.Stmt) bool { b, ok := s.(*typed.Break); return ok && b.Target == t }
}

// An exit is the end of a list of statements, where jumps go too. Code like
//
//	if c { return a }; rest; return b
//
// becomes an if that yields a or, after the rest, b: no jump is left, and passes
// need not know about jumps to do well.
type continuation struct {
	is    jump
	types []ir.Type
	at    func(s typed.Stmt) []*ir.Value // values on arrival by jump s, or past the end if nil
}

// continuationWith returns the continuation of a jump that passes the current values of vars.
func (l *lowerer) continuationWith(vars []*typed.Var, is jump) *continuation {
	return &continuation{is: is, types: typesOf(l.values(vars)), at: func(typed.Stmt) []*ir.Value {
		return l.values(vars)
	}}
}

// tail lowers a list for which tailable holds and returns the values at x, or
// that a jump to elsewhere ended all ways through it.
func (l *lowerer) tail(list []typed.Stmt, x *continuation) (vals []*ir.Value, jumped bool) {
	for i, s := range list {
		rest := list[i+1:]
		if x.is(s) {
			return x.at(s), false
		}
		if countJumps(list[i:i+1], x.is) == 0 {
			if l.stmt(s) {
				return nil, true
			}
			continue
		}
		switch s := s.(type) {
		case *typed.Block:
			return l.tail(join(s.List, rest), x)
		case *typed.If:
			return l.tailIf(s, rest, x)
		}
	}
	return x.at(nil), false
}

// tailIf lowers an if that holds jumps to x, and the statements after it.
func (l *lowerer) tailIf(s *typed.If, rest []typed.Stmt, x *continuation) (vals []*ir.Value, jumped bool) {
	l.at(s.Pos)
	cond := l.expr(s.Cond)[0]
	l.at(s.Pos)
	o := ir.NewOp(ir.OpIf, l.b.Pos, x.types, cond)
	l.b.Emit(o)
	pos := l.b.Pos
	var ended [2]bool
	for i, branch := range branches(s, rest) {
		l.in(o.Regions[i], func() {
			l.b.Pos = pos
			vals, jumped := l.tail(branch, x)
			if ended[i] = jumped; !jumped {
				l.b.Yield(vals...)
			}
		})
	}
	l.b.Pos = pos
	if ended[0] && ended[1] {
		l.unreachable(o)
		return nil, true
	}
	return o.Results, false
}

// branches returns the two branches of an if with what follows it moved to the
// ends of those that go on.
func branches(s *typed.If, rest []typed.Stmt) [2][]typed.Stmt {
	var b [2][]typed.Stmt
	b[0] = s.Then.List
	if s.Else != nil {
		b[1] = s.Else.List
	}
	for i := range b {
		if !alwaysJumps(b[i]) {
			b[i] = join(b[i], rest)
		}
	}
	return b
}

// join concatenates without touching either list.
func join[T any](a, b []T) []T {
	return append(a[:len(a):len(a)], b...)
}

// maxTail bounds the number of jumps that tail takes apart, and with it the depth
// of nesting.
const maxTail = 16

// tailable reports whether the jumps of list can be made structured without
// doubling code.
func tailable(list []typed.Stmt, is jump) bool {
	return countJumps(list, is) <= maxTail && inTail(list, is)
}

func inTail(list []typed.Stmt, is jump) bool {
	for i, s := range list {
		rest := list[i+1:]
		if is(s) {
			return true
		}
		if countJumps(list[i:i+1], is) == 0 {
			continue
		}
		switch s := s.(type) {
		case *typed.Block:
			return inTail(join(s.List, rest), is)
		case *typed.If:
			goesOn := 0
			for _, b := range branches(s, nil) {
				if !alwaysJumps(b) {
					goesOn++
				}
			}
			if goesOn == 2 && len(rest) > 0 {
				return false
			}
			b := branches(s, rest)
			return inTail(b[0], is) && inTail(b[1], is)
		default:
			return false
		}
	}
	return true
}

// alwaysJumps reports whether the end of list is plainly never reached.
func alwaysJumps(list []typed.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch s := list[len(list)-1].(type) {
	case *typed.Return, *typed.Break, *typed.Continue:
		return true
	case *typed.Block:
		return alwaysJumps(s.List)
	case *typed.If:
		return s.Else != nil && alwaysJumps(s.Then.List) && alwaysJumps(s.Else.List)
	}
	return false
}

// countJumps returns how many statements of list, at any depth, are such jumps.
func countJumps(list []typed.Stmt, is jump) int {
	n := 0
	typed.Visit(list, func(s typed.Stmt) {
		if is(s) {
			n++
		}
	})
	return n
}
