package check

import (
	"go/ast"
	"go/token"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// A target is a loop or switch that break and continue may aim at.
type target struct {
	label string
	stmt  typed.Stmt
	loop  bool // takes continue
	par   bool // parallel
}

func (c *checker) withTarget(t *target, f func()) {
	c.fn.targets = append(c.fn.targets, t)
	f()
	c.fn.targets = c.fn.targets[:len(c.fn.targets)-1]
}

// branchStmt checks break, continue, goto and fallthrough.
func (c *checker) branchStmt(s *ast.BranchStmt) []typed.Stmt {
	switch s.Tok {
	case token.GOTO:
		c.notGo(s.Pos(), "goto", "use loops with break and continue")
		return nil
	case token.FALLTHROUGH:
		c.errorf(syntax.NoTarget, s.Pos(), "", "fallthrough stands at the end of a case, and not in the last one")
		return nil
	}
	isBreak := s.Tok == token.BREAK
	t, crossed := c.findTarget(s, isBreak)
	switch {
	case t == nil:
		return nil
	case crossed || isBreak && t.par:
		c.errorf(syntax.ParallelBreak, s.Pos(), "use continue to end the iteration, or `range serial(…)` to run the loop in order", "%s out of a parallel loop", s.Tok)
		return nil
	case c.leavesUnbounded(s.Pos(), s.Tok.String(), t):
		return nil
	case isBreak:
		return []typed.Stmt{&typed.Break{StmtBase: at(c.at(s.Pos())), Target: t.stmt}}
	}
	return []typed.Stmt{&typed.Continue{StmtBase: at(c.at(s.Pos())), Target: t.stmt}}
}

// leavesUnbounded reports a jump to beyond a serial loop over an unbounded field:
// that loop is a task of its own, so it can be ended, and no more. A nil target is
// that of return.
func (c *checker) leavesUnbounded(p token.Pos, what string, to *target) bool {
	for i := len(c.fn.targets) - 1; i >= 0 && c.fn.targets[i] != to; i-- {
		if loop, ok := c.fn.targets[i].stmt.(*typed.FieldFor); ok && loop.Field != nil && loop.Field.Unbounded {
			c.errorf(syntax.UnboundedLoop, p, "break out of this loop, and go on from there", "%s leaves more than the loop over %s, which lies in a hash node without sizes", what, loop.Field.Name)
			return true
		}
	}
	return false
}

// findTarget finds what a break or continue aims at, nil after an error; crossed
// says that a parallel loop lies between.
func (c *checker) findTarget(s *ast.BranchStmt, isBreak bool) (t *target, crossed bool) {
	for i := len(c.fn.targets) - 1; i >= 0; i-- {
		t = c.fn.targets[i]
		switch {
		case s.Label != nil && t.label == s.Label.Name:
			if !isBreak && !t.loop {
				c.errorf(syntax.BadLabel, s.Label.Pos(), "", "label %s is not that of a loop", s.Label.Name)
				return nil, false
			}
			return t, crossed
		case s.Label == nil && (isBreak || t.loop):
			return t, crossed
		}
		crossed = crossed || t.par
	}
	if s.Label != nil && c.leftOut[s.Label.Name] {
		return nil, false
	}
	if s.Label != nil {
		c.errorf(syntax.BadLabel, s.Label.Pos(), "put the label before the loop that is meant", "no loop around this has the label %s", s.Label.Name)
		return nil, false
	}
	what := "loop"
	if isBreak {
		what = "loop or switch"
	}
	c.errorf(syntax.NoTarget, s.Pos(), "", "%s without a %s around it", s.Tok, what)
	return nil, false
}

// forStmt checks `for cond`, `for {}` and the three-clause for.
func (c *checker) forStmt(s *ast.ForStmt, label string) []typed.Stmt {
	c.openScope()
	defer c.closeScope()
	var out []typed.Stmt
	if s.Init != nil {
		out = c.stmt(s.Init, "")
	}
	old := c.fn.outermost
	c.fn.outermost = false
	loop := &typed.Loop{StmtBase: at(c.at(s.Pos()))}
	if s.Cond != nil {
		loop.Cond = c.condition(s.Cond)
		if k, ok := loop.Cond.(*typed.Const); ok && k.Vals[0].Bool() {
			loop.Cond = nil
		}
	}
	if s.Post != nil {
		loop.Post = c.stmt(s.Post, "")
	}
	unsure := c.fn.unsure
	c.fn.unsure = unsure || c.file.LeftOut(s.Pos())
	c.withTarget(&target{label: label, stmt: loop, loop: true}, func() { loop.Body = c.block(s.Body) })
	c.fn.outermost, c.fn.unsure = old, unsure
	return append(out, loop)
}

// switchStmt turns a switch into a Scope with a chain of ifs.
func (c *checker) switchStmt(s *ast.SwitchStmt, label string) []typed.Stmt {
	c.openScope()
	defer c.closeScope()
	var out []typed.Stmt
	if s.Init != nil {
		out = c.stmt(s.Init, "")
	}
	var tag typed.Expr
	if s.Tag != nil {
		tag = c.defaultType(c.value(s.Tag), s.Tag.Pos())
		if _, ok := tag.(*typed.Const); !ok && !isUnknown(tag.Type()) {
			ref, def := c.temp(tag)
			tag, out = ref, append(out, def)
		}
	}
	old := c.fn.outermost
	c.fn.outermost = false
	scope := &typed.Scope{StmtBase: at(c.at(s.Pos()))}
	c.withTarget(&target{label: label, stmt: scope}, func() { scope.Body = c.cases(s, tag) })
	c.fn.outermost = old
	return append(out, scope)
}

// A clause is a case of a switch, checked.
type clause struct {
	cond    typed.Expr // nil: default
	body    *typed.Block
	through bool // ends in fallthrough
	pos     token.Position
}

func (c *checker) cases(s *ast.SwitchStmt, tag typed.Expr) *typed.Block {
	var clauses []clause
	visited := map[string]bool{}
	hasDefault, through := false, false
	for i, st := range s.Body.List {
		cc := st.(*ast.CaseClause)
		k := clause{pos: c.at(cc.Pos())}
		if cc.List == nil {
			if hasDefault {
				c.errorf(syntax.DuplicateCase, cc.Pos(), "", "the switch has two defaults")
			}
			hasDefault = true
		}
		for _, e := range cc.List {
			k.cond = c.anyOf(k.cond, c.caseCond(tag, s.Tag, e, visited), e.Pos())
		}
		list := cc.Body
		if n := len(list); n > 0 && i < len(s.Body.List)-1 {
			if b, ok := list[n-1].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
				list, k.through, through = list[:n-1], true, true
			}
		}
		c.openScope()
		k.body = &typed.Block{StmtBase: at(k.pos), List: c.stmts(list)}
		c.closeScope()
		clauses = append(clauses, k)
	}
	p := c.at(s.Pos())
	if through {
		return c.fallingCases(clauses, p)
	}
	var chain *typed.Block
	for _, k := range clauses {
		if k.cond == nil {
			chain = k.body
		}
	}
	for i := len(clauses) - 1; i >= 0; i-- {
		if k := clauses[i]; k.cond != nil {
			chain = &typed.Block{StmtBase: at(k.pos), List: []typed.Stmt{&typed.If{StmtBase: at(k.pos), Cond: k.cond, Then: k.body, Else: chain}}}
		}
	}
	if chain == nil {
		chain = &typed.Block{StmtBase: at(p)}
	}
	return chain
}

// fallingCases makes a switch with fallthrough: a variable says which clause is
// next, and the clauses stand one after the other.
func (c *checker) fallingCases(clauses []clause, p token.Position) *typed.Block {
	number := func(i int) *typed.Const {
		return &typed.Const{ExprBase: ex(p, typed.I32), Vals: []typed.Num{typed.IntNum(int64(i))}}
	}
	ref, def := c.temp(number(-1))
	ref.Var.Assigned = true
	set := func(i int) *typed.Block {
		return &typed.Block{StmtBase: at(p), List: []typed.Stmt{&typed.Assign{StmtBase: at(p), Places: []typed.Expr{ref}, Values: []typed.Expr{number(i)}}}}
	}
	var chain *typed.Block
	for i, k := range clauses {
		if k.cond == nil {
			chain = set(i)
		}
	}
	for i := len(clauses) - 1; i >= 0; i-- {
		if k := clauses[i]; k.cond != nil {
			chain = &typed.Block{StmtBase: at(k.pos), List: []typed.Stmt{&typed.If{StmtBase: at(k.pos), Cond: k.cond, Then: set(i), Else: chain}}}
		}
	}
	out := &typed.Block{StmtBase: at(p), List: []typed.Stmt{def, chain}}
	for i, k := range clauses {
		if k.through {
			k.body.List = append(k.body.List, set(i+1))
		}
		is := &typed.Binary{ExprBase: ex(k.pos, typed.Bool), Op: typed.Eq, X: ref, Y: number(i)}
		out.List = append(out.List, &typed.If{StmtBase: at(k.pos), Cond: is, Then: k.body, Else: nil})
	}
	return out
}

// caseCond is the condition of one expression of a case.
func (c *checker) caseCond(tag typed.Expr, tagSource, e ast.Expr, visited map[string]bool) typed.Expr {
	if tag == nil {
		return c.condition(e)
	}
	x := c.value(e)
	if k, ok := x.(*typed.Const); ok && !isUnknown(k.T) {
		key := ""
		for _, v := range k.Vals {
			if !v.Known() {
				key = ""
				break
			}
			key += v.String() + ","
		}
		if key != "" && visited[key] && k.From == 0 {
			c.errorf(syntax.DuplicateCase, e.Pos(), "", "case %s is there already", c.shortText(e))
		}
		visited[key] = true
	}
	return c.binary(typed.Eq, tag, x, tagSource, e, e.Pos())
}

func (c *checker) anyOf(a, b typed.Expr, p token.Pos) typed.Expr {
	switch {
	case a == nil:
		return b
	case isUnknown(a.Type()) || isUnknown(b.Type()):
		return c.bad(p)
	}
	return c.logic(typed.LOr, a, b, p)
}
