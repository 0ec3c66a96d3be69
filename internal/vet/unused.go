package vet

import (
	"strings"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/syntax"
)

// neverSet warns about a variable without a value that is never given one. (That
// nobody reads it would be an error.)
func (v *vetter) neverSet(s check.Stmt) {
	d, ok := s.(*check.Define)
	if !ok || d.Init != nil || d.Var.Name == "" || d.Var.Name == "_" || d.Var.Assigned || d.Var.Reduced {
		return
	}
	if strings.HasPrefix(strings.ToLower(d.Var.Name), "zero") {
		return
	}
	v.warn(syntax.VetNeverSet, d.Var.Pos, "give it a value", "%s is read but never set, so it is always zero", d.Var.Name)
}

// noEffect warns about a call whose results are dropped, of a function that has no
// effect.
func (v *vetter) noEffect(s check.Stmt) {
	x, ok := s.(*check.ExprStmt)
	if !ok {
		return
	}
	if c, ok := x.X.(*check.Call); ok && len(c.Func.Results) > 0 && pure(c.Func) {
		v.warn(syntax.VetNoEffect, c.Position(), "use its result, or remove the call", "%s only computes its result, which is not used", c.Func.Name)
	}
}

// pure reports whether a call does nothing besides computing results.
func pure(f *check.Func) bool {
	for _, p := range f.Params {
		switch p.Type.(type) {
		case check.Ref, check.Slice, check.View:
			return false
		}
	}
	ok := true
	check.Walk(f.Body.List, func(s check.Stmt) {
		switch s := s.(type) {
		case *check.Assign:
			for _, p := range s.Places {
				ok = ok && (p == nil || localPlace(p))
			}
		case *check.Update:
			ok = ok && localPlace(s.Place)
		case *check.ExprStmt:
			c, isCall := s.X.(*check.Call)
			ok = ok && isCall && pure(c.Func)
		}
		for _, e := range check.Expressions(s) {
			inspect(e, func(e check.Expr) {
				switch e := e.(type) {
				case *check.Atomic, *check.CellOp:
					ok = false
				case *check.Builtin:
					ok = ok && e.Fn != check.Random && e.Fn != check.Randn
				case *check.Call:
					ok = ok && pure(e.Func)
				}
			})
		}
	})
	return ok
}

// localPlace reports whether a place is in a variable of the function.
func localPlace(p check.Expr) bool {
	switch p := p.(type) {
	case *check.VarRef:
		_, ref := p.Var.Type.(check.Ref)
		return !ref
	case *check.Extract:
		return localPlace(p.X)
	case *check.Index:
		return localPlace(p.X)
	}
	return false
}
