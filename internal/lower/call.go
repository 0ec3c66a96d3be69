package lower

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/typed"
)

// An inline is a function whose body is being lowered in place of a call.
type inline struct {
	block *ir.Op       // block that returns leave; nil where tail takes care of them
	large []*place     // memory of the large results, nil for others, by number
	vars  []*typed.Var // variables of callers that it assigns through references
}

// call inlines a function and returns its results.
func (l *lowerer) call(c *typed.Call) []value {
	if vals, ok := l.outOfLine(c); ok {
		return vals
	}
	l.arguments(c)
	if c.Func.Pos.Line == 0 { // of the prelude
		defer l.inBuiltin()()
	}
	saved, pos := l.fn, l.b.Pos
	defer func() { l.fn, l.b.Pos = saved, pos }()
	l.results(c.Func)
	if list := c.Func.Body.List; c.Func.Context == typed.Outermost && hasParallel(list) {
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
func (l *lowerer) arguments(c *typed.Call) {
	args := make([]binding, len(c.Args))
	for i, a := range c.Args {
		switch c.Func.Params[i].Type.(type) {
		case typed.Slice, typed.View:
			args[i] = l.env[a.(*typed.VarRef).Var]
		case typed.Ref:
			args[i].place = l.place(a)
		default:
			args[i] = l.argument(c, i)
		}
	}
	l.at(c.Pos)
	for i, p := range c.Func.Params {
		if args[i].vals == nil || p.Section {
			l.bind(p, args[i])
		} else {
			l.define(p, args[i].vals)
		}
	}
}

// argument evaluates argument i of c, which is a value. A large one is copied, unless
// neither the function nor a later argument can change it.
func (l *lowerer) argument(c *typed.Call, i int) binding {
	a, p := c.Args[i], c.Func.Params[i]
	if !l.large(p.Type) || p.Section {
		return binding{vals: l.expr(a)}
	}
	b := l.bulk(a)
	isRef := func(p *typed.Var) bool { _, ok := p.Type.(typed.Ref); return ok }
	shared := !p.Assigned && !p.Reduced && !slices.ContainsFunc(c.Func.Params, isRef) && !slices.ContainsFunc(c.Args[i+1:], hasEffects)
	if b.isTable() && shared {
		return binding{table: b.place.storage.called(p.Name)}
	}
	if !b.isVariable() || !shared {
		b = l.keep(b)
	}
	if b.fresh {
		b.place.storage.called(p.Name)
	}
	return binding{mem: b.place.storage}
}

// resultKinds returns the kinds of the components of f's results, large ones left out.
func (l *lowerer) resultKinds(f *typed.Func) []ir.Kind {
	var ks []ir.Kind
	for _, r := range f.Results {
		if !l.large(r.Type) {
			ks = append(ks, kindsOf(r.Type)...)
		}
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

// split divides list, the components of all results of f, among the results.
func split(f *typed.Func, list []*ir.Value) []value {
	vals := make([]value, len(f.Results))
	for i, r := range f.Results {
		n := typed.Components(r.Type)
		vals[i].list, list = list[:n:n], list[n:]
	}
	return vals
}

// inline lowers the body of f, as plain code where its returns allow it, else in
// a block that they leave.
func (l *lowerer) inline(f *typed.Func) []value {
	ks := l.resultKinds(f)
	list := f.Body.List
	vars := l.throughReferences(f)
	types := append(scalars(ks), typesOf(l.values(vars))...)
	fn := &inline{vars: vars, large: l.largeResults(f)}
	l.fn = fn
	if tailable(list, returns) {
		vals, jumped := l.tail(list, &continuation{is: returns, types: types, at: func(s typed.Stmt) []*ir.Value {
			if s == nil {
				return append(l.zeros(ks), l.values(vars)...)
			}
			return append(fn.put(l, l.returned(s.(*typed.Return))), l.values(vars)...)
		}})
		if jumped { // every path ends in a jump that is no return: there is none
			return fn.got(l, f, l.zeros(ks))
		}
		l.adopt(vars, vals[len(ks):])
		return fn.got(l, f, vals[:len(ks):len(ks)])
	}
	o := ir.NewOp(ir.OpBlock, l.b.Pos, types)
	l.b.Emit(o)
	fn.block = o
	l.in(o.Regions[0], func() {
		if !l.stmts(list) {
			l.b.Yield(append(l.zeros(ks), l.values(vars)...)...)
		}
	})
	l.adopt(vars, o.Results[len(ks):])
	return fn.got(l, f, o.Results[:len(ks):len(ks)])
}

// largeResults allocates the memory of large results. A named result is the memory of its
// variable, which ends with the function.
func (l *lowerer) largeResults(f *typed.Func) []*place {
	places := make([]*place, len(f.Results))
	for i, r := range f.Results {
		switch {
		case !l.large(r.Type):
		case r.Name != "":
			places[i] = l.variable(r)
		default:
			places[i] = l.memory(kindsOf(r.Type), 0)
		}
	}
	return places
}

// put stores the large ones of vals, the values of a return, and returns the components
// of the others.
func (fn *inline) put(l *lowerer, vals []value) []*ir.Value {
	list := []*ir.Value{}
	for _, v := range vals {
		list = append(list, v.list...)
	}
	l.storeEach(fn.large, vals)
	return list
}

// got returns the results of an inlined f: the large ones from memory, the others from
// list.
func (fn *inline) got(l *lowerer, f *typed.Func, list []*ir.Value) []value {
	vals := make([]value, len(f.Results))
	for i, r := range f.Results {
		if p := fn.large[i]; p != nil {
			vals[i].bulk = l.own(p, r.Type)
			continue
		}
		n := typed.Components(r.Type)
		vals[i].list, list = list[:n:n], list[n:]
	}
	return vals
}

// throughReferences returns the variables, values of the callers, that f assigns
// through its references.
func (l *lowerer) throughReferences(f *typed.Func) []*typed.Var {
	var refs []*typed.Var
	for _, p := range f.Params {
		if _, ok := p.Type.(typed.Ref); ok && p.Assigned {
			refs = append(refs, p)
		}
	}
	return l.live(refs)
}

// tailFlat reports whether the only return of list, if any, is its last statement.
func tailFlat(list []typed.Stmt) bool {
	n := countJumps(list, returns)
	return n == 0 || n == 1 && returns(list[len(list)-1])
}

// hasParallel reports whether list has a parallel loop, in a callee too.
func hasParallel(list []typed.Stmt) bool {
	found := false
	typed.Visit(list, func(s typed.Stmt) {
		switch s := s.(type) {
		case *typed.RangeFor:
			found = found || s.Parallel
		case *typed.FieldFor:
			found = found || s.Parallel || isTask(s)
		default:
			found = found || callsParallel(typed.Expressions(s)...)
		}
	})
	return found
}

// callsParallel reports whether evaluating one of es runs a parallel loop.
func callsParallel(es ...typed.Expr) bool {
	for _, e := range es {
		if e == nil {
			continue
		}
		c, ok := e.(*typed.Call)
		if ok && c.Func.Context == typed.Outermost && hasParallel(c.Func.Body.List) || callsParallel(typed.Operands(e)...) {
			return true
		}
	}
	return false
}
