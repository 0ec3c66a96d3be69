package vet

import (
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// long is the number of iterations from which on a loop is worth several threads.
const long = 4096

// serialLoops warns about loops of a function that are serial though they need not
// be and have many iterations. Inside of parallel loops there is nothing to gain.
func (v *vetter) serialLoops(f *typed.Func) {
	if f.Context == typed.Inside {
		return
	}
	v.serialIn(f.Body.List)
}

func (v *vetter) serialIn(list []typed.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *typed.RangeFor:
			if s.Parallel {
				continue
			}
			if !s.Serial && iterations(s.Dims) >= long && independent(s, s.Body) {
				v.warn(syntax.VetSerialLoop, s.Position(), "move it to the outermost scope of a kernel, or write range serial(…)",
					"a loop of %d iterations runs on one thread, since it is not in the outermost scope of a kernel", iterations(s.Dims))
				continue
			}
			v.serialIn(s.Body.List)
		case *typed.FieldFor:
			if !s.Parallel {
				v.serialIn(s.Body.List)
			}
		case *typed.Block:
			v.serialIn(s.List)
		case *typed.If:
			v.serialIn(s.Then.List)
			if s.Else != nil {
				v.serialIn(s.Else.List)
			}
		case *typed.Scope:
			v.serialIn(s.Body.List)
		case *typed.Loop:
			v.serialIn(s.Body.List)
		case *typed.Unrolled:
			for _, b := range s.Bodies {
				v.serialIn(b.List)
			}
		}
	}
}

// iterations is the number of iterations where it is constant, else 0.
func iterations(dims []typed.Range) int64 {
	n := int64(1)
	for _, d := range dims {
		lo, ok1 := d.Lo.(*typed.Const)
		hi, ok2 := d.Hi.(*typed.Const)
		if !ok1 || !ok2 {
			return 0
		}
		k := hi.Vals[0].Int() - lo.Vals[0].Int()
		if k <= 0 || n > 1<<40/k {
			return 0
		}
		n *= k
	}
	return n
}

// independent reports whether the iterations of a loop could run in parallel as
// they are: each writes elements at its own index only, and no variable from
// outside of it; it is not left early and calls nothing that has effects.
func independent(loop *typed.RangeFor, body *typed.Block) bool {
	l := newParallel(loop.Index, loop.Group, len(loop.Dims), body)
	ok, writes := true, 0
	typed.Visit(body.List, func(s typed.Stmt) {
		switch s := s.(type) {
		case *typed.Break:
			ok = ok && s.Target != typed.Stmt(loop)
		case *typed.Return:
			ok = false
		case *typed.Assign:
			for _, p := range s.Places {
				if p != nil {
					ok = ok && l.ownPlace(p)
					writes++
				}
			}
		case *typed.Update:
			ok = ok && l.ownPlace(s.Place)
			writes++
		case *typed.ExprStmt:
			ok = false
		}
		for _, e := range typed.Expressions(s) {
			inspect(e, func(e typed.Expr) {
				switch e := e.(type) {
				case *typed.Atomic, *typed.CellOp:
					ok = false
				case *typed.Call:
					ok = ok && pure(e.Func)
				}
			})
		}
	})
	return ok && writes > 0 && len(l.conflicts()) == 0
}

// ownPlace reports whether a place is a variable of the iteration, or an element
// at its index.
func (l *parallel) ownPlace(p typed.Expr) bool {
	switch p := p.(type) {
	case *typed.VarRef:
		_, ref := p.Var.Type.(typed.Ref)
		return l.inside[p.Var] && !ref
	case *typed.Extract:
		return l.ownPlace(p.X)
	case *typed.Index:
		return l.ownPlace(p.X)
	}
	a, ok := l.access(p)
	return ok && l.unique(a.index)
}
