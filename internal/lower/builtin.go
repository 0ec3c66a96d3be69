package lower

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/typed"
)

// mathOps are the builtins that are one op on each component.
var mathOps = map[typed.Fn]ir.Code{
	typed.Sin: ir.OpSin, typed.Cos: ir.OpCos, typed.Tan: ir.OpTan,
	typed.Asin: ir.OpAsin, typed.Acos: ir.OpAcos, typed.Atan: ir.OpAtan,
	typed.Sinh: ir.OpSinh, typed.Cosh: ir.OpCosh, typed.Tanh: ir.OpTanh,
	typed.Exp: ir.OpExp, typed.Exp2: ir.OpExp2, typed.Log: ir.OpLog, typed.Log2: ir.OpLog2,
	typed.Sqrt: ir.OpSqrt, typed.Rsqrt: ir.OpRsqrt, typed.Cbrt: ir.OpCbrt,
	typed.Floor: ir.OpFloor, typed.Ceil: ir.OpCeil, typed.Round: ir.OpRound, typed.Trunc: ir.OpTrunc,
	typed.Atan2: ir.OpAtan2, typed.Pow: ir.OpPow, typed.Fma: ir.OpFma,
	typed.Abs: ir.OpAbs, typed.Sign: ir.OpSign, typed.Mod: ir.OpMod, typed.FloorDiv: ir.OpFloorDiv,
	typed.MinFn: ir.OpMin, typed.MaxFn: ir.OpMax, typed.Popcount: ir.OpPopcount, typed.Clz: ir.OpClz,
	typed.IsNaN: ir.OpIsNaN, typed.IsInf: ir.OpIsInf,
}

// cheap reports whether evaluating f needlessly costs little.
func cheap(f typed.Fn) bool {
	switch f {
	case typed.Abs, typed.Sign, typed.Sqr, typed.MinFn, typed.MaxFn, typed.Clamp, typed.Step,
		typed.IsNaN, typed.IsInf, typed.Floor, typed.Ceil, typed.Trunc, typed.Fract,
		typed.Dot, typed.Length2, typed.Cross, typed.Sum, typed.MinOf, typed.MaxOf, typed.All, typed.Any,
		typed.LenFn, typed.Bitcast, typed.IfElse:
		return true
	}
	return false
}

// A call of a builtin, its arguments evaluated.
type builtin struct {
	*typed.Builtin
	args [][]*ir.Value
}

// dims returns the lengths of argument i's array type.
func (c *builtin) dims(i int) []int { return typed.Dims(c.Args[i].Type()) }

// ofNothing is a builtin of vectors without components: one without components too, or
// what combining none gives.
func (l *lowerer) ofNothing(c *builtin) (vals []*ir.Value, ok bool) {
	if typed.Components(c.Type()) == 0 {
		return nil, true
	}
	for _, a := range c.args {
		if len(a) > 0 {
			return nil, false
		}
	}
	n, ok := map[typed.Fn]float64{typed.Product: 1, typed.All: 1, typed.Any: 0, typed.Sum: 0, typed.Dot: 0,
		typed.Length: 0, typed.Length2: 0, typed.Distance: 0}[c.Fn]
	if !ok {
		return nil, false
	}
	t := ir.Scalar(kindOf(typed.ScalarOf(c.Type())))
	if t.Kind.IsFloat() {
		return one(l.b.Float(t, n)), true
	}
	return one(l.b.Int(t, int64(n))), true
}

// builtin lowers a call of a builtin function.
func (l *lowerer) builtin(e *typed.Builtin) []*ir.Value {
	switch e.Fn {
	case typed.LenFn:
		return []*ir.Value{l.length(e)}
	case typed.Col:
		return l.column(e).list
	}
	c := &builtin{Builtin: e}
	for _, a := range e.Args {
		c.args = append(c.args, l.expr(a))
	}
	l.at(e.Pos)
	if vals, ok := l.ofNothing(c); ok {
		return vals
	}
	if !isSum(e.Fn) {
		defer l.inBuiltin()()
	}
	if code, ok := mathOps[e.Fn]; ok {
		return l.componentwise(c, func(xs []*ir.Value) *ir.Value { return l.op(code, xs...) })
	}
	if f, ok := scalarFns[e.Fn]; ok {
		return l.componentwise(c, func(xs []*ir.Value) *ir.Value { return f(l, xs) })
	}
	if f, ok := vectorFns[e.Fn]; ok {
		return f(l, c)
	}
	if f, ok := matrixFns[e.Fn]; ok {
		return f(l, c)
	}
	if f, ok := otherFns[e.Fn]; ok {
		return f(l, c)
	}
	panic(fmt.Sprintf("lower: no rule for builtin %s", e.Fn))
}

// isSum reports whether f adds up products or components, as programs do who add it up in turn. Such a sum is as free as theirs.
func isSum(f typed.Fn) bool {
	switch f {
	case typed.Dot, typed.Length, typed.Length2, typed.Distance, typed.Normalize, typed.Sum, typed.Trace:
		return true
	}
	return false
}

// inBuiltin marks the ops lowered until the function that it returns is called as part of a builtin. Those of strict
// maths have nothing to decide.
func (l *lowerer) inBuiltin() func() {
	flags := l.b.Flags
	if !flags.Has(ir.Strict) {
		l.b.Flags |= ir.Builtin
	}
	return func() { l.b.Flags = flags }
}

// componentwise calls f with the arguments' components, one number at a time.
func (l *lowerer) componentwise(c *builtin, f func([]*ir.Value) *ir.Value) []*ir.Value {
	vals := make([]*ir.Value, len(c.args[0]))
	for i := range vals {
		xs := make([]*ir.Value, len(c.args))
		for a, arg := range c.args {
			xs[a] = arg[i]
		}
		vals[i] = f(xs)
	}
	return vals
}

// length lowers len of a slice.
func (l *lowerer) length(e *typed.Builtin) *ir.Value {
	o := ir.NewOp(ir.OpLen, l.b.Pos, []ir.Type{ir.Scalar(l.kernel.Int)})
	o.Param = l.env[e.Args[0].(*typed.VarRef).Var].slice
	return l.b.Convert(l.b.Emit(o), kindOf(typed.ScalarOf(e.T)))
}

// Short names for arithmetic on numbers of one kind.

func (l *lowerer) add(x, y *ir.Value) *ir.Value { return l.op(ir.OpAdd, x, y) }
func (l *lowerer) sub(x, y *ir.Value) *ir.Value { return l.op(ir.OpSub, x, y) }
func (l *lowerer) mul(x, y *ir.Value) *ir.Value { return l.op(ir.OpMul, x, y) }
func (l *lowerer) div(x, y *ir.Value) *ir.Value { return l.op(ir.OpDiv, x, y) }
