package judge_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti/internal/mathlib/judge"
	"github.com/gotaichi/ti/internal/mathlib/ref"
)

// agreed is how many bits the two references must have in common, from the first on.
const agreed = 200

// TestReferences compares the judge with the reference that the library's coefficients come from: neither is right
// because it says so, but they share no step.
func TestReferences(t *testing.T) {
	j, c := judge.New(), ref.New(300)
	rng := rand.New(rand.NewPCG(5, 6))
	anything := func() float64 { return math.Ldexp(rng.Float64()-0.5, rng.IntN(2040)-1020) }
	around := func(limit float64) func() float64 {
		return func() float64 { return limit * (2*rng.Float64() - 1) * math.Pow(2, -40*rng.Float64()*rng.Float64()) }
	}
	positive := func() float64 { return math.Abs(anything()) }
	nearOne := func() float64 { return 1 + math.Ldexp(rng.Float64()-0.25, -rng.IntN(50)) }
	one := func(f func(x *big.Float) *big.Float) func(x, y *big.Float) *big.Float {
		return func(x, _ *big.Float) *big.Float { return f(x) }
	}
	for _, f := range []struct {
		name       string
		judge, ref func(x, y *big.Float) *big.Float
		x, y       func() float64
	}{
		{"log", one(j.Log), one(c.Log), positive, nil}, {"log near 1", one(j.Log), one(c.Log), nearOne, nil},
		{"log2", one(j.Log2), one(c.Log2), positive, nil},
		{"exp", one(j.Exp), one(c.Exp), around(740), nil}, {"exp2", one(j.Exp2), one(c.Exp2), around(1070), nil},
		{"sin", one(j.Sin), one(c.Sin), anything, nil}, {"cos", one(j.Cos), one(c.Cos), anything, nil}, {"tan", one(j.Tan), one(c.Tan), anything, nil},
		{"asin", one(j.Asin), one(c.Asin), around(1), nil}, {"acos", one(j.Acos), one(c.Acos), around(1), nil}, {"atan", one(j.Atan), one(c.Atan), anything, nil},
		{"sinh", one(j.Sinh), one(c.Sinh), around(700), nil}, {"cosh", one(j.Cosh), one(c.Cosh), around(700), nil}, {"tanh", one(j.Tanh), one(c.Tanh), around(30), nil},
		{"cbrt", one(j.Cbrt), one(c.Cbrt), anything, nil}, {"rsqrt", one(j.Rsqrt), one(c.Rsqrt), positive, nil},
		{"pow", j.Pow, c.Pow, nearOne, around(50)}, {"atan2", j.Atan2, c.Atan2, anything, anything},
	} {
		for range 25 {
			x, y := f.x(), 0.0
			if f.y != nil {
				y = f.y()
			}
			if x == 0 {
				continue
			}
			got, want := f.judge(big.NewFloat(x), big.NewFloat(y)), f.ref(big.NewFloat(x), big.NewFloat(y))
			d := new(big.Float).SetPrec(400).Sub(got, want)
			if d.Sign() != 0 && d.MantExp(nil) > want.MantExp(nil)-agreed {
				t.Errorf("%s(%x, %x): the references differ from bit %d on: %.60g and %.60g", f.name, x, y, want.MantExp(nil)-d.MantExp(nil), got, want)
				break
			}
		}
	}
}
