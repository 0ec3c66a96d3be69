package lower

import (
	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/ir"
)

// An inline is a function whose body is being lowered in place of a call.
type inline struct {
	block *ir.Op       // block that returns leave; nil where tail takes care of them
	vars  []*check.Var // variables of callers that it assigns through references
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
		case check.Ref:
			args[i].place = l.place(a)
		default:
			args[i].vals = l.expr(a)
		}
	}
	l.at(c.Pos)
	for i, p := range c.Func.Params {
		if args[i].slice != nil || args[i].view != nil || args[i].place != nil {
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
	vars := l.throughReferences(f)
	types := append(scalars(ks), typesOf(l.values(vars))...)
	if tailable(list, returns) {
		l.fn = &inline{vars: vars}
		vals, jumped := l.tail(list, &exit{is: returns, types: types, at: func(s check.Stmt) []*ir.Value {
			if s == nil {
				return append(l.zeros(ks), l.values(vars)...)
			}
			return append(l.returned(s.(*check.Return)), l.values(vars)...)
		}})
		if jumped { // every path ends in a jump that is no return: there is none
			return l.zeros(ks)
		}
		l.adopt(vars, vals[len(ks):])
		return vals[:len(ks):len(ks)]
	}
	o := ir.NewOp(ir.OpBlock, l.b.Pos, types)
	l.b.Emit(o)
	l.fn = &inline{block: o, vars: vars}
	l.in(o.Regions[0], func() {
		if !l.stmts(list) {
			l.b.Yield(append(l.zeros(ks), l.values(vars)...)...)
		}
	})
	l.adopt(vars, o.Results[len(ks):])
	return o.Results[:len(ks):len(ks)]
}

// throughReferences returns the variables, values of the callers, that f assigns
// through its references.
func (l *lowerer) throughReferences(f *check.Func) []*check.Var {
	var refs []*check.Var
	for _, p := range f.Params {
		if _, ok := p.Type.(check.Ref); ok && p.Assigned {
			refs = append(refs, p)
		}
	}
	return l.live(refs)
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
			found = found || s.Parallel || isTask(s)
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
