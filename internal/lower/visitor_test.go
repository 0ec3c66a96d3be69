package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
)

// A visitor runs functions of i32 variables and [4]i32 arrays straight from Go's
// syntax trees, by the rules of the language.
type visitor struct {
	funcs map[string]*ast.FuncDecl
	vars  map[string]*[4]int32 // a number is element 0
}

// An outcome says how a statement ended.
type outcome struct {
	kind  token.Token // ILLEGAL for going on, BREAK, CONTINUE, RETURN
	label string
	value int32
}

var goOn = outcome{}

func (w *visitor) call(name string, args []int32) int32 {
	saved := w.vars
	w.vars = map[string]*[4]int32{"a": {args[0]}, "b": {args[1]}}
	o := w.block(w.funcs[name].Body.List)
	w.vars = saved
	return o.value
}

func (w *visitor) block(list []ast.Stmt) outcome {
	for _, s := range list {
		if o := w.stmt(s, ""); o != goOn {
			return o
		}
	}
	return goOn
}

func (w *visitor) stmt(s ast.Stmt, label string) outcome {
	switch s := s.(type) {
	case *ast.LabeledStmt:
		return w.stmt(s.Stmt, s.Label.Name)
	case *ast.DeclStmt:
		w.vars["v"] = &[4]int32{}
	case *ast.AssignStmt:
		w.assign(s)
	case *ast.IncDecStmt:
		*w.place(s.X)++
	case *ast.BranchStmt:
		o := outcome{kind: s.Tok}
		if s.Label != nil {
			o.label = s.Label.Name
		}
		return o
	case *ast.ReturnStmt:
		return outcome{kind: token.RETURN, value: w.eval(s.Results[0])}
	case *ast.BlockStmt:
		return w.block(s.List)
	case *ast.IfStmt:
		if w.eval(s.Cond) != 0 {
			return w.block(s.Body.List)
		} else if s.Else != nil {
			return w.stmt(s.Else, "")
		}
	case *ast.SwitchStmt:
		o := w.switchStmt(s)
		if o.kind == token.BREAK && o.label == "" {
			return goOn
		}
		return o
	case *ast.ForStmt:
		return w.forStmt(s, label)
	case *ast.RangeStmt:
		return w.rangeStmt(s, label)
	default:
		panic(fmt.Sprintf("statement %T", s))
	}
	return goOn
}

func (w *visitor) switchStmt(s *ast.SwitchStmt) outcome {
	x := w.eval(s.Tag)
	var chosen *ast.CaseClause
	for _, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		if c.List == nil && chosen == nil {
			chosen = c
		}
		for _, e := range c.List {
			if w.eval(e) == x {
				chosen = c
			}
		}
	}
	return w.block(chosen.Body)
}

// after says what an outcome of the body means for the loop around it.
func after(o outcome, label string) (leave bool, out outcome) {
	mine := o.label == "" || o.label == label
	switch {
	case o == goOn, o.kind == token.CONTINUE && mine:
		return false, goOn
	case o.kind == token.BREAK && mine:
		return true, goOn
	}
	return true, o
}

func (w *visitor) forStmt(s *ast.ForStmt, label string) outcome {
	if s.Init != nil {
		w.stmt(s.Init, "")
	}
	for s.Cond == nil || w.eval(s.Cond) != 0 {
		if leave, o := after(w.block(s.Body.List), label); leave {
			return o
		}
		if s.Post != nil {
			w.stmt(s.Post, "")
		}
	}
	return goOn
}

func (w *visitor) rangeStmt(s *ast.RangeStmt, label string) outcome {
	if call, ok := s.X.(*ast.CallExpr); ok && call.Fun.(*ast.Ident).Name == "ndrange" {
		for i := range int32(2) {
			for j := int32(-1); j < 1; j++ {
				w.vars[s.Key.(*ast.Ident).Name] = &[4]int32{i}
				w.vars[s.Value.(*ast.Ident).Name] = &[4]int32{j}
				if leave, o := after(w.block(s.Body.List), label); leave {
					return o
				}
			}
		}
		return goOn
	}
	for i := range w.eval(s.X) {
		w.vars[s.Key.(*ast.Ident).Name] = &[4]int32{i}
		if leave, o := after(w.block(s.Body.List), label); leave {
			return o
		}
	}
	return goOn
}

// place returns where an identifier or an element is kept.
func (w *visitor) place(e ast.Expr) *int32 {
	if x, ok := e.(*ast.IndexExpr); ok {
		return &w.vars["v"][w.eval(x.Index)]
	}
	name := e.(*ast.Ident).Name
	if w.vars[name] == nil {
		w.vars[name] = &[4]int32{}
	}
	return &w.vars[name][0]
}

func (w *visitor) assign(s *ast.AssignStmt) {
	places := make([]*int32, len(s.Lhs))
	for i, l := range s.Lhs {
		places[i] = w.place(l)
	}
	vals := make([]int32, len(s.Rhs))
	for i, r := range s.Rhs {
		vals[i] = w.eval(r)
	}
	for i, p := range places {
		switch s.Tok {
		case token.ADD_ASSIGN:
			*p += vals[i]
		case token.SUB_ASSIGN:
			*p -= vals[i]
		case token.MUL_ASSIGN:
			*p *= vals[i]
		case token.XOR_ASSIGN:
			*p ^= vals[i]
		default:
			*p = vals[i]
		}
	}
}

func truth(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

func (w *visitor) eval(e ast.Expr) int32 {
	switch e := e.(type) {
	case *ast.BasicLit:
		n, _ := strconv.Atoi(e.Value)
		return int32(n)
	case *ast.Ident, *ast.IndexExpr:
		return *w.place(e)
	case *ast.ParenExpr:
		return w.eval(e.X)
	case *ast.UnaryExpr:
		return 1 - w.eval(e.X) // ! is the only one
	case *ast.CallExpr:
		if name := e.Fun.(*ast.Ident).Name; name != "static" {
			x := w.eval(e.Args[0])
			return w.call(name, []int32{x, w.eval(e.Args[1])})
		}
		return w.eval(e.Args[0])
	case *ast.BinaryExpr:
		return apply(e.Op, w.eval(e.X), w.eval(e.Y)) // operands have no effects
	}
	panic(fmt.Sprintf("expression %T", e))
}

func apply(op token.Token, x, y int32) int32 {
	switch op {
	case token.ADD:
		return x + y
	case token.SUB:
		return x - y
	case token.MUL:
		return x * y
	case token.QUO:
		if y == 0 {
			return 0
		}
		return x / y
	case token.REM:
		if y == 0 {
			return 0
		}
		return x % y
	case token.AND, token.LAND:
		return x & y
	case token.OR, token.LOR:
		return x | y
	case token.XOR:
		return x ^ y
	case token.LSS:
		return truth(x < y)
	case token.LEQ:
		return truth(x <= y)
	case token.GTR:
		return truth(x > y)
	case token.GEQ:
		return truth(x >= y)
	case token.EQL:
		return truth(x == y)
	}
	return truth(x != y)
}
