package lower

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/typed"
)

// Parallel loops stand in the kernel's body and nowhere else, so code that holds
// one cannot be put into a block for jumps to leave. Where a kernel composed of
// others returns early from one of them, or a static loop with parallel loops in
// it is left early, the jump sets a flag instead, and each statement after it is
// guarded by that flag: serial ones by a branch, parallel loops by empty bounds.
// Where a kernel is called in the middle of something that is a branch here, such
// as the right side of a &&, its loops are run serially instead.

// A frame is a piece of such code and the way to leave it.
type frame struct {
	is      jump
	done    *typed.Var   // the flag
	results []*typed.Var // of a function
}

// A wrapper is the block around one serial statement of a frame.
type wrapper struct {
	op   *ir.Op
	vars []*typed.Var
}

// enter starts a frame.
func (l *lowerer) enter(is jump, results []*typed.Var) *frame {
	f := &frame{is: is, done: &typed.Var{Name: "done", Type: typed.Bool}}
	l.define(f.done, nil)
	for _, r := range results {
		v := &typed.Var{Name: r.Name, Type: r.Type}
		l.define(v, nil)
		f.results = append(f.results, v)
	}
	l.frames = append(l.frames, f)
	return f
}

// leave ends the innermost frame.
func (l *lowerer) leave() { l.frames = l.frames[:len(l.frames)-1] }

// compose lowers the body of a function with parallel loops and early returns.
func (l *lowerer) compose(f *typed.Func) []value {
	fr := l.enter(returns, f.Results)
	l.outer(f.Body.List)
	l.leave()
	vals := make([]value, len(fr.results))
	for i, r := range fr.results {
		if l.large(r.Type) {
			vals[i].bulk = l.own(l.variable(r), r.Type)
		} else {
			vals[i].list = l.env[r].vals
		}
	}
	return vals
}

// outerUnrolled lowers a static loop with parallel loops and jumps.
func (l *lowerer) outerUnrolled(s *typed.Unrolled) {
	l.enter(breakOf(s), nil)
	for _, b := range s.Bodies {
		l.enter(continueOf(s), nil)
		l.outer(b.List)
		l.leave()
	}
	l.leave()
}

// outer lowers statements of a frame.
func (l *lowerer) outer(list []typed.Stmt) {
	for _, s := range list {
		l.at(s.Position())
		if !hasParallel([]typed.Stmt{s}) {
			l.wrap(s)
			continue
		}
		s, ok := l.apartFromLoops(s)
		if !ok { // its loops become serial
			l.wrap(s)
			continue
		}
		switch s := s.(type) {
		case *typed.Block:
			l.outer(s.List)
		case *typed.Unrolled:
			l.outerUnrolled(s)
		case *typed.Define:
			l.defineStmt(s)
		case *typed.Assign:
			vals := l.evalAll(s.Values)
			l.settleAll(vals)
			l.wrapped(l.effectsOf(s).assigned, func() bool { l.assignValues(s, vals); return false })
		case *typed.Return:
			vals := l.returned(s)
			l.settleAll(vals)
			l.wrapped(nil, func() bool { l.jumpOut(s, vals); return true })
		case *typed.ExprStmt:
			l.evalAll([]typed.Expr{s.X})
		case *typed.RangeFor:
			if l.dims = l.keptBounds(s); l.dims == nil {
				l.guard = l.notDone()
			}
			l.stmt(s)
		case *typed.FieldFor:
			l.guard = l.notDone()
			l.stmt(s)
		default: // a call deep in an expression; its loops become serial
			l.wrap(s)
		}
	}
}

// wrap lowers a serial statement of a frame.
func (l *lowerer) wrap(s typed.Stmt) {
	d, ok := s.(*typed.Define)
	switch {
	case !ok:
		l.wrapped(l.effectsOf(s).assigned, func() bool { return l.stmt(s) })
	case l.notDone() == nil:
		l.stmt(s)
	default:
		l.define(d.Var, nil)
		if d.Init == nil {
			return
		}
		vars := append(l.effectsOf(s).assigned, d.Var)
		l.wrapped(vars, func() bool {
			switch x := l.eval(d.Init); {
			case x.bulk != nil:
				l.storeBulk(l.variable(d.Var), x.bulk)
			case l.env[d.Var].mem != nil:
				l.fill(l.env[d.Var].mem, x.list)
			default:
				l.set(d.Var, x.list)
			}
			return false
		})
	}
}

// wrapped lowers code that changes vars and may leave a frame; it runs only if no
// frame has been left before.
func (l *lowerer) wrapped(vars []*typed.Var, code func() (jumped bool)) {
	vars = append([]*typed.Var(nil), l.live(vars)...)
	for _, f := range l.frames {
		vars = append(append(vars, f.done), l.live(f.results)...)
	}
	vars = unique(vars)
	ok := l.notDone()
	o := ir.NewOp(ir.OpBlock, l.b.Pos, typesOf(l.values(vars)))
	l.b.Emit(o)
	saved := l.wrapper
	l.wrapper = &wrapper{o, vars}
	l.in(o.Regions[0], func() {
		if ok != nil {
			l.leaveUnless(ok, &target{leave: o, vars: vars})
		}
		if !code() {
			l.b.Yield(l.values(vars)...)
		}
	})
	l.wrapper = saved
	l.adopt(vars, o.Results)
}

// unique drops what occurs before.
func unique(vars []*typed.Var) []*typed.Var {
	visited := map[*typed.Var]bool{}
	out := vars[:0]
	for _, v := range vars {
		if !visited[v] {
			visited[v] = true
			out = append(out, v)
		}
	}
	return out
}

// mayHaveLeft reports whether a frame can have been left.
func (l *lowerer) mayHaveLeft() bool {
	return slices.ContainsFunc(l.frames, func(f *frame) bool {
		bits, ok := ir.ConstOf(l.env[f.done].vals[0])
		return !ok || bits != 0
	})
}

// notDone is true while no frame has been left; nil where none can have been yet.
func (l *lowerer) notDone() *ir.Value {
	var any *ir.Value
	for _, f := range l.frames {
		done := l.env[f.done].vals[0]
		if bits, ok := ir.ConstOf(done); ok && bits == 0 {
			continue
		}
		if any == nil {
			any = done
		} else {
			any = l.b.Op(ir.OpOr, any, done)
		}
	}
	if any == nil {
		return nil
	}
	return l.b.Op(ir.OpNot, any)
}

// jumpsOut lowers s if it is a jump that leaves a frame.
func (l *lowerer) jumpsOut(s typed.Stmt) bool {
	for _, f := range l.frames {
		if f.is(s) {
			var vals []value
			if r, ok := s.(*typed.Return); ok {
				vals = l.returned(r)
			}
			l.jumpOut(s, vals)
			return true
		}
	}
	return false
}

// jumpOut leaves the innermost frame that s refers to.
func (l *lowerer) jumpOut(s typed.Stmt, vals []value) {
	for i := len(l.frames) - 1; i >= 0; i-- {
		if f := l.frames[i]; f.is(s) {
			places := make([]*place, len(vals))
			for j, r := range f.results[:len(vals)] {
				if !l.large(r.Type) {
					l.set(r, vals[j].list)
				} else {
					places[j] = l.variable(r)
				}
			}
			l.storeEach(places, vals)
			l.set(f.done, []*ir.Value{l.b.Const(ir.Scalar(ir.Bool), 1)})
			break
		}
	}
	l.b.Jump(ir.OpBreak, l.wrapper.op, l.values(l.wrapper.vars)...)
}
