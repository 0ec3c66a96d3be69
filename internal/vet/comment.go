package vet

import (
	"go/ast"
	"go/token"
	"regexp"
	"strings"

	"github.com/gotaichi/ti/internal/syntax"
)

// reOperand matches a comment that is just a number or a name.
var reOperand = regexp.MustCompile(`^//\s*([0-9][0-9_]*(\.[0-9]*)?|[\pL_][\pL\pN_]*)\s*$`)

// comments warns about comments such as that of `h := n // 2`, which stand behind an
// expression and are just a number, or the name of a variable or constant. The author may
// have meant Python's division.
func (v *vetter) comments(f *syntax.File) {
	operands := map[int]*ast.Comment{} // by line
	for _, g := range f.Tree.Comments {
		for _, c := range g.List {
			if reOperand.MatchString(c.Text) {
				operands[f.Position(c.Pos()).Line] = c
			}
		}
	}
	if len(operands) == 0 {
		return
	}
	names := declaredNames(f.Tree)
	ast.Inspect(f.Tree, func(n ast.Node) bool {
		x := lastValue(n)
		if x == nil {
			return true
		}
		c := operands[f.Position(x.End()).Line]
		if c == nil || c.Pos() < x.End() || strings.TrimSpace(f.Text(x.End(), c.Pos())) != "" {
			return true
		}
		operand := reOperand.FindStringSubmatch(c.Text)[1]
		if !names[operand] && !(operand[0] >= '0' && operand[0] <= '9') {
			return true
		}
		v.warn(syntax.VetComment, f.Position(c.Pos()),
			"write floorDiv("+f.Text(x.Pos(), x.End())+", "+operand+") for a division that rounds down, or more words in the comment",
			"// begins a comment, and %s looks like an operand", operand)
		return true
	})
}

// lastValue returns the expression at the end of a statement or declaration. It is nil if
// there is none, or if it is a literal, which nobody would write in order to divide it.
func lastValue(n ast.Node) ast.Expr {
	var xs []ast.Expr
	switch n := n.(type) {
	case *ast.AssignStmt:
		xs = n.Rhs
	case *ast.ReturnStmt:
		xs = n.Results
	case *ast.ValueSpec:
		xs = n.Values
	}
	if len(xs) == 0 {
		return nil
	}
	x := xs[len(xs)-1]
	switch y := x.(type) {
	case *ast.BasicLit, *ast.CompositeLit:
		return nil
	case *ast.UnaryExpr:
		if _, number := y.X.(*ast.BasicLit); number {
			return nil
		}
	}
	return x
}

// declaredNames returns the names of a source's variables, parameters and constants.
func declaredNames(f *ast.File) map[string]bool {
	names := map[string]bool{}
	add := func(xs ...ast.Expr) {
		for _, x := range xs {
			if id, ok := x.(*ast.Ident); ok {
				names[id.Name] = true
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				add(n.Lhs...)
			}
		case *ast.RangeStmt:
			add(n.Key, n.Value)
		case *ast.ValueSpec:
			for _, id := range n.Names {
				add(id)
			}
		case *ast.FuncType:
			for _, p := range n.Params.List {
				for _, id := range p.Names {
					add(id)
				}
			}
		}
		return true
	})
	return names
}
