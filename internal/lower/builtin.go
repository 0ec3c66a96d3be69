package lower

import (
	"fmt"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/ir"
)

// mathOps are the builtins that are one op on each component.
var mathOps = map[check.Fn]ir.Code{
	check.Sin: ir.OpSin, check.Cos: ir.OpCos, check.Tan: ir.OpTan,
	check.Asin: ir.OpAsin, check.Acos: ir.OpAcos, check.Atan: ir.OpAtan,
	check.Sinh: ir.OpSinh, check.Cosh: ir.OpCosh, check.Tanh: ir.OpTanh,
	check.Exp: ir.OpExp, check.Exp2: ir.OpExp2, check.Log: ir.OpLog, check.Log2: ir.OpLog2,
	check.Sqrt: ir.OpSqrt, check.Rsqrt: ir.OpRsqrt, check.Cbrt: ir.OpCbrt,
	check.Floor: ir.OpFloor, check.Ceil: ir.OpCeil, check.Round: ir.OpRound, check.Trunc: ir.OpTrunc,
	check.Atan2: ir.OpAtan2, check.Pow: ir.OpPow, check.Fma: ir.OpFma,
	check.Abs: ir.OpAbs, check.Sign: ir.OpSign, check.Mod: ir.OpMod, check.FloorDiv: ir.OpFloorDiv,
	check.MinFn: ir.OpMin, check.MaxFn: ir.OpMax, check.Popcount: ir.OpPopcount, check.Clz: ir.OpClz,
	check.IsNaN: ir.OpIsNaN, check.IsInf: ir.OpIsInf,
}

// cheap reports whether evaluating f needlessly costs little.
func cheap(f check.Fn) bool {
	switch f {
	case check.Abs, check.Sign, check.Sqr, check.MinFn, check.MaxFn, check.Clamp, check.Step,
		check.IsNaN, check.IsInf, check.Floor, check.Ceil, check.Trunc, check.Fract,
		check.Dot, check.Length2, check.Cross, check.Sum, check.MinOf, check.MaxOf, check.All, check.Any,
		check.LenFn, check.Bitcast, check.IfElse:
		return true
	}
	return false
}

// A call of a builtin, its arguments evaluated.
type builtin struct {
	*check.Builtin
	args [][]*ir.Value
}

// dims returns the lengths of argument i's array type.
func (c *builtin) dims(i int) []int { return check.Dims(c.Args[i].Type()) }

// ofNothing is a builtin of vectors without components: one without components too, or
// what combining none gives.
func (l *lowerer) ofNothing(c *builtin) (vals []*ir.Value, ok bool) {
	if check.Components(c.Type()) == 0 {
		return nil, true
	}
	for _, a := range c.args {
		if len(a) > 0 {
			return nil, false
		}
	}
	n, ok := map[check.Fn]float64{check.Product: 1, check.All: 1, check.Any: 0, check.Sum: 0, check.Dot: 0,
		check.Length: 0, check.Length2: 0, check.Distance: 0}[c.Fn]
	if !ok {
		return nil, false
	}
	t := ir.Scalar(kindOf(check.ScalarOf(c.Type())))
	if t.Kind.IsFloat() {
		return one(l.b.Float(t, n)), true
	}
	return one(l.b.Int(t, int64(n))), true
}

// builtin lowers a call of a builtin function.
func (l *lowerer) builtin(e *check.Builtin) []*ir.Value {
	switch e.Fn {
	case check.LenFn:
		return []*ir.Value{l.length(e)}
	case check.Col:
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
	panic(fmt.Sprintf("lower: no rule for builtin %d", e.Fn))
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
func (l *lowerer) length(e *check.Builtin) *ir.Value {
	o := ir.NewOp(ir.OpLen, l.b.Pos, []ir.Type{ir.Scalar(l.kernel.Int)})
	o.Param = l.env[e.Args[0].(*check.VarRef).Var].slice
	return l.b.Convert(l.b.Emit(o), kindOf(check.ScalarOf(e.T)))
}

// Short names for arithmetic on numbers of one kind.

func (l *lowerer) add(x, y *ir.Value) *ir.Value { return l.op(ir.OpAdd, x, y) }
func (l *lowerer) sub(x, y *ir.Value) *ir.Value { return l.op(ir.OpSub, x, y) }
func (l *lowerer) mul(x, y *ir.Value) *ir.Value { return l.op(ir.OpMul, x, y) }
func (l *lowerer) div(x, y *ir.Value) *ir.Value { return l.op(ir.OpDiv, x, y) }
