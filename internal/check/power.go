package check

import (
	"go/ast"
	"go/constant"
	"math/big"

	"github.com/gotaichi/ti/internal/syntax"
)

// checkPow checks pow(a, b): a power of integers if both are, of floats otherwise.
func checkPow(c *checker, name string, e *ast.CallExpr) operand {
	xs, ok := c.countedArgs(name, e, 2, 2, "pow(a, b)")
	if !ok {
		return operand{}
	}
	for _, x := range xs {
		if _, slice := x.Type().(Slice); slice || isTable(x.Type()) || !ScalarOf(x.Type()).IsInt() {
			return c.elementwiseCall(Pow, floats, 2, name, e, xs)
		}
	}
	return c.integerPow(name, e, xs)
}

// integerPow makes a power of integers. It has the type of the base; the exponent may
// have another, as a shift count does.
func (c *checker) integerPow(name string, e *ast.CallExpr, xs []Expr) operand {
	base, exponent := ScalarOf(xs[0].Type()), ScalarOf(xs[1].Type())
	if base.IsUntyped() && !exponent.IsUntyped() {
		base = exponent
		if xs[0] = c.operandTo(xs[0], base, e.Args[0].Pos()); isUnknown(xs[0].Type()) {
			return operand{}
		}
	}
	if k, ok := xs[1].(*Const); ok && k.from == 0 {
		for _, v := range k.Vals {
			if v.Known() && v.Float() < 0 {
				c.errorf(syntax.NegativePower, e.Args[1].Pos(), "make the base a float: "+c.floatBase(e.Args[0], xs[0]),
					"an integer is raised to the negative power %s", v)
				return operand{}
			}
		}
	}
	t, ok := c.sameShapes(name, e, xs)
	if !ok {
		return operand{}
	}
	return c.builtin(IntPow, WithScalar(t, base), e.Pos(), xs...)
}

// floatBase is how the base x of a power, an integer written as e, is made a float.
func (c *checker) floatBase(e ast.Expr, x Expr) string {
	if _, literal := e.(*ast.BasicLit); literal {
		return c.shortText(e) + ".0"
	}
	return WithScalar(x.Type(), c.widths.Float).String() + "(" + c.shortText(e) + ")"
}

// foldPower is x to the power n, exactly. Where that is too large for any type, its low
// bits are right, and represent finds that it does not fit.
func foldPower(x, n Num) Num {
	base, exponent := bigInt(x), bigInt(n)
	if exponent.Sign() < 0 {
		return inversePower(base, exponent)
	}
	bits := uint(max(base.BitLen()-1, 0)) // each factor adds as many at least
	if bits > 0 && (!exponent.IsUint64() || exponent.Uint64() > 2*maxConstBits/uint64(bits)) {
		large := new(big.Int).Lsh(big.NewInt(1), 2*maxConstBits)
		low := new(big.Int).Exp(base, exponent, new(big.Int).Lsh(big.NewInt(1), 64))
		return Num{v: constant.Make(large.Add(large, low))}
	}
	return Num{v: constant.Make(new(big.Int).Exp(base, exponent, nil))}
}

// inversePower is the integer part of a power with a negative exponent; it is 0 for the
// base 0, as 1/0 is.
func inversePower(base, exponent *big.Int) Num {
	switch {
	case base.CmpAbs(big.NewInt(1)) != 0:
		return IntNum(0)
	case exponent.Bit(0) == 0:
		return IntNum(1)
	}
	return IntNum(base.Int64())
}

// bigInt returns an integer in full.
func bigInt(n Num) *big.Int {
	switch v := constant.Val(constant.ToInt(n.v)).(type) {
	case int64:
		return big.NewInt(v)
	case *big.Int:
		return v
	}
	return new(big.Int)
}
