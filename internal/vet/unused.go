package vet

import (
	"strings"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// neverSet warns about a variable without a value that is never given one. (That
// nobody reads it would be an error.)
func (v *vetter) neverSet(s typed.Stmt) {
	d, ok := s.(*typed.Define)
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
func (v *vetter) noEffect(s typed.Stmt) {
	x, ok := s.(*typed.ExprStmt)
	if !ok {
		return
	}
	if c, ok := x.X.(*typed.Call); ok && len(c.Func.Results) > 0 && pure(c.Func) {
		v.warn(syntax.VetNoEffect, c.Position(), "use its result, or remove the call", "%s only computes its result, which is not used", c.Func.Name)
	}
}

// pure reports whether a call does nothing besides computing results.
func pure(f *typed.Func) bool {
	for _, p := range f.Params {
		switch p.Type.(type) {
		case typed.Ref, typed.Slice, typed.View:
			return false
		}
	}
	ok := true
	typed.Visit(f.Body.List, func(s typed.Stmt) {
		switch s := s.(type) {
		case *typed.Assign:
			for _, p := range s.Places {
				ok = ok && (p == nil || localPlace(p))
			}
		case *typed.Update:
			ok = ok && localPlace(s.Place)
		case *typed.ExprStmt:
			c, isCall := s.X.(*typed.Call)
			ok = ok && isCall && pure(c.Func)
		}
		for _, e := range typed.Expressions(s) {
			inspect(e, func(e typed.Expr) {
				switch e := e.(type) {
				case *typed.Atomic, *typed.CellOp:
					ok = false
				case *typed.Builtin:
					ok = ok && e.Fn != typed.Random && e.Fn != typed.Randn
				case *typed.Call:
					ok = ok && pure(e.Func)
				}
			})
		}
	})
	return ok
}

// localPlace reports whether a place is in a variable of the function.
func localPlace(p typed.Expr) bool {
	switch p := p.(type) {
	case *typed.VarRef:
		_, ref := p.Var.Type.(typed.Ref)
		return !ref
	case *typed.Extract:
		return localPlace(p.X)
	case *typed.Index:
		return localPlace(p.X)
	}
	return false
}
