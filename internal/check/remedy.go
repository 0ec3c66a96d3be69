package check

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// This file finds the accumulation that an assignment to a variable from outside of a parallel loop
// could be: x += a - b for x = a + x - b.

// sameText returns what reports whether an expression is written as lhs is.
func (c *checker) sameText(lhs ast.Expr) func(ast.Expr) bool {
	strip := func(e ast.Expr) string {
		return strings.Join(strings.Fields(c.file.Text(e.Pos(), e.End())), "")
	}
	want := strip(lhs)
	return func(e ast.Expr) bool { return strip(ast.Unparen(e)) == want }
}

// suggestAccumulation gives the error of an assignment that a parallel loop cannot do, if there is one among those from
// before on, the accumulation that does the same.
func (c *checker) suggestAccumulation(before int, lhs, rhs ast.Expr, place typed.Expr) {
	for _, e := range c.errs[before:] {
		if e.Code != syntax.ParallelWrite {
			continue
		}
		if text := c.accumulating(lhs, rhs, place.Type()); text != "" {
			e.Help = "write " + text + ", which a parallel loop does atomically"
		}
	}
}

// accumulating writes lhs = rhs, with lhs of type t, as a form that a parallel loop may do to lhs; "" if there is none.
func (c *checker) accumulating(lhs, rhs ast.Expr, t typed.Type) string {
	x := c.file.Text(lhs.Pos(), lhs.End())
	if call, ok := ast.Unparen(rhs).(*ast.CallExpr); ok {
		for _, name := range []string{"min", "max"} {
			if _, ok := c.builtinCall(call, name); ok {
				if rest := c.withoutPlace(lhs, c.arguments(call, name, nil)); rest != nil {
					return x + " = " + name + "(" + x + ", " + strings.Join(rest, ", ") + ")"
				}
			}
		}
		return ""
	}
	e, ok := ast.Unparen(rhs).(*ast.BinaryExpr)
	if !ok {
		return ""
	}
	_, scalar := t.(typed.Scalar)
	switch e.Op {
	case token.ADD, token.SUB:
		return c.accumulatingBy(lhs, chainOf(e, token.ADD, token.SUB, nil), "+", "-", true)
	case token.MUL, token.QUO:
		if scalar { // a product with a matrix is no accumulation, and integer quotients round
			return c.accumulatingBy(lhs, chainOf(e, token.MUL, token.QUO, nil), "*", "/", typed.ScalarOf(t).IsFloat())
		}
	case token.AND, token.OR, token.XOR:
		return c.accumulatingBy(lhs, chainOf(e, e.Op, token.ILLEGAL, nil), e.Op.String(), "", false)
	case token.AND_NOT:
		if c.sameText(lhs)(e.X) && !c.mentionsPlace(lhs, e.Y) {
			y := ast.Unparen(e.Y)
			return x + " &= ^(" + c.file.Text(y.Pos(), y.End()) + ")"
		}
	case token.LAND, token.LOR:
		var operands []ast.Expr
		for _, link := range chainOf(e, e.Op, token.ILLEGAL, nil) {
			operands = append(operands, link.x)
		}
		if rest := c.withoutPlace(lhs, operands); rest != nil {
			op := " " + e.Op.String() + " "
			return x + " = " + x + op + strings.Join(rest, op)
		}
	}
	return ""
}

// A link is an operand of a chain such as a + b - c, inverted behind a minus.
type link struct {
	x        ast.Expr
	inverted bool
}

// chainOf takes a chain of two inverse operators of one precedence apart, through parentheses.
// The second operator may be none.
func chainOf(e ast.Expr, op, inverse token.Token, to []link) []link {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok || b.Op != op && b.Op != inverse {
		return append(to, link{e, false})
	}
	to = chainOf(b.X, op, inverse, to)
	from := len(to)
	to = chainOf(b.Y, op, inverse, to)
	for i := range to[from:] {
		to[from+i].inverted = to[from+i].inverted != (b.Op == inverse)
	}
	return to
}

// accumulatingBy writes a chain that contains lhs once as lhs op= the others. If some of these are inverted and some
// are not, it does so only if mixed says that the order does not matter.
func (c *checker) accumulatingBy(lhs ast.Expr, chain []link, op, inverse string, mixed bool) string {
	same := c.sameText(lhs)
	var plain, inverted []string
	found := false
	for _, l := range chain {
		switch {
		case !found && !l.inverted && same(l.x):
			found = true
		case c.mentionsPlace(lhs, l.x):
			return ""
		case l.inverted:
			inverted = append(inverted, c.file.Text(l.x.Pos(), l.x.End()))
		default:
			plain = append(plain, c.file.Text(l.x.Pos(), l.x.End()))
		}
	}
	x := c.file.Text(lhs.Pos(), lhs.End())
	join := func(list []string) string { return strings.Join(list, " "+op+" ") }
	switch {
	case !found || len(plain)+len(inverted) == 0:
		return ""
	case len(inverted) == 0:
		return x + " " + op + "= " + join(plain)
	case len(plain) == 0:
		return x + " " + inverse + "= " + join(inverted)
	case !mixed:
		return ""
	}
	return x + " " + op + "= " + join(plain) + " " + inverse + " " + strings.Join(inverted, " "+inverse+" ")
}

// arguments are those of a call of min or max, and of such calls among them.
func (c *checker) arguments(call *ast.CallExpr, name string, to []ast.Expr) []ast.Expr {
	for _, a := range call.Args {
		if inner, ok := c.builtinCall(a, name); ok {
			to = c.arguments(inner, name, to)
		} else {
			to = append(to, a)
		}
	}
	return to
}

// withoutPlace returns the texts of operands but for lhs, which is one of them; nil if it is none, or occurs
// in another one.
func (c *checker) withoutPlace(lhs ast.Expr, operands []ast.Expr) (rest []string) {
	same := c.sameText(lhs)
	found := false
	for _, e := range operands {
		switch {
		case !found && same(e):
			found = true
		case c.mentionsPlace(lhs, e):
			return nil
		default:
			rest = append(rest, c.file.Text(e.Pos(), e.End()))
		}
	}
	if !found {
		return nil
	}
	return rest
}

// mentionsPlace reports whether the variable that lhs is part of occurs in e.
func (c *checker) mentionsPlace(lhs, e ast.Expr) bool {
	o := c.rootObject(lhs)
	return o == nil || mentions(e, map[string]bool{o.name: true})
}
