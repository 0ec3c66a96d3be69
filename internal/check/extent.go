package check

import (
	"fmt"
	"go/ast"
	"go/token"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// Extents of fields are constants in one place and read at launch in another: where
// nothing needs them while compiling, code that reads them serves fields of all
// sizes. What needs a constant says so by evaluating with constant.

// constant evaluates e where only a constant will do.
func (c *checker) constant(e ast.Expr) typed.Expr {
	c.fixed++
	defer func() { c.fixed-- }()
	return c.value(e)
}

// typeOnly evaluates e for its type: a rank is known without the extents.
func (c *checker) typeOnly(e ast.Expr) operand {
	outer := c.fixed
	c.fixed = 0
	c.typing++
	defer func() { c.fixed = outer; c.typing-- }()
	return c.expr(e)
}

// shapeOf returns what stands before .shape in e, evaluated for its type; ok is false
// for another expression, and for a member of that name of something else.
func (c *checker) shapeOf(e ast.Expr) (op operand, ok bool) {
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "shape" {
		return op, false
	}
	op = c.typeOnly(sel.X)
	switch op.mode {
	case modeField, modeNode:
		return op, op.obj.field.Rank >= 0
	case modeValue, modeRef:
		return operand{}, isUnknown(op.x.Type())
	}
	return op, op.mode == modeBad
}

// bounded reports whether a field has a shape, and complains if it has none and more
// than the rank is asked for.
func (c *checker) bounded(o *object, p token.Pos) bool {
	if o.field.Unbounded && c.typing == 0 {
		c.errorf(syntax.UnboundedShape, p, c.withoutShape(o), "%s has no shape: it lies in a hash node without sizes, whose indices have no bounds", o.name)
	}
	return !o.field.Unbounded
}

// withoutShape says what takes the place of the shape of a field that has none.
func (c *checker) withoutShape(o *object) string {
	n := o.field.Rank
	kind := typed.Type(c.widths.Int)
	if n > 1 {
		kind = typed.ArrayOf(c.widths.Int, n)
	}
	help := fmt.Sprintf("loop over its active cells with `for p := range %s`; for a number, declare a host constant, `var Size %s`, or have the host give the hash node sizes", o.name, c.name(kind))
	if o.field.List {
		help += fmt.Sprintf("; a list has a length, len(%s)", listCall(o.name, n))
	}
	return help
}

// shape is all extents of a field in one value.
func (c *checker) shape(o *object, at token.Pos) typed.Expr {
	f, p := o.field, c.at(at)
	t := typed.ArrayOf(c.widths.Int, f.Rank)
	if o.section != nil {
		return compose(c.sectionShape(o, at), t, p)
	}
	if c.atLaunch(f) {
		return &typed.Compose{ExprBase: ex(p, t), Elems: c.extents(o, at)}
	}
	k := &typed.Const{ExprBase: ex(p, t), Vals: make([]typed.Num, f.Rank), From: typed.FromShape}
	for i := range f.Shape {
		k.Vals[i] = typed.IntNum(int64(f.Shape[i]))
	}
	return k
}

// extents is all extents of a field.
func (c *checker) extents(o *object, at token.Pos) []typed.Expr {
	if o.section != nil {
		return c.sectionShape(o, at)
	}
	var all []typed.Expr
	for a := range o.field.Rank {
		all = append(all, c.extent(o.field, a, c.at(at)))
	}
	return all
}

// extent is the extent of a field along an axis.
func (c *checker) extent(f *typed.Field, axis int, p token.Position) typed.Expr {
	e := ex(p, c.widths.Int)
	if c.atLaunch(f) {
		return &typed.Extent{ExprBase: e, Field: f, Axis: axis}
	}
	return &typed.Const{ExprBase: e, Vals: []typed.Num{typed.IntNum(int64(f.Shape[axis]))}, From: typed.FromShape}
}

// atLaunch reports whether the extents of f are read at launch here; if not, it
// notes that they are needed as constants.
func (c *checker) atLaunch(f *typed.Field) bool {
	if f.View != nil || f.Symbolic && c.fixed == 0 {
		return true
	}
	if f.Symbolic {
		c.deps.fixed[f] = true
	}
	return false
}

// pick lists the fields in set in the order of the source.
func (c *checker) pick(set map[*typed.Field]bool) []*typed.Field {
	var fs []*typed.Field
	for _, f := range c.prog.Fields {
		if set[f] {
			fs = append(fs, f)
		}
	}
	return fs
}
