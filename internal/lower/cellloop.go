package lower

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/site"
	"github.com/gotaichi/ti/internal/typed"
)

// This file lowers loops over the cells of fields and nodes.

// fieldFor lowers a loop over the cells of a field.
func (l *lowerer) fieldFor(s *typed.FieldFor) (jumped bool) {
	f := l.field(s.Field)
	loopVars := func(params []*ir.Value) { l.loopVars(s.Index, s.Group, params) }
	vars := names(s.Index, s.Group, max(f.Rank(), 1))
	guard := l.guard
	l.guard = nil
	switch parallel := l.parallel(s.Parallel); {
	case parallel && f.Rank() > 0 && (guard == nil || f.Sparse):
		o := l.newFieldFor(s, f, vars)
		l.parallelBody(o, s, s.Body, func(params []*ir.Value) {
			if guard != nil {
				l.continueUnless(guard, l.targets[s])
			}
			loopVars(params)
		})
	case parallel:
		l.parFor(s, s.Hints, l.cells(f, guard), vars, s.Body, loopVars)
	case !f.Sparse:
		l.serialFor(s, flat(l.cells(f, guard)), vars, s.Body, loopVars)
	case isTask(s) && l.parallel(true) && (!l.gradient || s.Field.Unbounded): // a fieldfor has no backward pass in order
		l.serialCells(s, f, guard, vars, loopVars)
	default:
		l.activeCells(s, f, guard, vars, loopVars)
	}
	return false
}

// newFieldFor appends a fieldfor without a body.
func (l *lowerer) newFieldFor(s *typed.FieldFor, f *ir.Field, names []string) *ir.Op {
	o := ir.NewOp(ir.OpFieldFor, l.b.Pos, nil)
	l.loops++
	o.Aux, o.Field, o.Bits, o.Hints = l.loops, f, threads(s.Hints), l.hints(s.Hints)
	l.b.Emit(o)
	for _, n := range names {
		o.Regions[0].AddParam(ir.Scalar(l.kernel.Int), n)
	}
	return o
}

// continueUnless goes to the next iteration if cond is false.
func (l *lowerer) continueUnless(cond *ir.Value, t *target) {
	l.b.If(cond, nil, func() { l.b.Yield() }, func() { l.b.Jump(ir.OpContinue, t.next, l.values(t.vars)...) })
}

// isTask reports whether a loop over a field can be a task of its own although it is
// serial: one over a sparse field, which nothing in its body leaves but by break.
func isTask(s *typed.FieldFor) bool {
	if !s.Serial || !s.Field.Sparse || s.Field.Rank == 0 {
		return false
	}
	inside := map[typed.Stmt]bool{s: true}
	ok := true
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

// serialCells lowers a serial loop over a sparse field in the outermost scope to a
// fieldfor that is marked serial, as the host has to list the cells before. It cannot
// carry values or be left: variables that the body assigns are kept in memory, and
// once there has been a break the iterations that follow do nothing.
func (l *lowerer) serialCells(s *typed.FieldFor, f *ir.Field, guard *ir.Value, names []string, loopVars func([]*ir.Value)) {
	vars := l.live(l.effectsOf(s).assigned)
	var done *typed.Var
	if countJumps(s.Body.List, breakOf(s)) > 0 {
		done = &typed.Var{Name: "done", Type: typed.Bool}
		l.define(done, nil)
		vars = append(vars, done)
	}
	kept := make([]*storage, len(vars))
	for i, v := range vars {
		kept[i] = l.alloc(kindsOf(v.Type), v.Name)
		l.fill(kept[i], l.env[v].vals)
	}
	recall := func() {
		for i, v := range vars {
			l.set(v, l.load((&place{storage: kept[i]}).holds(kindsOf(v.Type))))
		}
	}
	o := l.newFieldFor(s, f, names)
	o.Flags |= ir.Serial
	l.in(o.Regions[0], func() {
		if guard != nil {
			l.continueUnless(guard, &target{next: o})
		}
		recall()
		if done != nil {
			l.continueUnless(l.b.Op(ir.OpNot, l.env[done].vals[0]), &target{next: o})
		}
		l.onceAround(s, vars, done, func() { loopVars(o.Regions[0].Params) })
		for i, v := range vars {
			l.store((&place{storage: kept[i]}).holds(kindsOf(v.Type)), l.env[v].vals)
		}
		l.b.Jump(ir.OpContinue, o)
	})
	recall()
}

// onceAround lowers the body of s in a for of one iteration, which its breaks and
// continues end with the values of vars. A break sets done besides.
func (l *lowerer) onceAround(s *typed.FieldFor, vars []*typed.Var, done *typed.Var, enter func()) {
	init := l.values(vars)
	o := ir.NewOp(ir.OpFor, l.b.Pos, typesOf(init), append([]*ir.Value{l.int(0), l.int(1)}, init...)...)
	l.b.Emit(o)
	t := &target{leave: o, next: o, vars: vars, broken: done}
	l.targets[s] = t
	l.in(o.Regions[0], func() {
		o.Regions[0].AddParam(ir.Scalar(l.kernel.Int), "")
		l.addParams(o.Regions[0], vars)
		enter()
		l.loopBody(s, s.Body.List, t)
	})
	l.adopt(vars, o.Results)
}

// activeCells lowers a serial loop over a sparse field inside other code: nested fors
// over the whole shape that pass over inactive cells; along the axis of a list, one
// up to its length.
func (l *lowerer) activeCells(s *typed.FieldFor, f *ir.Field, guard *ir.Value, names []string, loopVars func([]*ir.Value)) {
	if s.Field.Unbounded { // the checker lets this pass only in the right side of a && or ||
		l.require(l.b.Const(ir.Scalar(ir.Bool), 0), site.Site{Kind: site.Assert, Text: []site.Piece{
			{Text: "a loop over " + f.Name + ", which has no bounds, cannot run on a condition"},
		}})
		return
	}
	all := flat(l.cells(f, guard))
	bounds := all
	if f.List {
		bounds = func(dim int, outer []*ir.Value) (lo, hi *ir.Value) {
			if dim < f.Rank()-1 {
				return all(dim, outer)
			}
			n := l.onCell(ir.OpCount, f, outer)
			if guard != nil && dim == 0 {
				n = l.b.Op(ir.OpSelect, guard, n, l.int(0))
			}
			return l.int(0), n
		}
	}
	l.serialFor(s, bounds, names, s.Body, func(params []*ir.Value) {
		if !f.List {
			l.continueUnless(l.onCell(ir.OpIsActive, f, params), l.targets[s])
		}
		loopVars(params)
	})
}

// cells returns the bounds of a loop over all cells of f; one of rank 0 has a
// single one. If there is a guard and it is false, the loop is empty.
func (l *lowerer) cells(f *ir.Field, guard *ir.Value) []*ir.Value {
	var bounds []*ir.Value
	add := func(lo int64, hi *ir.Value) {
		if guard != nil {
			hi = l.b.Op(ir.OpSelect, guard, hi, l.int(lo))
		}
		bounds = append(bounds, l.int(lo), hi)
	}
	if f.Rank() == 0 {
		add(0, l.int(1))
		return bounds
	}
	for a := range f.Shape {
		add(f.Low(a), l.end(f, a))
	}
	return bounds
}
