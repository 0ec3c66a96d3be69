package check

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// call checks f(args): a conversion, a builtin or a function of the source.
func (c *checker) call(e *ast.CallExpr) operand {
	if e.Ellipsis.IsValid() {
		c.errorf(syntax.BadSyntax, e.Ellipsis, "pass the slice itself", "there are no variadic calls")
		c.survey(e.Fun)
		c.survey(e.Args...)
		return operand{}
	}
	fun := ast.Unparen(e.Fun)
	if ix, ok := fun.(*ast.IndexExpr); ok {
		if id, ok := ix.X.(*ast.Ident); ok && c.lookup(id.Name) != nil && c.lookup(id.Name).kind == objBuiltin && id.Name == "bitcast" {
			return valueOf(c.bitcast(ix.Index, e))
		}
	}
	op := c.expr(fun)
	switch op.mode {
	case modeType:
		return valueOf(c.construct(op.typ, e))
	case modeBuiltin:
		return op.obj.fn(c, op.obj.name, e)
	case modeFunc:
		return valueOf(c.callWith(op.obj, nil, e.Args, e))
	case modeMethod:
		args := append([]ast.Expr{fun.(*ast.SelectorExpr).X}, e.Args...)
		return valueOf(c.callWith(op.obj, op.x, args, e))
	case modeBad:
		c.survey(e.Args...)
		return operand{}
	}
	c.errorf(syntax.NotCallable, e.Fun.Pos(), "write * for a product", "%s is not a function", c.shortText(e.Fun))
	c.survey(e.Args...)
	return operand{}
}

// args checks all arguments; false if one has an error.
func (c *checker) args(e *ast.CallExpr) ([]typed.Expr, bool) {
	xs := make([]typed.Expr, len(e.Args))
	ok := true
	for i, a := range e.Args {
		before := len(c.errs)
		xs[i] = c.value(a)
		c.suggestSection(before, a)
		ok = ok && !isUnknown(xs[i].Type())
	}
	return xs, ok
}

// argCount reports a number of arguments outside of lo to hi (-1: any).
func (c *checker) argCount(name string, e *ast.CallExpr, lo, hi int, usage string) bool {
	n := len(e.Args)
	if n >= lo && (hi < 0 || n <= hi) {
		return true
	}
	c.survey(e.Args...)
	c.errorf(syntax.ArgCount, e.Rparen, "write "+usage, "%s does not take %d %s", name, n, plural("argument", n))
	return false
}

// countedArgs checks lo to hi arguments (-1: any).
func (c *checker) countedArgs(name string, e *ast.CallExpr, lo, hi int, usage string) ([]typed.Expr, bool) {
	if !c.argCount(name, e, lo, hi, usage) {
		return nil, false
	}
	return c.args(e)
}

// callWith checks a call of a function of the source. Of a method the first argument
// is evaluated already, as receiver; else that is nil.
func (c *checker) callWith(o *object, receiver typed.Expr, args []ast.Expr, e *ast.CallExpr) typed.Expr {
	base := o.base()
	if base.kind == objBad || base.decl == nil {
		c.survey(args...)
		return c.bad(e.Pos())
	}
	params := c.params(base)
	if len(args) != len(params) {
		c.wrongCount(base, args, e)
		return c.bad(e.Pos())
	}
	xs := make([]typed.Expr, len(args))
	objs := map[int]*object{}
	var refs []byte
	ok := true
	for i, p := range params {
		if p.kind == runTime {
			if xs[i] = c.runTimeArg(base, p, receiver, args[i]); xs[i] == nil {
				ok = false
			}
			receiver = nil
			refs = append(refs, '-')
			if p.isReference() {
				refs[len(refs)-1] = c.refersTo(args[i])
			}
		} else if a := c.compileArg(base, p, args[i]); a != nil {
			objs[i] = a
			if a.section != nil && a.name != "_" {
				if xs[i] = c.sectionValue(a, args[i].Pos()); xs[i] != nil {
					refs = append(refs, '-')
				}
			}
		} else {
			ok = false
		}
	}
	if !ok {
		c.surveyFunc(base, e.Pos())
		return c.bad(e.Pos())
	}
	b := c.bindCall(o, objs, xs, func(i int) token.Pos {
		if i < 0 {
			return e.Pos()
		}
		return args[i].Pos()
	})
	if b == nil {
		return c.bad(e.Pos())
	}
	if strings.Trim(string(refs), "-") != "" {
		with := *b
		with.refs = string(refs)
		b = &with
	}
	in := c.instance(base, c.calleeContext(base), b, e.Pos())
	if in == nil {
		return c.bad(e.Pos())
	}
	f := in.f
	call := &typed.Call{ExprBase: ex(c.at(e.Pos()), f.Result()), Func: f}
	var positions []token.Pos
	for i, x := range xs {
		if x == nil {
			continue
		}
		p := f.Params[len(call.Args)]
		positions = append(positions, args[i].Pos())
		what := "parameter " + p.Name + " of " + base.name
		if r, ok := p.Type.(typed.Ref); ok {
			if x.Type() != r.Elem {
				c.errorf(syntax.ReferenceMismatch, args[i].Pos(), "", "%s takes a reference to a place of type %s, and this is of type %s", what, r.Elem, x.Type())
				return c.bad(e.Pos())
			}
			call.Args = append(call.Args, x)
			continue
		}
		call.Args = append(call.Args, c.assignable(x, p.Type, args[i], what))
	}
	call.Args = append(call.Args, c.captures(in, e.Pos())...)
	c.passed(call, refs, func(i int) token.Pos { return positions[i] })
	for _, r := range f.Results {
		if isUnknown(r.Type) {
			return c.bad(e.Pos())
		}
	}
	return call
}

// runTimeArg checks the argument of a run-time parameter, nil after an error that it
// makes no sense to go on from. Of a reference it is the place.
func (c *checker) runTimeArg(o *object, p param, receiver typed.Expr, e ast.Expr) typed.Expr {
	if receiver != nil {
		return c.receiver(o, receiver, e)
	}
	if p.isReference() {
		return c.reference(e, "parameter "+p.name+" of "+o.name)
	}
	return c.argument(e)
}

// wrongCount reports a call with too few or too many arguments. Go passes all results of
// a call that is the only argument; here they get names first.
func (c *checker) wrongCount(o *object, args []ast.Expr, e *ast.CallExpr) {
	help := "write " + c.signatureText(o)
	if inner := onlyCall(args); inner != nil {
		if call, ok := c.valueOrTuple(inner).(*typed.Call); ok && len(call.Func.Results) > 1 {
			help = "give the results of " + c.shortText(inner.Fun) + " names, a, b := …, and pass these"
		}
	} else {
		c.survey(args...)
	}
	c.errorf(syntax.ArgCount, e.Rparen, help, "%s does not take %d %s", o.name, len(args), plural("argument", len(args)))
	c.surveyFunc(o, e.Pos())
}

// onlyCall returns the call that is the only argument, or nil.
func onlyCall(args []ast.Expr) *ast.CallExpr {
	if len(args) != 1 {
		return nil
	}
	call, _ := ast.Unparen(args[0]).(*ast.CallExpr)
	return call
}

func plural(word string, n int) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

func (c *checker) signatureText(o *object) string {
	var parts []string
	for _, p := range c.params(o) {
		parts = append(parts, strings.TrimSpace(p.name+" "+o.file.Text(p.texpr.Pos(), p.texpr.End())))
	}
	return o.name + "(" + strings.Join(parts, ", ") + ")"
}

// calleeContext says in which context a function called here runs.
func (c *checker) calleeContext(o *object) typed.Context {
	switch {
	case c.fn == nil || c.fn.inst == nil || c.inParallel():
		return typed.Inside
	case c.fn.ctx == typed.Outermost && c.fn.outermost && c.loopsParallel(o):
		return typed.Outermost
	}
	return typed.Serial
}

// isBundleMethod reports whether o is an exported method of a bundle: to the kernels
// that call it, it is like an exported function.
func (c *checker) isBundleMethod(o *object) bool {
	return o.decl.Recv != nil && ast.IsExported(o.decl.Name.Name) && c.params(o)[0].kind != runTime
}

// construct checks T(args): a conversion, a splat, or a value from components.
func (c *checker) construct(t typed.Type, e *ast.CallExpr) typed.Expr {
	xs, ok := c.args(e)
	p := c.at(e.Pos())
	if !ok || isUnknown(t) {
		return c.bad(e.Pos())
	}
	s := typed.ScalarOf(t)
	c.growBy(typed.Components(t), xs...)
	if _, slice := t.(typed.Slice); slice {
		c.errorf(syntax.BadConstructor, e.Pos(), "", "%s is a type of parameters; no value is made of it", t)
		return c.bad(e.Pos())
	}
	if typed.HasStruct(t) {
		return c.constructStruct(t, xs, e)
	}
	if len(xs) == 0 {
		c.errorf(syntax.BadConstructor, e.Rparen, "write "+c.name(t)+"(0)", "%s() has no argument", t)
		return c.bad(e.Pos())
	}
	for i, x := range xs {
		if _, slice := x.Type().(typed.Slice); slice {
			c.errorf(syntax.BadConstructor, e.Args[i].Pos(), "use its elements", "%s cannot be converted", x.Type())
			return c.bad(e.Pos())
		}
		if typed.HasStruct(x.Type()) {
			c.errorf(syntax.BadConstructor, e.Args[i].Pos(), "use its fields", "%s cannot be converted to %s", x.Type(), t)
			return c.bad(e.Pos())
		}
	}
	if len(xs) == 1 {
		x, xt := xs[0], xs[0].Type()
		if _, scalar := xt.(typed.Scalar); scalar {
			return c.fromScalar(x, t, e)
		}
		if sameShape(xt, t) {
			return c.explicit(x, s, e.Args[0].Pos())
		}
	}
	n := 0
	for i, x := range xs {
		n += typed.Components(x.Type())
		xs[i] = c.explicit(x, s, e.Args[i].Pos())
		if isUnknown(xs[i].Type()) {
			return c.bad(e.Pos())
		}
	}
	if n != typed.Components(t) {
		help := ""
		if n > typed.Components(t) && len(xs) == 1 {
			help = "pick components with a swizzle: .xy"
		}
		c.errorf(syntax.BadConstructor, e.Pos(), help, "%s has %d %s, and the arguments give %d", t, typed.Components(t), plural("component", typed.Components(t)), n)
		return c.bad(e.Pos())
	}
	if _, scalar := t.(typed.Scalar); scalar { // of a vector of one
		return extract(xs[0], s, []int{0}, p)
	}
	return compose(xs, t, p)
}

// fromScalar converts a scalar and repeats it, on the diagonal of a square matrix.
func (c *checker) fromScalar(x typed.Expr, t typed.Type, e *ast.CallExpr) typed.Expr {
	s := typed.ScalarOf(t)
	x = c.explicit(x, s, e.Args[0].Pos())
	if isUnknown(x.Type()) {
		return c.bad(e.Pos())
	}
	d := typed.Dims(t)
	if len(d) < 2 {
		return splat(x, t)
	}
	if len(d) > 2 || d[0] != d[1] {
		if typed.Components(t) == 1 {
			return splat(x, t)
		}
		c.errorf(syntax.BadConstructor, e.Pos(), "give all components, or rows", "%s is not square, so one number does not make it", t)
		return c.bad(e.Pos())
	}
	k, ok := x.(*typed.Const)
	if !ok {
		return &typed.Builtin{ExprBase: ex(c.at(e.Pos()), t), Fn: typed.Diagonal, Args: []typed.Expr{x}}
	}
	m := zero(t, c.at(e.Pos()))
	m.From = k.From
	for i := range d[0] {
		m.Vals[i*d[0]+i] = k.Vals[0]
	}
	return m
}

// explicit is a written conversion. A constant of the source must fit, but for
// its fraction.
func (c *checker) explicit(x typed.Expr, s typed.Scalar, p token.Pos) typed.Expr {
	k, ok := x.(*typed.Const)
	if !ok {
		return convert(x, s)
	}
	for _, v := range k.Vals {
		if s != typed.Bool && !c.fitsConst(v, s, k.From, p) {
			return c.bad(p)
		}
	}
	return convert(k, s)
}

// bitcast checks bitcast[T](x).
func (c *checker) bitcast(te ast.Expr, e *ast.CallExpr) typed.Expr {
	t := c.valueType(te)
	xs, ok := c.args(e)
	if !c.argCount("bitcast", e, 1, 1, "bitcast[u32](x)") || !ok || isUnknown(t) {
		return c.bad(e.Pos())
	}
	x := c.defaultType(xs[0], e.Args[0].Pos())
	xt := x.Type()
	if isUnknown(xt) {
		return c.bad(e.Pos())
	}
	if _, scalar := t.(typed.Scalar); scalar { // bitcast[u32](v) works per component
		if _, slice := xt.(typed.Slice); !slice {
			t = typed.WithScalar(xt, typed.ScalarOf(t))
		}
	}
	if !sameShape(t, xt) || typed.ScalarOf(t).Bits() != typed.ScalarOf(xt).Bits() {
		c.errorf(syntax.ArgType, e.Pos(), "use a type of the same width, u32 for f32", "bitcast from %s to %s: the widths differ", xt, t)
		return c.bad(e.Pos())
	}
	return &typed.Builtin{ExprBase: ex(c.at(e.Pos()), t), Fn: typed.Bitcast, Args: []typed.Expr{x}}
}
