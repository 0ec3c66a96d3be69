package check

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/gotaichi/ti/internal/syntax"
)

// isAtomicOp reports the operators that change shared memory in one step.
func isAtomicOp(op Op) bool {
	switch op {
	case Add, Sub, Mul, Div, And, Or, Xor, Min, Max, LAnd, LOr:
		return true
	}
	return false
}

// update checks place op= value.
func (c *checker) update(op Op, lhs, rhs ast.Expr, p token.Pos) []Stmt {
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
		c.errorf(syntax.NeedsConversion, p, "convert the value", "%s is of type %s, and %s %s %s is %s", c.shortText(lhs), t, t, op, describe(y), r.Type())
		return nil
	}
	u := &Update{at: at{c.at(p)}, Op: op, Place: place}
	b, isBinary := r.(*Binary)
	switch {
	case isBinary && (b.Op == MatMul || op == Shl || op == Shr):
		u.Op, u.Value = b.Op, b.Y
	default:
		u.Value = splat(c.operandTo(y, ScalarOf(t), rhs.Pos()), t)
	}
	shared := c.inParallel() && c.isShared(lhs)
	if shared && u.Op == MatMul {
		c.errorf(syntax.NonAtomicProduct, p, "write the whole assignment, a = a * m, where no other iteration uses a", "a matrix product in place is not atomic")
		return nil
	}
	u.Atomic = shared && isAtomicOp(u.Op)
	return []Stmt{u}
}

// accumulation recognises x = min(x, v, …), max, x = x || b and x = x && b.
func (c *checker) accumulation(lhs, rhs ast.Expr) (Op, []ast.Expr) {
	same := func(e ast.Expr) bool {
		strip := func(e ast.Expr) string {
			return strings.Join(strings.Fields(c.file.Text(e.Pos(), e.End())), "")
		}
		return strip(e) == strip(lhs)
	}
	switch e := ast.Unparen(rhs).(type) {
	case *ast.BinaryExpr:
		if op := binaryOps[e.Op]; (op == LAnd || op == LOr) && same(e.X) {
			return op, []ast.Expr{e.Y}
		}
	case *ast.CallExpr:
		for name, op := range map[string]Op{"min": Min, "max": Max} { // at most one matches
			if call, ok := c.builtinCall(e, name); ok && len(call.Args) > 1 && same(call.Args[0]) {
				return op, call.Args[1:]
			}
		}
	}
	return NoOp, nil
}

// accumulate makes the atomic form of such an assignment.
func (c *checker) accumulate(op Op, lhs ast.Expr, args []ast.Expr, p token.Pos) []Stmt {
	place, ok := c.place(lhs, accumulate)
	var value Expr
	for _, a := range args {
		x := c.value(a)
		if !ok || isUnknown(x.Type()) {
			ok = false
			continue
		}
		t := place.Type()
		s, same := c.unifyScalars(place, x)
		_, scalar := x.Type().(Scalar)
		isBool := op == LAnd || op == LOr
		if !same || HasStruct(t) || s != ScalarOf(t) || isBool != (s == Bool) || !scalar && x.Type() != WithScalar(t, ScalarOf(x.Type())) {
			c.errorf(syntax.NeedsConversion, a.Pos(), "convert it", "%s is of type %s, and this is %s", c.shortText(lhs), t, describe(x))
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
		fn := MinFn
		if op == Max {
			fn = MaxFn
		}
		value = c.builtin(fn, t, p, value, x).x
	}
	if !ok {
		return nil
	}
	c.use(lhs)
	return []Stmt{&Update{at{c.at(p)}, op, place, value, true}}
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
