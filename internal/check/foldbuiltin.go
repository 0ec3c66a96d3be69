package check

import (
	"go/token"
	"math"
	"math/bits"

	"github.com/gotaichi/ti/internal/typed"
)

// floatFolds compute the builtins of floats on constants.
var floatFolds = map[typed.Fn]func(a []float64) float64{
	typed.Sin: func(a []float64) float64 { return math.Sin(a[0]) }, typed.Cos: func(a []float64) float64 { return math.Cos(a[0]) },
	typed.Tan: func(a []float64) float64 { return math.Tan(a[0]) }, typed.Asin: func(a []float64) float64 { return math.Asin(a[0]) },
	typed.Acos: func(a []float64) float64 { return math.Acos(a[0]) }, typed.Atan: func(a []float64) float64 { return math.Atan(a[0]) },
	typed.Sinh: func(a []float64) float64 { return math.Sinh(a[0]) }, typed.Cosh: func(a []float64) float64 { return math.Cosh(a[0]) },
	typed.Tanh: func(a []float64) float64 { return math.Tanh(a[0]) }, typed.Exp: func(a []float64) float64 { return math.Exp(a[0]) },
	typed.Exp2: func(a []float64) float64 { return math.Exp2(a[0]) }, typed.Log: func(a []float64) float64 { return math.Log(a[0]) },
	typed.Log2: func(a []float64) float64 { return math.Log2(a[0]) }, typed.Sqrt: func(a []float64) float64 { return math.Sqrt(a[0]) },
	typed.Rsqrt: func(a []float64) float64 { return 1 / math.Sqrt(a[0]) }, typed.Cbrt: func(a []float64) float64 { return math.Cbrt(a[0]) },
	typed.Floor: func(a []float64) float64 { return math.Floor(a[0]) }, typed.Ceil: func(a []float64) float64 { return math.Ceil(a[0]) },
	typed.Round: func(a []float64) float64 { return math.Round(a[0]) }, typed.Trunc: func(a []float64) float64 { return math.Trunc(a[0]) },
	typed.Fract:   func(a []float64) float64 { return a[0] - math.Floor(a[0]) },
	typed.Radians: func(a []float64) float64 { return a[0] * (math.Pi / 180) },
	typed.Degrees: func(a []float64) float64 { return a[0] * (180 / math.Pi) },
	typed.Hypot:   func(a []float64) float64 { return math.Hypot(a[0], a[1]) },
	typed.Atan2:   func(a []float64) float64 { return math.Atan2(a[0], a[1]) },
	typed.Pow:     func(a []float64) float64 { return math.Pow(a[0], a[1]) },
	typed.Mix:     func(a []float64) float64 { return a[0] + (a[1]-a[0])*a[2] },
	typed.Step: func(a []float64) float64 {
		if a[1] < a[0] {
			return 0
		}
		return 1
	},
	typed.Smoothstep: func(a []float64) float64 {
		t := math.Max(0, math.Min(1, (a[2]-a[0])/(a[1]-a[0])))
		return t * t * (3 - 2*t)
	},
	typed.Fma: func(a []float64) float64 { return math.FMA(a[0], a[1], a[2]) },
}

// foldBuiltin computes a builtin whose arguments are all constants; nil if one is
// not, or the function is not folded.
func (c *checker) foldBuiltin(fn typed.Fn, t typed.Type, p token.Pos, args []typed.Expr) typed.Expr {
	ks := make([]*typed.Const, len(args))
	var from typed.Origin
	for i, a := range args {
		k, ok := a.(*typed.Const)
		if !ok || len(k.Vals) == 0 { // lowering knows what combining no components gives
			return nil
		}
		ks[i] = k
		from |= k.From
	}
	if len(ks) == 0 {
		return nil
	}
	vals := foldVector(fn, t, ks)
	if vals == nil {
		vals = foldComponents(fn, t, ks)
	}
	if vals == nil {
		return nil
	}
	s := typed.ScalarOf(t)
	for i, v := range vals {
		if !c.fitsConst(v, s, from, p) {
			return c.bad(p)
		}
		vals[i], _ = typed.Represent(v, s)
	}
	return &typed.Const{ExprBase: ex(c.at(p), t), Vals: vals, From: from}
}

// foldComponents folds the elementwise builtins.
func foldComponents(fn typed.Fn, t typed.Type, ks []*typed.Const) []typed.Num {
	vals := make([]typed.Num, typed.Components(t))
	a := make([]typed.Num, len(ks))
	for i := range vals {
		for j, k := range ks {
			if len(k.Vals) != len(vals) {
				return nil
			}
			a[j] = k.Vals[i]
		}
		v, ok := foldOne(fn, a, typed.ScalarOf(ks[0].T))
		if !ok {
			return nil
		}
		vals[i] = v
	}
	return vals
}

// foldOne folds one component; false if the function is not elementwise.
func foldOne(fn typed.Fn, a []typed.Num, s typed.Scalar) (typed.Num, bool) {
	known := true
	for _, n := range a {
		known = known && n.Known()
	}
	if f := floatFolds[fn]; f != nil {
		if !known {
			return typed.Num{}, true
		}
		xs := make([]float64, len(a))
		for i, n := range a {
			xs[i] = n.Float()
		}
		return typed.FloatNum(f(xs)), true
	}
	f := numFolds[fn]
	if f == nil {
		return typed.Num{}, false
	}
	if !known {
		return typed.Num{}, true
	}
	return f(fn, s, a)
}

// numFolds are the elementwise builtins that are computed exactly. Of numbers without a
// type there is no width to count bits in.
var numFolds = map[typed.Fn]func(fn typed.Fn, s typed.Scalar, a []typed.Num) (typed.Num, bool){
	typed.Abs: func(_ typed.Fn, s typed.Scalar, a []typed.Num) (typed.Num, bool) {
		if a[0].Signbit() {
			return typed.FoldUnary(typed.Neg, a[0], s), true
		}
		return a[0], true
	},
	typed.Sign: func(_ typed.Fn, s typed.Scalar, a []typed.Num) (typed.Num, bool) {
		switch {
		case typed.FoldBinary(typed.Lt, a[0], typed.IntNum(0), s).Bool():
			return typed.IntNum(-1), true
		case typed.FoldBinary(typed.Lt, typed.IntNum(0), a[0], s).Bool():
			return typed.IntNum(1), true
		}
		return typed.FoldBinary(typed.Mul, a[0], typed.IntNum(0), s), true // keeps NaN
	},
	typed.Sqr: func(_ typed.Fn, s typed.Scalar, a []typed.Num) (typed.Num, bool) {
		return typed.FoldBinary(typed.Mul, a[0], a[0], s), true
	},
	typed.MinFn: func(fn typed.Fn, s typed.Scalar, a []typed.Num) (typed.Num, bool) {
		return foldMinMax(fn, a[0], a[1], s), true
	},
	typed.MaxFn: func(fn typed.Fn, s typed.Scalar, a []typed.Num) (typed.Num, bool) {
		return foldMinMax(fn, a[0], a[1], s), true
	},
	typed.Clamp: func(_ typed.Fn, s typed.Scalar, a []typed.Num) (typed.Num, bool) {
		return foldMinMax(typed.MinFn, foldMinMax(typed.MaxFn, a[0], a[1], s), a[2], s), true
	},
	typed.Mod: func(fn typed.Fn, s typed.Scalar, a []typed.Num) (typed.Num, bool) {
		return foldMod(fn, a[0], a[1], s), true
	},
	typed.FloorDiv: func(fn typed.Fn, s typed.Scalar, a []typed.Num) (typed.Num, bool) {
		return foldMod(fn, a[0], a[1], s), true
	},
	typed.IntPow: func(_ typed.Fn, _ typed.Scalar, a []typed.Num) (typed.Num, bool) {
		return typed.FoldPower(a[0], a[1]), true
	},
	typed.Popcount: func(_ typed.Fn, s typed.Scalar, a []typed.Num) (typed.Num, bool) {
		return typed.IntNum(int64(bits.OnesCount64(a[0].Bits(s)))), !s.IsUntyped()
	},
	typed.Clz: func(_ typed.Fn, s typed.Scalar, a []typed.Num) (typed.Num, bool) {
		return typed.IntNum(int64(bits.LeadingZeros64(a[0].Bits(s)) - 64 + s.Bits())), !s.IsUntyped()
	},
	typed.IsNaN: func(_ typed.Fn, _ typed.Scalar, a []typed.Num) (typed.Num, bool) {
		return typed.BoolNum(math.IsNaN(a[0].Float())), true
	},
	typed.IsInf: func(_ typed.Fn, _ typed.Scalar, a []typed.Num) (typed.Num, bool) {
		return typed.BoolNum(math.IsInf(a[0].Float(), 0)), true
	},
}

func foldMinMax(fn typed.Fn, x, y typed.Num, s typed.Scalar) typed.Num {
	switch {
	case math.IsNaN(x.Float()):
		return x
	case math.IsNaN(y.Float()):
		return y
	case typed.FoldBinary(typed.Lt, x, y, s).Bool() == (fn == typed.MinFn):
		return x
	}
	return y
}

// foldMod is the remainder or quotient that rounds down.
func foldMod(fn typed.Fn, x, y typed.Num, s typed.Scalar) typed.Num {
	if s.IsFloat() {
		q := math.Floor(x.Float() / y.Float())
		if fn == typed.FloorDiv {
			return typed.FloatNum(q)
		}
		return typed.FloatNum(x.Float() - y.Float()*q)
	}
	if y.Float() == 0 {
		return typed.IntNum(0)
	}
	q, r := typed.FoldBinary(typed.Div, x, y, s), typed.FoldBinary(typed.Rem, x, y, s)
	if r.Float() != 0 && (r.Float() < 0) != (y.Float() < 0) {
		q, r = typed.FoldBinary(typed.Sub, q, typed.IntNum(1), s), typed.FoldBinary(typed.Add, r, y, s)
	}
	if fn == typed.FloorDiv {
		return q
	}
	return r
}

// foldVector folds the builtins of whole vectors and matrices; nil if fn is none.
func foldVector(fn typed.Fn, t typed.Type, ks []*typed.Const) []typed.Num {
	s := typed.ScalarOf(ks[0].T)
	add := func(x, y typed.Num) typed.Num { return typed.FoldBinary(typed.Add, x, y, s) }
	mul := func(x, y typed.Num) typed.Num { return typed.FoldBinary(typed.Mul, x, y, s) }
	sub := func(x, y typed.Num) typed.Num { return typed.FoldBinary(typed.Sub, x, y, s) }
	a := ks[0].Vals
	b := a
	if len(ks) > 1 {
		b = ks[1].Vals
	}
	dot := func(a, b []typed.Num) typed.Num {
		sum := mul(a[0], b[0])
		for i := 1; i < len(a); i++ {
			sum = add(sum, mul(a[i], b[i]))
		}
		return sum
	}
	root := func(n typed.Num) typed.Num {
		if !n.Known() {
			return n
		}
		return typed.FloatNum(math.Sqrt(n.Float()))
	}
	switch fn {
	case typed.Dot, typed.Length2:
		return []typed.Num{dot(a, b)}
	case typed.Length:
		return []typed.Num{root(dot(a, a))}
	case typed.Distance:
		d := make([]typed.Num, len(a))
		for i := range d {
			d[i] = sub(a[i], b[i])
		}
		return []typed.Num{root(dot(d, d))}
	case typed.Normalize:
		n := root(dot(a, a))
		r := make([]typed.Num, len(a))
		for i := range r {
			r[i] = typed.FoldBinary(typed.Div, a[i], n, s)
		}
		return r
	case typed.Cross:
		if len(a) == 2 {
			return []typed.Num{sub(mul(a[0], b[1]), mul(a[1], b[0]))}
		}
		return []typed.Num{sub(mul(a[1], b[2]), mul(a[2], b[1])), sub(mul(a[2], b[0]), mul(a[0], b[2])), sub(mul(a[0], b[1]), mul(a[1], b[0]))}
	case typed.Sum, typed.Product:
		r := a[0]
		for _, v := range a[1:] {
			if fn == typed.Sum {
				r = add(r, v)
			} else {
				r = mul(r, v)
			}
		}
		return []typed.Num{r}
	}
	return foldMatrix(fn, t, ks)
}

func foldMatrix(fn typed.Fn, t typed.Type, ks []*typed.Const) []typed.Num {
	d := typed.Dims(ks[0].T)
	a := ks[0].Vals
	switch fn {
	case typed.Outer2:
		var r []typed.Num
		for _, x := range a {
			for _, y := range ks[1].Vals {
				r = append(r, typed.FoldBinary(typed.Mul, x, y, typed.ScalarOf(t)))
			}
		}
		return r
	case typed.Transpose:
		r := make([]typed.Num, len(a))
		for i := range d[0] {
			for j := range d[1] {
				r[j*d[0]+i] = a[i*d[1]+j]
			}
		}
		return r
	case typed.Diag:
		if len(d) == 2 {
			r := make([]typed.Num, d[0])
			for i := range r {
				r[i] = a[i*d[0]+i]
			}
			return r
		}
		m := zero(t, token.Position{})
		for i, v := range a {
			m.Vals[i*d[0]+i] = v
		}
		return m.Vals
	case typed.Col:
		j := int(ks[1].Vals[0].Int())
		r := make([]typed.Num, d[0])
		for i := range r {
			r[i] = a[i*d[1]+j]
		}
		return r
	case typed.Cols:
		r := make([]typed.Num, 0, len(ks)*d[0])
		for i := range d[0] {
			for _, k := range ks {
				r = append(r, k.Vals[i])
			}
		}
		return r
	}
	return foldTransform(fn, t, ks)
}
