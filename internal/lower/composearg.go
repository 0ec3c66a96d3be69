package lower

import (
	"slices"

	"github.com/gotaichi/ti/internal/typed"
)

// A statement of a frame that runs parallel loops cannot be put into a block, so nothing guards what it evaluates beside the loops:
// the arguments of a call, and the indices of places. What has effects there, or may fail, is therefore evaluated before, each in a guarded
// statement of its own that keeps the value in a variable.

// apartFromLoops returns s without such parts. It reports false if s cannot be taken apart so.
func (l *lowerer) apartFromLoops(s typed.Stmt) (typed.Stmt, bool) {
	switch s := s.(type) {
	case *typed.Define:
		x, ok := l.apartFromCalls(s.Init)
		return &typed.Define{StmtBase: s.StmtBase, Var: s.Var, Init: x}, ok
	case *typed.ExprStmt:
		x, ok := l.apartFromCalls(s.X)
		return &typed.ExprStmt{StmtBase: s.StmtBase, X: x}, ok
	case *typed.Return:
		values, ok := l.allApartFromCalls(s.Values)
		if !ok {
			return s, false
		}
		return &typed.Return{StmtBase: s.StmtBase, Values: values}, true
	case *typed.Assign:
		if slices.ContainsFunc(s.Places, func(p typed.Expr) bool { return p != nil && callsParallel(p) }) {
			return s, false
		}
		places := make([]typed.Expr, len(s.Places))
		for i, p := range s.Places { // first of all
			if p != nil {
				places[i] = l.keptIndices(p)
			}
		}
		values, ok := l.allApartFromCalls(s.Values)
		if !ok {
			values = s.Values
		}
		return &typed.Assign{StmtBase: s.StmtBase, Places: places, Values: values, Accumulates: s.Accumulates}, ok
	}
	return s, true
}

func (l *lowerer) allApartFromCalls(es []typed.Expr) (list []typed.Expr, ok bool) {
	if len(es) > 1 && l.mayHaveLeft() && slices.ContainsFunc(es, l.fragile) {
		return es, false // in order, which values kept before the loops would not be
	}
	for _, e := range es {
		x, ok := l.apartFromCalls(e)
		if !ok {
			return es, false
		}
		list = append(list, x)
	}
	return list, true
}

// apartFromCalls returns e with its fragile parts kept in variables, as arguments of a call can be.
func (l *lowerer) apartFromCalls(e typed.Expr) (typed.Expr, bool) {
	if !l.mayHaveLeft() || !l.fragile(e) {
		return e, true
	}
	c, direct := e.(*typed.Call)
	if !direct || !runsLoops(c) {
		return e, false
	}
	args := slices.Clone(c.Args)
	for i, a := range args {
		switch c.Func.Params[i].Type.(type) {
		case typed.Slice, typed.View:
			continue
		}
		if !callsParallel(a) {
			args[i] = l.kept(a)
			continue
		}
		x, ok := l.apartFromCalls(a)
		if !ok || slices.ContainsFunc(args[i+1:], l.fragile) {
			return e, false
		}
		args[i] = x
	}
	return &typed.Call{ExprBase: c.ExprBase, Func: c.Func, Args: args}, true
}

// runsLoops reports whether a call runs parallel loops in the outermost scope.
func runsLoops(c *typed.Call) bool {
	return c.Func.Context == typed.Outermost && hasParallel(c.Func.Body.List)
}

// fragile reports whether anything that evaluating e does beside calls with parallel loops has effects, draws random numbers or may fail.
func (l *lowerer) fragile(e typed.Expr) bool {
	switch e := e.(type) {
	case nil:
		return false
	case *typed.Const, *typed.VarRef:
		return false
	case *typed.Call:
		return !runsLoops(e) || slices.ContainsFunc(e.Args, l.fragile)
	case *typed.Extract, *typed.Compose, *typed.Splat, *typed.Convert, *typed.Unary, *typed.Binary, *typed.Extent:
		return l.debug || l.checkNaN || slices.ContainsFunc(typed.Operands(e), l.fragile)
	}
	return true
}

// kept evaluates e in a guarded statement, and returns the variable that has its value: zero if the frame has been left.
func (l *lowerer) kept(e typed.Expr) typed.Expr {
	if _, constant := e.(*typed.Const); constant {
		return e
	}
	return l.keptAlways(e)
}

func (l *lowerer) keptAlways(e typed.Expr) typed.Expr {
	v := &typed.Var{Type: e.Type(), Pos: e.Position()}
	l.wrap(&typed.Define{StmtBase: typed.StmtBase{Pos: e.Position()}, Var: v, Init: e})
	return &typed.VarRef{ExprBase: typed.ExprBase{Pos: e.Position(), T: e.Type()}, Var: v}
}

// keptIndices returns a place with its index operands kept in variables.
func (l *lowerer) keptIndices(e typed.Expr) typed.Expr {
	switch e := e.(type) {
	case *typed.Extract:
		return &typed.Extract{ExprBase: e.ExprBase, X: l.keptIndices(e.X), Comps: e.Comps}
	case *typed.Index:
		x := l.keptIndices(e.X)
		return &typed.Index{ExprBase: e.ExprBase, X: x, I: l.kept(e.I)}
	case *typed.SliceElement:
		return &typed.SliceElement{ExprBase: e.ExprBase, Slice: e.Slice, Index: l.kept(e.Index)}
	case *typed.Element:
		index := make([]typed.Expr, len(e.Index))
		for i, x := range e.Index {
			index[i] = l.kept(x)
		}
		return &typed.Element{ExprBase: e.ExprBase, Field: e.Field, Index: index, Section: e.Section}
	}
	return e
}

// keptBounds returns the bounds of a loop, kept in variables, if evaluating them has effects, and nil otherwise. If the frame has been left they are zero,
// and the loop is empty.
func (l *lowerer) keptBounds(s *typed.RangeFor) []typed.Range {
	if !l.mayHaveLeft() || !slices.ContainsFunc(typed.Expressions(s), hasEffects) {
		return nil
	}
	dims := make([]typed.Range, len(s.Dims))
	for i, d := range s.Dims {
		lo := l.keptAlways(d.Lo)
		dims[i] = typed.Range{Lo: lo, Hi: l.keptAlways(d.Hi)}
	}
	return dims
}
