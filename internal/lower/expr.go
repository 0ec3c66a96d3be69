package lower

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/typed"
)

// expr lowers an expression that is not large and returns its components, row-major.
func (l *lowerer) expr(e typed.Expr) []*ir.Value {
	l.at(e.Position())
	switch e := e.(type) {
	case *typed.Const:
		return l.constant(e)
	case *typed.VarRef:
		return l.load(l.varPlace(e))
	case *typed.Element, *typed.SliceElement:
		return l.load(l.place(e))
	case *typed.Extent:
		return []*ir.Value{l.extent(l.field(e.Field), e.Axis)}
	case *typed.Sectioned:
		return l.sectioned(e)
	case *typed.Extract:
		return l.extract(e)
	case *typed.Index:
		return l.load(l.place(e))
	case *typed.Compose:
		var vals []*ir.Value
		for _, x := range e.Elems {
			vals = append(vals, l.expr(x)...)
		}
		return vals
	case *typed.Splat:
		x := l.expr(e.X)[0]
		vals := make([]*ir.Value, typed.Components(e.T))
		for i := range vals {
			vals[i] = x
		}
		return vals
	case *typed.Convert:
		return l.convert(e)
	case *typed.Unary:
		return l.unary(e)
	case *typed.Binary:
		return l.binary(e)
	case *typed.Logic:
		return []*ir.Value{l.logic(e)}
	case *typed.Call:
		return l.call(e)[0].list
	case *typed.Builtin:
		if l.isLarge(e) {
			return l.largeBuiltin(e).list
		}
		return l.builtin(e)
	case *typed.Atomic:
		return l.atomic(e)
	case *typed.CellOp:
		return l.cellOp(e)
	case *typed.Output:
		l.print(e)
		return nil
	case *typed.Assert:
		l.assert(e)
		return nil
	}
	panic(fmt.Sprintf("lower: no rule for expression %T", e))
}

// constant lowers a compile-time value.
func (l *lowerer) constant(e *typed.Const) []*ir.Value {
	kinds := kindsOf(e.T)
	vals := make([]*ir.Value, len(e.Vals))
	for i, n := range e.Vals {
		vals[i] = l.b.Const(ir.Scalar(kinds[i]), constBits(kinds[i], n))
	}
	return vals
}

// extract lowers the choice of components; of a place only these are read.
func (l *lowerer) extract(e *typed.Extract) []*ir.Value {
	if isPlace(e) {
		return l.load(l.place(e))
	}
	if l.large(e.X.Type()) {
		return l.components(l.bulk(e.X), e.Comps)
	}
	all := l.expr(e.X)
	vals := make([]*ir.Value, len(e.Comps))
	for i, c := range e.Comps {
		vals[i] = all[c]
	}
	return vals
}

// isPlace reports whether e is a variable, an element or a part of one.
func isPlace(e typed.Expr) bool {
	for {
		switch x := e.(type) {
		case *typed.VarRef, *typed.Element, *typed.SliceElement:
			return true
		case *typed.Extract:
			e = x.X
		case *typed.Index:
			return true // what is no place is given one
		default:
			return false
		}
	}
}

// convert lowers a conversion.
func (l *lowerer) convert(e *typed.Convert) []*ir.Value {
	vals := l.expr(e.X)
	l.at(e.Pos)
	return each(vals, func(x *ir.Value) *ir.Value { return l.convertTo(x, kindOf(typed.ScalarOf(e.T))) })
}

// convertTo converts x to kind k.
func (l *lowerer) convertTo(x *ir.Value, k ir.Kind) *ir.Value {
	if k == ir.Bool && x.Type.Kind != ir.Bool {
		return l.b.Op(ir.OpNe, x, l.num(x, 0))
	}
	l.checkConvert(x, k)
	return l.b.Convert(x, k)
}

// each applies f to each of vals.
func each(vals []*ir.Value, f func(*ir.Value) *ir.Value) []*ir.Value {
	out := make([]*ir.Value, len(vals))
	for i, v := range vals {
		out[i] = f(v)
	}
	return out
}

// unary lowers -x, !x and ^x.
func (l *lowerer) unary(e *typed.Unary) []*ir.Value {
	vals := l.expr(e.X)
	l.at(e.Pos)
	return each(vals, func(x *ir.Value) *ir.Value { return l.op(unaryCode(e.Op), x) })
}

func unaryCode(op typed.Op) ir.Code {
	if op == typed.Neg {
		return ir.OpNeg
	}
	return ir.OpNot
}

// binary lowers an operator that evaluates both operands.
func (l *lowerer) binary(e *typed.Binary) []*ir.Value {
	if e.Op == typed.MatMul && (l.large(e.X.Type()) || l.large(e.Y.Type())) {
		xs := l.evalInOrder(e.X, e.Y)
		l.at(e.Pos)
		return l.productValue(e.T, xs[0], xs[1], e.X.Type(), e.Y.Type()).list
	}
	x, y := l.expr(e.X), l.expr(e.Y)
	l.at(e.Pos)
	if e.Op == typed.MatMul {
		return l.matMul(x, y, typed.Dims(e.X.Type()), typed.Dims(e.Y.Type()))
	}
	return l.elementwise(e.Op, x, y)
}

var binaryCodes = map[typed.Op]ir.Code{
	typed.Add: ir.OpAdd, typed.Sub: ir.OpSub, typed.Mul: ir.OpMul, typed.Div: ir.OpDiv, typed.Rem: ir.OpRem,
	typed.And: ir.OpAnd, typed.Or: ir.OpOr, typed.Xor: ir.OpXor, typed.Shl: ir.OpShl, typed.Shr: ir.OpShr,
	typed.Eq: ir.OpEq, typed.Ne: ir.OpNe, typed.Lt: ir.OpLt, typed.Le: ir.OpLe, typed.Gt: ir.OpGt, typed.Ge: ir.OpGe,
	typed.LAnd: ir.OpAnd, typed.LOr: ir.OpOr, typed.Min: ir.OpMin, typed.Max: ir.OpMax,
}

// elementwise applies a binary operator to each pair of components.
func (l *lowerer) elementwise(op typed.Op, x, y []*ir.Value) []*ir.Value {
	if op == typed.AndNot {
		y = each(y, func(v *ir.Value) *ir.Value { return l.b.Op(ir.OpNot, v) })
		op = typed.And
	}
	code, ok := binaryCodes[op]
	if !ok {
		panic(fmt.Sprintf("lower: no rule for operator %s", op))
	}
	return l.zip(code, x, y)
}

// zip applies a binary op to each pair of components.
func (l *lowerer) zip(code ir.Code, x, y []*ir.Value) []*ir.Value {
	vals := make([]*ir.Value, len(x))
	for i := range x {
		vals[i] = l.op(code, x[i], y[i])
	}
	return vals
}

// logic lowers && and ||. The right side stands in a branch of its own, unless
// evaluating it needlessly costs little and cannot be noticed.
func (l *lowerer) logic(e *typed.Logic) *ir.Value {
	x := l.expr(e.X)[0]
	if budget := maxEager; !l.debug && !l.checkNaN && eager(e.Y, &budget) {
		y := l.expr(e.Y)[0]
		l.at(e.Pos)
		return l.b.Op(binaryCodes[e.Op], x, y)
	}
	l.at(e.Pos)
	o := ir.NewOp(ir.OpIf, l.b.Pos, []ir.Type{ir.Scalar(ir.Bool)}, x)
	l.b.Emit(o)
	eval, bypass := o.Regions[0], o.Regions[1]
	if e.Op == typed.LOr {
		eval, bypass = bypass, eval
	}
	vars := l.live(l.logicVars(e))
	for _, v := range l.values(vars) {
		o.Results = append(o.Results, &ir.Value{Type: v.Type, Def: o, Index: len(o.Results)})
	}
	l.in(bypass, func() {
		k := l.b.Const(ir.Scalar(ir.Bool), ir.BoolBits(e.Op == typed.LOr))
		l.b.Yield(append([]*ir.Value{k}, l.values(vars)...)...)
	})
	l.in(eval, func() {
		y := l.expr(e.Y)[0]
		l.at(e.Pos)
		l.b.Yield(append([]*ir.Value{y}, l.values(vars)...)...)
	})
	l.adopt(vars, o.Results[1:])
	return o.Results[0]
}

// logicVars returns the variables that atomics in the right side of e change.
func (l *lowerer) logicVars(e *typed.Logic) []*typed.Var {
	c := &collector{l: l, visited: map[*typed.Var]bool{}, local: map[*typed.Var]bool{}}
	c.exprs(e.Y)
	return c.assigned
}

// maxEager is the number of operations up to which the right side of a && or ||
// is evaluated always.
const maxEager = 12

// eager reports whether e is cheap, reads no memory and has no effect.
func eager(e typed.Expr, budget *int) bool {
	if *budget -= typed.Components(e.Type()); *budget < 0 {
		return false
	}
	switch e := e.(type) {
	case *typed.Const:
		return true
	case *typed.VarRef:
		_, ref := e.Var.Type.(typed.Ref)
		return !ref && !e.Var.Indexed && !e.Var.Reduced
	case *typed.Extract, *typed.Compose, *typed.Splat, *typed.Convert, *typed.Unary, *typed.Logic:
	case *typed.Binary:
		if (e.Op == typed.Div || e.Op == typed.Rem) && typed.ScalarOf(e.T).IsInt() {
			return false // an error in debug mode
		}
	case *typed.Builtin:
		if !cheap(e.Fn) {
			return false
		}
	default:
		return false
	}
	for _, x := range typed.Operands(e) {
		if !eager(x, budget) {
			return false
		}
	}
	return true
}

var atomicKinds = map[typed.Op]ir.AtomicKind{
	typed.Add: ir.AtomicAdd, typed.Sub: ir.AtomicSub, typed.Mul: ir.AtomicMul, typed.Div: ir.AtomicDiv,
	typed.Min: ir.AtomicMin, typed.Max: ir.AtomicMax, typed.And: ir.AtomicAnd, typed.Or: ir.AtomicOr,
	typed.Xor: ir.AtomicXor, typed.LAnd: ir.AtomicLAnd, typed.LOr: ir.AtomicLOr,
	typed.Xchg: ir.AtomicXchg, typed.CAS: ir.AtomicCAS, typed.Fetch: ir.AtomicLoad,
}

// atomic lowers atomicAdd and its family; on a variable that is values it is plain
// code.
func (l *lowerer) atomic(e *typed.Atomic) []*ir.Value {
	p := l.place(e.Place)
	var expected []*ir.Value
	if e.Expected != nil {
		expected = l.expr(e.Expected)
	}
	vals := l.expr(e.Value)
	l.at(e.Pos)
	if p.isValue() {
		return l.exchange(e.Op, p, expected, vals)
	}
	old := l.atomics(atomicKinds[e.Op], p, func(i int) []*ir.Value {
		if e.Op == typed.CAS {
			return []*ir.Value{expected[i], vals[i]}
		}
		return vals[i : i+1]
	})
	if !e.Used {
		l.updates(old...)
	}
	return old
}

// exchange applies op to the variable p and returns the old value.
func (l *lowerer) exchange(op typed.Op, p *place, expected, vals []*ir.Value) []*ir.Value {
	old := l.load(p)
	switch op {
	case typed.Xchg:
	case typed.Fetch:
		return old
	case typed.CAS:
		same := l.zip(ir.OpEq, old, expected)
		for i := range vals {
			vals[i] = l.b.Op(ir.OpSelect, same[i], vals[i], old[i])
		}
	default:
		vals = l.elementwise(op, old, vals)
	}
	l.store(p, vals)
	return old
}
