package check

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// maxPrinted bounds how many components one print writes, since each is an operand
// of an op.
const maxPrinted = 1024

// maxAsserted bounds how many components the message of an assertion has, since the
// error record of a launch has room for so many.
const maxAsserted = 64

// A textArg is an argument of print, printf or assert: a value, or a string
// literal, which is written at compile time.
type textArg struct {
	e    ast.Expr
	x    typed.Expr // nil for a string
	text string
	used bool // a verb takes it
}

// checkPrint checks print(a, b): the values, separated by blanks, and a newline.
func checkPrint(c *checker, name string, e *ast.CallExpr) operand {
	args, ok := c.textArgs(name, e.Args)
	if !ok {
		return operand{}
	}
	f := &format{c: c, args: args}
	for i := range args {
		if i > 0 {
			f.text(" ")
		}
		f.whole(i, "%v", 'v')
	}
	f.text("\n")
	return c.printed(name, e, f)
}

// checkPrintf checks printf("format", a, b).
func checkPrintf(c *checker, name string, e *ast.CallExpr) operand {
	if !c.argCount(name, e, 1, -1, `printf("%v\n", x)`) {
		return operand{}
	}
	args, ok := c.textArgs(name, e.Args[1:])
	f := &format{c: c, args: args}
	if !f.parse(name, e.Args[0]) || !ok {
		return operand{}
	}
	return c.printed(name, e, f)
}

func (c *checker) printed(name string, e *ast.CallExpr, f *format) operand {
	if !f.fits(name, e, maxPrinted) {
		return operand{}
	}
	return valueOf(&typed.Output{ExprBase: ex(c.at(e.Pos()), &typed.Tuple{}), Format: f.parts, Args: f.values()})
}

// checkAssert checks assert(c) and assert(c, "message %d", a).
func checkAssert(c *checker, name string, e *ast.CallExpr) operand {
	if !c.argCount(name, e, 1, -1, `assert(c, "message %d", i)`) {
		return operand{}
	}
	f := &format{c: c}
	f.text("assertion failed: ")
	cond, ok := c.condition(e.Args[0]), true
	if len(e.Args) == 1 {
		f.text(oneLine(c.file.Text(e.Args[0].Pos(), e.Args[0].End())))
	} else {
		f.args, ok = c.textArgs(name, e.Args[2:])
		ok = f.parse(name, e.Args[1]) && ok
	}
	if !ok || isUnknown(cond.Type()) || !f.fits(name, e, maxAsserted) {
		return operand{}
	}
	return valueOf(&typed.Assert{ExprBase: ex(c.at(e.Pos()), &typed.Tuple{}), Cond: cond, Format: f.parts, Args: f.values()})
}

// oneLine is the text of a condition with its white space as single blanks, and
// cut where it is long.
func oneLine(s string) string {
	const longest = 120
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > longest {
		s = strings.ToValidUTF8(s[:longest], "") + "…"
	}
	return s
}

// textArgs checks what is to be printed.
func (c *checker) textArgs(name string, list []ast.Expr) ([]textArg, bool) {
	args := make([]textArg, len(list))
	ok := true
	for i, a := range list {
		args[i].e = a
		if s, is := stringConst(a); is {
			args[i].text = s
			continue
		}
		x := c.value(a)
		args[i].x = x // also what has an error or no type yet: it is no string
		if isUnknown(x.Type()) {
			ok = false
			continue
		}
		switch x.Type().(type) {
		case typed.Slice, typed.View:
			c.errorf(syntax.ArgType, a.Pos(), "print its elements in a loop", "%s prints scalars, vectors, matrices and structs, and this is %s", name, c.describe(x))
			ok = false
			continue
		}
		args[i].x = c.defaultType(x, a.Pos())
		ok = ok && !isUnknown(args[i].x.Type())
	}
	return args, ok
}

// stringConst returns the value of a string literal, or of several joined by +.
func stringConst(e ast.Expr) (string, bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return "", false
		}
		a, isA := stringConst(e.X)
		b, isB := stringConst(e.Y)
		return a + b, isA && isB
	}
	return "", false
}
