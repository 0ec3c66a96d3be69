package check

import (
	"go/ast"
	"go/token"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// A view parameter, array[T, D2], is memory of the caller with axes. In the body it
// is a field: the object of a variable of such a type stands for one that has no
// extents before the launch.

// viewType evaluates array[T, Dn].
func (c *checker) viewType(e ast.Expr) typed.Type {
	list, ok := e.(*ast.IndexListExpr)
	if !ok || len(list.Indices) != 2 {
		c.errorf(syntax.NotAType, e.Pos(), "write array[f32, D2] for memory of the caller with two axes", "array needs an element type and a number of axes")
		return typed.Unknown
	}
	rank, ok := axesArg(list.Indices[1])
	if !ok || rank == 0 {
		c.errorf(syntax.NotAType, list.Indices[1].Pos(), "write D1 to D8", "the second argument of array is its number of axes")
		return typed.Unknown
	}
	elem := c.valueType(list.Indices[0])
	if isUnknown(elem) {
		return typed.Unknown
	}
	return typed.View{Elem: elem, Rank: rank}
}

// viewOf returns the field that a variable of type View stands for.
func (c *checker) viewOf(v *typed.Var) *object {
	if o := c.views[v]; o != nil {
		return o
	}
	t := v.Type.(typed.View)
	f := &typed.Field{
		Name: v.Name, Pos: v.Pos, Index: -1, Elem: t.Elem, Rank: t.Rank, View: v, Symbolic: true,
		Shape: make([]int, t.Rank), Origin: make([]int, t.Rank),
	}
	o := &object{kind: objField, name: v.Name, field: f, state: done, used: true}
	c.views[v] = o
	return o
}

// argument evaluates the argument of a run-time parameter: a value, or a view as a
// whole.
func (c *checker) argument(e ast.Expr) typed.Expr {
	if o := c.memory(e); o != nil {
		if _, view := o.v.Type.(typed.View); view {
			c.grow(1)
			return c.variableRef(o, e.Pos())
		}
	}
	defer c.suggestSection(len(c.errs), e)
	return c.value(e)
}

// variableRef is a variable of this function, or one that it captures.
func (c *checker) variableRef(o *object, p token.Pos) typed.Expr {
	switch {
	case isUnknown(o.v.Type):
		return c.bad(p)
	case o.frame != c.fn:
		return c.capture(o, p)
	}
	c.noteRead(o, p)
	return &typed.VarRef{ExprBase: ex(c.at(p), placeType(o.v.Type)), Var: o.v}
}
