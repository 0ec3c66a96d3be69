package check

import (
	"go/ast"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// bounds are those of one axis, not yet of one type.
type bounds struct {
	lo, hi typed.Expr
	e      ast.Expr
}

// product makes a loop over span(…) or ndrange(…).
func (r *ranging) product() []typed.Stmt {
	c := r.c
	var dims []bounds
	ok := true
	if call, is := c.builtinCall(r.spec.core, "ndrange"); is {
		if ok = c.argCount("ndrange", call, 1, -1, "ndrange(n, m)"); ok {
			for _, a := range call.Args {
				d, good := r.axis(a)
				dims = append(dims, d...)
				ok = ok && good
			}
		}
	} else {
		dims, ok = r.axis(r.spec.core)
	}
	if !ok {
		r.unknown()
		return nil
	}
	return r.over(dims)
}

// axis checks one argument of ndrange: span(lo, hi) or an upper bound, integers or
// vectors of integers, one axis for each component.
func (r *ranging) axis(e ast.Expr) ([]bounds, bool) {
	c := r.c
	lo := typed.Expr(&typed.Const{ExprBase: ex(c.at(e.Pos()), typed.UntypedInt), Vals: []typed.Num{typed.IntNum(0)}})
	hi := lo
	call, span := c.builtinCall(e, "span")
	if span {
		if !c.argCount("span", call, 2, 2, "span(lo, hi)") {
			return nil, false
		}
		lo, hi = r.bound(call.Args[0]), r.bound(call.Args[1])
	} else {
		hi = r.bound(e)
	}
	xs := []typed.Expr{lo, hi}
	for _, x := range xs {
		t := x.Type()
		if isUnknown(t) {
			return nil, false
		}
		if s := typed.ScalarOf(t); !s.IsInt() || len(typed.Dims(t)) > 1 {
			help := ""
			if s.IsFloat() {
				help = "convert it: i32(…)"
			}
			c.errorf(syntax.CannotRange, e.Pos(), help, "the bounds of a range are integers or vectors of integers, and this is %s", c.describe(x))
			return nil, false
		}
	}
	if _, ok := unifyShapes(xs); !ok {
		c.errorf(syntax.ShapeMismatch, e.Pos(), "", "the bounds of span have different lengths: %s", c.typeList(xs))
		return nil, false
	}
	n := typed.Components(xs[0].Type())
	if n == 1 && len(typed.Dims(xs[0].Type())) == 0 {
		return []bounds{{xs[0], xs[1], e}}, true
	}
	dims := make([]bounds, n)
	for j, x := range xs {
		if !pure(x) {
			ref, def := c.temp(x)
			x = ref
			r.pre = append(r.pre, def)
		}
		for i := range n {
			b := extract(x, typed.ScalarOf(x.Type()), []int{i}, x.Position())
			if j == 0 {
				dims[i].lo = b
			} else {
				dims[i].hi = b
			}
			dims[i].e = e
		}
	}
	return dims, true
}

func (r *ranging) bound(e ast.Expr) typed.Expr {
	return r.operand(func() operand { return operand{x: r.c.value(e)} }).x
}

// over makes a loop over a product of ranges.
func (r *ranging) over(dims []bounds) []typed.Stmt {
	c := r.c
	var all []typed.Expr
	for _, d := range dims {
		all = append(all, d.lo, d.hi)
	}
	s, ok := c.unifyScalars(all...)
	if !ok {
		c.errorf(syntax.Mismatch, r.spec.core.Pos(), "convert the bounds to one integer type", "the bounds of the range are of different types: %s", c.typeList(all))
		r.unknown()
		return nil
	}
	if s.IsUntyped() || len(dims) == 0 {
		s = c.widths.Int
	}
	if len(dims) > 8 {
		c.errorf(syntax.CannotRange, r.spec.core.Pos(), "nest loops", "a range has at most 8 axes, and this has %d", len(dims))
		r.unknown()
		return nil
	}
	p := c.at(r.s.Pos())
	loop := &typed.RangeFor{StmtBase: at(p), Serial: r.spec.serial, Hints: r.spec.hints}
	for _, d := range dims {
		lo, hi := c.operandTo(d.lo, s, d.e.Pos()), c.operandTo(d.hi, s, d.e.Pos())
		if isUnknown(lo.Type()) || isUnknown(hi.Type()) {
			r.unknown()
			return nil
		}
		loop.Dims = append(loop.Dims, typed.Range{Lo: lo, Hi: hi})
	}
	if !r.countVars(len(dims)) {
		return nil
	}
	if r.spec.static {
		return append(r.pre, r.staticProduct(loop.Dims, s)...)
	}
	if len(dims) == 0 { // a product of nothing is one iteration
		loop.Dims = []typed.Range{{Lo: zero(s, p), Hi: &typed.Const{ExprBase: ex(p, s), Vals: []typed.Num{typed.IntNum(1)}}}}
	}
	loop.Parallel = r.parallel()
	r.checkLength(loop)
	loop.Body = r.body(loop, loop.Parallel, func() { loop.Index, loop.Group = r.index(len(dims), s) })
	if r.active != nil {
		prepend(loop.Body, c.passInactive(r.active, loop, r.s.Pos()))
	}
	return append(r.pre, loop)
}

// checkLength reports a parallel loop with too many iterations.
func (r *ranging) checkLength(loop *typed.RangeFor) {
	if loop.Parallel && tooMany(loop.Dims) {
		r.c.errorf(syntax.CannotRange, r.spec.core.Pos(), "take shorter ranges, or one that is serial",
			"a parallel loop has at most 1<<62 iterations, and this range has more")
	}
}

// tooMany reports whether the product of constant ranges has more than ir.MaxIterations
// iterations. Ranges that are not constant are checked at launch.
func tooMany(dims []typed.Range) bool {
	total := typed.IntNum(1)
	for _, d := range dims {
		lo, okLo := d.Lo.(*typed.Const)
		hi, okHi := d.Hi.(*typed.Const)
		if !okLo || !okHi || !lo.Vals[0].Known() || !hi.Vals[0].Known() {
			return false
		}
		n := typed.FoldBinary(typed.Sub, hi.Vals[0], lo.Vals[0], typed.UntypedInt)
		if typed.FoldBinary(typed.Le, n, typed.IntNum(0), typed.UntypedInt).Bool() {
			return false
		}
		total = typed.FoldBinary(typed.Mul, total, n, typed.UntypedInt)
	}
	return typed.FoldBinary(typed.Gt, total, typed.IntNum(1<<62), typed.UntypedInt).Bool()
}

// staticProduct unrolls a loop over constant ranges.
func (r *ranging) staticProduct(dims []typed.Range, s typed.Scalar) []typed.Stmt {
	c := r.c
	lo, size := make([]int64, len(dims)), make([]int64, len(dims))
	total, known := int64(1), true
	for i, d := range dims {
		l, ok := d.Lo.(*typed.Const)
		h, ok2 := d.Hi.(*typed.Const)
		if !ok || !ok2 {
			c.errorf(syntax.UnknownForStatic, r.spec.core.Pos(), "leave out static for a range that is known at run time only", "the range of a static loop must be constant")
			r.unknown()
			return nil
		}
		known = known && l.Vals[0].Known() && h.Vals[0].Known()
		lo[i] = l.Vals[0].Int()
		size[i] = max(0, h.Vals[0].Int()-lo[i])
		total = min(total*min(size[i], maxSize), maxSize)
	}
	if !known {
		total = 1
	}
	p := c.at(r.s.Pos())
	return r.unroll(int(total), func(n int) []typed.Stmt {
		at := make([]typed.Num, len(dims))
		for i := len(dims) - 1; i >= 0 && known; i-- {
			at[i] = typed.IntNum(lo[i] + int64(n)%size[i])
			n /= int(size[i])
		}
		switch {
		case len(r.vars) == 1 && len(dims) != 1:
			r.constant(r.vars[0], &typed.Const{ExprBase: ex(p, typed.ArrayOf(s, len(dims))), Vals: at, From: typed.FromShape})
		default:
			for i, v := range r.vars {
				if v != nil {
					r.constant(v, &typed.Const{ExprBase: ex(p, s), Vals: at[i : i+1], From: typed.FromShape})
				}
			}
		}
		return nil
	})
}

// unroll checks the body n times; enter declares the variables of one time and
// returns what must come before its body.
func (r *ranging) unroll(n int, enter func(i int) []typed.Stmt) []typed.Stmt {
	c := r.c
	loop := &typed.Unrolled{StmtBase: at(c.at(r.s.Pos()))}
	if n == 0 {
		c.markUsed(r.s.Body)
	}
	counted := c.fn.openLoop(r.s.Pos(), n)
	defer c.fn.closeLoop(counted)
	c.withTarget(&target{label: r.label, stmt: loop, loop: true}, func() {
		for i := 0; i < n && !c.stopped(); i++ {
			before := len(c.errs)
			counted.count++
			c.grow(1)
			c.openScope()
			pre := enter(i)
			b := c.block(r.s.Body)
			c.closeScope()
			b.List = append(pre, b.List...)
			loop.Bodies = append(loop.Bodies, b)
			if len(c.errs) > before+20 { // the same mistakes again and again
				break
			}
		}
	})
	return []typed.Stmt{loop}
}

// constant declares the variable of an unrolled loop: a constant of each body.
func (r *ranging) constant(n *ast.Ident, k *typed.Const) {
	o := &object{kind: objConst, name: n.Name, file: r.c.file, pos: n.Pos(), typ: k.T, cst: k, state: done}
	r.c.declare(r.c.fn.scope, o)
}
