package check

import (
	"go/ast"
	"go/token"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// An access says how a place is written.
type access uint8

const (
	overwrite  access = iota
	accumulate        // by an atomic form, which a parallel loop may do to outer variables
)

func (c *checker) assignStmt(s *ast.AssignStmt) []typed.Stmt {
	switch s.Tok {
	case token.DEFINE:
		return c.define(s.Lhs, s.Rhs, nil, s.TokPos)
	case token.ASSIGN:
		return c.assign(s)
	}
	op, ok := assignOps[s.Tok]
	if !ok || len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		c.errorf(syntax.BadSyntax, s.TokPos, "", "%s takes one place and one value", s.Tok)
		return nil
	}
	return c.update(op, s.Lhs[0], s.Rhs[0], s.TokPos)
}

var assignOps = map[token.Token]typed.Op{
	token.ADD_ASSIGN: typed.Add, token.SUB_ASSIGN: typed.Sub, token.MUL_ASSIGN: typed.Mul, token.QUO_ASSIGN: typed.Div, token.REM_ASSIGN: typed.Rem,
	token.AND_ASSIGN: typed.And, token.OR_ASSIGN: typed.Or, token.XOR_ASSIGN: typed.Xor, token.AND_NOT_ASSIGN: typed.AndNot,
	token.SHL_ASSIGN: typed.Shl, token.SHR_ASSIGN: typed.Shr,
}

// values checks the right side of an assignment to n places: as many values, or
// one call with as many results (a single Call then), or one vector to unpack.
// The statements must come first. It gives nil after an error of number.
func (c *checker) values(rhs []ast.Expr, n int, p token.Pos) ([]typed.Expr, []typed.Stmt) {
	if len(rhs) == n {
		xs := make([]typed.Expr, n)
		for i, e := range rhs {
			xs[i] = c.value(e)
		}
		return xs, nil
	}
	if len(rhs) != 1 {
		c.survey(rhs...)
		c.errorf(syntax.AssignCount, p, "", "%d %s for %d %s", len(rhs), plural("value", len(rhs)), n, plural("place", n))
		return nil, nil
	}
	x := c.valueOrTuple(rhs[0])
	if isUnknown(x.Type()) {
		return nil, nil
	}
	if call, ok := x.(*typed.Call); ok && len(call.Func.Results) == n {
		return []typed.Expr{call}, nil
	}
	if a, ok := x.Type().(typed.Array); ok && a.Len == n {
		var pre []typed.Stmt
		if _, ok := x.(*typed.Const); !ok {
			ref, def := c.temp(x)
			x, pre = ref, []typed.Stmt{def}
		}
		xs := make([]typed.Expr, n)
		size := typed.Components(a.Elem)
		for i := range xs {
			comps := make([]int, size)
			for j := range comps {
				comps[j] = i*size + j
			}
			xs[i] = extract(x, a.Elem, comps, x.Position())
		}
		return xs, pre
	}
	gives := c.name(x.Type())
	c.errorf(syntax.AssignCount, p, "", "%d places, and the right side gives %s", n, gives)
	return nil, nil
}

// define checks a, b := x, y, and var a, b t = x, y.
func (c *checker) define(lhs, rhs []ast.Expr, t typed.Type, p token.Pos) []typed.Stmt {
	if out, ok := c.defineReferences(lhs, rhs, t); ok {
		return out
	}
	if t == nil && c.defineLiteral(lhs, rhs) {
		return nil
	}
	names := make([]*ast.Ident, len(lhs))
	fresh := make([]bool, len(lhs))
	isVar, anyFresh := t != nil || !c.isDefine(p), false
	for i, e := range lhs {
		id, ok := e.(*ast.Ident)
		if !ok {
			c.errorf(syntax.NotAssignable, e.Pos(), "write = to assign", ":= declares variables, and this is no name")
			c.survey(rhs...)
			c.survey(e)
			c.declareUnknown(lhs)
			return nil
		}
		names[i] = id
		old := c.fn.scope.names[id.Name]
		fresh[i] = id.Name != "_" && (old == nil || old.kind != objVar || isVar)
		anyFresh = anyFresh || fresh[i]
	}
	if !anyFresh && !isVar {
		c.errorf(syntax.NothingNew, p, "write = to assign", "there is no new variable on the left of :=")
	}
	before := len(c.errs)
	xs, out := c.values(rhs, len(lhs), p)
	for _, e := range rhs {
		c.suggestSection(before, e)
	}
	call := len(xs) == 1 && len(lhs) > 1
	if xs == nil {
		for i, n := range names {
			if fresh[i] {
				c.newVar(n, typed.Unknown)
			}
		}
		return nil
	}
	var vals []typed.Expr
	if call {
		for _, r := range xs[0].(*typed.Call).Func.Results {
			vals = append(vals, &typed.VarRef{ExprBase: ex(xs[0].Position(), r.Type), Var: r}) // for its type
		}
	} else {
		for i, x := range xs {
			vals = append(vals, c.initial(x, t, names[i], rhs[min(i, len(rhs)-1)]))
		}
	}
	if !call && (anyFresh || isVar) && allFreshOrBlank(fresh, names) {
		for i, n := range names {
			if fresh[i] {
				v := c.newVar(n, vals[i].Type())
				out = append(out, &typed.Define{StmtBase: at(v.Pos), Var: v, Init: vals[i]})
			} else {
				out = append(out, &typed.Assign{StmtBase: at(c.at(n.Pos())), Places: []typed.Expr{nil}, Values: []typed.Expr{vals[i]}})
			}
		}
		return out
	}
	st := &typed.Assign{StmtBase: at(c.at(p)), Values: vals}
	if call {
		st.Values = xs
	}
	for i, n := range names {
		switch {
		case n.Name == "_":
			st.Places = append(st.Places, nil)
		case fresh[i]:
			v := c.newVar(n, vals[i].Type())
			v.Assigned = true
			out = append(out, &typed.Define{StmtBase: at(v.Pos), Var: v, Init: nil})
			st.Places = append(st.Places, &typed.VarRef{ExprBase: ex(v.Pos, v.Type), Var: v})
		default:
			place, ok := c.place(n, overwrite)
			if ok && !call {
				st.Values[i] = c.assignable(vals[i], place.Type(), rhs[min(i, len(rhs)-1)], n.Name)
			} else if ok && place.Type() != vals[i].Type() && !isUnknown(vals[i].Type()) {
				c.errorf(syntax.NeedsConversion, n.Pos(), "assign to a new variable and convert it", "%s is of type %s, and the call gives %s", n.Name, place.Type(), vals[i].Type())
			}
			st.Places = append(st.Places, place)
		}
	}
	return append(out, st)
}

// isDefine reports whether := stands at p, rather than var.
func (c *checker) isDefine(p token.Pos) bool { return c.file.Text(p, p+2) == ":=" }

func allFreshOrBlank(fresh []bool, names []*ast.Ident) bool {
	for i := range fresh {
		if !fresh[i] && names[i].Name != "_" {
			return false
		}
	}
	return true
}

// initial gives a value the type of a new variable.
func (c *checker) initial(x typed.Expr, t typed.Type, n *ast.Ident, e ast.Expr) typed.Expr {
	if t != nil {
		return c.assignable(x, t, e, n.Name)
	}
	if s, ok := x.Type().(typed.Slice); ok {
		c.errorf(syntax.BadDeclaration, e.Pos(), "use the parameter itself", "a variable cannot hold a slice (%s)", s)
		return c.bad(e.Pos())
	}
	return c.defaultType(x, e.Pos())
}

// assign checks a, b = x, y.
func (c *checker) assign(s *ast.AssignStmt) []typed.Stmt {
	if len(s.Lhs) == 1 && len(s.Rhs) == 1 && c.inParallel() {
		if op, args := c.accumulation(s.Lhs[0], s.Rhs[0]); op != typed.NoOp && c.isShared(s.Lhs[0]) {
			return c.accumulate(op, s.Lhs[0], args, s.TokPos)
		}
	}
	for _, e := range s.Lhs {
		if c.namesReference(e) {
			c.place(e, overwrite) // says that it is not assigned anew
			c.survey(s.Rhs...)
			return nil
		}
	}
	xs, out := c.values(s.Rhs, len(s.Lhs), s.TokPos)
	places := make([]typed.Expr, len(s.Lhs))
	ok := xs != nil
	for i, e := range s.Lhs {
		if id, blank := e.(*ast.Ident); blank && id.Name == "_" {
			continue
		}
		before := len(c.errs)
		p, good := c.place(e, overwrite)
		if !good && len(s.Lhs) == 1 && len(s.Rhs) == 1 {
			c.suggestAccumulation(before, e, s.Rhs[0], p)
		}
		places[i] = p
		ok = ok && good
	}
	if !ok {
		return nil
	}
	if call, isCall := xs[0].(*typed.Call); isCall && len(xs) == 1 && len(places) > 1 {
		for i, p := range places {
			if r := call.Func.Results[i].Type; p != nil && p.Type() != r && !isUnknown(r) {
				c.errorf(syntax.NeedsConversion, s.Lhs[i].Pos(), "assign to a new variable and convert it", "%s is of type %s, and the call gives %s", c.shortText(s.Lhs[i]), p.Type(), r)
			}
		}
		return append(out, &typed.Assign{StmtBase: at(c.at(s.TokPos)), Places: places, Values: xs})
	}
	for i, p := range places {
		e := s.Rhs[min(i, len(s.Rhs)-1)]
		if p == nil {
			xs[i] = c.defaultType(xs[i], e.Pos())
		} else {
			before := len(c.errs)
			xs[i] = c.assignable(xs[i], p.Type(), e, c.shortText(s.Lhs[i]))
			if how, ok := c.conversionSince(before); ok && len(s.Lhs) == 1 {
				c.errs[before].Help = "write " + c.shortText(s.Lhs[i]) + " = " + how
			}
		}
	}
	a := &typed.Assign{StmtBase: at(c.at(s.TokPos)), Places: places, Values: xs}
	if len(places) == 1 {
		op, _ := c.accumulation(s.Lhs[0], s.Rhs[0])
		a.Accumulates = op == typed.Min || op == typed.Max
	}
	return append(out, a)
}

// rootObject returns the local variable that a place is part of, nil for fields.
func (c *checker) rootObject(e ast.Expr) *object {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.UnaryExpr:
			e = x.X
		case *ast.Ident:
			o := c.lookup(x.Name)
			switch {
			case o == nil || o.kind != objVar:
				return nil
			case o.place != nil:
				return o.origin
			}
			return o
		default:
			return nil
		}
	}
}

// isShared reports whether other iterations may see the place: memory, or a
// variable from outside of the parallel loop.
func (c *checker) isShared(e ast.Expr) bool {
	o := c.rootObject(e)
	if o == nil {
		return true
	}
	if o.shared || isMemory(o.typ) {
		return true
	}
	return c.fn.par != nil && o.par != c.fn.par
}

// isMemory reports whether a parameter of type t is memory of the host.
func isMemory(t typed.Type) bool {
	switch t.(type) {
	case typed.Slice, typed.View:
		return true
	}
	return false
}

// use marks the variable that e is part of as used.
func (c *checker) use(e ast.Expr) {
	if o := c.rootObject(e); o != nil {
		o.used = true
	}
}

// place checks the left side of an assignment. Writing is no use of a variable.
func (c *checker) place(e ast.Expr, how access) (typed.Expr, bool) {
	o := c.rootObject(e)
	used := o != nil && o.used
	var reads map[*typed.Var]token.Pos
	if c.fn.par != nil && o != nil {
		reads = c.fn.par.reads
		if _, before := reads[o.v]; before {
			reads = nil
		}
	}
	if c.namesReference(e) {
		c.errorf(syntax.BadReference, e.Pos(), "write *"+c.shortText(e)+" for what it refers to", "%s is a reference, and stays bound to its place", c.shortText(e))
		c.markUsed(e)
		return nil, false
	}
	x := c.value(e)
	if o != nil {
		o.used = used
		if reads != nil {
			delete(reads, o.v)
		}
	}
	if isUnknown(x.Type()) {
		if o != nil {
			o.used = true
		}
		return nil, false
	}
	if why := notPlace(x); why != "" {
		c.errorf(syntax.NotAssignable, e.Pos(), "", "%s cannot be assigned to: it is %s", c.shortText(e), why)
		return nil, false
	}
	v := rootVar(x)
	if v == nil {
		return x, true
	}
	if c.isCaptured(o) {
		c.errorf(syntax.CaptureWrite, e.Pos(), "return the value, or write to a field", "a function literal reads %s, a variable from outside of it, and cannot assign to it", o.name)
		return nil, false
	}
	v.Assigned = true
	if c.fn.par == nil || o == nil || o.par == c.fn.par {
		return x, true
	}
	if how == overwrite {
		c.errorf(syntax.ParallelWrite, e.Pos(), "declare it inside the loop, accumulate with += or max, or run the loop in order with `range serial(…)`",
			"a parallel loop cannot assign to %s, a variable from outside of it", o.name)
		return x, false
	}
	v.Reduced = true
	c.fn.par.reduced[v] = true
	return x, true
}

// notPlace says what x is if nothing can be assigned to it.
func notPlace(x typed.Expr) string {
	switch x := x.(type) {
	case *typed.VarRef:
		if _, ok := x.T.(typed.Slice); ok {
			return "a slice"
		}
		return ""
	case *typed.Element, *typed.SliceElement:
		return ""
	case *typed.Index:
		return notPlace(x.X)
	case *typed.Extract:
		visited := map[int]bool{}
		for _, i := range x.Comps {
			if visited[i] {
				return "a swizzle that names a component twice"
			}
			visited[i] = true
		}
		return notPlace(x.X)
	case *typed.Const:
		return "a constant"
	}
	return "a computed value"
}
