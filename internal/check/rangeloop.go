package check

import (
	"go/ast"
	"go/token"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// A rangeSpec is what stands behind range, its wrappers taken off.
type rangeSpec struct {
	core   ast.Expr
	serial bool
	static bool
	hints  []typed.Hint
}

func (c *checker) rangeSpec(e ast.Expr) (rangeSpec, bool) {
	spec := rangeSpec{core: e}
	for {
		if call, ok := c.builtinCall(spec.core, "serial"); ok {
			if !c.argCount("serial", call, 1, 1, "range serial(x)") {
				return spec, false
			}
			spec.serial, spec.core = true, call.Args[0]
			continue
		}
		if call, ok := c.builtinCall(spec.core, "static"); ok {
			if !c.argCount("static", call, 1, 1, staticUsage(c, call)) {
				return spec, false
			}
			spec.static, spec.core = true, call.Args[0]
			continue
		}
		if call, ok := c.builtinCall(spec.core, "unroll"); ok { // in the prelude
			spec.static, spec.core = c.unroll, call.Args[0]
			continue
		}
		call, ok := c.builtinCall(spec.core, "config")
		if !ok {
			return spec, true
		}
		if !c.argCount("config", call, 1, -1, "range config(x, threads(8))") {
			return spec, false
		}
		for _, h := range call.Args[1:] {
			c.hint(&spec, h)
		}
		spec.core = call.Args[0]
	}
}

// hint checks one option of config.
func (c *checker) hint(spec *rangeSpec, e ast.Expr) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	var id *ast.Ident
	if ok {
		id, ok = call.Fun.(*ast.Ident)
	}
	if !ok {
		c.errorf(syntax.BadHint, e.Pos(), "write threads(8), blockDim(128), blockLocal(x), cacheReadOnly(x) or bitVectorize(32)", "this is no hint for a loop")
		c.survey(e)
		return
	}
	switch id.Name {
	case "threads", "blockDim", "bitVectorize":
		if !c.argCount(id.Name, call, 1, 1, id.Name+"(8)") {
			return
		}
		if n, ok := c.constInt(call.Args[0]); ok && (n < 1 || n > 1<<20) {
			c.errorf(syntax.BadHint, call.Args[0].Pos(), "give a number from 1", "%s(%d) makes no sense", id.Name, n)
		} else if ok {
			spec.hints = append(spec.hints, typed.Hint{Name: id.Name, Value: int(n)})
		}
	case "blockLocal", "cacheReadOnly":
		h := typed.Hint{Name: id.Name}
		for _, a := range call.Args {
			op := c.expr(a)
			switch op.mode {
			case modeField:
				h.Fields = append(h.Fields, c.fieldOf(op.obj, a.Pos()))
			case modeBad:
			default:
				c.errorf(syntax.BadHint, a.Pos(), "name fields", "%s takes fields", id.Name)
			}
		}
		spec.hints = append(spec.hints, h)
	default:
		c.errorf(syntax.BadHint, id.Pos(), "the hints are threads, blockDim, blockLocal, cacheReadOnly and bitVectorize", "there is no hint %s", id.Name)
		c.survey(call.Args...)
	}
}

// rangeStmt checks every kind of range loop.
func (c *checker) rangeStmt(s *ast.RangeStmt, label string) []typed.Stmt {
	vars, ok := c.rangeVars(s)
	spec, good := c.rangeSpec(s.X)
	r := &ranging{c: c, s: s, label: label, spec: spec, vars: vars}
	if !ok || !good {
		if good {
			c.survey(spec.core)
		}
		r.unknown()
		return nil
	}
	switch {
	case r.isCall("span"), r.isCall("ndrange"):
		return r.product()
	}
	if l, ok := c.listOf(spec.core); ok && (len(l.index) > 0 || l.o == nil || len(vars) == 2) {
		return r.list(l) // a list without an index is also a field
	}
	op := r.operand(func() operand {
		op := c.expr(spec.core)
		if op.mode == modeRef { // as in Go, over what it refers to
			op.mode = modeValue
		}
		return op
	})
	switch op.mode {
	case modeField:
		return r.field(op.obj)
	case modeNode:
		return r.overNode(op.obj)
	case modeBundle:
		return r.overBundle(op.obj)
	case modeValue:
		return r.value(op.x)
	case modeBad:
	default:
		c.cannotRange(spec.core, c.shortText(spec.core))
	}
	r.unknown()
	return nil
}

// operand evaluates a part of what the loop ranges over: for a static loop only
// constants will do.
func (r *ranging) operand(eval func() operand) operand {
	if r.spec.static {
		r.c.fixed++
		defer func() { r.c.fixed-- }()
	}
	return eval()
}

func (c *checker) cannotRange(e ast.Expr, what string) {
	c.errorf(syntax.CannotRange, e.Pos(), "range goes over an integer, span, ndrange, a field, slice, array or vector", "cannot range over %s", what)
}

// rangeVars returns the names of the loop variables, nil for _.
func (c *checker) rangeVars(s *ast.RangeStmt) ([]*ast.Ident, bool) {
	if s.Key == nil {
		return nil, true
	}
	list := []ast.Expr{s.Key}
	if s.Value != nil {
		list = append(list, s.Value)
	}
	var ids []*ast.Ident
	all := true
	for _, e := range list {
		id, ok := e.(*ast.Ident)
		if !ok || s.Tok == token.ASSIGN && id.Name != "_" {
			c.errorf(syntax.NotAssignable, e.Pos(), "declare it: for i := range …", "a range loop has variables of its own")
			all = false
		}
		switch {
		case !ok:
			c.survey(e)
		case id.Name == "_":
			id = nil
		}
		ids = append(ids, id)
	}
	if len(ids) == 1 && ids[0] == nil {
		ids = nil
	}
	return ids, all
}

// ranging is a range loop being checked.
type ranging struct {
	c      *checker
	s      *ast.RangeStmt
	label  string
	spec   rangeSpec
	vars   []*ast.Ident // nil entries for _
	pre    []typed.Stmt // evaluates bounds before the loop
	active *object      // a section of which inactive cells are passed over; nil for none
}

func (r *ranging) isCall(name string) bool {
	_, ok := r.c.builtinCall(r.spec.core, name)
	return ok
}

// unknown checks the body of a loop over something wrong, for its other errors.
func (r *ranging) unknown() {
	old := r.c.fn.unsure
	r.c.fn.unsure = true
	defer func() { r.c.fn.unsure = old }()
	r.body(&typed.Loop{StmtBase: at(r.c.at(r.s.Pos()))}, false, func() {
		for _, v := range r.vars {
			if v != nil {
				r.c.newVar(v, typed.Unknown)
			}
		}
	})
}

// parallel reports whether the loop is parallel, if what it ranges over allows it.
func (r *ranging) parallel() bool { return !r.spec.serial && r.outermost() }

// outermost reports whether the loop stands where loops are parallel.
func (r *ranging) outermost() bool {
	f := r.c.fn
	return f.ctx == typed.Outermost && f.outermost && f.par == nil
}

// body checks the body in a scope where enter declares the loop variables.
func (r *ranging) body(loop typed.Stmt, parallel bool, enter func()) *typed.Block {
	c := r.c
	par, outermost := c.fn.par, c.fn.outermost
	if parallel {
		c.fn.par = &parLoop{reads: map[*typed.Var]token.Pos{}, reduced: map[*typed.Var]bool{}}
	}
	c.fn.outermost = false
	c.openScope()
	enter()
	var b *typed.Block
	c.withTarget(&target{label: r.label, stmt: loop, loop: true, par: parallel}, func() { b = c.block(r.s.Body) })
	c.closeScope()
	if parallel {
		c.closeParallel(c.fn.par)
	}
	c.fn.par, c.fn.outermost = par, outermost
	return b
}

// index declares the loop variables of a loop over n axes with index type s.
func (r *ranging) index(n int, s typed.Scalar) (index []*typed.Var, group *typed.Var) {
	c := r.c
	switch {
	case len(r.vars) == 1 && n != 1: // of a field of rank 0 an index without components
		return nil, c.newVar(r.vars[0], typed.ArrayOf(s, n))
	case len(r.vars) == 0:
		return make([]*typed.Var, n), nil
	}
	for _, v := range r.vars {
		var x *typed.Var
		if v != nil {
			x = c.newVar(v, s)
		}
		index = append(index, x)
	}
	return index, nil
}

// countVars reports a number of variables that does not suit n axes.
func (r *ranging) countVars(n int) bool {
	if len(r.vars) < 2 || n == 2 {
		return true
	}
	help := "use one variable for the grouped index, and p.x, p.y, p.z, or `i, j, k := p` in the body"
	if n == 1 {
		help = "use one variable"
	}
	r.c.errorf(syntax.RangeVarCount, r.s.Key.Pos(), help, "two loop variables over %s", axes(n))
	r.unknown()
	return false
}

// field makes a loop over a field.
func (r *ranging) field(o *object) []typed.Stmt {
	c, f := r.c, o.field
	if r.spec.static {
		c.errorf(syntax.UnknownForStatic, r.spec.core.Pos(), "use static(ndrange(x.shape))", "a loop over a field is not unrolled")
		r.unknown()
		return nil
	}
	parallel := r.parallel()
	if !parallel && !r.spec.serial && !c.inParallel() && !c.fn.unsure {
		e := c.errorf(syntax.NestedFieldLoop, r.s.Pos(), "move it to the outermost scope of a kernel, or write range serial("+o.name+")", "this loop over %s %s is not in the outermost scope of a kernel, so it is not parallel", map[bool]string{true: "node", false: "field"}[o.kind == objNode], o.name)
		if len(c.stack) > 1 {
			e.Via = nil
			for i := len(c.stack) - 1; i > 0; i-- {
				e.Via = append(e.Via, c.stack[i].call)
			}
		}
	}
	if o.section != nil {
		return r.overSection(o)
	}
	if f.Rank < 0 { // unbound
		loop := &typed.FieldFor{StmtBase: at(c.at(r.s.Pos()))}
		loop.Body = r.body(loop, parallel, func() {
			for _, v := range r.vars {
				if v == nil {
					continue
				}
				t := typed.Unknown
				if len(r.vars) == 2 && v == r.vars[0] { // the other is an index too, or an element
					t = c.widths.Int
				}
				c.newVar(v, t)
			}
		})
		return []typed.Stmt{loop}
	}
	if !r.countVars(f.Rank) {
		return nil
	}
	if f.Unbounded && !(parallel || r.outermost()) && !c.fn.unsure {
		c.errorf(syntax.UnboundedLoop, r.s.Pos(), "move it to the outermost scope of a kernel", "this loop over %s stands inside other statements: it lies in a hash node without sizes, whose cells only the host can list", o.name)
		r.unknown()
		return nil
	}
	loop := &typed.FieldFor{StmtBase: at(c.at(r.s.Pos())), Field: f, Parallel: parallel, Serial: r.spec.serial, Hints: r.spec.hints}
	loop.Body = r.body(loop, parallel, func() { loop.Index, loop.Group = r.index(f.Rank, c.widths.Int) })
	return []typed.Stmt{loop}
}

// value makes a loop over the value of an expression.
func (r *ranging) value(x typed.Expr) []typed.Stmt {
	c := r.c
	switch t := x.Type().(type) {
	case typed.Slice:
		return r.slice(x.(*typed.VarRef), t)
	case typed.Array:
		return r.array(x, t)
	case typed.Scalar:
		if t.IsInt() {
			zero := &typed.Const{ExprBase: ex(x.Position(), typed.UntypedInt), Vals: []typed.Num{typed.IntNum(0)}}
			return r.over([]bounds{{zero, x, r.spec.core}})
		}
	}
	if !isUnknown(x.Type()) {
		if typed.ScalarOf(x.Type()).IsFloat() {
			c.errorf(syntax.CannotRange, r.spec.core.Pos(), "convert it: i32("+c.shortText(r.spec.core)+")", "cannot range over %s", c.describe(x))
		} else {
			c.cannotRange(r.spec.core, c.describe(x))
		}
	}
	r.unknown()
	return nil
}

// slice makes a loop over the elements of a slice.
func (r *ranging) slice(x *typed.VarRef, t typed.Slice) []typed.Stmt {
	c := r.c
	if r.spec.static {
		c.errorf(syntax.UnknownForStatic, r.spec.core.Pos(), "use an ordinary loop", "the length of a slice is known at run time only")
		r.unknown()
		return nil
	}
	hi := &typed.Builtin{ExprBase: ex(c.at(r.s.Pos()), c.widths.Int), Fn: typed.LenFn, Args: []typed.Expr{x}}
	return []typed.Stmt{r.elements(hi, r.parallel(), t.Elem, func(i *typed.VarRef, v *typed.Var) typed.Expr {
		return &typed.SliceElement{ExprBase: ex(v.Pos, t.Elem), Slice: x.Var, Index: i}
	})}
}

// elements makes a loop over n elements; element gives the one at an index, for the
// variable that holds it.
func (r *ranging) elements(n typed.Expr, parallel bool, elem typed.Type, element func(i *typed.VarRef, v *typed.Var) typed.Expr) typed.Stmt {
	c := r.c
	p, s := c.at(r.s.Pos()), c.widths.Int
	loop := &typed.RangeFor{StmtBase: at(p), Dims: []typed.Range{{Lo: &typed.Const{ExprBase: ex(p, s), Vals: []typed.Num{typed.IntNum(0)}}, Hi: n}}, Parallel: parallel, Serial: r.spec.serial, Hints: r.spec.hints}
	var def typed.Stmt
	loop.Body = r.body(loop, parallel, func() {
		i := r.elementIndex(loop, s)
		if len(r.vars) == 2 && r.vars[1] != nil {
			v := c.newVar(r.vars[1], elem)
			def = &typed.Define{StmtBase: at(v.Pos), Var: v, Init: element(i, v)}
		}
	})
	prepend(loop.Body, def)
	return loop
}

// array makes a loop over a vector or array: serial, or unrolled.
func (r *ranging) array(x typed.Expr, t typed.Array) []typed.Stmt {
	c := r.c
	s := c.widths.Int
	p := c.at(r.s.Pos())
	if _, ok := x.(*typed.Const); !ok {
		ref, def := c.temp(x)
		x = ref
		r.pre = append(r.pre, def)
	}
	number := func(n int) *typed.Const {
		return &typed.Const{ExprBase: ex(p, s), Vals: []typed.Num{typed.IntNum(int64(n))}, From: typed.FromShape}
	}
	if r.spec.static {
		return append(r.pre, r.unroll(t.Len, func(n int) []typed.Stmt {
			if len(r.vars) > 0 && r.vars[0] != nil {
				r.constant(r.vars[0], number(n))
			}
			if len(r.vars) < 2 || r.vars[1] == nil {
				return nil
			}
			el := c.elementAt(x, t, number(n), r.s.X)
			if k, ok := el.(*typed.Const); ok {
				r.constant(r.vars[1], k)
				return nil
			}
			v := c.newVar(r.vars[1], t.Elem)
			return []typed.Stmt{&typed.Define{StmtBase: at(v.Pos), Var: v, Init: el}}
		})...)
	}
	loop := &typed.RangeFor{StmtBase: at(p), Dims: []typed.Range{{Lo: number(0), Hi: number(t.Len)}}, Serial: r.spec.serial, Hints: r.spec.hints}
	var def typed.Stmt
	loop.Body = r.body(loop, false, func() {
		i := r.elementIndex(loop, s)
		if len(r.vars) == 2 && r.vars[1] != nil {
			v := c.newVar(r.vars[1], t.Elem)
			def = &typed.Define{StmtBase: at(v.Pos), Var: v, Init: c.elementAt(x, t, i, r.s.X)}
		}
	})
	prepend(loop.Body, def)
	return append(r.pre, loop)
}

// elementIndex declares the index of a loop over elements, a temporary if the
// source does not name it.
func (r *ranging) elementIndex(loop *typed.RangeFor, s typed.Scalar) *typed.VarRef {
	p := r.c.at(r.s.Pos())
	v := &typed.Var{Type: s, Pos: p}
	if len(r.vars) > 0 && r.vars[0] != nil {
		v = r.c.newVar(r.vars[0], s)
	}
	loop.Index = []*typed.Var{v}
	return &typed.VarRef{ExprBase: ex(p, s), Var: v}
}

func prepend(b *typed.Block, s typed.Stmt) {
	if s != nil {
		b.List = append([]typed.Stmt{s}, b.List...)
	}
}

// staticUsage says how to write a static loop: with two arguments, from the first to
// below the second.
func staticUsage(c *checker, call *ast.CallExpr) string {
	if len(call.Args) == 2 {
		return "range static(span(" + c.shortText(call.Args[0]) + ", " + c.shortText(call.Args[1]) + "))"
	}
	return "range static(n)"
}
