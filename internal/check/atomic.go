package check

import (
	"go/ast"
	"go/token"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

var atomicOps = map[string]typed.Op{
	"atomicAdd": typed.Add, "atomicSub": typed.Sub, "atomicMin": typed.Min, "atomicMax": typed.Max,
	"atomicAnd": typed.And, "atomicOr": typed.Or, "atomicXor": typed.Xor, "atomicXchg": typed.Xchg, "atomicCAS": typed.CAS,
	"atomicLoad": typed.Fetch, "atomicStore": typed.Xchg,
}

// atomicFn checks atomicAdd(&x[i], v) and its family.
func atomicFn(op typed.Op) builtinFn {
	return func(c *checker, name string, e *ast.CallExpr) operand {
		n, usage := 2, name+"(&x[i], v)"
		switch op {
		case typed.CAS:
			n, usage = 3, name+"(&x[i], old, new)"
		case typed.Fetch:
			n, usage = 1, name+"(&x[i])"
		}
		if !c.argCount(name, e, n, n, usage) {
			return operand{}
		}
		ref, ok := ast.Unparen(e.Args[0]).(*ast.UnaryExpr)
		if c.namesReference(e.Args[0]) {
			star := &ast.StarExpr{Star: e.Args[0].Pos(), X: e.Args[0]}
			ref, ok = &ast.UnaryExpr{OpPos: star.Star, Op: token.AND, X: star}, true
		}
		if !ok || ref.Op != token.AND {
			c.errorf(syntax.AtomicPlace, e.Args[0].Pos(), "write "+usage, "the first argument of %s is the address of a place", name)
			c.survey(e.Args...)
			return operand{}
		}
		place, ok := c.place(ref.X, accumulate)
		var values []typed.Expr
		for _, a := range e.Args[1:] {
			x := c.value(a)
			if ok {
				x = c.atomicValue(x, place.Type(), a, name)
			}
			values = append(values, x)
			ok = ok && !isUnknown(x.Type())
		}
		if !ok || !c.atomicType(op, name, place, e) {
			return operand{}
		}
		c.use(ref.X)
		if op == typed.Fetch {
			values = []typed.Expr{zero(place.Type(), c.at(e.Pos()))}
		}
		a := &typed.Atomic{ExprBase: ex(c.at(e.Pos()), place.Type()), Op: op, Place: place, Value: values[len(values)-1], Used: true}
		if op == typed.CAS {
			a.Expected = values[0]
		}
		if name == "atomicStore" {
			return valueOf(storing{a})
		}
		return valueOf(a)
	}
}

// storing is an atomic that gives no value.
type storing struct{ *typed.Atomic }

func (storing) Type() typed.Type { return &typed.Tuple{} }

// atomicValue brings a value to the type of the place, a scalar splat if need be.
func (c *checker) atomicValue(x typed.Expr, t typed.Type, e ast.Expr, name string) typed.Expr {
	if isUnknown(t) || isUnknown(x.Type()) {
		return c.bad(e.Pos())
	}
	if _, scalar := x.Type().(typed.Scalar); scalar {
		x = c.assignable(x, typed.ScalarOf(t), e, "a component of the place of "+name)
		if isUnknown(x.Type()) {
			return x
		}
		return splat(x, t)
	}
	return c.assignable(x, t, e, "the place of "+name)
}

func (c *checker) atomicType(op typed.Op, name string, place typed.Expr, e *ast.CallExpr) bool {
	t := place.Type()
	s := typed.ScalarOf(t)
	want := ""
	switch {
	case isTable(t):
		want = "a scalar, vector or matrix"
	case op == typed.CAS && t != typed.Type(s):
		want = "a scalar"
	case (op == typed.And || op == typed.Or || op == typed.Xor) && !s.IsInt():
		want = "integers"
	case s == typed.Bool && op != typed.Xchg && op != typed.CAS && op != typed.Fetch:
		want = "numbers"
	}
	if want == "" {
		return true
	}
	c.errorf(syntax.AtomicPlace, e.Args[0].Pos(), "", "%s takes a place of %s, and this is %s", name, want, t)
	return false
}
