package check

import (
	"go/ast"
	"go/token"
	"math"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

var binaryOps = map[token.Token]typed.Op{
	token.ADD: typed.Add, token.SUB: typed.Sub, token.MUL: typed.Mul, token.QUO: typed.Div, token.REM: typed.Rem,
	token.AND: typed.And, token.OR: typed.Or, token.XOR: typed.Xor, token.AND_NOT: typed.AndNot, token.SHL: typed.Shl, token.SHR: typed.Shr,
	token.EQL: typed.Eq, token.NEQ: typed.Ne, token.LSS: typed.Lt, token.LEQ: typed.Le, token.GTR: typed.Gt, token.GEQ: typed.Ge,
	token.LAND: typed.LAnd, token.LOR: typed.LOr,
}

// binaryExpr checks x op y.
func (c *checker) binaryExpr(e *ast.BinaryExpr) operand {
	if s, ok := e.Y.(*ast.StarExpr); ok && e.Op == token.MUL && !c.namesReference(s.X) {
		c.errs = append(c.errs, syntax.PowerSlip.At(c.file, e.OpPos))
		c.survey(e.X, s.X)
		return operand{}
	}
	op := binaryOps[e.Op]
	if op == typed.Eq || op == typed.Ne {
		if r, ok := c.typeComparison(e, op); ok {
			return r
		}
	}
	x := c.value(e.X)
	y := c.conditionally(op == typed.LAnd || op == typed.LOr, func() typed.Expr { return c.value(e.Y) })
	return valueOf(c.binary(op, x, y, e.X, e.Y, e.OpPos))
}

// typeComparison checks x.dtype == f32, a constant.
func (c *checker) typeComparison(e *ast.BinaryExpr, op typed.Op) (operand, bool) {
	if !c.looksLikeType(e.X) || !c.looksLikeType(e.Y) {
		return operand{}, false
	}
	t, u := c.typeOf(e.X), c.typeOf(e.Y)
	if isUnknown(t) || isUnknown(u) {
		return operand{}, true
	}
	return valueOf(&typed.Const{ExprBase: ex(c.at(e.OpPos), typed.Bool), Vals: []typed.Num{typed.BoolNum((t == u) == (op == typed.Eq))}}), true
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
func (c *checker) conditionally(yes bool, f func() typed.Expr) typed.Expr {
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
func (c *checker) binary(op typed.Op, x, y typed.Expr, xe, ye ast.Expr, p token.Pos) typed.Expr {
	tx, ty := x.Type(), y.Type()
	if isUnknown(tx) || isUnknown(ty) {
		return c.bad(p)
	}
	if typed.HasStruct(tx) || typed.HasStruct(ty) {
		return c.structOperator(op, x, y, p)
	}
	for _, t := range []typed.Type{tx, ty} {
		if _, ok := t.(typed.Slice); ok || isTable(t) && op != typed.Eq && op != typed.Ne {
			c.errorf(syntax.BadOperator, p, "work on its elements", "operator %s is not defined for %s", op, t)
			return c.bad(p)
		}
	}
	switch op {
	case typed.Shl, typed.Shr:
		return c.shift(op, x, y, ye, p)
	case typed.LAnd, typed.LOr:
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
	if typed.IsMatrix(tx) || typed.IsMatrix(ty) {
		if op == typed.Mul && len(typed.Dims(tx)) > 0 && len(typed.Dims(ty)) > 0 {
			return c.matMul(x, y, p)
		}
		if op == typed.Div && typed.IsMatrix(ty) {
			c.errorf(syntax.ProductMismatch, p, "multiply by inverse(m), or divide elementwise with hadamard and 1/x", "nothing is divided by a matrix")
			return c.bad(p)
		}
	}
	args := []typed.Expr{x, y}
	if _, ok := unifyShapes(args); !ok {
		c.errorf(syntax.ShapeMismatch, p, "take parts with a swizzle, or build a vector of the right length", "operator %s on %s and %s: the shapes differ", op, tx, ty)
		return c.bad(p)
	}
	return c.elementwise(op, args[0], args[1], s, ye, p)
}

func (c *checker) mismatch(op typed.Op, x, y typed.Expr, xe, ye ast.Expr, p token.Pos) {
	sx, sy := typed.ScalarOf(x.Type()), typed.ScalarOf(y.Type())
	help := ""
	switch {
	case sx == typed.Bool || sy == typed.Bool:
		help = "compare the number with 0, or convert the bool with i32(…)"
	case sy.IsUntyped():
	case sx.Bits() >= sy.Bits():
		help = "convert one of them: " + c.name(typed.WithScalar(y.Type(), sx)) + "(" + c.shortText(ye) + ")"
	default:
		help = "convert one of them: " + c.name(typed.WithScalar(x.Type(), sy)) + "(" + c.shortText(xe) + ")"
	}
	c.errorf(syntax.Mismatch, p, help, "operator %s on %s and %s: the types differ", op, c.describe(x), c.describe(y))
}

// defined reports an operator that scalar type s lacks.
func (c *checker) defined(op typed.Op, s typed.Scalar, p token.Pos) bool {
	help, ok := "", true
	switch op {
	case typed.Add, typed.Sub, typed.Mul, typed.Div, typed.Lt, typed.Le, typed.Gt, typed.Ge:
		ok = s.IsNumber()
		help = "bools have == != && || !"
	case typed.Rem:
		ok = s.IsInt()
		help = "write mod(a, b)"
		if s == typed.Bool {
			help = ""
		}
	case typed.And, typed.Or, typed.Xor, typed.AndNot:
		ok = s.IsInt()
		help = "bit operations take integers"
		if op == typed.Xor {
			help = "write pow(a, b) for a power; ^ is the exclusive or of integers"
		}
		if s == typed.Bool {
			help = "bools have == != && || !"
		}
	}
	if !ok {
		c.errorf(syntax.BadOperator, p, help, "operator %s is not defined for %s", op, s)
	}
	return ok
}

// elementwise makes the operation of two operands of the same type.
func (c *checker) elementwise(op typed.Op, x, y typed.Expr, s typed.Scalar, ye ast.Expr, p token.Pos) typed.Expr {
	if (op == typed.Div || op == typed.Rem) && s.IsInt() && !c.checkQuotient(op, x, y, ye, p) {
		return c.bad(p)
	}
	t := x.Type()
	c.growBy(typed.Components(t), x, y)
	if op.IsComparison() {
		t = typed.WithScalar(t, typed.Bool)
	}
	r := c.fold(op, x, y, t, s, p)
	if r == nil {
		r = &typed.Binary{ExprBase: ex(c.at(p), t), Op: op, X: x, Y: y}
	}
	if _, scalar := t.(typed.Scalar); !scalar && op == typed.Eq {
		return c.reduceBools(typed.All, r, p)
	} else if !scalar && op == typed.Ne {
		return c.reduceBools(typed.Any, r, p)
	}
	return r
}

// checkQuotient reports a constant divisor 0, and a constant quotient 0. What it
// reports follows from the source alone, not from the value of a host constant.
func (c *checker) checkQuotient(op typed.Op, x, y typed.Expr, ye ast.Expr, p token.Pos) bool {
	ky, ok := y.(*typed.Const)
	if !ok || ky.From&typed.FromShape != 0 {
		return true
	}
	kx, xConst := x.(*typed.Const)
	if ky.From&typed.FromHost != 0 {
		return op == typed.Rem || !xConst || c.checkReciprocal(kx, ye, p)
	}
	if xConst && kx.From&typed.FromHost != 0 {
		xConst = false // a division of variables
	}
	for i, v := range ky.Vals {
		if !v.Known() || v.Float() == 0 && ky.From != 0 {
			continue
		}
		if v.Float() == 0 {
			c.errorf(syntax.DivisionByZero, ye.Pos(), "", "integer division by 0")
			return false
		}
		if op == typed.Rem || !xConst || kx.From&typed.FromShape != 0 || !kx.Vals[i].Known() || kx.Vals[i].Float() == 0 {
			continue
		}
		if typed.FoldBinary(typed.Div, kx.Vals[i], v, typed.I64).Float() == 0 {
			c.errorf(syntax.ZeroQuotient, p, "make it a division of floats: "+kx.Vals[i].String()+".0/"+c.shortText(ye),
				"the integer quotient %s/%s is 0", kx.Vals[i], v)
			return false
		}
	}
	return true
}

// checkReciprocal reports the integer quotient of the constant 1 or -1 and a host
// constant, whatever the host's value: it is hardly ever other than 0.
func (c *checker) checkReciprocal(kx *typed.Const, ye ast.Expr, p token.Pos) bool {
	if kx.From != 0 {
		return true
	}
	for _, v := range kx.Vals {
		if v.Known() && math.Abs(v.Float()) == 1 {
			y := c.shortText(ye)
			c.errorf(syntax.ZeroQuotient, p, "make it a division of floats: "+v.String()+".0/"+y,
				"the integer quotient %s/%s is 0 for almost every value of the host's constant", v, y)
			return false
		}
	}
	return true
}

// fold computes an elementwise operation of constants; nil if one is none.
func (c *checker) fold(op typed.Op, x, y typed.Expr, t typed.Type, s typed.Scalar, p token.Pos) typed.Expr {
	kx, ok := x.(*typed.Const)
	ky, ok2 := y.(*typed.Const)
	if !ok || !ok2 {
		return nil
	}
	k := &typed.Const{ExprBase: ex(c.at(p), t), Vals: make([]typed.Num, len(kx.Vals)), From: kx.From | ky.From}
	for i := range k.Vals {
		v := typed.FoldBinary(op, kx.Vals[i], ky.Vals[i], s)
		if !c.fitsConst(v, typed.ScalarOf(t), k.From, p) {
			return c.bad(p)
		}
		k.Vals[i], _ = typed.Represent(v, typed.ScalarOf(t))
	}
	return k
}

// reduceBools applies All or Any.
func (c *checker) reduceBools(fn typed.Fn, x typed.Expr, p token.Pos) typed.Expr {
	if k, ok := x.(*typed.Const); ok {
		r := fn == typed.All
		for _, v := range k.Vals {
			if !v.Known() {
				return &typed.Const{ExprBase: ex(c.at(p), typed.Bool), Vals: []typed.Num{{}}, From: k.From}
			}
			if v.Bool() != (fn == typed.All) {
				r = !r
				break
			}
		}
		return &typed.Const{ExprBase: ex(c.at(p), typed.Bool), Vals: []typed.Num{typed.BoolNum(r)}, From: k.From}
	}
	return &typed.Builtin{ExprBase: ex(c.at(p), typed.Bool), Fn: fn, Args: []typed.Expr{x}}
}

// matMul makes the linear-algebra product.
func (c *checker) matMul(x, y typed.Expr, p token.Pos) typed.Expr {
	dx, dy := typed.Dims(x.Type()), typed.Dims(y.Type())
	s := typed.ScalarOf(x.Type())
	inner := dx[len(dx)-1]
	if inner != dy[0] {
		c.errorf(syntax.ProductMismatch, p, "hadamard(a, b) multiplies elementwise", "product of %s and %s: %d columns, but %d rows", x.Type(), y.Type(), inner, dy[0])
		return c.bad(p)
	}
	dims := append(append([]int{}, dx[:len(dx)-1]...), dy[1:]...)
	t := typed.ArrayOf(s, dims...)
	kx, ok := x.(*typed.Const)
	ky, ok2 := y.(*typed.Const)
	if !ok || !ok2 {
		return c.asLoop(x, y, &typed.Binary{ExprBase: ex(c.at(p), t), Op: typed.MatMul, X: x, Y: y}, p)
	}
	k := &typed.Const{ExprBase: ex(c.at(p), t), From: kx.From | ky.From}
	cols := 1
	if len(dy) == 2 {
		cols = dy[1]
	}
	a := &arithmetic{s: s}
	for r := range len(kx.Vals) / inner {
		for col := range cols {
			column := make([]typed.Num, inner)
			for i := range column {
				column[i] = ky.Vals[i*cols+col]
			}
			sum, _ := typed.Represent(a.dot(kx.Vals[r*inner:][:inner], column), s)
			k.Vals = append(k.Vals, sum)
		}
	}
	return k
}

// shift types x << y and x >> y: the count has any integer type of its own.
func (c *checker) shift(op typed.Op, x, y typed.Expr, ye ast.Expr, p token.Pos) typed.Expr {
	sx, sy := typed.ScalarOf(x.Type()), typed.ScalarOf(y.Type())
	if !sx.IsInt() {
		c.errorf(syntax.BadOperator, p, "only integers are shifted", "operator %s is not defined for %s", op, c.describe(x))
		return c.bad(p)
	}
	if !sy.IsInt() {
		c.errorf(syntax.BadShift, ye.Pos(), "", "a shift count is an integer, and this is %s", c.describe(y))
		return c.bad(p)
	}
	if k, ok := y.(*typed.Const); ok {
		for _, v := range k.Vals {
			if v.Known() && v.Float() < 0 && k.From == 0 {
				c.errorf(syntax.BadShift, ye.Pos(), "shift the other way", "the shift count is negative")
				return c.bad(p)
			}
		}
	}
	_, xConst := x.(*typed.Const)
	_, yConst := y.(*typed.Const)
	if !xConst || !yConst {
		x = c.defaultType(x, p)
		y = c.defaultType(y, ye.Pos())
		if isUnknown(x.Type()) || isUnknown(y.Type()) {
			return c.bad(p)
		}
	}
	args := []typed.Expr{x, y}
	if _, ok := unifyShapes(args); !ok {
		c.errorf(syntax.ShapeMismatch, p, "", "operator %s on %s and %s: the shapes differ", op, x.Type(), y.Type())
		return c.bad(p)
	}
	if kx, ok := args[0].(*typed.Const); ok && xConst && yConst {
		ky := args[1].(*typed.Const)
		for _, v := range ky.Vals {
			if v.Known() && v.Float() < 0 { // of the host: shifts as a run-time count
				return &typed.Binary{ExprBase: ex(c.at(p), args[0].Type()), Op: op, X: c.defaultType(kx, p), Y: c.defaultType(ky, p)}
			}
		}
		return c.fold(op, args[0], args[1], args[0].Type(), typed.ScalarOf(args[0].Type()), p)
	}
	return &typed.Binary{ExprBase: ex(c.at(p), args[0].Type()), Op: op, X: args[0], Y: args[1]}
}

// logic types && and ||: short-circuit on bools, elementwise on vectors of bool.
func (c *checker) logic(op typed.Op, x, y typed.Expr, p token.Pos) typed.Expr {
	for _, z := range []typed.Expr{x, y} {
		if typed.ScalarOf(z.Type()) != typed.Bool {
			c.errorf(syntax.BadOperator, p, "compare with 0: x != 0", "operator %s takes bools, and this is %s", op, c.describe(z))
			return c.bad(p)
		}
	}
	args := []typed.Expr{x, y}
	shape, ok := unifyShapes(args)
	if !ok {
		c.errorf(syntax.ShapeMismatch, p, "", "operator %s on %s and %s: the shapes differ", op, x.Type(), y.Type())
		return c.bad(p)
	}
	bit := typed.And
	if op == typed.LOr {
		bit = typed.Or
	}
	t := typed.WithScalar(shape, typed.Bool)
	if r := c.fold(bit, args[0], args[1], t, typed.Bool, p); r != nil {
		return r
	}
	if _, scalar := t.(typed.Scalar); scalar {
		return &typed.Logic{ExprBase: ex(c.at(p), t), Op: op, X: x, Y: y}
	}
	return &typed.Binary{ExprBase: ex(c.at(p), t), Op: bit, X: args[0], Y: args[1]}
}

// unaryExpr checks -x, +x, !x, ^x; &x has a meaning only in calls.
func (c *checker) unaryExpr(e *ast.UnaryExpr) typed.Expr {
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
	s := typed.ScalarOf(x.Type())
	op, ok, help := typed.NoOp, !isTable(x.Type()), ""
	switch e.Op {
	case token.ADD:
		ok = ok && s.IsNumber()
	case token.SUB:
		op, ok = typed.Neg, ok && s.IsNumber()
	case token.NOT:
		op, ok, help = typed.Not, ok && s == typed.Bool, "compare with 0: x == 0"
	case token.XOR:
		op, ok = typed.Compl, ok && s.IsInt()
	default:
		ok = false
	}
	if _, slice := x.Type().(typed.Slice); slice {
		ok = false
	}
	if !ok {
		c.errorf(syntax.BadOperator, e.Pos(), help, "operator %s is not defined for %s", e.Op, c.describe(x))
		return c.bad(e.Pos())
	}
	if op == typed.NoOp {
		return x
	}
	return c.unary(op, x, s, e.Pos())
}

func (c *checker) unary(op typed.Op, x typed.Expr, s typed.Scalar, p token.Pos) typed.Expr {
	kx, ok := x.(*typed.Const)
	if !ok {
		return &typed.Unary{ExprBase: ex(c.at(p), x.Type()), Op: op, X: x}
	}
	k := &typed.Const{ExprBase: ex(c.at(p), kx.T), Vals: make([]typed.Num, len(kx.Vals)), From: kx.From}
	for i, v := range kx.Vals {
		r := typed.FoldUnary(op, v, s)
		if !c.fitsConst(r, s, k.From, p) {
			return c.bad(p)
		}
		k.Vals[i], _ = typed.Represent(r, s)
	}
	return k
}
