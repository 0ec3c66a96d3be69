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

// A linalgKey says for which matrices a scope of the prelude is: rows, columns and
// the type of the numbers.
type linalgKey struct {
	n, m int
	t    typed.Scalar
}

// linalgRows is the table of the decompositions.
func linalgRows() []builtinRow {
	return []builtinRow{
		{"svd", squareFn("U, s, V := svd(m)")}, {"polar", squareFn("R, S := polar(m)")},
		{"symEig", squareFn("w, Q := symEig(m)")}, {"eig", squareFn("w, X, Y := eig(m)")},
		{"qr", checkQR}, {"solve", checkSolve},
	}
}

// squareFn is a decomposition of a square matrix.
func squareFn(usage string) builtinFn {
	return func(c *checker, name string, e *ast.CallExpr) operand {
		xs, ok := c.linalgArgs(name, e, 1, usage)
		if !ok || !c.squareMatrix(name, e, xs[0]) {
			return operand{}
		}
		n := typed.Dims(xs[0].Type())[0]
		return c.linalg(name, e, linalgKey{n, n, typed.ScalarOf(xs[0].Type())}, xs)
	}
}

func checkQR(c *checker, name string, e *ast.CallExpr) operand {
	xs, ok := c.linalgArgs(name, e, 1, "Q, R := qr(m)")
	if !ok {
		return operand{}
	}
	if !typed.IsMatrix(xs[0].Type()) || !typed.ScalarOf(xs[0].Type()).IsFloat() {
		return c.argType(name, e, 0, xs[0], "a matrix of floats")
	}
	d := typed.Dims(xs[0].Type())
	return c.linalg(name, e, linalgKey{d[0], d[1], typed.ScalarOf(xs[0].Type())}, xs)
}

func checkSolve(c *checker, name string, e *ast.CallExpr) operand {
	xs, ok := c.linalgArgs(name, e, 2, "x := solve(A, b)")
	if !ok || !c.squareMatrix(name, e, xs[0]) {
		return operand{}
	}
	n, s := typed.Dims(xs[0].Type())[0], typed.ScalarOf(xs[0].Type())
	b := typed.Dims(xs[1].Type())
	if len(b) == 0 || len(b) > 2 || b[0] != n || typed.HasStruct(xs[1].Type()) {
		return c.argType(name, e, 1, xs[1], fmt.Sprintf("a vector of %d floats, or a matrix of %d rows", n, n))
	}
	xs[1] = c.assignable(xs[1], typed.WithScalar(xs[1].Type(), s), e.Args[1], "the right side of solve")
	if isUnknown(xs[1].Type()) {
		return operand{}
	}
	if len(b) == 1 {
		return c.linalg("solve", e, linalgKey{n, 1, s}, xs)
	}
	return c.linalg("solveColumns", e, linalgKey{n, b[1], s}, xs)
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
	ok := typed.IsMatrix(x.Type()) && d[0] == d[1] && typed.ScalarOf(x.Type()).IsFloat()
	if !ok {
		c.argType(name, e, 0, x, "a square matrix of floats")
	}
	return ok
}

// linalg calls the instance of a function of the prelude.
func (c *checker) linalg(name string, e *ast.CallExpr, key linalgKey, xs []typed.Expr) operand {
	ctx := typed.Inside
	if c.fn != nil && c.fn.inst != nil && !c.inParallel() {
		ctx = typed.Serial
	}
	scope, pkg, file, unroll := c.linalgScope(key), c.pkg, c.file, c.unroll
	c.pkg = scope
	c.unroll = max(key.n, key.m) <= maxUnrolled
	in := c.instance(scope.names[name], ctx, noBindings(), token.NoPos)
	c.pkg, c.file, c.unroll = pkg, file, unroll
	if in == nil {
		return operand{}
	}
	return valueOf(&typed.Call{ExprBase: ex(c.at(e.Pos()), in.f.Result()), Func: in.f, Args: xs})
}

// maxUnrolled is the number of rows up to which a matrix is kept in registers.
const maxUnrolled = 4

// linalgScope returns the prelude's declarations for matrices of one kind.
func (c *checker) linalgScope(key linalgKey) *scope {
	if s := c.preludes[key]; s != nil {
		return s
	}
	root := c.pkg
	for root.parent != nil {
		root = root.parent
	}
	s := newScope(newScope(root))
	c.bindPrelude(s.parent, key)
	if c.preludes == nil {
		c.preludes = map[linalgKey]*scope{}
	}
	c.preludes[key] = s
	if c.preludeFiles == nil {
		c.preludeFiles = parsePrelude()
	}
	pkg, file := c.pkg, c.file
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
	c.pkg, c.file = pkg, file
	return s
}

// parsePrelude parses the files of the prelude, which are part of the compiler:
// tests see that they have no errors.
func parsePrelude() []*syntax.File {
	var files []*syntax.File
	for _, name := range []string{"linalg.ti", "eig.ti", "rules.ti", "tangents.ti"} {
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
	}{{"N", key.n}, {"M", key.m}, {"K", min(key.n, key.m)}, {"Mantissa", mantissa}, {"Top", top}} {
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
}
