package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// checkStaticPrint prints at compile time, once for each instance of the function
// around; it leaves no node.
func checkStaticPrint(c *checker, name string, e *ast.CallExpr) operand {
	var words []string
	known := true
	for _, a := range e.Args {
		v, ok := c.staticArg(name, a)
		known = known && ok
		words = append(words, fmt.Sprint(v))
	}
	if known && c.host != nil {
		c.prog.Prints = append(c.prog.Prints, Print{Pos: c.at(e.Pos()), Text: strings.Join(words, " ")})
	}
	return valueOf(nothing(c.at(e.Pos())))
}

// checkStaticAssert checks its condition at compile time; it leaves no node. Behind
// the message stand what its verbs format.
func checkStaticAssert(c *checker, name string, e *ast.CallExpr) operand {
	if !c.argCount(name, e, 1, -1, "staticAssert(c, \"message\")") {
		return operand{}
	}
	msg := "the condition is false"
	if len(e.Args) > 1 {
		format, ok := stringConst(e.Args[1])
		if !ok {
			c.survey(e.Args...)
			c.errorf(syntax.ArgType, e.Args[1].Pos(), "", "the message of staticAssert is a string literal")
			return operand{}
		}
		if msg, ok = c.staticFormat(name, format, e); !ok {
			c.survey(e.Args[0])
			return operand{}
		}
	}
	if known, yes := c.staticCond(e.Args[0]); known && !yes {
		c.errorf(syntax.StaticAssertion, e.Pos(), "", "static assertion failed: %s", msg)
		if c.fn != nil { // else in a declaration of the package
			c.fn.failed = true
		}
	}
	return valueOf(nothing(c.at(e.Pos())))
}

func (c *checker) staticFormat(name, format string, e *ast.CallExpr) (msg string, ok bool) {
	var vals []any
	ok = true
	for _, a := range e.Args[2:] {
		v, good := c.staticArg(name, a)
		vals, ok = append(vals, v), ok && good
	}
	if !ok {
		return "", false
	}
	if msg = fmt.Sprintf(format, vals...); strings.Contains(msg, "%!") {
		c.errorf(syntax.ArgType, e.Args[1].Pos(), "give one value for each verb, %v for any", "the message does not fit its values: %s", msg)
		return "", false
	}
	return msg, true
}

// staticArg returns what a compile-time argument prints as: a Go number or bool, or
// a text for anything else; false after an error, or if it is not known.
func (c *checker) staticArg(name string, e ast.Expr) (any, bool) {
	if s, ok := stringConst(e); ok {
		return s, true
	}
	c.fixed++
	op := c.expr(e)
	c.fixed--
	switch op.mode {
	case modeBad:
		return nil, false
	case modeType:
		return c.name(op.typ), true
	case modeField:
		return c.name(typed.FieldType{Elem: op.obj.field.Elem, Rank: op.obj.field.Rank}), op.obj.field.Rank >= 0
	case modeNode, modeBundle:
		return op.obj.root().name, true
	case modeFunc, modeBuiltin:
		return op.obj.name, true
	}
	k, ok := op.x.(*typed.Const)
	switch {
	case isUnknown(op.x.Type()):
		return nil, false
	case !ok || isTuple(k.T):
		c.errorf(syntax.UnknownForStatic, e.Pos(), "use print for what is known at run time only", "%s prints what is known at compile time", name)
		return nil, false
	}
	for _, v := range k.Vals {
		if !v.Known() {
			return nil, false
		}
	}
	if _, scalar := k.T.(typed.Scalar); scalar {
		return k.Vals[0].GoValue(), true
	}
	return nested(k.T, k.Vals), true
}

// nested writes a constant as print does: [1 2 3], a matrix as its rows.
func nested(t typed.Type, vals []typed.Num) string {
	a, ok := t.(typed.Array)
	if !ok {
		words := make([]string, len(vals))
		for i, v := range vals {
			words[i] = fmt.Sprint(v.GoValue())
		}
		if len(vals) == 1 {
			return words[0]
		}
		return "{" + strings.Join(words, " ") + "}"
	}
	size := len(vals) / a.Len
	parts := make([]string, a.Len)
	for i := range parts {
		parts[i] = nested(a.Elem, vals[i*size:(i+1)*size])
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// nothing is the value of a call that leaves no node.
func nothing(p token.Position) typed.Expr {
	return &typed.Const{ExprBase: ex(p, &typed.Tuple{})}
}
