package check

import (
	"fmt"
	"go/ast"
	"go/token"

	"github.com/gotaichi/ti/internal/prelude"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// This file instantiates the builtins that are written in the kernel language (see
// package prelude): a call of one is a call of an instance of its function.

// A linalgKey says for which matrices a scope of the prelude is: rows, columns, the
// columns of the right sides of least squares, and the type of the numbers.
type linalgKey struct {
	n, m, p int
	t       typed.Scalar
}

// linalgRows is the table of the decompositions.
func linalgRows() []builtinRow {
	return []builtinRow{
		{"svd", anyMatrixFn("svdThin", "U, s, V := svd(m)")}, {"polar", squareFn("R, S := polar(m)")},
		{"symEig", squareFn("w, Q := symEig(m)")}, {"eig", squareFn("w, X, Y := eig(m)")},
		{"cholesky", squareFn("L := cholesky(m)")}, {"qr", anyMatrixFn("qr", "Q, R := qr(m)")},
		{"solve", rightSideFn(true, "x := solve(A, b)")}, {"lstsq", rightSideFn(false, "x := lstsq(A, b)")},
	}
}

// squareFn is a decomposition of a square matrix.
func squareFn(usage string) builtinFn {
	return func(c *checker, name string, e *ast.CallExpr) operand {
		xs, ok := c.linalgArgs(name, e, 1, usage)
		if !ok || !c.squareMatrix(name, e, xs[0]) {
			return operand{}
		}
		return c.linalg(name, e.Pos(), linalgKeyOf(xs[0]), xs)
	}
}

// anyMatrixFn is a decomposition of a matrix of any shape, by function other of the prelude if it is not square.
func anyMatrixFn(other, usage string) builtinFn {
	return func(c *checker, name string, e *ast.CallExpr) operand {
		xs, ok := c.linalgArgs(name, e, 1, usage)
		if !ok {
			return operand{}
		}
		if !isFloatMatrix(xs[0]) {
			return c.argType(name, e, 0, xs[0], "a matrix of floats")
		}
		key := linalgKeyOf(xs[0])
		if key.n != key.m {
			return c.linalg(other, e.Pos(), key, xs)
		}
		return c.linalg(name, e.Pos(), key, xs)
	}
}

// rightSideFn solves systems of equations, by function name of the prelude for one right side and by nameColumns for several.
func rightSideFn(square bool, usage string) builtinFn {
	return func(c *checker, name string, e *ast.CallExpr) operand {
		xs, ok := c.linalgArgs(name, e, 2, usage)
		switch {
		case !ok:
			return operand{}
		case !isFloatMatrix(xs[0]):
			return c.argType(name, e, 0, xs[0], map[bool]string{true: "a square matrix of floats", false: "a matrix of floats"}[square])
		}
		key := linalgKeyOf(xs[0])
		if square && key.n != key.m {
			c.errorf(syntax.ArgType, e.Args[0].Pos(), "write lstsq(A, b), for the x that comes nearest to a solution",
				"%s takes a square matrix of floats, and this is %s", name, c.describe(xs[0]))
			return operand{}
		}
		b := typed.Dims(xs[1].Type())
		if len(b) == 0 || len(b) > 2 || b[0] != key.n || typed.HasStruct(xs[1].Type()) {
			return c.argType(name, e, 1, xs[1], fmt.Sprintf("a vector of %d floats, or a matrix of %d rows", key.n, key.n))
		}
		xs[1] = c.assignable(xs[1], typed.WithScalar(xs[1].Type(), key.t), e.Args[1], "the right side of "+name)
		if isUnknown(xs[1].Type()) {
			return operand{}
		}
		fn := name
		if key.p = 1; len(b) == 2 {
			fn, key.p = name+"Columns", b[1]
		}
		if square {
			key.m, key.p = key.p, 1
		}
		return c.linalg(fn, e.Pos(), key, xs)
	}
}

func isFloatMatrix(x typed.Expr) bool {
	return typed.IsMatrix(x.Type()) && typed.ScalarOf(x.Type()).IsFloat()
}

// linalgKeyOf is that of a matrix.
func linalgKeyOf(x typed.Expr) linalgKey {
	d := typed.Dims(x.Type())
	return linalgKey{d[0], d[1], 1, typed.ScalarOf(x.Type())}
}

// linalgArgs checks n arguments.
func (c *checker) linalgArgs(name string, e *ast.CallExpr, n int, usage string) ([]typed.Expr, bool) {
	if !c.argCount(name, e, n, n, usage) {
		return nil, false
	}
	xs, ok := c.args(e)
	for i := range xs {
		if ok {
			xs[i] = c.defaultType(xs[i], e.Args[i].Pos())
			ok = !isUnknown(xs[i].Type())
		}
	}
	return xs, ok
}

// squareMatrix reports an argument that is no square matrix of floats.
func (c *checker) squareMatrix(name string, e *ast.CallExpr, x typed.Expr) bool {
	d := typed.Dims(x.Type())
	ok := isFloatMatrix(x) && d[0] == d[1]
	if !ok {
		c.argType(name, e, 0, x, "a square matrix of floats")
	}
	return ok
}

// linalg calls the instance of a function of the prelude.
func (c *checker) linalg(name string, p token.Pos, key linalgKey, xs []typed.Expr) operand {
	ctx := typed.Inside
	if c.fn != nil && c.fn.inst != nil && !c.inParallel() {
		ctx = typed.Serial
	}
	scope, before, unroll := c.linalgScope(key), c.where, c.unroll
	c.pkg = scope
	c.unroll = max(key.n, key.m) <= maxUnrolled
	in := c.instance(scope.names[name], ctx, noBindings(), token.NoPos)
	c.where, c.unroll = before, unroll
	if in == nil {
		return operand{}
	}
	return valueOf(&typed.Call{ExprBase: ex(c.at(p), in.f.Result()), Func: in.f, Args: xs})
}

// maxUnrolled is the number of rows up to which a matrix is kept in registers.
const maxUnrolled = 4

// maxStraightProduct is the number of multiplications up to which the prelude's products of matrices are straight code:
// those of 5 rows. Derivatives have dozens of products, and libLLVM takes more than twice as long for a block of twice
// the length.
const maxStraightProduct = 5 * 5 * 5

// asLoop is the product of two matrices in the prelude as a call of its function looped, if it is too large for
// straight code. Larger values than MaxUnrolled are computed by loops in any case.
func (c *checker) asLoop(x, y, product typed.Expr, p token.Pos) typed.Expr {
	dx, dy := typed.Dims(x.Type()), typed.Dims(y.Type())
	if c.unroll || len(dx) != 2 || len(dy) != 2 || dx[0]*dx[1]*dy[1] <= maxStraightProduct || !c.inPrelude() {
		return product
	}
	key := linalgKey{dx[0], dx[1], dy[1], typed.ScalarOf(x.Type())}
	if most := max(key.n*key.m, key.m*key.p, key.n*key.p); most > typed.MaxUnrolled || key.t != typed.F32 && key.t != typed.F64 {
		return product
	}
	return c.linalg("looped", p, key, []typed.Expr{x, y}).x
}

// linalgScope returns the prelude's declarations for matrices of one kind.
func (c *checker) linalgScope(key linalgKey) *scope {
	if s := c.preludes[key]; s != nil {
		return s
	}
	s := newPackageScope(newScope(c.predeclared))
	c.bindPrelude(s.parent, key)
	if c.preludes == nil {
		c.preludes = map[linalgKey]*scope{}
	}
	c.preludes[key] = s
	if c.preludeFiles == nil {
		c.preludeFiles = parsePrelude()
	}
	before := c.where
	c.pkg = s
	for _, c.file = range c.preludeFiles {
		for _, d := range c.file.Tree.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				c.collectFunc(d)
			case *ast.GenDecl:
				c.collectGen(d, s)
			}
		}
	}
	c.resolveRules(s)
	c.where = before
	return s
}

// parsePrelude parses the files of the prelude, which are part of the compiler:
// tests see that they have no errors.
func parsePrelude() []*syntax.File {
	var files []*syntax.File
	for _, name := range []string{"linalg.ti", "rectangles.ti", "eig.ti", "rules.ti", "tangents.ti", "reduce.ti"} {
		text, err := prelude.Linalg().ReadFile(name)
		if err != nil {
			panic(err)
		}
		f, errs := syntax.Parse(name, string(text), token.Position{})
		if len(errs) > 0 {
			panic(errs)
		}
		files = append(files, f)
	}
	return files
}

// bindPrelude declares what the prelude takes for granted; see the package's comment.
func (c *checker) bindPrelude(s *scope, key linalgKey) {
	work, bits, mantissa, top := typed.F32, typed.U32, 23, 254
	if key.t == typed.F64 {
		work, bits, mantissa, top = typed.F64, typed.U64, 52, 2046
	}
	number := func(name string, t typed.Scalar, v typed.Num) {
		s.insert(&object{kind: objConst, name: name, state: done, typ: t, cst: &typed.Const{ExprBase: typed.ExprBase{T: t}, Vals: []typed.Num{v}}})
	}
	for _, k := range []struct {
		name string
		n    int
	}{{"N", key.n}, {"M", key.m}, {"K", min(key.n, key.m)}, {"P", key.p}, {"Mantissa", mantissa}, {"Top", top}} {
		number(k.name, typed.UntypedInt, typed.IntNum(int64(k.n)))
	}
	close := 1e-6
	if key.t == typed.F64 {
		close = 1e-12
	}
	number("Close", typed.UntypedFloat, typed.FloatNum(close))
	number("Eps", typed.UntypedFloat, typed.FloatNum(1/float64(uint64(1)<<mantissa)))
	for _, t := range []struct {
		name string
		t    typed.Scalar
	}{{"T", key.t}, {"W", work}, {"Bits", bits}} {
		s.insert(&object{kind: objType, name: t.name, typ: t.t, state: done})
	}
	s.insert(&object{kind: objBuiltin, name: "unroll", state: done, fn: func(c *checker, _ string, e *ast.CallExpr) operand {
		return c.expr(e.Args[0])
	}})
	s.insert(&object{kind: objBuiltin, name: "of", state: done, fn: callOther})
	s.insert(&object{kind: objBuiltin, name: "origin", state: done, fn: originOf})
}

// callOther is of(f, m, b) in the prelude: a call of its function f for the size of another matrix m.
func callOther(c *checker, _ string, e *ast.CallExpr) operand {
	call := *e
	call.Args = e.Args[1:]
	xs, ok := c.args(&call)
	if !ok {
		return operand{}
	}
	key := linalgKeyOf(xs[0])
	if len(xs) > 1 {
		key.p = typed.Dims(xs[1].Type())[1]
	}
	return c.linalg(e.Args[0].(*ast.Ident).Name, call.Pos(), key, xs)
}
