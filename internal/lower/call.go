package lower

import (
	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/ir"
)

// An inline is a function whose body is being lowered in place of a call.
type inline struct {
	block *ir.Op // block that returns leave; nil where tail takes care of them
}

// call inlines a function and returns the components of its results.
func (l *lowerer) call(c *check.Call) []*ir.Value {
	if vals, ok := l.outOfLine(c); ok {
		return vals
	}
	l.arguments(c)
	saved, pos := l.fn, l.b.Pos
	defer func() { l.fn, l.b.Pos = saved, pos }()
	l.results(c.Func)
	if list := c.Func.Body.List; c.Func.Context == check.Outermost && hasParallel(list) {
		if len(l.frames) > 0 || !tailFlat(list) {
			return l.compose(c.Func)
		}
	}
	frames := l.frames
	l.frames = nil // its jumps are its own
	vals := l.inline(c.Func)
	l.frames = frames
	return vals
}

// arguments evaluates the arguments and starts the life of the parameters.
func (l *lowerer) arguments(c *check.Call) {
	args := make([]binding, len(c.Args))
	for i, a := range c.Args {
		switch c.Func.Params[i].Type.(type) {
		case check.Slice, check.View:
			args[i] = l.env[a.(*check.VarRef).Var]
		default:
			args[i].vals = l.expr(a)
		}
	}
	l.at(c.Pos)
	for i, p := range c.Func.Params {
		if args[i].slice != nil || args[i].view != nil {
			l.bind(p, args[i])
		} else {
			l.define(p, args[i].vals)
		}
	}
}

// resultKinds returns the kinds of the components of f's results.
func resultKinds(f *check.Func) []ir.Kind {
	var ks []ir.Kind
	for _, r := range f.Results {
		ks = append(ks, kindsOf(r.Type)...)
	}
	return ks
}

func scalars(ks []ir.Kind) []ir.Type {
	ts := make([]ir.Type, len(ks))
	for i, k := range ks {
		ts[i] = ir.Scalar(k)
	}
	return ts
}

// inline lowers the body of f, as plain code where its returns allow it, else in
// a block that they leave.
func (l *lowerer) inline(f *check.Func) []*ir.Value {
	ks := resultKinds(f)
	list := f.Body.List
	if tailable(list, returns) {
		l.fn = &inline{}
		vals, jumped := l.tail(list, &exit{is: returns, types: scalars(ks), at: func(s check.Stmt) []*ir.Value {
			if s == nil {
				return l.zeros(ks)
			}
			return l.returned(s.(*check.Return))
		}})
		if jumped { // every path ends in a jump that is no return: there is none
			return l.zeros(ks)
		}
		return vals
	}
	o := ir.NewOp(ir.OpBlock, l.b.Pos, scalars(ks))
	l.b.Emit(o)
	l.fn = &inline{block: o}
	l.in(o.Regions[0], func() {
		if !l.stmts(list) {
			l.b.Yield(l.zeros(ks)...)
		}
	})
	return o.Results
}

// tailFlat reports whether the only return of list, if any, is its last statement.
func tailFlat(list []check.Stmt) bool {
	n := countJumps(list, returns)
	return n == 0 || n == 1 && returns(list[len(list)-1])
}

// hasParallel reports whether list has a parallel loop, in a callee too.
func hasParallel(list []check.Stmt) bool {
	found := false
	check.Walk(list, func(s check.Stmt) {
		switch s := s.(type) {
		case *check.RangeFor:
			found = found || s.Parallel
		case *check.FieldFor:
			found = found || s.Parallel
		default:
			found = found || callsParallel(check.Expressions(s)...)
		}
	})
	return found
}

// callsParallel reports whether evaluating one of es runs a parallel loop.
func callsParallel(es ...check.Expr) bool {
	for _, e := range es {
		if e == nil {
			continue
		}
		c, ok := e.(*check.Call)
		if ok && c.Func.Context == check.Outermost && hasParallel(c.Func.Body.List) || callsParallel(check.Operands(e)...) {
			return true
		}
	}
	return false
}
