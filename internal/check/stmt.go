package check

import (
	"go/ast"
	"go/token"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// body checks the body of a function, in the scope of its parameters.
func (c *checker) body(b *ast.BlockStmt) *typed.Block {
	list := c.stmts(b.List)
	c.reportUnused(c.fn.scope)
	return &typed.Block{StmtBase: at(c.at(b.Pos())), List: list}
}

// openScope enters a block.
func (c *checker) openScope() { c.fn.scope = newScope(c.fn.scope) }

// closeScope leaves a block and reports its unused variables.
func (c *checker) closeScope() {
	c.reportUnused(c.fn.scope)
	c.fn.scope = c.fn.scope.parent
}

func (c *checker) reportUnused(s *scope) {
	for _, o := range s.order {
		if (o.kind == objVar || o.local) && !o.used && o.name != "_" && !(c.file.Partial() && c.leftOut[o.name]) {
			c.errorf(syntax.Unused, o.pos, "remove it, or assign to _", "%s is declared and not used", o.name)
			o.used = true
		}
	}
}

// block checks a block in a scope of its own.
func (c *checker) block(b *ast.BlockStmt) *typed.Block {
	c.openScope()
	list := c.stmts(b.List)
	c.closeScope()
	return &typed.Block{StmtBase: at(c.at(b.Pos())), List: list}
}

// inner checks a block that may not be executed, or more than once.
func (c *checker) inner(b *ast.BlockStmt) *typed.Block {
	old := c.fn.outermost
	c.fn.outermost = false
	r := c.block(b)
	c.fn.outermost = old
	return r
}

func (c *checker) stmts(list []ast.Stmt) []typed.Stmt {
	var out []typed.Stmt
	for i, s := range list {
		if c.fn.ended || c.stopped() { // what follows belongs to other instances
			for _, s := range list[i:] {
				c.markUsed(s)
			}
			break
		}
		out = append(out, c.stmt(s, "")...)
	}
	c.fn.ended = false
	return out
}

// stmt checks a statement with a label, "" for none.
func (c *checker) stmt(s ast.Stmt, label string) []typed.Stmt {
	c.grow(1)
	if !c.enter(s.Pos()) {
		return nil
	}
	defer c.leave()
	switch s := s.(type) {
	case *ast.EmptyStmt:
	case *ast.ExprStmt:
		return c.exprStmt(s)
	case *ast.AssignStmt:
		return c.assignStmt(s)
	case *ast.IncDecStmt:
		op := typed.Add
		if s.Tok == token.DEC {
			op = typed.Sub
		}
		one := &ast.BasicLit{ValuePos: s.TokPos, Kind: token.INT, Value: "1"}
		return c.update(op, s.X, one, s.TokPos)
	case *ast.DeclStmt:
		return c.declStmt(s.Decl.(*ast.GenDecl))
	case *ast.BlockStmt:
		return []typed.Stmt{c.block(s)}
	case *ast.IfStmt:
		return c.ifStmt(s)
	case *ast.ForStmt:
		return c.forStmt(s, label)
	case *ast.RangeStmt:
		return c.rangeStmt(s, label)
	case *ast.SwitchStmt:
		return c.switchStmt(s, label)
	case *ast.BranchStmt:
		return c.branchStmt(s)
	case *ast.ReturnStmt:
		return c.returnStmt(s)
	case *ast.LabeledStmt:
		return c.labeled(s)
	default:
		c.foreignStmt(s)
	}
	return nil
}

// foreignStmt reports a statement of Go that kernels do not have.
func (c *checker) foreignStmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.GoStmt:
		c.notGo(s.Pos(), "go statement", "loops in the outermost scope of a kernel run in parallel")
		c.survey(s.Call)
	case *ast.DeferStmt:
		c.notGo(s.Pos(), "defer", "call the function at the end")
		c.survey(s.Call)
	case *ast.SelectStmt:
		c.notGo(s.Pos(), "select", "iterations share memory and use atomic operations")
		c.markUsed(s)
	case *ast.SendStmt:
		c.notGo(s.Pos(), "channel", "iterations share memory and use atomic operations")
		c.survey(s.Chan, s.Value)
	case *ast.TypeSwitchStmt:
		c.notGo(s.Pos(), "type switch", "compare types in static: if static(x.dtype == f32)")
		c.markUsed(s)
	default:
		c.errorf(syntax.BadSyntax, s.Pos(), "", "this is no statement of the language")
	}
}

func (c *checker) labeled(s *ast.LabeledStmt) []typed.Stmt {
	name := s.Label.Name
	for _, t := range c.fn.targets {
		if t.label == name {
			c.errorf(syntax.BadLabel, s.Pos(), "choose another name", "label %s is used already by a loop around this one", name)
		}
	}
	switch s.Stmt.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt:
	default:
		c.errorf(syntax.BadLabel, s.Pos(), "", "a label stands before a loop or switch, for break and continue")
		return c.stmt(s.Stmt, "")
	}
	used := false
	ast.Inspect(s.Stmt, func(n ast.Node) bool {
		b, ok := n.(*ast.BranchStmt)
		used = used || ok && b.Label != nil && b.Label.Name == name
		return true
	})
	if !used && !c.leftOut[name] {
		c.errorf(syntax.Unused, s.Pos(), "remove it", "label %s is not used", name)
	}
	return c.stmt(s.Stmt, name)
}

// exprStmt checks an expression that stands alone: a call, or a mistake.
func (c *checker) exprStmt(s *ast.ExprStmt) []typed.Stmt {
	e := ast.Unparen(s.X)
	switch e := e.(type) {
	case *ast.StarExpr:
		c.survey(e.X)
		c.errs = append(c.errs, syntax.OperatorSlip.At(c.file, e.Pos()))
		return nil
	case *ast.UnaryExpr:
		if e.Op != token.NOT && e.Op != token.ARROW {
			c.survey(e.X)
			c.errs = append(c.errs, syntax.OperatorSlip.At(c.file, e.Pos()))
			return nil
		}
	}
	x := c.valueOrTuple(e)
	switch x := x.(type) {
	case *typed.Call, *typed.Output, *typed.Assert:
		return []typed.Stmt{&typed.ExprStmt{StmtBase: at(x.Position()), X: x}}
	case *typed.CellOp:
		if x.Fn != typed.IsActive && x.Fn != typed.ListLen {
			return []typed.Stmt{&typed.ExprStmt{StmtBase: at(x.Pos), X: x}}
		}
	case storing:
		x.Used = false
		return []typed.Stmt{&typed.ExprStmt{StmtBase: at(x.Pos), X: x.Atomic}}
	case *typed.Atomic:
		if x.Op != typed.Fetch {
			x.Used = false
			return []typed.Stmt{&typed.ExprStmt{StmtBase: at(x.Pos), X: x}}
		}
	}
	if _, ok := x.Type().(*typed.Tuple); ok || isUnknown(x.Type()) {
		return nil
	}
	help := "assign it to a variable, or remove it"
	if b, ok := e.(*ast.BinaryExpr); ok && b.Op == token.EQL {
		help = "write = to assign"
	}
	c.errorf(syntax.NoEffect, e.Pos(), help, "the value of %s is not used", c.shortText(e))
	return nil
}

// ifStmt checks if and if static.
func (c *checker) ifStmt(s *ast.IfStmt) []typed.Stmt {
	c.openScope()
	defer c.closeScope()
	var out []typed.Stmt
	if s.Init != nil {
		out = c.stmt(s.Init, "")
	}
	if call, ok := c.builtinCall(s.Cond, "static"); ok {
		return append(out, c.staticIf(s, call)...)
	}
	cond := c.condition(s.Cond)
	r := &typed.If{StmtBase: at(c.at(s.Pos())), Cond: cond, Then: c.inner(s.Body)}
	switch e := s.Else.(type) {
	case *ast.BlockStmt:
		r.Else = c.inner(e)
	case *ast.IfStmt:
		old := c.fn.outermost
		c.fn.outermost = false
		r.Else = &typed.Block{StmtBase: at(c.at(e.Pos())), List: c.ifStmt(e)}
		c.fn.outermost, c.fn.ended = old, false
	}
	return append(out, r)
}

// staticIf chooses a branch at compile time; the other is not checked.
func (c *checker) staticIf(s *ast.IfStmt, call *ast.CallExpr) []typed.Stmt {
	if !c.argCount("static", call, 1, 1, "if static(c)") {
		c.markUsed(s)
		return nil
	}
	known, yes := c.staticCond(call.Args[0])
	switch {
	case !known:
		c.markUsed(s.Body)
		if s.Else != nil {
			c.markUsed(s.Else)
		}
		return []typed.Stmt{&typed.Return{StmtBase: at(c.at(s.Pos()))}} // stands for whatever the branches do
	case yes:
		if s.Else != nil {
			c.markUsed(s.Else)
		}
		b := c.block(s.Body)
		c.fn.ended = terminates(b)
		return []typed.Stmt{b}
	}
	c.markUsed(s.Body)
	if s.Else == nil {
		return nil
	}
	list := c.stmt(s.Else, "")
	if _, ok := s.Else.(*ast.BlockStmt); ok {
		c.fn.ended = terminates(&typed.Block{List: list})
	}
	return list
}

// builtinCall recognises a call of a predeclared function that is not shadowed.
func (c *checker) builtinCall(e ast.Expr, name string) (*ast.CallExpr, bool) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return nil, false
	}
	id, ok := call.Fun.(*ast.Ident)
	if !ok || id.Name != name {
		return nil, false
	}
	o := c.lookup(name)
	return call, o != nil && o.kind == objBuiltin
}

// condition checks a run-time condition: a single bool.
func (c *checker) condition(e ast.Expr) typed.Expr {
	x := c.value(e)
	if isUnknown(x.Type()) || x.Type() == typed.Type(typed.Bool) {
		return x
	}
	help := "compare it: " + c.shortText(e) + " != 0"
	if typed.ScalarOf(x.Type()) == typed.Bool {
		help = "reduce the vector with all(…) or any(…)"
	}
	c.errorf(syntax.NotACondition, e.Pos(), help, "a condition is a bool, and this is %s", c.describe(x))
	return c.bad(e.Pos())
}

// returnStmt checks a return.
func (c *checker) returnStmt(s *ast.ReturnStmt) []typed.Stmt {
	f := c.fn.inst
	if c.fn.par != nil {
		c.survey(s.Results...)
		c.errorf(syntax.ParallelReturn, s.Pos(), "use continue to end the iteration, or `range serial(…)` to run the loop in order", "return inside a parallel loop")
		return nil
	}
	c.leavesUnbounded(s.Pos(), "return", nil)
	r := &typed.Return{StmtBase: at(c.at(s.Pos()))}
	n := len(f.Results)
	switch {
	case len(s.Results) == 0 && (n == 0 || c.fn.named):
		for _, v := range f.Results {
			r.Values = append(r.Values, &typed.VarRef{ExprBase: ex(r.Pos, v.Type), Var: v})
		}
		return []typed.Stmt{r}
	case len(s.Results) == 1 && n > 1:
		if call, ok := c.valueOrTuple(s.Results[0]).(*typed.Call); ok && len(call.Func.Results) == n {
			for i, v := range call.Func.Results {
				if v.Type != f.Results[i].Type && !isUnknown(v.Type) && !isUnknown(f.Results[i].Type) {
					c.errorf(syntax.NeedsConversion, s.Results[0].Pos(), "assign the results to variables and convert them", "result %d is of type %s, and the call gives %s", i+1, f.Results[i].Type, v.Type)
				}
			}
			r.Values = []typed.Expr{call}
			return []typed.Stmt{r}
		}
	}
	if len(s.Results) != n {
		c.survey(s.Results...)
		if c.file.LeftOut(c.fn.pos) { // the results are not known
			return []typed.Stmt{r}
		}
		c.errorf(syntax.ResultCount, s.Pos(), "", "%s has %d %s, and this return gives %d", f.Name, n, plural("result", n), len(s.Results))
		return []typed.Stmt{r}
	}
	for i, e := range s.Results {
		v := f.Results[i]
		what := "the result"
		if v.Name != "" {
			what = "result " + v.Name
		}
		x := c.value(e)
		r.Values = append(r.Values, c.assignable(x, v.Type, e, what))
	}
	return []typed.Stmt{r}
}

// declStmt checks var, const and type in a function body.
func (c *checker) declStmt(d *ast.GenDecl) []typed.Stmt {
	var out []typed.Stmt
	if d.Tok == token.VAR {
		for _, spec := range d.Specs {
			out = append(out, c.localVars(spec.(*ast.ValueSpec))...)
		}
		return out
	}
	scope := c.fn.scope
	tmp := newScope(scope)
	c.collectGen(d, tmp)
	for _, o := range tmp.order {
		o.scope = scope // a name is declared after its own value
		if o.kind != objBad {
			c.resolve(o, o.pos)
		}
		c.declare(scope, o)
	}
	return nil
}

func (c *checker) localVars(spec *ast.ValueSpec) []typed.Stmt {
	var t typed.Type
	if spec.Type != nil {
		t = c.valueType(spec.Type)
	}
	if len(spec.Values) == 0 {
		var out []typed.Stmt
		for _, n := range spec.Names {
			v := c.newVar(n, t)
			out = append(out, &typed.Define{StmtBase: at(v.Pos), Var: v, Init: nil})
		}
		return out
	}
	exprs := make([]ast.Expr, len(spec.Names))
	for i, n := range spec.Names {
		exprs[i] = n
	}
	return c.define(exprs, spec.Values, t, spec.Pos())
}

// newVar declares a local variable.
func (c *checker) newVar(n *ast.Ident, t typed.Type) *typed.Var {
	if t == nil {
		t = typed.Unknown
	}
	v := &typed.Var{Name: n.Name, Type: t, Pos: c.at(n.Pos()), Outer: c.fn.outermost && c.fn.ctx == typed.Outermost}
	o := &object{kind: objVar, name: n.Name, file: c.file, pos: n.Pos(), v: v, typ: t, frame: c.fn, par: c.fn.par, state: done, used: isUnknown(t)}
	c.grow(opsFor(typed.Components(t)))
	c.declare(c.fn.scope, o)
	return v
}

// temp makes a variable of the checker that holds x, and the statement that does.
func (c *checker) temp(x typed.Expr) (*typed.VarRef, typed.Stmt) {
	v := &typed.Var{Type: x.Type(), Pos: x.Position(), Outer: c.fn.outermost && c.fn.ctx == typed.Outermost}
	return &typed.VarRef{ExprBase: ex(x.Position(), x.Type()), Var: v}, &typed.Define{StmtBase: at(x.Position()), Var: v, Init: x}
}
