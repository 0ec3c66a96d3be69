package check

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/gotaichi/ti/internal/syntax"
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
	x    Expr
	typ  Type
	obj  *object
}

func valueOf(x Expr) operand { return operand{mode: modeValue, x: x} }

// value checks an expression that must be a single value. The result is never nil;
// after an error its type is Unknown.
func (c *checker) value(e ast.Expr) Expr {
	x := c.valueOrTuple(e)
	if t, ok := x.Type().(*Tuple); ok {
		if len(t.Types) == 0 {
			c.errorf(syntax.ValueCount, e.Pos(), "", "%s gives no value", c.shortText(e))
		} else {
			c.errorf(syntax.ValueCount, e.Pos(), "assign its results to variables first", "%s gives %d values where one is needed", c.shortText(e), len(t.Types))
		}
		return c.bad(e.Pos())
	}
	return x
}

func (c *checker) valueOrTuple(e ast.Expr) Expr {
	op := c.expr(e)
	switch op.mode {
	case modeValue:
		return op.x
	case modeRef:
		c.errorf(syntax.ReferenceMismatch, e.Pos(), "write *"+c.shortText(e), "%s is a reference, and a value is needed", c.shortText(e))
	case modeMethod:
		c.errorf(syntax.NotAValue, e.Pos(), "call it: "+c.shortText(e)+"(…)", "%s is a method, not a value", op.obj.name)
	case modeType:
		c.errorf(syntax.NotAValue, e.Pos(), "call it to make a value: "+op.typ.String()+"(…)", "%s is a type, not a value", c.shortText(e))
	case modeField:
		return c.bareField(op.obj, e)
	case modeFunc, modeBuiltin:
		c.errorf(syntax.NotAValue, e.Pos(), "call it: "+op.obj.name+"(…)", "%s is a function, not a value", op.obj.name)
	case modeNode:
		c.errorf(syntax.NotAValue, e.Pos(), "", "%s is a node, not a value", op.obj.name)
	case modeBundle:
		return c.bundleValue(op.obj, e.Pos())
	}
	return c.bad(e.Pos())
}

// bareField is a field without an index: the cell of a D0 field.
func (c *checker) bareField(o *object, e ast.Expr) Expr {
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
	return &Element{ex: ex{c.at(e.Pos()), f.Elem}, Field: f}
}

func axes(n int) string {
	if n == 1 {
		return "1 axis"
	}
	return IntNum(int64(n)).String() + " axes"
}

// expr checks an expression of any kind.
func (c *checker) expr(e ast.Expr) operand {
	c.grow(1)
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
		c.markUsed(e)
		if len(e.Indices) > 1 {
			c.errs = append(c.errs, syntax.CommaIndexSlip.At(c.file, e.Indices[0].End()))
		}
	case *ast.SliceExpr:
		c.errorf(syntax.SliceExpr, e.Lbrack, "pass bounds beside the slice, or use a swizzle for part of a vector", "there are no slice expressions")
		c.markUsed(e.X)
	case *ast.StarExpr:
		return c.star(e)
	case *ast.FuncLit:
		c.errorf(syntax.FuncLiteral, e.Pos(), "pass it to a function, or name it by f := func…", "a function literal is not a value: it is the argument of a compile-time parameter, or gets a name")
	case *ast.TypeAssertExpr:
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
	o.used = true
	switch o.kind {
	case objType:
		t := c.namedType(e)
		if isUnknown(t) {
			return operand{}
		}
		return operand{mode: modeType, typ: t}
	case objVar:
		return c.variable(o, e.Pos())
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
		return operand{mode: modeRef, x: &VarRef{ex{c.at(p), placeType(o.v.Type)}, o.v}}
	}
	x := c.variableRef(o, p)
	if ref, ok := x.(*VarRef); ok {
		if _, view := ref.Var.Type.(View); view {
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
		c.dependOn(o)
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

func (c *checker) literal(e *ast.BasicLit) Expr {
	t := UntypedInt
	switch e.Kind {
	case token.FLOAT:
		t = UntypedFloat
	case token.STRING:
		c.notGo(e.Pos(), "string", "strings occur only in print, printf, assert and staticAssert")
		return c.bad(e.Pos())
	case token.IMAG:
		c.notGo(e.Pos(), "complex number", "use a vec2")
		return c.bad(e.Pos())
	}
	n, ok := numFromLiteral(e.Kind, e.Value)
	if !ok {
		c.errorf(syntax.Overflow, e.Pos(), "", "the literal is too large")
		return c.bad(e.Pos())
	}
	return &Const{ex: ex{c.at(e.Pos()), t}, Vals: []Num{n}}
}

const swizzleLetters = "xyzw"

// selector checks x.name: a swizzle, the size of a value, what a field offers.
func (c *checker) selector(e *ast.SelectorExpr) operand {
	if id, ok := e.X.(*ast.Ident); ok && c.lookup(id.Name) == nil {
		if h, ok := knownElsewhere[id.Name]; ok {
			c.errorf(syntax.Undefined, id.Pos(), h, "%s is not defined", id.Name)
			return operand{}
		}
	}
	eval := c.expr
	if e.Sel.Name == "n" || e.Sel.Name == "m" {
		eval = c.typeOnly
	}
	op := eval(e.X)
	switch op.mode {
	case modeField:
		return c.fieldMember(op.obj, e)
	case modeValue, modeRef:
		if _, ok := op.x.Type().(*Struct); ok && (e.Sel.Name == "n" || e.Sel.Name == "m") {
			if op = c.expr(e.X); op.x == nil { // a field may be called n or m
				return operand{}
			}
		}
		return c.valueMember(op.x, e)
	case modeBundle:
		return c.bundleMember(op.obj, e)
	case modeNode:
		if e.Sel.Name == "shape" {
			return c.fieldMember(op.obj, e)
		}
		c.errorf(syntax.NoMember, e.Sel.Pos(), "", "node %s has no member %s; it has shape", c.shortText(e.X), e.Sel.Name)
	case modeType:
		return c.typeMember(op.typ, e)
	case modeFunc, modeBuiltin, modeMethod:
		c.errorf(syntax.NoMember, e.Sel.Pos(), "", "%s has no member %s", c.shortText(e.X), e.Sel.Name)
	}
	return operand{}
}

func (c *checker) fieldMember(o *object, e *ast.SelectorExpr) operand {
	f := o.field
	switch e.Sel.Name {
	case "shape":
		switch {
		case f.Rank < 0:
			return operand{}
		case f.Rank == 0:
			c.errorf(syntax.NoMember, e.Sel.Pos(), "", "%s has a single cell, and no shape", o.name)
			return operand{}
		}
		if !c.bounded(o, e.Sel.Pos()) {
			t := arrayOf(c.widths.Int, f.Rank)
			return valueOf(&Const{ex: ex{c.at(e.Pos()), t}, Vals: make([]Num, f.Rank), from: fromShape})
		}
		return valueOf(c.shape(f, c.at(e.Pos())))
	case "dtype":
		if isUnknown(f.Elem) {
			return operand{}
		}
		return operand{mode: modeType, typ: f.Elem}
	case "grad", "dual":
		c.notYet(e.Sel.Pos(), "."+e.Sel.Name+" of a field")
		return operand{}
	}
	if f.Rank == 0 {
		return c.valueMember(c.bareField(o, e.X), e)
	}
	c.errorf(syntax.NoMember, e.Sel.Pos(), "index the field first: "+o.name+"[p]."+e.Sel.Name, "field %s has no member %s; it has shape and dtype", o.name, e.Sel.Name)
	return operand{}
}

// typeMember checks T.n, T.m and T.dtype, the type of a vector's components.
func (c *checker) typeMember(t Type, e *ast.SelectorExpr) operand {
	dims := Dims(t)
	if e.Sel.Name == "dtype" && !HasStruct(t) {
		return operand{mode: modeType, typ: ScalarOf(t)}
	}
	if i := slices.Index([]string{"n", "m"}, e.Sel.Name); i >= 0 && i < len(dims) {
		return valueOf(&Const{ex: ex{c.at(e.Pos()), UntypedInt}, Vals: []Num{IntNum(int64(dims[i]))}, from: fromShape})
	}
	c.errorf(syntax.NoMember, e.Sel.Pos(), "", "type %s has no member %s", t, e.Sel.Name)
	return operand{}
}

func (c *checker) valueMember(x Expr, e *ast.SelectorExpr) operand {
	t, name := x.Type(), e.Sel.Name
	if isUnknown(t) {
		return operand{}
	}
	if s, ok := t.(Slice); ok && name == "dtype" {
		return operand{mode: modeType, typ: s.Elem}
	}
	if s, ok := t.(*Struct); ok {
		if f := s.Field(name); f != nil {
			return valueOf(c.structMember(x, f, e))
		}
		if m := c.method(s, name); m != nil {
			return operand{mode: modeMethod, obj: m, x: x}
		}
		c.noStructMember(s, e.Sel)
		return operand{}
	}
	dims := Dims(t)
	if i := slices.Index([]string{"n", "m"}, name); i >= 0 && i < len(dims) {
		return valueOf(&Const{ex: ex{c.at(e.Pos()), UntypedInt}, Vals: []Num{IntNum(int64(dims[i]))}, from: fromShape})
	}
	help := ""
	if len(dims) == 2 {
		help = "index a matrix by row and column: m[i][j]"
	}
	if HasStruct(t) {
		help = "index it first: " + c.shortText(e.X) + "[i]." + name
	}
	if len(dims) != 1 || HasStruct(t) {
		c.errorf(syntax.NoMember, e.Sel.Pos(), help, "%s has no member %s", t, name)
		return operand{}
	}
	var comps []int
	for _, r := range name {
		i := -1
		for j, l := range swizzleLetters {
			if l == r {
				i = j
			}
		}
		if i < 0 || i >= dims[0] || len(comps) >= 8 {
			all := swizzleLetters[:min(4, dims[0])]
			c.errorf(syntax.NoMember, e.Sel.Pos(), "its components are "+all+", .n is their number", "%s has no member %s", t, name)
			return operand{}
		}
		comps = append(comps, i)
	}
	s := ScalarOf(t)
	if len(comps) == 1 {
		return valueOf(extract(x, s, comps, c.at(e.Sel.Pos())))
	}
	return valueOf(extract(x, arrayOf(s, len(comps)), comps, c.at(e.Sel.Pos())))
}

// compositeLit checks [3]f32{a, b, c}.
func (c *checker) compositeLit(e *ast.CompositeLit) Expr {
	var t Type
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
		for _, el := range e.Elts {
			c.markUsed(el)
		}
		return c.bad(e.Pos())
	}
	return c.literalOf(e, t)
}

// literalOf checks the elements of a literal of type t.
func (c *checker) literalOf(e *ast.CompositeLit, t Type) Expr {
	if s, ok := t.(*Struct); ok {
		return c.structLit(e, s)
	}
	a, ok := t.(Array)
	if !ok {
		c.errorf(syntax.BadLiteral, e.Pos(), "write "+t.String()+"(value) to convert", "a composite literal makes an array or struct, and %s is none", t)
		return c.bad(e.Pos())
	}
	elems := make([]Expr, a.Len)
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
	c.grow(Components(t))
	return compose(elems, t, c.at(e.Pos()))
}

func (c *checker) literalElem(e ast.Expr, t Type, what string) Expr {
	if lit, ok := e.(*ast.CompositeLit); ok && lit.Type == nil {
		return c.literalOf(lit, t)
	}
	return c.assignable(c.value(e), t, e, what)
}

// zero is the zero value of t.
func zero(t Type, p token.Position) *Const {
	k := &Const{ex: ex{p, t}, Vals: make([]Num, Components(t))}
	for i, s := range Leaves(t) {
		switch {
		case s == Bool:
			k.Vals[i] = BoolNum(false)
		case s.IsFloat():
			k.Vals[i] = FloatNum(0)
		default:
			k.Vals[i] = IntNum(0)
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
