package check

import (
	"go/ast"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// staticCond evaluates a condition that must be constant; known is false after an
// error, or where it depends on a host that is not bound.
func (c *checker) staticCond(e ast.Expr) (known, yes bool) {
	x := c.constant(e)
	if isUnknown(x.Type()) {
		return false, false
	}
	if x.Type() != typed.Type(typed.Bool) {
		c.errorf(syntax.NotACondition, e.Pos(), "compare it: x != 0", "a condition is a bool, and this is %s", c.describe(x))
		return false, false
	}
	k, ok := x.(*typed.Const)
	if !ok {
		c.errorf(syntax.UnknownForStatic, e.Pos(), "leave out static for a condition that is known at run time only", "the argument of static must be a constant")
		return false, false
	}
	return k.Vals[0].Known(), k.Vals[0].Bool()
}
