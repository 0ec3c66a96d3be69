package check

import (
	"go/ast"
	"slices"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// A companion is x.grad, the field of the adjoints of a field, or x.dual, that of its tangents.
type companion struct {
	of   *object
	name string
}

// companionNames are how people call them.
var companionNames = map[string]struct{ what, with string }{"grad": {"adjoint", "WithGrad"}, "dual": {"tangent", "WithDual"}}

// hostCompanion notes what the host binds to a companion.
func (c *checker) hostCompanion(k companion, h *HostField) {
	if h == nil {
		return
	}
	if c.hostCompanions == nil {
		c.hostCompanions = map[companion]*HostField{}
	}
	c.hostCompanions[k] = h
}

// companionOf checks x.grad and x.dual.
func (c *checker) companionOf(o *object, e *ast.SelectorExpr) operand {
	name, k := o.name, companion{o.root(), e.Sel.Name} // of a compile-time parameter, that of what it stands for
	if o.section != nil {
		k.of = c.sectioned(o.section, e.Sel.Pos()).root()
	}
	f, called := k.of.field, companionNames[e.Sel.Name]
	switch {
	case f.View != nil:
		c.errorf(syntax.NoMember, e.Sel.Pos(), "", "%s has no %s: it is memory of the caller, which is constant to differentiation", name, called.what)
		return operand{}
	case !isUnknown(f.Elem) && slices.ContainsFunc(typed.Leaves(f.Elem), func(s typed.Scalar) bool { return !s.IsFloat() }):
		c.errorf(syntax.NoMember, e.Sel.Pos(), "", "%s has no %s: %s is not made of real numbers", name, called.what, f.Elem)
		return operand{}
	case c.host != nil && c.hostCompanions[k] == nil:
		c.errorf(syntax.NotBound, e.Sel.Pos(), "let the host place it too, as by rt.Place(shape, ti."+called.with+"(&x)...)", "the %s of %s is not placed", called.what, name)
		return operand{}
	}
	a := c.companion(k)
	if o.section != nil {
		return operand{mode: modeField, obj: c.sectionLike(o, a, name+"."+e.Sel.Name)}
	}
	return c.denotes(a, e.Sel.Pos())
}

// companion is the field that a companion is, nil where the host has none.
func (c *checker) companion(k companion) *object {
	if a := c.companions[k]; a != nil {
		return a
	}
	h, o := c.hostCompanions[k], k.of
	if c.host != nil && h == nil {
		return nil
	}
	a := &object{kind: objField, name: o.name + "." + k.name, file: o.file, pos: o.pos, scope: o.scope, state: done, used: true}
	a.field = &typed.Field{Name: o.field.Name + "." + k.name, Pos: o.field.Pos, Elem: o.field.Elem, Rank: o.field.Rank, Index: len(c.prog.Fields)}
	c.prog.Fields = append(c.prog.Fields, a.field)
	if h != nil {
		c.bindField(a, *h)
	}
	if c.companions == nil {
		c.companions = map[companion]*object{}
	}
	c.companions[k] = a
	return a
}
