package check

import (
	"go/token"
	"math"
	"math/bits"

	"github.com/gotaichi/ti/internal/typed"
)

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
	a := &arithmetic{s: typed.ScalarOf(ks[0].T)}
	vals := a.vector(fn, t, ks)
	if vals == nil {
		vals = a.components(fn, t, ks)
	}
	if vals == nil {
		return nil
	}
	s := typed.ScalarOf(t)
	for i, v := range vals {
		lost := v
		if math.IsInf(v.Float(), 0) && a.over.Known() {
			lost = a.over
		}
		if !c.fitsConst(lost, s, from, p) {
			return c.bad(p)
		}
		vals[i], _ = typed.Represent(v, s)
	}
	return &typed.Const{ExprBase: ex(c.at(p), t), Vals: vals, From: from}
}

// components folds the elementwise builtins; nil if fn is none.
func (a *arithmetic) components(fn typed.Fn, t typed.Type, ks []*typed.Const) []typed.Num {
	vals := make([]typed.Num, typed.Components(t))
	xs := make([]typed.Num, len(ks))
	for i := range vals {
		for j, k := range ks {
			if len(k.Vals) != len(vals) {
				return nil
			}
			xs[j] = k.Vals[i]
		}
		v, ok := a.one(fn, xs)
		if !ok {
			return nil
		}
		vals[i] = v
	}
	return vals
}

// one folds one component; false if the function is not elementwise.
func (a *arithmetic) one(fn typed.Fn, x []typed.Num) (typed.Num, bool) {
	known := true
	for _, n := range x {
		known = known && n.Known()
	}
	if !known {
		return typed.Num{}, isElementwise(fn, a.s)
	}
	if v, ok := a.anyNumber(fn, x); ok {
		return v, true
	}
	if !a.s.IsFloat() {
		return foldInteger(fn, x, a.s)
	}
	if !a.s.IsUntyped() {
		return a.elementwise(fn, x)
	}
	wide := &arithmetic{s: typed.F64} // such numbers have no digits of their own to round to
	args := make([]typed.Num, len(x))
	for i, n := range x {
		args[i] = wide.fit(n)
	}
	return wide.elementwise(fn, args)
}

// isElementwise reports whether one can fold fn, looking at made up numbers.
func isElementwise(fn typed.Fn, s typed.Scalar) bool {
	one := typed.IntNum(1)
	_, ok := (&arithmetic{s: s}).one(fn, []typed.Num{one, one, one})
	return ok
}

// anyNumber computes the elementwise builtins of integers and floats that are exact, or one operation.
func (a *arithmetic) anyNumber(fn typed.Fn, x []typed.Num) (typed.Num, bool) {
	switch fn {
	case typed.Abs:
		return a.abs(x[0]), true
	case typed.Sign:
		zero := typed.IntNum(0)
		switch {
		case a.less(x[0], zero):
			return typed.IntNum(-1), true
		case a.less(zero, x[0]):
			return typed.IntNum(1), true
		}
		return a.mul(x[0], zero), true // keeps NaN
	case typed.Sqr:
		return a.mul(x[0], x[0]), true
	case typed.MinFn:
		return a.minimum(x[0], x[1]), true
	case typed.MaxFn:
		return a.maximum(x[0], x[1]), true
	case typed.Clamp:
		return a.clamp(x[0], x[1], x[2]), true
	case typed.IsNaN:
		return typed.BoolNum(math.IsNaN(x[0].Float())), true
	case typed.IsInf:
		return typed.BoolNum(math.IsInf(x[0].Float(), 0)), true
	}
	return typed.Num{}, false
}

// foldInteger computes the other elementwise builtins of integers. Of numbers without a type there is no width to
// count bits in.
func foldInteger(fn typed.Fn, x []typed.Num, s typed.Scalar) (typed.Num, bool) {
	switch fn {
	case typed.Mod, typed.FloorDiv:
		return foldMod(fn, x[0], x[1], s), true
	case typed.IntPow:
		return typed.FoldPower(x[0], x[1]), true
	case typed.Popcount:
		return typed.IntNum(int64(bits.OnesCount64(x[0].Bits(s)))), !s.IsUntyped()
	case typed.Clz:
		return typed.IntNum(int64(bits.LeadingZeros64(x[0].Bits(s)) - 64 + s.Bits())), !s.IsUntyped()
	}
	return typed.Num{}, false
}

// foldMod is the remainder or quotient of integers that rounds down.
func foldMod(fn typed.Fn, x, y typed.Num, s typed.Scalar) typed.Num {
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

// dot is the sum of products, from the first to the last; 0 of none.
func (a *arithmetic) dot(x, y []typed.Num) typed.Num {
	if len(x) == 0 {
		return a.number(0)
	}
	sum := a.mul(x[0], y[0])
	for i := 1; i < len(x); i++ {
		sum = a.add(sum, a.mul(x[i], y[i]))
	}
	return sum
}

// norm is the Euclidean length.
func (a *arithmetic) norm(x []typed.Num) typed.Num {
	switch {
	case !x[0].Known():
		return x[0]
	case len(x) == 1:
		return a.abs(x[0])
	}
	return a.sqrt(a.dot(x, x))
}

// vector folds the builtins of whole vectors and matrices; nil if fn is none. The order of operations is that of
// package lower.
func (a *arithmetic) vector(fn typed.Fn, t typed.Type, ks []*typed.Const) []typed.Num {
	x := ks[0].Vals
	y := x
	if len(ks) > 1 {
		y = ks[1].Vals
	}
	switch fn {
	case typed.Dot, typed.Length2:
		return []typed.Num{a.dot(x, y)}
	case typed.Length:
		return []typed.Num{a.norm(x)}
	case typed.Distance:
		d := make([]typed.Num, len(x))
		for i := range d {
			d[i] = a.sub(x[i], y[i])
		}
		return []typed.Num{a.norm(d)}
	case typed.Normalize:
		n := a.norm(x)
		r := make([]typed.Num, len(x))
		for i := range r {
			r[i] = a.div(x[i], n)
		}
		return r
	case typed.Cross:
		minor := func(i, j int) typed.Num { return a.sub(a.mul(x[i], y[j]), a.mul(x[j], y[i])) }
		if len(x) == 2 {
			return []typed.Num{minor(0, 1)}
		}
		return []typed.Num{minor(1, 2), minor(2, 0), minor(0, 1)}
	case typed.Sum, typed.Product:
		r := x[0]
		for _, v := range x[1:] {
			if fn == typed.Sum {
				r = a.add(r, v)
			} else {
				r = a.mul(r, v)
			}
		}
		return []typed.Num{r}
	}
	return a.matrix(fn, t, ks)
}

// matrix folds the builtins of matrices; nil if fn is none.
func (a *arithmetic) matrix(fn typed.Fn, t typed.Type, ks []*typed.Const) []typed.Num {
	d := typed.Dims(ks[0].T)
	x := ks[0].Vals
	switch fn {
	case typed.Outer2:
		var r []typed.Num
		for _, x := range x {
			for _, y := range ks[1].Vals {
				r = append(r, a.mul(x, y))
			}
		}
		return r
	case typed.Transpose:
		r := make([]typed.Num, len(x))
		for i := range d[0] {
			for j := range d[1] {
				r[j*d[0]+i] = x[i*d[1]+j]
			}
		}
		return r
	case typed.Diag:
		if len(d) == 2 {
			r := make([]typed.Num, d[0])
			for i := range r {
				r[i] = x[i*d[0]+i]
			}
			return r
		}
		m := zero(t, token.Position{})
		for i, v := range x {
			m.Vals[i*d[0]+i] = v
		}
		return m.Vals
	case typed.Col:
		j := int(ks[1].Vals[0].Int())
		r := make([]typed.Num, d[0])
		for i := range r {
			r[i] = x[i*d[1]+j]
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
	return a.transform(fn, t, ks)
}
