package check

import (
	"go/ast"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// randomFn is random() or randn(), of the default float type or a type given.
func randomFn(fn typed.Fn) builtinFn {
	return func(c *checker, name string, e *ast.CallExpr) operand {
		if !c.argCount(name, e, 0, 1, name+"() or "+name+"(vec3)") {
			return operand{}
		}
		var t typed.Type = c.widths.Float
		if len(e.Args) == 1 {
			if t = c.valueType(e.Args[0]); isUnknown(t) {
				return operand{}
			}
		}
		s := typed.ScalarOf(t)
		if s == typed.Bool || fn == typed.Randn && !s.IsFloat() || isTable(t) {
			c.errorf(syntax.ArgType, e.Args[0].Pos(), "use f32 or a vector, and compare for a bool: random() < 0.5", "%s does not make a %s", name, t)
			return operand{}
		}
		return valueOf(&typed.Builtin{ExprBase: ex(c.at(e.Pos()), t), Fn: fn})
	}
}
