package check

import (
	"go/ast"
	"go/token"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// isAtomicOp reports the operators that change shared memory in one step.
func isAtomicOp(op typed.Op) bool {
	switch op {
	case typed.Add, typed.Sub, typed.Mul, typed.Div, typed.And, typed.Or, typed.Xor, typed.Min, typed.Max, typed.LAnd, typed.LOr:
		return true
	}
	return false
}

// update checks place op= value.
func (c *checker) update(op typed.Op, lhs, rhs ast.Expr, p token.Pos) []typed.Stmt {
	how := overwrite
	if isAtomicOp(op) {
		how = accumulate
	}
	place, ok := c.place(lhs, how)
	y := c.value(rhs)
	c.use(lhs)
	if !ok || isUnknown(y.Type()) {
		return nil
	}
	t := place.Type()
	r := c.binary(op, place, y, lhs, rhs, p)
	if isUnknown(r.Type()) {
		return nil
	}
	if r.Type() != t {
		c.errorf(syntax.NeedsConversion, p, "convert the value", "%s is of type %s, and %s %s %s is %s", c.shortText(lhs), t, t, op, c.describe(y), r.Type())
		return nil
	}
	u := &typed.Update{StmtBase: at(c.at(p)), Op: op, Place: place}
	b, isBinary := r.(*typed.Binary)
	switch {
	case isBinary && (b.Op == typed.MatMul || op == typed.Shl || op == typed.Shr):
		u.Op, u.Value = b.Op, b.Y
	default:
		u.Value = splat(c.operandTo(y, typed.ScalarOf(t), rhs.Pos()), t)
	}
	shared := c.inParallel() && c.isShared(lhs)
	if shared && u.Op == typed.MatMul {
		c.errorf(syntax.NonAtomicProduct, p, "write the whole assignment, a = a * m, where no other iteration uses a", "a matrix product in place is not atomic")
		return nil
	}
	u.Atomic = shared && isAtomicOp(u.Op)
	return []typed.Stmt{u}
}

// accumulation recognises x = min(x, v, …), max, x = x || b || … and x = x && b && ….
func (c *checker) accumulation(lhs, rhs ast.Expr) (typed.Op, []ast.Expr) {
	same := c.sameText(lhs)
	switch e := ast.Unparen(rhs).(type) {
	case *ast.BinaryExpr:
		if op := binaryOps[e.Op]; op == typed.LAnd || op == typed.LOr {
			if rest := chainAfter(e, same); rest != nil {
				return op, []ast.Expr{rest}
			}
		}
	case *ast.CallExpr:
		for name, op := range map[string]typed.Op{"min": typed.Min, "max": typed.Max} { // at most one matches
			if call, ok := c.builtinCall(e, name); ok && len(call.Args) > 1 && same(call.Args[0]) {
				return op, call.Args[1:]
			}
		}
	}
	return typed.NoOp, nil
}

// chainAfter returns a || b of x || a || b, where first holds for x; nil if it holds
// for no first operand. All operators of the chain are that of e.
func chainAfter(e *ast.BinaryExpr, first func(ast.Expr) bool) ast.Expr {
	if first(e.X) {
		return e.Y
	}
	x, ok := ast.Unparen(e.X).(*ast.BinaryExpr)
	if !ok || x.Op != e.Op {
		return nil
	}
	rest := chainAfter(x, first)
	if rest == nil {
		return nil
	}
	return &ast.BinaryExpr{X: rest, OpPos: e.OpPos, Op: e.Op, Y: e.Y}
}

// accumulate makes the atomic form of such an assignment.
func (c *checker) accumulate(op typed.Op, lhs ast.Expr, args []ast.Expr, p token.Pos) []typed.Stmt {
	place, ok := c.place(lhs, accumulate)
	var value typed.Expr
	for _, a := range args {
		x := c.value(a)
		if !ok || isUnknown(x.Type()) {
			ok = false
			continue
		}
		t := place.Type()
		s, same := c.unifyScalars(place, x)
		_, scalar := x.Type().(typed.Scalar)
		isBool := op == typed.LAnd || op == typed.LOr
		if !same || typed.HasStruct(t) || s != typed.ScalarOf(t) || isBool != (s == typed.Bool) || !scalar && x.Type() != typed.WithScalar(t, typed.ScalarOf(x.Type())) {
			c.errorf(syntax.NeedsConversion, a.Pos(), "convert it", "%s is of type %s, and this is %s", c.shortText(lhs), t, c.describe(x))
			ok = false
			continue
		}
		x = c.operandTo(x, s, a.Pos())
		if isUnknown(x.Type()) {
			ok = false
			continue
		}
		x = splat(x, t)
		if value == nil {
			value = x
			continue
		}
		fn := typed.MinFn
		if op == typed.Max {
			fn = typed.MaxFn
		}
		value = c.builtin(fn, t, p, value, x).x
	}
	if !ok {
		return nil
	}
	c.use(lhs)
	return []typed.Stmt{&typed.Update{StmtBase: at(c.at(p)), Op: op, Place: place, Value: value, Atomic: true}}
}

// noteRead remembers that a parallel loop reads a variable from outside of it.
func (c *checker) noteRead(o *object, p token.Pos) { c.noteReadIn(c.fn, o, p) }

func (c *checker) noteReadIn(f *fn, o *object, p token.Pos) {
	par := f.par
	if par == nil || o.par == par {
		return
	}
	if _, ok := par.reads[o.v]; !ok {
		par.reads[o.v] = p
		par.order = append(par.order, o.v)
	}
}

// closeParallel reports variables that a parallel loop both reads and changes.
func (c *checker) closeParallel(par *parLoop) {
	for _, v := range par.order {
		p, read := par.reads[v]
		if read && par.reduced[v] {
			c.errorf(syntax.ParallelRead, p, "read it after the loop, or run the loop in order with `range serial(…)`",
				"%s is accumulated by this parallel loop, so its value is not known inside", v.Name)
		}
	}
}
