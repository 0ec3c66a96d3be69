package typed

import (
	"go/constant"
	"go/token"
	"math"
	"math/big"

	"github.com/gotaichi/ti/internal/half"
)

// An origin says what a constant was computed from. Mistakes such as an overflow
// are errors in constants of the source; values of the host and of unrolled loops
// follow the run-time rules instead, since they differ from one use to the next.
type Origin uint8

const (
	FromHost  Origin = 1 << iota // a host constant
	FromShape                    // a shape, a length, a static loop variable
)

// maxConstBits limits integer constants, as Go compilers do.
const maxConstBits = 512

var foldTokens = map[Op]token.Token{
	Add: token.ADD, Sub: token.SUB, Mul: token.MUL, Div: token.QUO, Rem: token.REM,
	And: token.AND, Or: token.OR, Xor: token.XOR, AndNot: token.AND_NOT,
	Eq: token.EQL, Ne: token.NEQ, Lt: token.LSS, Le: token.LEQ, Gt: token.GTR, Ge: token.GEQ,
	LAnd: token.LAND, LOr: token.LOR,
}

// IsComparison reports whether o compares numbers, or bools, and gives a bool.
func (o Op) IsComparison() bool {
	switch o {
	case Eq, Ne, Lt, Le, Gt, Ge:
		return true
	}
	return false
}

// FoldBinary computes x op y on numbers of scalar type s (or untyped). The result
// is exact: it may not fit s yet.
func FoldBinary(op Op, x, y Num, s Scalar) Num {
	if !x.Known() || !y.Known() {
		return Num{}
	}
	if op == Shl || op == Shr {
		return foldShift(op, x, y)
	}
	if s == Bool {
		return foldBool(op, x.Bool(), y.Bool())
	}
	if x.isSpec || y.isSpec {
		return foldSpecial(op, x.Float(), y.Float())
	}
	a, b := x.v, y.v
	if s.IsFloat() {
		a, b = constant.ToFloat(a), constant.ToFloat(b)
	} else {
		a, b = constant.ToInt(a), constant.ToInt(b)
	}
	t := foldTokens[op]
	if op == Div || op == Rem {
		if constant.Sign(b) == 0 {
			if s.IsFloat() {
				return foldSpecial(op, x.Float(), y.Float())
			}
			return IntNum(0)
		}
		if op == Div && s.IsInt() {
			t = token.QUO_ASSIGN // go/constant's integer division
		}
	}
	if op.IsComparison() {
		return Num{v: constant.MakeBool(constant.Compare(a, t, b))}
	}
	r := Num{v: constant.BinaryOp(a, t, b)}
	r.negZero = s.IsFloat() && r.isZero() && negativeZero(op, x, y)
	return r
}

// negativeZero reports whether x op y, which is a zero of floats, is -0.
func negativeZero(op Op, x, y Num) bool {
	switch op {
	case Mul, Div:
		return x.negative() != y.negative()
	case Add:
		return x.negZero && y.negZero
	case Sub:
		return x.negZero && y.isZero() && !y.negZero
	}
	return false
}

func foldBool(op Op, x, y bool) Num {
	switch op {
	case Eq:
		return BoolNum(x == y)
	case Ne, Xor:
		return BoolNum(x != y)
	case And, LAnd:
		return BoolNum(x && y)
	case Or, LOr:
		return BoolNum(x || y)
	}
	return Num{}
}

// foldSpecial computes with infinities and NaN, in IEEE arithmetic.
func foldSpecial(op Op, x, y float64) Num {
	switch op {
	case Add:
		return FloatNum(x + y)
	case Sub:
		return FloatNum(x - y)
	case Mul:
		return FloatNum(x * y)
	case Div:
		return FloatNum(x / y)
	case Eq:
		return BoolNum(x == y)
	case Ne:
		return BoolNum(x != y)
	case Lt:
		return BoolNum(x < y)
	case Le:
		return BoolNum(x <= y)
	case Gt:
		return BoolNum(x > y)
	case Ge:
		return BoolNum(x >= y)
	}
	return Num{}
}

// foldShift shifts by any count; a left shift too far for a constant is left to
// the overflow check by a number that is too large.
func foldShift(op Op, x, y Num) Num {
	a := constant.ToInt(x.v)
	n, ok := constant.Uint64Val(constant.ToInt(y.v))
	if !ok || n > 2*maxConstBits {
		n = 2 * maxConstBits
	}
	if op == Shl {
		return Num{v: constant.Shift(a, token.SHL, uint(n))}
	}
	return Num{v: constant.Shift(a, token.SHR, uint(n))}
}

func FoldUnary(op Op, x Num, s Scalar) Num {
	if !x.Known() {
		return Num{}
	}
	switch {
	case op == Not:
		return BoolNum(!x.Bool())
	case op == Neg && x.isSpec:
		return FloatNum(-x.special)
	case op == Neg && s.IsFloat() && x.isZero():
		return Num{v: x.v, negZero: !x.negZero}
	case op == Neg:
		return Num{v: constant.UnaryOp(token.SUB, x.v, 0)}
	}
	var width uint
	if s.IsUnsigned() {
		width = uint(s.Bits())
	}
	return Num{v: constant.UnaryOp(token.XOR, constant.ToInt(x.v), width)}
}

// A fit says how a number fits a type.
type fit uint8

const (
	Fits fit = iota
	TooLarge
	notWhole
)

// Represent rounds a number to scalar type s. Where it does not fit, the number
// returned is what the run-time conversion gives: integers wrap, floats saturate
// as integers and become infinite as floats.
func Represent(n Num, s Scalar) (Num, fit) {
	if !n.Known() {
		return n, Fits
	}
	switch {
	case s == Bool:
		if n.v != nil && n.v.Kind() == constant.Bool {
			return n, Fits
		}
		return BoolNum(n.Float() != 0), Fits
	case s.IsFloat():
		return representFloat(n, s)
	}
	if n.isSpec {
		return representSpecial(n.special, s), TooLarge
	}
	if n.v.Kind() == constant.Bool {
		return IntNum(n.Int()), Fits
	}
	v := constant.ToInt(n.v)
	if v.Kind() != constant.Int {
		t := constant.ToInt(truncate(n.v))
		r, _ := saturate(t, s)
		return r, notWhole
	}
	if s == UntypedInt {
		if constant.BitLen(v) > maxConstBits {
			return IntNum(0), TooLarge
		}
		return Num{v: v}, Fits
	}
	if n.v.Kind() == constant.Float { // whole, but a float: saturates
		return saturate(v, s)
	}
	return wrap(v, s)
}

func representFloat(n Num, s Scalar) (Num, fit) {
	if n.isSpec || n.negZero {
		return n, Fits
	}
	if n.v.Kind() == constant.Bool {
		return FloatNum(float64(n.Int())), Fits
	}
	v := constant.ToFloat(n.v)
	switch s {
	case F16:
		f := half.To64(half.From64(oddFloat(v)))
		if math.IsInf(f, 0) {
			return FloatNum(f), TooLarge
		}
		return FloatNum(f), Fits
	case F32:
		f, _ := constant.Float32Val(v)
		if math.IsInf(float64(f), 0) {
			return FloatNum(float64(f)), TooLarge
		}
		return FloatNum(float64(f)), Fits
	case F64:
		f, _ := constant.Float64Val(v)
		if math.IsInf(f, 0) {
			return FloatNum(f), TooLarge
		}
		return FloatNum(f), Fits
	}
	return Num{v: v}, Fits
}

// oddFloat rounds v to a float64 so that a second rounding, to a type of less than
// half its digits, gives what rounding v at once would: where v lies between two
// numbers, it takes the one whose last bit is 1.
func oddFloat(v constant.Value) float64 {
	f, exact := constant.Float64Val(v)
	bits := math.Float64bits(f)
	if exact || math.IsInf(f, 0) || f == 0 || bits&1 != 0 {
		return f
	}
	if constant.Compare(constant.MakeFloat64(math.Abs(f)), token.LSS, absolute(v)) {
		return math.Float64frombits(bits + 1)
	}
	return math.Float64frombits(bits - 1)
}

func absolute(v constant.Value) constant.Value {
	if constant.Sign(v) < 0 {
		return constant.UnaryOp(token.SUB, v, 0)
	}
	return v
}

func representSpecial(f float64, s Scalar) Num {
	lo, hi := IntRange(s)
	switch {
	case math.IsNaN(f):
		return IntNum(0)
	case f < 0:
		return Num{v: lo}
	}
	return Num{v: hi}
}

// IntRange returns the smallest and largest number of an integer type.
func IntRange(s Scalar) (lo, hi constant.Value) {
	bits := uint(s.Bits())
	one := constant.MakeInt64(1)
	if s.IsUnsigned() {
		return constant.MakeInt64(0), constant.BinaryOp(constant.Shift(one, token.SHL, bits), token.SUB, one)
	}
	half := constant.Shift(one, token.SHL, bits-1)
	return constant.UnaryOp(token.SUB, half, 0), constant.BinaryOp(half, token.SUB, one)
}

// truncate rounds towards zero.
func truncate(v constant.Value) constant.Value {
	switch x := constant.Val(constant.ToFloat(v)).(type) {
	case *big.Rat:
		return constant.Make(new(big.Int).Quo(x.Num(), x.Denom()))
	case *big.Float:
		i, _ := x.Int(nil)
		return constant.Make(i)
	}
	return v
}

func saturate(v constant.Value, s Scalar) (Num, fit) {
	if s == UntypedInt {
		return Num{v: v}, Fits
	}
	lo, hi := IntRange(s)
	switch {
	case constant.Compare(v, token.LSS, lo):
		return Num{v: lo}, TooLarge
	case constant.Compare(v, token.GTR, hi):
		return Num{v: hi}, TooLarge
	}
	return Num{v: v}, Fits
}

func wrap(v constant.Value, s Scalar) (Num, fit) {
	lo, hi := IntRange(s)
	if constant.Compare(v, token.GEQ, lo) && constant.Compare(v, token.LEQ, hi) {
		return Num{v: v}, Fits
	}
	bits := uint(s.Bits())
	all := constant.BinaryOp(constant.Shift(constant.MakeInt64(1), token.SHL, bits), token.SUB, constant.MakeInt64(1))
	w := constant.BinaryOp(v, token.AND, all)
	if constant.Compare(w, token.GTR, hi) {
		w = constant.BinaryOp(w, token.SUB, constant.Shift(constant.MakeInt64(1), token.SHL, bits))
	}
	return Num{v: w}, TooLarge
}

// NumFromLiteral reads a literal; false where it is too large to be a constant.
func NumFromLiteral(kind token.Token, lit string) (Num, bool) {
	v := constant.MakeFromLiteral(lit, kind, 0)
	if v.Kind() == constant.Unknown || v.Kind() == constant.Int && constant.BitLen(v) > maxConstBits {
		return Num{}, false
	}
	return Num{v: v}, true
}

// String returns the number as it would be written, short.
func (n Num) String() string {
	switch {
	case n.isSpec:
		return specialName(n.special)
	case n.v == nil:
		return "unknown"
	case n.negZero:
		return "-0"
	}
	return n.v.String()
}

// specialName names infinities and NaN as the language does.
func specialName(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case f > 0:
		return "inf"
	}
	return "-inf"
}

// FoldPower is x to the power n, exactly. Where that is too large for any type, its low
// bits are right, and represent finds that it does not fit.
func FoldPower(x, n Num) Num {
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
