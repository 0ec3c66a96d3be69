package check

import (
	"go/ast"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// checkPow checks pow(a, b): a power of integers if both are, of floats otherwise.
func checkPow(c *checker, name string, e *ast.CallExpr) operand {
	xs, ok := c.countedArgs(name, e, 2, 2, "pow(a, b)")
	if !ok {
		return operand{}
	}
	for _, x := range xs {
		if _, slice := x.Type().(typed.Slice); slice || isTable(x.Type()) || !typed.ScalarOf(x.Type()).IsInt() {
			return c.elementwiseCall(typed.Pow, typed.OnFloats, 2, name, e, xs)
		}
	}
	return c.integerPow(name, e, xs)
}

// integerPow makes a power of integers. It has the type of the base; the exponent may
// have another, as a shift count does.
func (c *checker) integerPow(name string, e *ast.CallExpr, xs []typed.Expr) operand {
	base, exponent := typed.ScalarOf(xs[0].Type()), typed.ScalarOf(xs[1].Type())
	if base.IsUntyped() && !exponent.IsUntyped() {
		base = exponent
		if xs[0] = c.operandTo(xs[0], base, e.Args[0].Pos()); isUnknown(xs[0].Type()) {
			return operand{}
		}
	}
	if k, ok := xs[1].(*typed.Const); ok && k.From == 0 {
		for _, v := range k.Vals {
			if v.Known() && v.Float() < 0 {
				c.errorf(syntax.NegativePower, e.Args[1].Pos(), "make the base a float: "+c.floatBase(e.Args[0], xs[0]),
					"an integer is raised to the negative power %s", v)
				return operand{}
			}
		}
	}
	t, ok := c.sameShapes(name, e, xs)
	if !ok {
		return operand{}
	}
	return c.builtin(typed.IntPow, typed.WithScalar(t, base), e.Pos(), xs...)
}

// floatBase is how the base x of a power, an integer written as e, is made a float.
func (c *checker) floatBase(e ast.Expr, x typed.Expr) string {
	if _, literal := e.(*ast.BasicLit); literal {
		return c.shortText(e) + ".0"
	}
	return c.name(typed.WithScalar(x.Type(), c.widths.Float)) + "(" + c.shortText(e) + ")"
}
