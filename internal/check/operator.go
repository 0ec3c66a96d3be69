package check

import (
	"go/ast"
	"go/token"

	"github.com/gotaichi/ti/internal/syntax"
)

var binaryOps = map[token.Token]Op{
	token.ADD: Add, token.SUB: Sub, token.MUL: Mul, token.QUO: Div, token.REM: Rem,
	token.AND: And, token.OR: Or, token.XOR: Xor, token.AND_NOT: AndNot, token.SHL: Shl, token.SHR: Shr,
	token.EQL: Eq, token.NEQ: Ne, token.LSS: Lt, token.LEQ: Le, token.GTR: Gt, token.GEQ: Ge,
	token.LAND: LAnd, token.LOR: LOr,
}

// binaryExpr checks x op y.
func (c *checker) binaryExpr(e *ast.BinaryExpr) operand {
	if s, ok := e.Y.(*ast.StarExpr); ok && e.Op == token.MUL && !c.namesReference(s.X) {
		c.errs = append(c.errs, syntax.PowerSlip.At(c.file, e.OpPos))
		c.survey(e.X, s.X)
		return operand{}
	}
	op := binaryOps[e.Op]
	if op == Eq || op == Ne {
		if r, ok := c.typeComparison(e, op); ok {
			return r
		}
	}
	x := c.value(e.X)
	y := c.conditionally(op == LAnd || op == LOr, func() Expr { return c.value(e.Y) })
	return valueOf(c.binary(op, x, y, e.X, e.Y, e.OpPos))
}

// typeComparison checks x.dtype == f32, a constant.
func (c *checker) typeComparison(e *ast.BinaryExpr, op Op) (operand, bool) {
	if !c.looksLikeType(e.X) || !c.looksLikeType(e.Y) {
		return operand{}, false
	}
	t, u := c.typeOf(e.X), c.typeOf(e.Y)
	if isUnknown(t) || isUnknown(u) {
		return operand{}, true
	}
	return valueOf(&Const{ex: ex{c.at(e.OpPos), Bool}, Vals: []Num{BoolNum((t == u) == (op == Eq))}}), true
}

func (c *checker) looksLikeType(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		o := c.lookup(e.Name)
		return o != nil && (o.kind == objType || o.kind == objBad)
	case *ast.SelectorExpr:
		return e.Sel.Name == "dtype"
	case *ast.ArrayType:
		return true
	case *ast.IndexExpr:
		return c.genericTypeOf(e.X) != nil
	case *ast.IndexListExpr:
		return c.genericTypeOf(e.X) != nil
	}
	return false
}

// conditionally evaluates f where it may not be executed, so that a kernel called
// there is not in the outermost scope.
func (c *checker) conditionally(yes bool, f func() Expr) Expr {
	if !yes || c.fn == nil {
		return f()
	}
	old := c.fn.outermost
	c.fn.outermost = false
	x := f()
	c.fn.outermost = old
	return x
}

// binary types x op y. ex and ey are their sources, for messages.
func (c *checker) binary(op Op, x, y Expr, xe, ye ast.Expr, p token.Pos) Expr {
	tx, ty := x.Type(), y.Type()
	if isUnknown(tx) || isUnknown(ty) {
		return c.bad(p)
	}
	if HasStruct(tx) || HasStruct(ty) {
		return c.structOperator(op, x, y, p)
	}
	for _, t := range []Type{tx, ty} {
		if _, ok := t.(Slice); ok || isTable(t) && op != Eq && op != Ne {
			c.errorf(syntax.BadOperator, p, "work on its elements", "operator %s is not defined for %s", op, t)
			return c.bad(p)
		}
	}
	switch op {
	case Shl, Shr:
		return c.shift(op, x, y, ye, p)
	case LAnd, LOr:
		return c.logic(op, x, y, p)
	}
	s, ok := c.unifyScalars(x, y)
	if !ok {
		c.mismatch(op, x, y, xe, ye, p)
		return c.bad(p)
	}
	if !c.defined(op, s, p) {
		return c.bad(p)
	}
	x, y = c.operandTo(x, s, xe.Pos()), c.operandTo(y, s, ye.Pos())
	if isUnknown(x.Type()) || isUnknown(y.Type()) {
		return c.bad(p)
	}
	if IsMatrix(tx) || IsMatrix(ty) {
		if op == Mul && len(Dims(tx)) > 0 && len(Dims(ty)) > 0 {
			return c.matMul(x, y, p)
		}
		if op == Div && IsMatrix(ty) {
			c.errorf(syntax.ProductMismatch, p, "multiply by inverse(m), or divide elementwise with hadamard and 1/x", "nothing is divided by a matrix")
			return c.bad(p)
		}
	}
	args := []Expr{x, y}
	if _, ok := unifyShapes(args); !ok {
		c.errorf(syntax.ShapeMismatch, p, "take parts with a swizzle, or build a vector of the right length", "operator %s on %s and %s: the shapes differ", op, tx, ty)
		return c.bad(p)
	}
	return c.elementwise(op, args[0], args[1], s, ye, p)
}

func (c *checker) mismatch(op Op, x, y Expr, xe, ye ast.Expr, p token.Pos) {
	sx, sy := ScalarOf(x.Type()), ScalarOf(y.Type())
	help := ""
	switch {
	case sx == Bool || sy == Bool:
		help = "compare the number with 0, or convert the bool with i32(…)"
	case sy.IsUntyped():
	case sx.Bits() >= sy.Bits():
		help = "convert one of them: " + WithScalar(y.Type(), sx).String() + "(" + c.shortText(ye) + ")"
	default:
		help = "convert one of them: " + WithScalar(x.Type(), sy).String() + "(" + c.shortText(xe) + ")"
	}
	c.errorf(syntax.Mismatch, p, help, "operator %s on %s and %s: the types differ", op, describe(x), describe(y))
}

// defined reports an operator that scalar type s lacks.
func (c *checker) defined(op Op, s Scalar, p token.Pos) bool {
	help, ok := "", true
	switch op {
	case Add, Sub, Mul, Div, Lt, Le, Gt, Ge:
		ok = s.IsNumber()
		help = "bools have == != && || !"
	case Rem:
		ok = s.IsInt()
		help = "write mod(a, b)"
		if s == Bool {
			help = ""
		}
	case And, Or, Xor, AndNot:
		ok = s.IsInt()
		help = "bit operations take integers"
		if op == Xor {
			help = "write pow(a, b) for a power; ^ is the exclusive or of integers"
		}
		if s == Bool {
			help = "bools have == != && || !"
		}
	}
	if !ok {
		c.errorf(syntax.BadOperator, p, help, "operator %s is not defined for %s", op, s)
	}
	return ok
}

// elementwise makes the operation of two operands of the same type.
func (c *checker) elementwise(op Op, x, y Expr, s Scalar, ye ast.Expr, p token.Pos) Expr {
	if (op == Div || op == Rem) && s.IsInt() && !c.checkQuotient(op, x, y, ye, p) {
		return c.bad(p)
	}
	t := x.Type()
	c.growBy(Components(t), x, y)
	if op.isComparison() {
		t = WithScalar(t, Bool)
	}
	r := c.fold(op, x, y, t, s, p)
	if r == nil {
		r = &Binary{ex{c.at(p), t}, op, x, y}
	}
	if _, scalar := t.(Scalar); !scalar && op == Eq {
		return c.reduceBools(All, r, p)
	} else if !scalar && op == Ne {
		return c.reduceBools(Any, r, p)
	}
	return r
}

// checkQuotient reports a constant divisor 0, and a constant quotient 0.
func (c *checker) checkQuotient(op Op, x, y Expr, ye ast.Expr, p token.Pos) bool {
	ky, ok := y.(*Const)
	if !ok || ky.from&fromShape != 0 {
		return true
	}
	kx, xConst := x.(*Const)
	for i, v := range ky.Vals {
		if !v.Known() || v.Float() == 0 && ky.from != 0 {
			continue
		}
		if v.Float() == 0 {
			c.errorf(syntax.DivisionByZero, ye.Pos(), "", "integer division by 0")
			return false
		}
		if op == Rem || !xConst || kx.from&fromShape != 0 || !kx.Vals[i].Known() || kx.Vals[i].Float() == 0 {
			continue
		}
		if foldBinary(Div, kx.Vals[i], v, I64).Float() == 0 {
			c.errorf(syntax.ZeroQuotient, p, "make it a division of floats: "+kx.Vals[i].String()+".0/"+c.shortText(ye),
				"the integer quotient %s/%s is 0", kx.Vals[i], v)
			return false
		}
	}
	return true
}

// fold computes an elementwise operation of constants; nil if one is none.
func (c *checker) fold(op Op, x, y Expr, t Type, s Scalar, p token.Pos) Expr {
	kx, ok := x.(*Const)
	ky, ok2 := y.(*Const)
	if !ok || !ok2 {
		return nil
	}
	k := &Const{ex: ex{c.at(p), t}, Vals: make([]Num, len(kx.Vals)), from: kx.from | ky.from}
	for i := range k.Vals {
		v := foldBinary(op, kx.Vals[i], ky.Vals[i], s)
		if !c.fitsConst(v, ScalarOf(t), k.from, p) {
			return c.bad(p)
		}
		k.Vals[i], _ = represent(v, ScalarOf(t))
	}
	return k
}

// reduceBools applies All or Any.
func (c *checker) reduceBools(fn Fn, x Expr, p token.Pos) Expr {
	if k, ok := x.(*Const); ok {
		r := fn == All
		for _, v := range k.Vals {
			if !v.Known() {
				return &Const{ex: ex{c.at(p), Bool}, Vals: []Num{{}}, from: k.from}
			}
			if v.Bool() != (fn == All) {
				r = !r
				break
			}
		}
		return &Const{ex: ex{c.at(p), Bool}, Vals: []Num{BoolNum(r)}, from: k.from}
	}
	return &Builtin{ex{c.at(p), Bool}, fn, []Expr{x}}
}

// matMul makes the linear-algebra product.
func (c *checker) matMul(x, y Expr, p token.Pos) Expr {
	dx, dy := Dims(x.Type()), Dims(y.Type())
	s := ScalarOf(x.Type())
	inner := dx[len(dx)-1]
	if inner != dy[0] {
		c.errorf(syntax.ProductMismatch, p, "hadamard(a, b) multiplies elementwise", "product of %s and %s: %d columns, but %d rows", x.Type(), y.Type(), inner, dy[0])
		return c.bad(p)
	}
	dims := append(append([]int{}, dx[:len(dx)-1]...), dy[1:]...)
	t := arrayOf(s, dims...)
	kx, ok := x.(*Const)
	ky, ok2 := y.(*Const)
	if !ok || !ok2 {
		return &Binary{ex{c.at(p), t}, MatMul, x, y}
	}
	k := &Const{ex: ex{c.at(p), t}, from: kx.from | ky.from}
	cols := 1
	if len(dy) == 2 {
		cols = dy[1]
	}
	for r := range len(kx.Vals) / inner {
		for col := range cols {
			sum := zero(s, token.Position{}).Vals[0]
			for i := range inner {
				sum = foldBinary(Add, sum, foldBinary(Mul, kx.Vals[r*inner+i], ky.Vals[i*cols+col], s), s)
			}
			sum, _ = represent(sum, s)
			k.Vals = append(k.Vals, sum)
		}
	}
	return k
}

// shift types x << y and x >> y: the count has any integer type of its own.
func (c *checker) shift(op Op, x, y Expr, ye ast.Expr, p token.Pos) Expr {
	sx, sy := ScalarOf(x.Type()), ScalarOf(y.Type())
	if !sx.IsInt() {
		c.errorf(syntax.BadOperator, p, "only integers are shifted", "operator %s is not defined for %s", op, describe(x))
		return c.bad(p)
	}
	if !sy.IsInt() {
		c.errorf(syntax.BadShift, ye.Pos(), "", "a shift count is an integer, and this is %s", describe(y))
		return c.bad(p)
	}
	if k, ok := y.(*Const); ok {
		for _, v := range k.Vals {
			if v.Known() && v.Float() < 0 && k.from == 0 {
				c.errorf(syntax.BadShift, ye.Pos(), "shift the other way", "the shift count is negative")
				return c.bad(p)
			}
		}
	}
	_, xConst := x.(*Const)
	_, yConst := y.(*Const)
	if !xConst || !yConst {
		x = c.defaultType(x, p)
		y = c.defaultType(y, ye.Pos())
		if isUnknown(x.Type()) || isUnknown(y.Type()) {
			return c.bad(p)
		}
	}
	args := []Expr{x, y}
	if _, ok := unifyShapes(args); !ok {
		c.errorf(syntax.ShapeMismatch, p, "", "operator %s on %s and %s: the shapes differ", op, x.Type(), y.Type())
		return c.bad(p)
	}
	if kx, ok := args[0].(*Const); ok && xConst && yConst {
		ky := args[1].(*Const)
		for _, v := range ky.Vals {
			if v.Known() && v.Float() < 0 { // of the host: shifts as a run-time count
				return &Binary{ex{c.at(p), args[0].Type()}, op, c.defaultType(kx, p), c.defaultType(ky, p)}
			}
		}
		return c.fold(op, args[0], args[1], args[0].Type(), ScalarOf(args[0].Type()), p)
	}
	return &Binary{ex{c.at(p), args[0].Type()}, op, args[0], args[1]}
}

// logic types && and ||: short-circuit on bools, elementwise on vectors of bool.
func (c *checker) logic(op Op, x, y Expr, p token.Pos) Expr {
	for _, z := range []Expr{x, y} {
		if ScalarOf(z.Type()) != Bool {
			c.errorf(syntax.BadOperator, p, "compare with 0: x != 0", "operator %s takes bools, and this is %s", op, describe(z))
			return c.bad(p)
		}
	}
	args := []Expr{x, y}
	shape, ok := unifyShapes(args)
	if !ok {
		c.errorf(syntax.ShapeMismatch, p, "", "operator %s on %s and %s: the shapes differ", op, x.Type(), y.Type())
		return c.bad(p)
	}
	bit := And
	if op == LOr {
		bit = Or
	}
	t := WithScalar(shape, Bool)
	if r := c.fold(bit, args[0], args[1], t, Bool, p); r != nil {
		return r
	}
	if _, scalar := t.(Scalar); scalar {
		return &Logic{ex{c.at(p), t}, op, x, y}
	}
	return &Binary{ex{c.at(p), t}, bit, args[0], args[1]}
}

// unaryExpr checks -x, +x, !x, ^x; &x has a meaning only in calls.
func (c *checker) unaryExpr(e *ast.UnaryExpr) Expr {
	if e.Op == token.AND {
		c.survey(e.X)
		c.errorf(syntax.BadReference, e.Pos(), "pass it to a parameter *T, or define it: p := &x[i]", "& makes a reference, and a value is needed")
		return c.bad(e.Pos())
	}
	if e.Op == token.ARROW {
		c.notGo(e.Pos(), "channel", "iterations share memory and use atomic operations")
		c.survey(e.X)
		return c.bad(e.Pos())
	}
	x := c.value(e.X)
	if isUnknown(x.Type()) {
		return c.bad(e.Pos())
	}
	s := ScalarOf(x.Type())
	op, ok, help := NoOp, !isTable(x.Type()), ""
	switch e.Op {
	case token.ADD:
		ok = ok && s.IsNumber()
	case token.SUB:
		op, ok = Neg, ok && s.IsNumber()
	case token.NOT:
		op, ok, help = Not, ok && s == Bool, "compare with 0: x == 0"
	case token.XOR:
		op, ok = Compl, ok && s.IsInt()
	default:
		ok = false
	}
	if _, slice := x.Type().(Slice); slice {
		ok = false
	}
	if !ok {
		c.errorf(syntax.BadOperator, e.Pos(), help, "operator %s is not defined for %s", e.Op, describe(x))
		return c.bad(e.Pos())
	}
	if op == NoOp {
		return x
	}
	return c.unary(op, x, s, e.Pos())
}

func (c *checker) unary(op Op, x Expr, s Scalar, p token.Pos) Expr {
	kx, ok := x.(*Const)
	if !ok {
		return &Unary{ex{c.at(p), x.Type()}, op, x}
	}
	k := &Const{ex: ex{c.at(p), kx.T}, Vals: make([]Num, len(kx.Vals)), from: kx.from}
	for i, v := range kx.Vals {
		r := foldUnary(op, v, s)
		if !c.fitsConst(r, s, k.from, p) {
			return c.bad(p)
		}
		k.Vals[i], _ = represent(r, s)
	}
	return k
}
