package check

import (
	"go/ast"
	"slices"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// adjointOf checks x.grad, the field of the adjoints of a field.
func (c *checker) adjointOf(o *object, e *ast.SelectorExpr) operand {
	name := o.name
	o = o.root() // what a compile-time parameter stands for
	f := o.field
	switch {
	case f.View != nil:
		c.errorf(syntax.NoMember, e.Sel.Pos(), "", "%s has no adjoint: it is memory of the caller, which is constant to differentiation", name)
		return operand{}
	case !isUnknown(f.Elem) && slices.ContainsFunc(typed.Leaves(f.Elem), func(s typed.Scalar) bool { return !s.IsFloat() }):
		c.errorf(syntax.NoMember, e.Sel.Pos(), "", "%s has no adjoint: %s is not made of real numbers", name, f.Elem)
		return operand{}
	case c.host != nil && c.hostGrads[o] == nil:
		c.errorf(syntax.NotBound, e.Sel.Pos(), "let the host place it too, as by rt.Place(shape, ti.WithGrad(&x)...)", "the adjoint of %s is not placed", name)
		return operand{}
	}
	return c.denotes(c.adjoint(o), e.Sel.Pos())
}

// adjoint is the field of the adjoints of o, nil where the host has none.
func (c *checker) adjoint(o *object) *object {
	if a := c.adjoints[o]; a != nil {
		return a
	}
	h := c.hostGrads[o]
	if c.host != nil && h == nil {
		return nil
	}
	a := &object{kind: objField, name: o.name + ".grad", file: o.file, pos: o.pos, scope: o.scope, state: done, used: true}
	a.field = &typed.Field{Name: o.field.Name + ".grad", Pos: o.field.Pos, Elem: o.field.Elem, Rank: o.field.Rank, Index: len(c.prog.Fields)}
	c.prog.Fields = append(c.prog.Fields, a.field)
	if h != nil {
		c.bindField(a, *h)
	}
	if c.adjoints == nil {
		c.adjoints = map[*object]*object{}
	}
	c.adjoints[o] = a
	return a
}
