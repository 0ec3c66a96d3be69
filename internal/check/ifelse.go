package check

import (
	"go/ast"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

func checkIfElse(c *checker, name string, e *ast.CallExpr) operand {
	xs, ok := c.countedArgs(name, e, 3, 3, "ifelse(c, a, b)")
	if !ok {
		return operand{}
	}
	cond := xs[0]
	if _, slice := cond.Type().(typed.Slice); slice || typed.ScalarOf(cond.Type()) != typed.Bool {
		return c.argType(name, e, 0, cond, "a bool, or a vector of bool, first")
	}
	if t := xs[1].Type(); typed.HasStruct(t) && t == xs[2].Type() && cond.Type() == typed.Type(typed.Bool) {
		return valueOf(&typed.Builtin{ExprBase: ex(c.at(e.Pos()), t), Fn: typed.IfElse, Args: xs})
	}
	s, ok := c.unifyScalars(xs[1], xs[2])
	if !ok || typed.HasStruct(xs[1].Type()) || typed.HasStruct(xs[2].Type()) {
		c.errorf(syntax.ArgType, e.Pos(), "convert them to one type", "ifelse: the alternatives are of different types: %s", c.typeList(xs[1:]))
		return operand{}
	}
	if s.IsUntyped() {
		s = typed.ScalarOf(c.typedResult(s))
	}
	shapes := []typed.Expr{c.operandTo(xs[1], s, e.Args[1].Pos()), c.operandTo(xs[2], s, e.Args[2].Pos())}
	if isUnknown(shapes[0].Type()) || isUnknown(shapes[1].Type()) {
		return operand{}
	}
	if _, scalar := cond.Type().(typed.Scalar); !scalar {
		shapes = append(shapes, cond)
	}
	shape, ok := c.sameShapes(name, e, shapes)
	if !ok {
		return operand{}
	}
	if k, ok := cond.(*typed.Const); ok && len(k.Vals) == 1 && k.Vals[0].Known() {
		pick := shapes[1]
		if k.Vals[0].Bool() {
			pick = shapes[0]
		}
		if _, ok := pick.(*typed.Const); ok && pure(shapes[0]) && pure(shapes[1]) {
			return valueOf(pick)
		}
	}
	return valueOf(&typed.Builtin{ExprBase: ex(c.at(e.Pos()), typed.WithScalar(shape, s)), Fn: typed.IfElse, Args: []typed.Expr{cond, shapes[0], shapes[1]}})
}
