package mathlib

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/mathlib/judge"
	"github.com/gotaichi/ti/internal/target"
)

// maxULP is what the library promises.
const maxULP = 2

// A function under test: what judges it, where its result is finite and not a
// special case (nil: everywhere), and the range that is worth more samples.
type function struct {
	code   ir.Code
	judge  func(j *judge.Judge) func(x *big.Float) *big.Float
	domain func(x float64) bool
	lo, hi float64
}

func functions() []function {
	positive := func(x float64) bool { return x > 0 }
	unit := func(x float64) bool { return math.Abs(x) <= 1 }
	below := func(m float64) func(float64) bool {
		return func(x float64) bool { return math.Abs(x) < m }
	}
	f := func(f func(*judge.Judge, *big.Float) *big.Float) func(*judge.Judge) func(*big.Float) *big.Float {
		return func(j *judge.Judge) func(*big.Float) *big.Float {
			return func(x *big.Float) *big.Float { return f(j, x) }
		}
	}
	return []function{
		{ir.OpRsqrt, f((*judge.Judge).Rsqrt), positive, 0, 4},
		{ir.OpCbrt, f((*judge.Judge).Cbrt), nil, 0, 8},
		{ir.OpSin, f((*judge.Judge).Sin), nil, -100, 100},
		{ir.OpCos, f((*judge.Judge).Cos), nil, -100, 100},
		{ir.OpTan, f((*judge.Judge).Tan), nil, -100, 100},
		{ir.OpAsin, f((*judge.Judge).Asin), unit, -1, 1},
		{ir.OpAcos, f((*judge.Judge).Acos), unit, -1, 1},
		{ir.OpAtan, f((*judge.Judge).Atan), nil, -3, 3},
		{ir.OpSinh, f((*judge.Judge).Sinh), below(800), -3, 3},
		{ir.OpCosh, f((*judge.Judge).Cosh), below(800), -3, 3},
		{ir.OpTanh, f((*judge.Judge).Tanh), below(800), -3, 3},
		{ir.OpExp, f((*judge.Judge).Exp), below(800), -110, 90},
		{ir.OpExp2, f((*judge.Judge).Exp2), below(1200), -150, 128},
		{ir.OpLog, f((*judge.Judge).Log), positive, 0.5, 2},
		{ir.OpLog2, f((*judge.Judge).Log2), positive, 0.5, 2},
	}
}

// borders are arguments near which functions change their ways.
func borders(k ir.Kind) []float64 {
	vs := []float64{
		0x1p-149, 0x1p-126, 0x1.fffffcp-127, math.MaxFloat32, 1, 2, 0.5, 0.25, 0.55, 1e5, 0x1p15, 0x1p16, 0x1p20, 0x1p22,
		2.0 / 3, 4.0 / 3, math.Sqrt2, math.Sqrt2 / 2, 10, 20, 88.72283, 89.4159, 103.972, 87.3365, 127.99999, 149, 150, 126,
	}
	if k == ir.F64 {
		vs = append(vs, 0x1p-1074, 0x1p-1022, 0x1.ffffffffffffep-1023, math.MaxFloat64,
			709.782712893384, 710.4758600739439, 745.1332191019411, 708.3964185322641, 1023.9999999999999, 1074, 1075, 1022)
	}
	for n := 1; n < 40; n++ {
		vs = append(vs, float64(n)*math.Pi/4, float64(n)*math.Ln2/2, float64(n)*12345.5*math.Pi)
	}
	return vs
}

// samples returns n arguments of each sort for f in kind k, and their
// neighbours.
func samples(f function, k ir.Kind, n int) []float64 {
	rng := rand.New(rand.NewPCG(1, uint64(f.code)))
	var vs []float64
	add := func(v float64) {
		if k == ir.F32 {
			v = float64(float32(v))
		}
		if !math.IsNaN(v) && !math.IsInf(v, 0) && v != 0 && (f.domain == nil || f.domain(v)) {
			vs = append(vs, v)
		}
	}
	for _, v := range borders(k) {
		for _, s := range []float64{v, -v} {
			add(s)
			add(next(s, k, 1))
			add(next(s, k, -1))
		}
	}
	for range n {
		add(f.lo + (f.hi-f.lo)*rng.Float64())
		add((1 + (rng.Float64()-0.5)*math.Pow(2, -rng.Float64()*float64(digits(k)))) * float64(1-2*rng.IntN(2)))
		if k == ir.F32 {
			add(float64(math.Float32frombits(rng.Uint32())))
		} else {
			add(math.Float64frombits(rng.Uint64()))
			add(math.Ldexp(rng.Float64()-0.5, rng.IntN(24)-12))
		}
	}
	return vs
}

// digits returns how many bits kind k has for a number.
func digits(k ir.Kind) int {
	switch k {
	case ir.F16:
		return 11
	case ir.F32:
		return 24
	}
	return 53
}

// next returns the n-th number of kind k after v.
func next(v float64, k ir.Kind, n int) float64 {
	if k == ir.F32 {
		return float64(math.Float32frombits(math.Float32bits(float32(v)) + uint32(n)))
	}
	return math.Float64frombits(math.Float64bits(v) + uint64(n))
}

// ulps returns how far got is from want, in units of the last place that want has in kind k.
func ulps(got float64, want *big.Float, k ir.Kind) float64 { return judge.ULPs(got, want, digits(k)) }

// judged returns what f gives for each of vs.
func judged(j *judge.Judge, f function, vs []float64) []*big.Float {
	of, all := f.judge(j), make([]*big.Float, len(vs))
	for i, v := range vs {
		all[i] = of(new(big.Float).SetFloat64(v))
	}
	return all
}

// worst runs f over vs and returns the greatest error.
func worst(fn *ir.Func, vs []float64, wants []*big.Float) (most, at float64) {
	k, compute := fn.Params[0].Kind, computed(fn)
	for i, v := range vs {
		got := ir.FloatValue(k, compute(ir.FloatBits(k, v)))
		if u := ulps(got, wants[i], k); u > most {
			most, at = u, v
		}
	}
	return most, at
}

func TestAccuracy(t *testing.T) {
	j := judge.New()
	n := 30
	if *long {
		n = 20000
	}
	for _, f := range functions() {
		for _, k := range []ir.Kind{ir.F32, ir.F64} {
			vs := samples(f, k, n)
			wants := judged(j, f, vs)
			for _, has := range []target.Features{target.FMA, 0} {
				l, fma := &Library{Target: target.Traits{Has: has}}, has == target.FMA
				name := fmt.Sprintf("%v %v fma=%v", f.code, k, fma)
				t.Run(name, func(t *testing.T) {
					most, at := worst(l.Func(f.code, ir.Scalar(k)), vs, wants)
					t.Logf("%s: %.3f ulp at %x", name, most, at)
					if most > maxULP {
						t.Errorf("the error is %.3f ulp at %x, at most %d are allowed", most, at, maxULP)
					}
				})
			}
		}
	}
}
