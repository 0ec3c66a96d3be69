package lower

import (
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/typed"
)

// A target is what a break or continue in the source refers to.
type target struct {
	leave *ir.Op // op that break leaves
	next  *ir.Op // loop that continue continues; or block that it leaves, see body
	body  bool   // next is the block around one body of a static loop
	vars  []*typed.Var
	post  []typed.Stmt // runs before the next iteration

	broken *typed.Var // if not nil, one of vars that a break sets
}

// stmts lowers a list of statements, up to a jump. It reports whether there was
// one, so that what follows is never reached.
func (l *lowerer) stmts(list []typed.Stmt) (jumped bool) {
	for _, s := range list {
		if l.stmt(s) {
			return true
		}
	}
	return false
}

// stmt lowers a statement and reports whether it ended in a jump.
func (l *lowerer) stmt(s typed.Stmt) (jumped bool) {
	l.at(s.Position())
	switch s := s.(type) {
	case *typed.Block:
		return l.stmts(s.List)
	case *typed.Define:
		l.defineStmt(s)
	case *typed.Assign:
		l.assign(s)
	case *typed.Update:
		l.update(s)
	case *typed.ExprStmt:
		l.evalAll([]typed.Expr{s.X})
	case *typed.If:
		return l.ifStmt(s)
	case *typed.Scope:
		return l.scope(s)
	case *typed.Loop:
		return l.loop(s)
	case *typed.RangeFor:
		return l.rangeFor(s)
	case *typed.FieldFor:
		return l.fieldFor(s)
	case *typed.Unrolled:
		return l.unrolled(s)
	case *typed.Break, *typed.Continue, *typed.Return:
		l.jump(s)
		return true
	default:
		panic(fmt.Sprintf("lower: no rule for statement %T", s))
	}
	return false
}

// jump lowers a break, continue or return.
func (l *lowerer) jump(s typed.Stmt) {
	if l.jumpsOut(s) {
		return
	}
	switch s := s.(type) {
	case *typed.Break:
		t := l.targets[s.Target]
		if t.broken != nil {
			l.set(t.broken, []*ir.Value{l.b.Const(ir.Scalar(ir.Bool), 1)})
		}
		l.b.Jump(ir.OpBreak, t.leave, l.values(t.vars)...)
	case *typed.Continue:
		l.next(l.targets[s.Target])
	case *typed.Return:
		l.returnStmt(s)
	}
}

// next goes to the next iteration of t with the current values.
func (l *lowerer) next(t *target) {
	pos := l.b.Pos
	l.stmts(t.post)
	l.b.Pos = pos
	code := ir.OpContinue
	if t.body {
		code = ir.OpBreak
	}
	l.b.Jump(code, t.next, l.values(t.vars)...)
}

// defineStmt lowers a definition; a large constant array goes into memory by way
// of a table and a loop instead of one store for each component.
func (l *lowerer) defineStmt(s *typed.Define) {
	c, ok := s.Init.(*typed.Const)
	switch {
	case s.Init != nil && l.large(s.Var.Type):
		l.defineBulk(s.Var, l.bulk(s.Init))
	case s.Init == nil:
		l.define(s.Var, nil)
	case !ok || !s.Var.Indexed || len(c.Vals) <= smallArray:
		l.define(s.Var, l.expr(s.Init))
	case !s.Var.Assigned && !s.Var.Reduced:
		l.bind(s.Var, binding{table: l.constTable(s.Var.Name, c)})
	default:
		l.define(s.Var, nil)
		l.copyTable(l.env[s.Var].mem, l.constTable(s.Var.Name, c))
	}
}

// smallArray is the number of components up to which an array is handled one
// component at a time.
const smallArray = 32

// count appends a for over 0 … n-1 without carried values.
func (l *lowerer) count(n int64, f func(i *ir.Value)) { l.between(l.int(0), l.int(n), f) }

// between appends a for over lo … hi-1 without carried values.
func (l *lowerer) between(lo, hi *ir.Value, f func(i *ir.Value)) {
	o := ir.NewOp(ir.OpFor, l.b.Pos, nil, lo, hi)
	l.b.Emit(o)
	i := o.Regions[0].AddParam(lo.Type, "")
	l.in(o.Regions[0], func() {
		f(i)
		l.b.Jump(ir.OpContinue, o)
	})
}

// assign lowers an assignment: index operands, right sides, stores.
func (l *lowerer) assign(s *typed.Assign) {
	if l.gradient || l.accesses { // differentiation accumulates minima and maxima in serial code, too
		if u := s.Accumulation(); u != nil {
			l.update(u)
			return
		}
	}
	places := l.places(s)
	l.storeAll(s, places, l.evalAll(s.Values))
}

// assignValues is assign with the right sides evaluated already.
func (l *lowerer) assignValues(s *typed.Assign, vals []value) {
	l.storeAll(s, l.places(s), vals)
}

// places evaluates the index operands of s's places; one left out is nil.
func (l *lowerer) places(s *typed.Assign) []*place {
	places := make([]*place, len(s.Places))
	for i, p := range s.Places {
		if p != nil {
			places[i] = l.place(p)
		}
	}
	return places
}

// evalAll evaluates expressions, left to right; a call gives all its results. A bulk that
// a later expression may change is computed at once.
func (l *lowerer) evalAll(es []typed.Expr) []value {
	var vals []value
	for i, e := range es {
		switch _, tuple := e.Type().(*typed.Tuple); {
		case !tuple:
			vals = append(vals, l.eval(e))
		default:
			vals = append(vals, l.tuple(e)...)
		}
		if n := len(vals); n > 0 && vals[n-1].bulk != nil && slices.ContainsFunc(es[i+1:], hasEffects) {
			vals[n-1].bulk = l.settled(vals[n-1].bulk)
		}
	}
	return vals
}

// tuple lowers an expression that has no result, or several.
func (l *lowerer) tuple(e typed.Expr) []value {
	if c, ok := e.(*typed.Call); ok {
		return l.call(c)
	}
	if list := l.expr(e); len(list) > 0 {
		return []value{{list: list}}
	}
	return nil
}

// exprs evaluates expressions and returns all their components in one list.
func (l *lowerer) exprs(es []typed.Expr) []*ir.Value {
	var vals []*ir.Value
	for _, e := range es {
		vals = append(vals, l.listed([]value{l.eval(e)})...)
	}
	return vals
}

// storeAll stores vals at the places of s.
func (l *lowerer) storeAll(s *typed.Assign, places []*place, vals []value) {
	l.at(s.Pos)
	l.storeEach(places, vals)
}

// update lowers place = place op value.
func (l *lowerer) update(s *typed.Update) {
	if l.large(s.Place.Type()) || l.large(s.Value.Type()) {
		l.updateBulk(s)
		return
	}
	p := l.place(s.Place)
	v := l.expr(s.Value)
	l.at(s.Pos)
	if !p.isValue() && l.isAtomic(s, p) {
		l.updates(l.atomics(atomicKinds[s.Op], p, func(i int) []*ir.Value { return v[i : i+1] })...)
		return
	}
	old := l.load(p)
	var vals []*ir.Value
	if s.Op == typed.MatMul {
		vals = l.matMul(old, v, typed.Dims(s.Place.Type()), typed.Dims(s.Value.Type()))
	} else {
		vals = l.elementwise(s.Op, old, v)
	}
	l.store(p, vals)
}

// ifStmt lowers an if; variables assigned in it become its results.
func (l *lowerer) ifStmt(s *typed.If) (jumped bool) {
	cond := l.expr(s.Cond)[0]
	l.at(s.Pos)
	vars := l.live(l.effectsOf(s).assigned)
	o := ir.NewOp(ir.OpIf, l.b.Pos, typesOf(l.values(vars)), cond)
	l.b.Emit(o)
	var ended [2]bool
	for i, body := range []*typed.Block{s.Then, s.Else} {
		l.in(o.Regions[i], func() {
			if body != nil && l.stmts(body.List) {
				ended[i] = true
				return
			}
			l.b.Yield(l.values(vars)...)
		})
	}
	if ended[0] && ended[1] {
		l.unreachable(o)
		return true
	}
	l.adopt(vars, o.Results)
	return false
}

// unreachable ends the block after o, an if both of whose regions jump away. The
// terminator, never reached, is of the kind that ends the first region.
func (l *lowerer) unreachable(o *ir.Op) {
	o.Results = nil
	t := o.Regions[0].Terminator()
	var vs []*ir.Value
	for _, a := range t.Args {
		vs = append(vs, l.zero(a.Type.Kind))
	}
	j := ir.NewOp(t.Code, l.b.Pos, nil, vs...)
	j.Target = t.Target
	l.b.Emit(j)
}

// scope lowers what is left of a switch.
func (l *lowerer) scope(s *typed.Scope) (jumped bool) {
	if countJumps(s.Body.List, breakOf(s)) == 0 {
		return l.stmts(s.Body.List)
	}
	vars := l.live(l.effectsOf(s).assigned)
	return l.region(s.Body.List, vars, breakOf(s), func(o *ir.Op) {
		l.targets[s] = &target{leave: o, vars: vars}
	})
}

// region lowers a list of statements that jumps leave early, with vars as its
// results: as plain code where the jumps allow it, else as a block. In that case
// enter gets the block.
func (l *lowerer) region(list []typed.Stmt, vars []*typed.Var, is jump, enter func(*ir.Op)) (jumped bool) {
	if tailable(list, is) {
		vals, jumped := l.tail(list, l.continuationWith(vars, is))
		if !jumped {
			l.adopt(vars, vals)
		}
		return jumped
	}
	o := ir.NewOp(ir.OpBlock, l.b.Pos, typesOf(l.values(vars)))
	l.b.Emit(o)
	enter(o)
	l.in(o.Regions[0], func() {
		if !l.stmts(list) {
			l.b.Yield(l.values(vars)...)
		}
	})
	l.adopt(vars, o.Results)
	return false
}

// unrolled lowers the bodies of a static loop, one after the other.
func (l *lowerer) unrolled(s *typed.Unrolled) (jumped bool) {
	bodies := make([]typed.Stmt, len(s.Bodies))
	for i, b := range s.Bodies {
		bodies[i] = b
	}
	breaks := countJumps(bodies, breakOf(s))
	if breaks+countJumps(bodies, continueOf(s)) > 0 && hasParallel(bodies) {
		l.outerUnrolled(s)
		return false
	}
	if breaks == 0 {
		return l.unrolledBodies(s, &target{})
	}
	vars := l.live(l.effectsOf(s).assigned)
	o := ir.NewOp(ir.OpBlock, l.b.Pos, typesOf(l.values(vars)))
	l.b.Emit(o)
	l.in(o.Regions[0], func() {
		if !l.unrolledBodies(s, &target{leave: o, vars: vars}) {
			l.b.Yield(l.values(vars)...)
		}
	})
	l.adopt(vars, o.Results)
	return false
}

// unrolledBodies lowers each body of s as a region that continue leaves.
func (l *lowerer) unrolledBodies(s *typed.Unrolled, t *target) (jumped bool) {
	l.targets[s] = t
	is := continueOf(s)
	for _, b := range s.Bodies {
		var jumped bool
		if countJumps(b.List, is) == 0 {
			jumped = l.stmts(b.List)
		} else {
			vars := l.live(l.effectsOf(b).assigned)
			jumped = l.region(b.List, vars, is, func(o *ir.Op) {
				l.targets[s] = &target{leave: t.leave, next: o, body: true, vars: vars}
			})
		}
		if jumped {
			return true
		}
	}
	return false
}

// returnStmt ends the kernel, or the function that is being inlined.
func (l *lowerer) returnStmt(s *typed.Return) {
	vals := l.returned(s)
	if l.fn == nil {
		list := l.listed
		if l.called {
			list = l.wholes
		}
		l.b.Return(list(vals)...)
		return
	}
	list := l.fn.put(l, vals)
	l.b.Jump(ir.OpBreak, l.fn.block, append(list, l.values(l.fn.vars)...)...)
}

// returned evaluates the values of a return.
func (l *lowerer) returned(s *typed.Return) []value {
	vals := l.evalAll(s.Values)
	l.at(s.Pos)
	return vals
}

// listed returns all components of vals, those of bulks included, in one list.
func (l *lowerer) listed(vals []value) []*ir.Value {
	var list []*ir.Value
	for _, v := range vals {
		if v.bulk != nil {
			v.list = l.components(v.bulk, v.bulk.all())
		}
		list = append(list, v.list...)
	}
	return list
}
