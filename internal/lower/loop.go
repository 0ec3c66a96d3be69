package lower

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/typed"
)

// loop lowers `for cond { … }`: an endless loop that a test leaves.
func (l *lowerer) loop(s *typed.Loop) (jumped bool) {
	if i, hi := l.counted(s); i != nil {
		l.countedLoop(s, i, hi)
		return false
	}
	vars := l.live(l.effectsOf(s).assigned)
	init := l.values(vars)
	o := ir.NewOp(ir.OpLoop, l.b.Pos, typesOf(init), init...)
	l.b.Emit(o)
	t := &target{leave: o, next: o, vars: vars, post: s.Post}
	l.targets[s] = t
	l.in(o.Regions[0], func() {
		l.addParams(o.Regions[0], vars)
		if s.Cond != nil {
			l.leaveUnless(l.expr(s.Cond)[0], t)
		}
		l.loopBody(s, s.Body.List, t)
	})
	l.adopt(vars, o.Results)
	return false
}

// leaveUnless leaves a loop if cond is false.
func (l *lowerer) leaveUnless(cond *ir.Value, t *target) {
	o := ir.NewOp(ir.OpIf, l.b.Pos, nil, cond)
	l.b.Emit(o)
	l.in(o.Regions[0], func() { l.b.Yield() })
	l.in(o.Regions[1], func() { l.b.Jump(ir.OpBreak, t.leave, l.values(t.vars)...) })
}

// loopBody lowers the body of loop s and goes to the next iteration.
func (l *lowerer) loopBody(s typed.Stmt, body []typed.Stmt, t *target) {
	pos := l.b.Pos
	if is := continueOf(s); tailable(body, is) {
		vals, jumped := l.tail(body, l.continuationWith(t.vars, is))
		if jumped {
			return
		}
		l.adopt(t.vars, vals)
	} else if l.stmts(body) {
		return
	}
	l.b.Pos = pos
	l.next(t)
}

// parallel reports whether a loop can be made parallel here: everywhere but in
// kernels called from a branch.
func (l *lowerer) parallel(wanted bool) bool { return wanted && l.b.Block == l.kernel.Body }

// rangeFor lowers a loop over ranges.
func (l *lowerer) rangeFor(s *typed.RangeFor) (jumped bool) {
	var bounds []*ir.Value
	dims := s.Dims
	if l.dims != nil {
		dims, l.dims = l.dims, nil
	}
	eval := func() []*ir.Value {
		for _, d := range dims {
			bounds = append(bounds, l.expr(d.Lo)[0], l.expr(d.Hi)[0])
		}
		return bounds
	}
	if guard := l.guard; guard != nil {
		l.guard = nil
		bounds = l.guarded(guard, eval, s)
	} else {
		eval()
	}
	l.at(s.Pos)
	loopVars := func(params []*ir.Value) { l.loopVars(s.Index, s.Group, params) }
	vars := names(s.Index, s.Group, len(s.Dims))
	if l.parallel(s.Parallel) {
		l.parFor(s, s.Hints, bounds, vars, s.Body, loopVars)
	} else {
		l.serialFor(s, flat(bounds), vars, s.Body, loopVars)
	}
	return false
}

// guarded evaluates the bounds of a loop if guard is true; else they are zero, and
// the loop is empty.
func (l *lowerer) guarded(guard *ir.Value, eval func() []*ir.Value, s *typed.RangeFor) []*ir.Value {
	var ks []ir.Kind
	for _, d := range s.Dims {
		k := kindOf(typed.ScalarOf(d.Lo.Type()))
		ks = append(ks, k, k)
	}
	o := ir.NewOp(ir.OpIf, l.b.Pos, scalars(ks), guard)
	l.b.Emit(o)
	l.in(o.Regions[0], func() { l.b.Yield(eval()...) })
	l.in(o.Regions[1], func() { l.b.Yield(l.zeros(ks)...) })
	return o.Results
}

// parFor appends a parallel loop over ranges.
func (l *lowerer) parFor(s typed.Stmt, hints []typed.Hint, bounds []*ir.Value, names []string,
	body *typed.Block, loopVars func([]*ir.Value)) {
	o := ir.NewOp(ir.OpParFor, l.b.Pos, nil, bounds...)
	l.loops++
	o.Aux, o.Bits, o.Hints = l.loops, threads(hints), l.hints(hints)
	l.b.Emit(o)
	for i, n := range names {
		o.Regions[0].AddParam(bounds[2*i].Type, n)
	}
	l.parallelBody(o, s, body, loopVars)
}

// threads is the largest number of threads that a loop's hints allow, 0 for any.
// See hints for those about fields; the others speak of GPUs and of packed memory.
func threads(hints []typed.Hint) uint64 {
	for _, h := range hints {
		if h.Name == "threads" {
			return uint64(h.Value)
		}
	}
	return 0
}

// parallelBody lowers the body of parallel loop o.
func (l *lowerer) parallelBody(o *ir.Op, s typed.Stmt, body *typed.Block, loopVars func([]*ir.Value)) {
	t := &target{next: o}
	l.targets[s] = t
	l.iterating = true
	l.in(o.Regions[0], func() {
		loopVars(o.Regions[0].Params)
		l.loopBody(s, body.List, t)
	})
	l.iterating = false
}

// A nest gives the bounds of one of nested loops, of which the outer ones have the
// given indices.
type nest func(dim int, outer []*ir.Value) (lo, hi *ir.Value)

// flat is the nest with bounds that do not depend on each other.
func flat(bounds []*ir.Value) nest {
	return func(dim int, _ []*ir.Value) (lo, hi *ir.Value) { return bounds[2*dim], bounds[2*dim+1] }
}

// serialFor appends nested fors, one for each of names.
func (l *lowerer) serialFor(s typed.Stmt, bounds nest, names []string, body *typed.Block,
	loopVars func([]*ir.Value)) {
	vars := l.live(l.effectsOf(s).assigned)
	t := &target{vars: vars}
	l.targets[s] = t
	var params []*ir.Value
	var nest func(dim int)
	nest = func(dim int) {
		pos := l.b.Pos
		lo, hi := bounds(dim, params)
		init := l.values(vars)
		o := ir.NewOp(ir.OpFor, pos, typesOf(init), append([]*ir.Value{lo, hi}, init...)...)
		l.b.Emit(o)
		if dim == 0 {
			t.leave = o
		}
		t.next = o
		l.in(o.Regions[0], func() {
			params = append(params, o.Regions[0].AddParam(lo.Type, names[dim]))
			l.addParams(o.Regions[0], vars)
			if dim+1 < len(names) {
				nest(dim + 1)
				l.b.Pos = pos
				l.b.Jump(ir.OpContinue, o, l.values(vars)...)
				return
			}
			loopVars(params)
			l.loopBody(s, body.List, t)
		})
		l.b.Pos = pos
		l.adopt(vars, o.Results)
	}
	nest(0)
}

// loopVars starts the life of loop variables.
func (l *lowerer) loopVars(index []*typed.Var, group *typed.Var, params []*ir.Value) {
	if group != nil {
		n := typed.Components(group.Type) // none for a field of rank 0, whose loop has one iteration
		l.define(group, params[:n:n])
		return
	}
	for i, v := range index {
		if v != nil {
			l.define(v, params[i:i+1:i+1])
		}
	}
}

// names returns the names of n loop variables.
func names(index []*typed.Var, group *typed.Var, n int) []string {
	ns := make([]string, n)
	for i := range ns {
		if group != nil {
			ns[i] = group.Name
		} else if i < len(index) && index[i] != nil {
			ns[i] = index[i].Name
		}
	}
	return ns
}
