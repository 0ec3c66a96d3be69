package check

import (
	"go/token"
	"math"
	"math/bits"
)

// floatFolds compute the builtins of floats on constants.
var floatFolds = map[Fn]func(a []float64) float64{
	Sin: func(a []float64) float64 { return math.Sin(a[0]) }, Cos: func(a []float64) float64 { return math.Cos(a[0]) },
	Tan: func(a []float64) float64 { return math.Tan(a[0]) }, Asin: func(a []float64) float64 { return math.Asin(a[0]) },
	Acos: func(a []float64) float64 { return math.Acos(a[0]) }, Atan: func(a []float64) float64 { return math.Atan(a[0]) },
	Sinh: func(a []float64) float64 { return math.Sinh(a[0]) }, Cosh: func(a []float64) float64 { return math.Cosh(a[0]) },
	Tanh: func(a []float64) float64 { return math.Tanh(a[0]) }, Exp: func(a []float64) float64 { return math.Exp(a[0]) },
	Exp2: func(a []float64) float64 { return math.Exp2(a[0]) }, Log: func(a []float64) float64 { return math.Log(a[0]) },
	Log2: func(a []float64) float64 { return math.Log2(a[0]) }, Sqrt: func(a []float64) float64 { return math.Sqrt(a[0]) },
	Rsqrt: func(a []float64) float64 { return 1 / math.Sqrt(a[0]) }, Cbrt: func(a []float64) float64 { return math.Cbrt(a[0]) },
	Floor: func(a []float64) float64 { return math.Floor(a[0]) }, Ceil: func(a []float64) float64 { return math.Ceil(a[0]) },
	Round: func(a []float64) float64 { return math.Round(a[0]) }, Trunc: func(a []float64) float64 { return math.Trunc(a[0]) },
	Fract:   func(a []float64) float64 { return a[0] - math.Floor(a[0]) },
	Radians: func(a []float64) float64 { return a[0] * (math.Pi / 180) },
	Degrees: func(a []float64) float64 { return a[0] * (180 / math.Pi) },
	Atan2:   func(a []float64) float64 { return math.Atan2(a[0], a[1]) },
	Pow:     func(a []float64) float64 { return math.Pow(a[0], a[1]) },
	Mix:     func(a []float64) float64 { return a[0] + (a[1]-a[0])*a[2] },
	Step: func(a []float64) float64 {
		if a[1] < a[0] {
			return 0
		}
		return 1
	},
	Smoothstep: func(a []float64) float64 {
		t := math.Max(0, math.Min(1, (a[2]-a[0])/(a[1]-a[0])))
		return t * t * (3 - 2*t)
	},
	Fma: func(a []float64) float64 { return math.FMA(a[0], a[1], a[2]) },
}

// foldBuiltin computes a builtin whose arguments are all constants; nil if one is
// not, or the function is not folded.
func (c *checker) foldBuiltin(fn Fn, t Type, p token.Pos, args []Expr) Expr {
	ks := make([]*Const, len(args))
	var from origin
	for i, a := range args {
		k, ok := a.(*Const)
		if !ok || len(k.Vals) == 0 { // lowering knows what combining no components gives
			return nil
		}
		ks[i] = k
		from |= k.from
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
	s := ScalarOf(t)
	for i, v := range vals {
		if !c.fitsConst(v, s, from, p) {
			return c.bad(p)
		}
		vals[i], _ = represent(v, s)
	}
	return &Const{ex: ex{c.at(p), t}, Vals: vals, from: from}
}

// foldComponents folds the elementwise builtins.
func foldComponents(fn Fn, t Type, ks []*Const) []Num {
	vals := make([]Num, Components(t))
	a := make([]Num, len(ks))
	for i := range vals {
		for j, k := range ks {
			if len(k.Vals) != len(vals) {
				return nil
			}
			a[j] = k.Vals[i]
		}
		v, ok := foldOne(fn, a, ScalarOf(ks[0].T))
		if !ok {
			return nil
		}
		vals[i] = v
	}
	return vals
}

// foldOne folds one component; false if the function is not elementwise.
func foldOne(fn Fn, a []Num, s Scalar) (Num, bool) {
	known := true
	for _, n := range a {
		known = known && n.Known()
	}
	if f := floatFolds[fn]; f != nil {
		if !known {
			return Num{}, true
		}
		xs := make([]float64, len(a))
		for i, n := range a {
			xs[i] = n.Float()
		}
		return FloatNum(f(xs)), true
	}
	f := numFolds[fn]
	if f == nil {
		return Num{}, false
	}
	if !known {
		return Num{}, true
	}
	return f(fn, s, a)
}

// numFolds are the elementwise builtins that are computed exactly. Of numbers without a
// type there is no width to count bits in.
var numFolds = map[Fn]func(fn Fn, s Scalar, a []Num) (Num, bool){
	Abs: func(_ Fn, s Scalar, a []Num) (Num, bool) {
		if a[0].negZero || foldBinary(Lt, a[0], IntNum(0), s).Bool() {
			return foldUnary(Neg, a[0], s), true
		}
		return a[0], true
	},
	Sign: func(_ Fn, s Scalar, a []Num) (Num, bool) {
		switch {
		case foldBinary(Lt, a[0], IntNum(0), s).Bool():
			return IntNum(-1), true
		case foldBinary(Lt, IntNum(0), a[0], s).Bool():
			return IntNum(1), true
		}
		return foldBinary(Mul, a[0], IntNum(0), s), true // keeps NaN
	},
	Sqr:   func(_ Fn, s Scalar, a []Num) (Num, bool) { return foldBinary(Mul, a[0], a[0], s), true },
	MinFn: func(fn Fn, s Scalar, a []Num) (Num, bool) { return foldMinMax(fn, a[0], a[1], s), true },
	MaxFn: func(fn Fn, s Scalar, a []Num) (Num, bool) { return foldMinMax(fn, a[0], a[1], s), true },
	Clamp: func(_ Fn, s Scalar, a []Num) (Num, bool) {
		return foldMinMax(MinFn, foldMinMax(MaxFn, a[0], a[1], s), a[2], s), true
	},
	Mod:      func(fn Fn, s Scalar, a []Num) (Num, bool) { return foldMod(fn, a[0], a[1], s), true },
	FloorDiv: func(fn Fn, s Scalar, a []Num) (Num, bool) { return foldMod(fn, a[0], a[1], s), true },
	IntPow:   func(_ Fn, _ Scalar, a []Num) (Num, bool) { return foldPower(a[0], a[1]), true },
	Popcount: func(_ Fn, s Scalar, a []Num) (Num, bool) {
		return IntNum(int64(bits.OnesCount64(a[0].Bits(s)))), !s.IsUntyped()
	},
	Clz: func(_ Fn, s Scalar, a []Num) (Num, bool) {
		return IntNum(int64(bits.LeadingZeros64(a[0].Bits(s)) - 64 + s.Bits())), !s.IsUntyped()
	},
	IsNaN: func(_ Fn, _ Scalar, a []Num) (Num, bool) { return BoolNum(math.IsNaN(a[0].Float())), true },
	IsInf: func(_ Fn, _ Scalar, a []Num) (Num, bool) { return BoolNum(math.IsInf(a[0].Float(), 0)), true },
}

func foldMinMax(fn Fn, x, y Num, s Scalar) Num {
	switch {
	case math.IsNaN(x.Float()):
		return x
	case math.IsNaN(y.Float()):
		return y
	case foldBinary(Lt, x, y, s).Bool() == (fn == MinFn):
		return x
	}
	return y
}

// foldMod is the remainder or quotient that rounds down.
func foldMod(fn Fn, x, y Num, s Scalar) Num {
	if s.IsFloat() {
		q := math.Floor(x.Float() / y.Float())
		if fn == FloorDiv {
			return FloatNum(q)
		}
		return FloatNum(x.Float() - y.Float()*q)
	}
	if y.Float() == 0 {
		return IntNum(0)
	}
	q, r := foldBinary(Div, x, y, s), foldBinary(Rem, x, y, s)
	if r.Float() != 0 && (r.Float() < 0) != (y.Float() < 0) {
		q, r = foldBinary(Sub, q, IntNum(1), s), foldBinary(Add, r, y, s)
	}
	if fn == FloorDiv {
		return q
	}
	return r
}

// foldVector folds the builtins of whole vectors and matrices; nil if fn is none.
func foldVector(fn Fn, t Type, ks []*Const) []Num {
	s := ScalarOf(ks[0].T)
	add := func(x, y Num) Num { return foldBinary(Add, x, y, s) }
	mul := func(x, y Num) Num { return foldBinary(Mul, x, y, s) }
	sub := func(x, y Num) Num { return foldBinary(Sub, x, y, s) }
	a := ks[0].Vals
	b := a
	if len(ks) > 1 {
		b = ks[1].Vals
	}
	dot := func(a, b []Num) Num {
		sum := mul(a[0], b[0])
		for i := 1; i < len(a); i++ {
			sum = add(sum, mul(a[i], b[i]))
		}
		return sum
	}
	root := func(n Num) Num {
		if !n.Known() {
			return n
		}
		return FloatNum(math.Sqrt(n.Float()))
	}
	switch fn {
	case Dot, Length2:
		return []Num{dot(a, b)}
	case Length:
		return []Num{root(dot(a, a))}
	case Distance:
		d := make([]Num, len(a))
		for i := range d {
			d[i] = sub(a[i], b[i])
		}
		return []Num{root(dot(d, d))}
	case Normalize:
		n := root(dot(a, a))
		r := make([]Num, len(a))
		for i := range r {
			r[i] = foldBinary(Div, a[i], n, s)
		}
		return r
	case Cross:
		if len(a) == 2 {
			return []Num{sub(mul(a[0], b[1]), mul(a[1], b[0]))}
		}
		return []Num{sub(mul(a[1], b[2]), mul(a[2], b[1])), sub(mul(a[2], b[0]), mul(a[0], b[2])), sub(mul(a[0], b[1]), mul(a[1], b[0]))}
	case Sum, Product:
		r := a[0]
		for _, v := range a[1:] {
			if fn == Sum {
				r = add(r, v)
			} else {
				r = mul(r, v)
			}
		}
		return []Num{r}
	}
	return foldMatrix(fn, t, ks)
}

func foldMatrix(fn Fn, t Type, ks []*Const) []Num {
	d := Dims(ks[0].T)
	a := ks[0].Vals
	switch fn {
	case Outer2:
		var r []Num
		for _, x := range a {
			for _, y := range ks[1].Vals {
				r = append(r, foldBinary(Mul, x, y, ScalarOf(t)))
			}
		}
		return r
	case Transpose:
		r := make([]Num, len(a))
		for i := range d[0] {
			for j := range d[1] {
				r[j*d[0]+i] = a[i*d[1]+j]
			}
		}
		return r
	case Diag:
		if len(d) == 2 {
			r := make([]Num, d[0])
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
	case Col:
		j := int(ks[1].Vals[0].Int())
		r := make([]Num, d[0])
		for i := range r {
			r[i] = a[i*d[1]+j]
		}
		return r
	case Cols:
		r := make([]Num, 0, len(ks)*d[0])
		for i := range d[0] {
			for _, k := range ks {
				r = append(r, k.Vals[i])
			}
		}
		return r
	}
	return foldTransform(fn, t, ks)
}
