package check

import (
	"go/ast"
	"go/token"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// This file is references: parameters *T, the arguments that they take, and local
// names of places, b := &x[i]. A reference leaves no value in the tree: wherever its
// name stands, the place does.

// isReference reports whether o is the name of a reference.
func (o *object) isReference() bool {
	if o.kind != objVar {
		return false
	}
	_, ok := o.v.Type.(typed.Ref)
	return ok
}

// namesReference reports whether e is the name of a reference.
func (c *checker) namesReference(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	o := c.lookup(id.Name)
	return o != nil && o.isReference()
}

// givesReference reports whether e is &x or the name of a reference.
func (c *checker) givesReference(e ast.Expr) bool {
	u, ok := ast.Unparen(e).(*ast.UnaryExpr)
	return ok && u.Op == token.AND || c.namesReference(e)
}

// star checks *p, the place that p refers to.
func (c *checker) star(e *ast.StarExpr) operand {
	op := c.expr(e.X)
	switch op.mode {
	case modeRef:
		return valueOf(op.x)
	case modeBad:
		return op
	case modeValue:
		if isUnknown(op.x.Type()) {
			return op // a reference to what has an error or no type yet, maybe
		}
	}
	c.errorf(syntax.ReferenceMismatch, e.Pos(), "leave the * out", "%s is no reference", c.shortText(e.X))
	return operand{}
}

// reference checks what gives a reference: &place, or the name of one. what says
// who takes it. It returns the place, nil after an error.
func (c *checker) reference(e ast.Expr, what string) typed.Expr {
	if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op == token.AND {
		x := c.value(u.X)
		if isUnknown(x.Type()) {
			return nil
		}
		return c.placeFor(x, u.X)
	}
	op := c.expr(e)
	switch op.mode {
	case modeRef:
		return op.x
	case modeBad:
		return nil
	}
	c.errorf(syntax.ReferenceMismatch, e.Pos(), "write &"+c.shortText(e), "%s takes a reference, and this is a value", what)
	return nil
}

// placeFor returns x if something can refer to it, else nil after an error.
func (c *checker) placeFor(x typed.Expr, e ast.Expr) typed.Expr {
	if why := notPlace(x); why != "" {
		c.errorf(syntax.NotAPlace, e.Pos(), "assign it to a variable first", "nothing can refer to %s: it is %s", c.shortText(e), why)
		return nil
	}
	if v := rootVar(x); v != nil && c.isCaptured(c.rootObject(e)) {
		c.errorf(syntax.CaptureWrite, e.Pos(), "return the value, or write to a field", "a function literal reads %s, a variable from outside of it, and cannot refer to it", v.Name)
		return nil
	}
	return x
}

// defineReferences checks b := &x[i]; false if the right side gives no reference.
func (c *checker) defineReferences(lhs, rhs []ast.Expr, t typed.Type) ([]typed.Stmt, bool) {
	if len(lhs) != len(rhs) || t != nil {
		return nil, false
	}
	n := 0
	for _, e := range rhs {
		if c.givesReference(e) {
			n++
		}
	}
	if n == 0 {
		return nil, false
	}
	if n < len(rhs) {
		c.errorf(syntax.BadReference, lhs[0].Pos(), "define them in two statements", "this defines variables and references at once")
		c.survey(rhs...)
	}
	var out []typed.Stmt
	for i, e := range lhs {
		id, ok := e.(*ast.Ident)
		switch {
		case !ok || id.Name == "_":
			c.errorf(syntax.BadReference, e.Pos(), "give it a name of its own", "a reference is defined by a name")
		case c.fn.scope.names[id.Name] != nil:
			c.errorf(syntax.BadReference, e.Pos(), "choose another name", "%s is declared already, and a reference is not assigned anew", id.Name)
		case n < len(rhs):
			c.newVar(id, typed.Unknown)
		default:
			x := c.reference(rhs[i], id.Name)
			if x == nil {
				c.newVar(id, typed.Unknown)
				continue
			}
			x, pre := c.pin(x)
			out = append(out, pre...)
			v := &typed.Var{Name: id.Name, Type: typed.Ref{Elem: x.Type()}, Pos: c.at(id.Pos())}
			c.declare(c.fn.scope, &object{
				kind: objVar, name: id.Name, file: c.file, pos: id.Pos(), v: v, frame: c.fn, typ: v.Type, par: c.fn.par, state: done,
				place: x, origin: c.rootObject(rhs[i]),
			})
		}
	}
	return out, true
}

// pin evaluates the index operands of a place into variables of their own, so that
// it stays the same place.
func (c *checker) pin(x typed.Expr) (typed.Expr, []typed.Stmt) {
	var out []typed.Stmt
	keep := func(i typed.Expr) typed.Expr {
		if _, ok := i.(*typed.Const); ok {
			return i
		}
		ref, def := c.temp(i)
		out = append(out, def)
		return ref
	}
	keepAll := func(list []typed.Expr) []typed.Expr {
		kept := make([]typed.Expr, len(list))
		for i, e := range list {
			kept[i] = keep(e)
		}
		return kept
	}
	var pin func(x typed.Expr) typed.Expr
	pin = func(x typed.Expr) typed.Expr {
		switch x := x.(type) {
		case *typed.Element:
			return &typed.Element{ExprBase: x.ExprBase, Field: x.Field, Index: keepAll(x.Index), Section: x.Section}
		case *typed.SliceElement:
			return &typed.SliceElement{ExprBase: x.ExprBase, Slice: x.Slice, Index: keep(x.Index)}
		case *typed.Extract:
			return &typed.Extract{ExprBase: x.ExprBase, X: pin(x.X), Comps: x.Comps}
		case *typed.Index:
			in := pin(x.X)
			return &typed.Index{ExprBase: x.ExprBase, X: in, I: keep(x.I)}
		}
		return x
	}
	x = pin(x)
	return x, out
}

// refersTo returns for the instance of a callee what reference x refers to: memory, or a
// variable that no other iteration sees.
func (c *checker) refersTo(e ast.Expr) byte {
	if c.isShared(e) {
		if o := c.rootObject(e); o != nil && !o.shared && !isMemory(o.typ) {
			return 'o' // a variable of the kernel around a parallel loop
		}
		return 's'
	}
	return 'l'
}

// passed notes what a call does through its references to the variables they are
// to, and reports what a parallel loop may not do.
func (c *checker) passed(call *typed.Call, refs []byte, at func(i int) token.Pos) {
	for i, p := range call.Func.Params {
		if _, ok := p.Type.(typed.Ref); !ok || i >= len(call.Args) {
			continue
		}
		v := rootVar(call.Args[i])
		if v == nil {
			continue
		}
		v.Indexed = v.Indexed || p.Indexed
		if !p.Assigned {
			continue
		}
		v.Assigned = true
		if i < len(refs) && refs[i] == 'o' {
			c.errorf(syntax.ParallelReference, at(i), "return the value instead, and accumulate it with +=; or run the loop in order with `range serial(…)`",
				"%s assigns through its reference %s, and a parallel loop cannot assign to %s, a variable from outside of it", call.Func.Name, p.Name, v.Name)
		}
	}
}
