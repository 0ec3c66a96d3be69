package check

import (
	"go/ast"
	"go/token"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// A mode says what an expression denotes.
type mode uint8

const (
	modeBad mode = iota
	modeValue
	modeType
	modeField
	modeNode
	modeFunc
	modeBuiltin
	modeRef    // a reference to the place x
	modeMethod // method obj of the value x
	modeBundle
)

// An operand is what an expression denotes: a value x, a type, or an object that
// is no value.
type operand struct {
	mode mode
	x    typed.Expr
	typ  typed.Type
	obj  *object
}

func valueOf(x typed.Expr) operand { return operand{mode: modeValue, x: x} }

// value checks an expression that must be a single value. The result is never nil;
// after an error its type is Unknown.
func (c *checker) value(e ast.Expr) typed.Expr {
	x := c.valueOrTuple(e)
	if t, ok := x.Type().(*typed.Tuple); ok {
		if len(t.Types) == 0 {
			c.errorf(syntax.ValueCount, e.Pos(), "", "%s gives no value", c.shortText(e))
		} else {
			c.errorf(syntax.ValueCount, e.Pos(), "assign its results to variables first", "%s gives %d values where one is needed", c.shortText(e), len(t.Types))
		}
		return c.bad(e.Pos())
	}
	return x
}

func (c *checker) valueOrTuple(e ast.Expr) typed.Expr {
	op := c.expr(e)
	switch op.mode {
	case modeValue:
		return op.x
	case modeRef:
		c.errorf(syntax.ReferenceMismatch, e.Pos(), "write *"+c.shortText(e), "%s is a reference, and a value is needed", c.shortText(e))
	case modeMethod:
		c.errorf(syntax.NotAValue, e.Pos(), "call it: "+c.shortText(e)+"(…)", "%s is a method, not a value", op.obj.name)
	case modeType:
		c.errorf(syntax.NotAValue, e.Pos(), "call it to make a value: "+c.name(op.typ)+"(…)", "%s is a type, not a value", c.shortText(e))
	case modeField:
		return c.bareField(op.obj, e)
	case modeFunc, modeBuiltin:
		c.surveyResult(op, e.Pos())
		c.errorf(syntax.NotAValue, e.Pos(), "call it: "+op.obj.name+"(…)", "%s is a function, not a value", op.obj.name)
	case modeNode:
		c.errorf(syntax.NotAValue, e.Pos(), "", "%s is a node, not a value", op.obj.name)
	case modeBundle:
		return c.bundleValue(op.obj, e.Pos())
	}
	return c.bad(e.Pos())
}

// bareField is a field without an index: the cell of a D0 field.
func (c *checker) bareField(o *object, e ast.Expr) typed.Expr {
	f := o.field
	switch {
	case f.Rank < 0 || isUnknown(f.Elem):
		return c.bad(e.Pos())
	case f.Rank > 0:
		what := "a field"
		if f.View != nil {
			what = "an array parameter"
		}
		c.errorf(syntax.FieldAsValue, e.Pos(), "index it: "+o.name+"[p]", "%s is %s of %s, not a value", o.name, what, axes(f.Rank))
		return c.bad(e.Pos())
	}
	return &typed.Element{ExprBase: ex(c.at(e.Pos()), f.Elem), Field: f}
}

func axes(n int) string {
	if n == 1 {
		return "1 axis"
	}
	return typed.IntNum(int64(n)).String() + " axes"
}

// expr checks an expression of any kind.
func (c *checker) expr(e ast.Expr) operand {
	c.grow(1)
	if !c.enter(e.Pos()) {
		return operand{}
	}
	op := c.operand(e)
	c.leave()
	return op
}

func (c *checker) operand(e ast.Expr) operand {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return c.expr(e.X)
	case *ast.Ident:
		return c.ident(e)
	case *ast.BasicLit:
		return valueOf(c.literal(e))
	case *ast.BinaryExpr:
		return c.binaryExpr(e)
	case *ast.UnaryExpr:
		return valueOf(c.unaryExpr(e))
	case *ast.CallExpr:
		return c.call(e)
	case *ast.IndexExpr:
		if c.genericTypeOf(e.X) != nil {
			return c.typeOperand(e)
		}
		return c.indexExpr(e)
	case *ast.SelectorExpr:
		return c.selector(e)
	case *ast.CompositeLit:
		return valueOf(c.compositeLit(e))
	case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.StructType, *ast.InterfaceType, *ast.FuncType:
		return c.typeOperand(e)
	case *ast.IndexListExpr:
		if c.genericTypeOf(e.X) != nil {
			return c.typeOperand(e)
		}
		if o := c.genericFunc(e.X); o != nil {
			return c.instantiated(o, e.Indices, e.Lbrack)
		}
		c.survey(e.X)
		c.survey(e.Indices...)
		if len(e.Indices) > 1 {
			c.errs = append(c.errs, syntax.CommaIndexSlip.At(c.file, e.Indices[0].End()))
		}
	case *ast.SliceExpr:
		return c.partExpr(e)
	case *ast.StarExpr:
		return c.star(e)
	case *ast.FuncLit:
		c.errorf(syntax.FuncLiteral, e.Pos(), "pass it to a function, or name it by f := func…", "a function literal is not a value: it is the argument of a compile-time parameter, or gets a name")
		c.surveyFunc(c.funcLiteral(e), e.Pos())
	case *ast.TypeAssertExpr:
		c.survey(e.X)
		c.notGo(e.Pos(), "type assertion", "convert with a call: f32(x)")
	default:
		c.errorf(syntax.BadSyntax, e.Pos(), "", "this is no expression of the language")
	}
	return operand{}
}

func (c *checker) typeOperand(e ast.Expr) operand {
	if t := c.typeOf(e); !isUnknown(t) {
		return operand{mode: modeType, typ: t}
	}
	return operand{}
}

func (c *checker) ident(e *ast.Ident) operand {
	if e.Name == "_" && c.file.LeftOut(e.Pos()) { // a condition that does not parse
		return operand{}
	}
	if e.Name == "_" {
		c.errorf(syntax.BlankValue, e.Pos(), "give the variable a name", "_ has no value")
		return operand{}
	}
	o := c.lookup(e.Name)
	if o == nil {
		switch e.Name {
		case "field", "node", "template":
			c.namedType(e)
		default:
			c.undefined(e, "")
		}
		return operand{}
	}
	if c.file.Partial() && c.file.DefinedInHole(e) { // another one of that name, maybe
		o.used = true
		return operand{}
	}
	return c.object(o, e)
}

// object returns what e denotes, a name that stands for o.
func (c *checker) object(o *object, e ast.Expr) operand {
	o.used = true
	switch o.kind {
	case objType:
		t := c.typeNamed(o, e)
		if isUnknown(t) {
			return operand{}
		}
		return operand{mode: modeType, typ: t}
	case objVar:
		return c.variable(o, e.Pos())
	case objPackage:
		c.errorf(syntax.NotAValue, e.Pos(), "write "+o.name+".Name for what it has of that name", "%s is an imported library, not a value", o.name)
		return operand{}
	}
	return c.denotes(o, e.Pos())
}

func (c *checker) variable(o *object, p token.Pos) operand {
	switch {
	case isUnknown(o.v.Type):
		return valueOf(c.bad(p))
	case o.isReference() && o.frame != c.fn:
		return operand{mode: modeRef, x: c.capture(o, p)}
	case o.place != nil:
		if o.origin != nil {
			c.noteRead(o.origin, p)
		}
		return operand{mode: modeRef, x: o.place}
	case o.isReference():
		return operand{mode: modeRef, x: &typed.VarRef{ExprBase: ex(c.at(p), placeType(o.v.Type)), Var: o.v}}
	}
	x := c.variableRef(o, p)
	if ref, ok := x.(*typed.VarRef); ok {
		if _, view := ref.Var.Type.(typed.View); view {
			return operand{mode: modeField, obj: c.viewOf(ref.Var)}
		}
	}
	return valueOf(x)
}

// denotes returns what the name of an object other than a type or variable stands
// for.
func (c *checker) denotes(o *object, p token.Pos) operand {
	switch o.kind {
	case objConst:
		c.resolve(o, p)
		if o.kind == objBad {
			return operand{}
		}
		c.dependOn(o)
		k := *o.cst
		k.Pos = c.at(p)
		return valueOf(&k)
	case objField:
		if o.section == nil {
			c.dependOn(o)
		}
		return operand{mode: modeField, obj: o}
	case objNode:
		c.dependOn(o)
		return operand{mode: modeNode, obj: o}
	case objBundle:
		return operand{mode: modeBundle, obj: o}
	case objFunc:
		return operand{mode: modeFunc, obj: o.root()}
	case objBuiltin:
		return operand{mode: modeBuiltin, obj: o.root()}
	}
	return operand{}
}

func (c *checker) literal(e *ast.BasicLit) typed.Expr {
	t := typed.UntypedInt
	switch e.Kind {
	case token.FLOAT:
		t = typed.UntypedFloat
	case token.STRING:
		c.notGo(e.Pos(), "string", "strings occur only in print, printf, assert and staticAssert")
		return c.bad(e.Pos())
	case token.IMAG:
		c.notGo(e.Pos(), "complex number", "use a vec2")
		return c.bad(e.Pos())
	}
	n, ok := typed.NumFromLiteral(e.Kind, e.Value)
	if !ok {
		c.errorf(syntax.Overflow, e.Pos(), "", "the literal is too large")
		return c.bad(e.Pos())
	}
	return &typed.Const{ExprBase: ex(c.at(e.Pos()), t), Vals: []typed.Num{n}}
}

// compositeLit checks [3]f32{a, b, c}.
func (c *checker) compositeLit(e *ast.CompositeLit) typed.Expr {
	var t typed.Type
	if a, ok := e.Type.(*ast.ArrayType); ok {
		if _, ok := a.Len.(*ast.Ellipsis); ok {
			elem := c.valueType(a.Elt)
			if isUnknown(elem) {
				return c.bad(e.Pos())
			}
			t = c.makeArray(elem, int64(len(e.Elts)), a.Len.Pos())
		}
	}
	if t == nil && e.Type != nil {
		t = c.typeOf(e.Type)
	}
	if isUnknown(t) {
		c.survey(e.Elts...)
		return c.bad(e.Pos())
	}
	return c.literalOf(e, t)
}

// literalOf checks the elements of a literal of type t.
func (c *checker) literalOf(e *ast.CompositeLit, t typed.Type) typed.Expr {
	if s, ok := t.(*typed.Struct); ok {
		return c.structLit(e, s)
	}
	a, ok := t.(typed.Array)
	if !ok {
		c.errorf(syntax.BadLiteral, e.Pos(), "write "+c.name(t)+"(value) to convert", "a composite literal makes an array or struct, and %s is none", t)
		return c.bad(e.Pos())
	}
	elems := make([]typed.Expr, a.Len)
	next, failed := int64(0), false
	for _, el := range e.Elts {
		v := el
		if kv, ok := el.(*ast.KeyValueExpr); ok {
			n, ok := c.constInt(kv.Key)
			if !ok {
				failed = true
			}
			next, v = n, kv.Value
		}
		if next < 0 || next >= int64(a.Len) {
			c.errorf(syntax.BadLiteral, el.Pos(), "", "%s has %d elements, and this is number %d", t, a.Len, next+1)
			return c.bad(e.Pos())
		}
		if elems[next] != nil {
			c.errorf(syntax.BadLiteral, el.Pos(), "", "element %d is given twice", next)
		}
		elems[next] = c.literalElem(v, a.Elem, "an element")
		failed = failed || isUnknown(elems[next].Type())
		next++
	}
	if failed {
		return c.bad(e.Pos())
	}
	for i := range elems {
		if elems[i] == nil {
			elems[i] = zero(a.Elem, c.at(e.Pos()))
		}
	}
	c.grow(typed.Components(t))
	return compose(elems, t, c.at(e.Pos()))
}

func (c *checker) literalElem(e ast.Expr, t typed.Type, what string) typed.Expr {
	if lit, ok := e.(*ast.CompositeLit); ok && lit.Type == nil {
		return c.literalOf(lit, t)
	}
	return c.assignable(c.value(e), t, e, what)
}

// zero is the zero value of t.
func zero(t typed.Type, p token.Position) *typed.Const {
	k := &typed.Const{ExprBase: ex(p, t), Vals: make([]typed.Num, typed.Components(t))}
	for i, s := range typed.Leaves(t) {
		switch {
		case s == typed.Bool:
			k.Vals[i] = typed.BoolNum(false)
		case s.IsFloat():
			k.Vals[i] = typed.FloatNum(0)
		default:
			k.Vals[i] = typed.IntNum(0)
		}
	}
	return k
}

// markUsed marks the names in a part of the source that is not checked as used.
func (c *checker) markUsed(n ast.Node) {
	if n == nil {
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
		c.grow(1)
		if id, ok := n.(*ast.Ident); ok {
			if o := c.lookup(id.Name); o != nil {
				o.used = true
			}
		}
		return true
	})
}
