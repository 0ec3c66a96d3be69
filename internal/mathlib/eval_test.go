package mathlib

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/mathlib/judge"
	"github.com/gotaichi/ti/internal/target"
)

// TestEvalIsStrictCode compares Eval with compiled, vectorised code under strict maths, bit for bit: pow and atan2, and
// by TestNative all others.
func TestEvalIsStrictCode(t *testing.T) {
	for _, f := range []function{{code: ir.OpPow, lo: -4, hi: 4}, {code: ir.OpAtan2, lo: -4, hi: 4}} {
		for _, k := range []ir.Kind{ir.F32, ir.F64} {
			x := append(samples(f, k, 100), inf, -inf, nan, 0, negZero)
			y := make([]float64, len(x))
			rng := rand.New(rand.NewPCG(3, uint64(f.code)))
			for i := range y {
				if y[i] = round(k, 8*rng.Float64()-4); i%2 == 0 {
					y[i] = []float64{1, 2, -1, 0.5, 0, 3, inf, -2}[i/2%8]
				}
				if f.code == ir.OpPow && i%3 == 0 {
					x[i], y[i] = powArguments(rng, k)
				}
			}
			l := newStrictLoop(t, f.code, k, target.Traits{VectorBits: 256, Has: target.FMA})
			for i, got := range runLoop(l, k, x, y) {
				args := []uint64{ir.FloatBits(k, x[i]), ir.FloatBits(k, y[i])}[:f.code.Info().Min]
				if want := ir.FloatValue(k, Eval(f.code, k, args...)); !same(got, want) {
					t.Fatalf("%v(%x, %x) of %v: compiled code gives %x, and Eval %x", f.code, x[i], y[i], k, got, want)
				}
			}
		}
	}
}

// newStrictLoop is newLoop under strict maths.
func newStrictLoop(t *testing.T, code ir.Code, k ir.Kind, o target.Traits) loop {
	kernel := loopKernel(code, k)
	for _, op := range kernel.Tasks[0].Body.Ops {
		if op.Code == code {
			op.Flags |= ir.Strict
		}
	}
	return expandLoop(t, kernel, o, false)
}

// computed returns a scalar function of the library as a Go function of bits.
func computed(f *ir.Func) func(args ...uint64) uint64 {
	p := newProgram(f, map[*ir.Func]*program{})
	return func(args ...uint64) uint64 {
		var result [1]uint64
		p.run(args, result[:])
		return result[0]
	}
}

// runLoop runs a loop of kind k on numbers of that kind.
func runLoop(l loop, k ir.Kind, x, y []float64) []float64 {
	out := make([]float64, len(x))
	if k == ir.F64 {
		l.run64(x, y, out)
		return out
	}
	x32, y32, out32 := make([]float32, len(x)), make([]float32, len(x)), make([]float32, len(x))
	for i := range x {
		x32[i], y32[i] = float32(x[i]), float32(y[i])
	}
	l.run32(x32, y32, out32)
	for i, v := range out32 {
		out[i] = float64(v)
	}
	return out
}

// TestHalf judges the functions of f16, for all arguments with -long: they are computed in f32 and rounded again,
// so that they are hardly worse than rounded correctly.
func TestHalf(t *testing.T) {
	step := uint64(331)
	if *long {
		step = 1
	}
	j := judge.New()
	for _, f := range functions() {
		for bits := uint64(0); bits < 1<<16; bits += step {
			x := ir.FloatValue(ir.F16, bits)
			if x != x || x == 0 || math.IsInf(x, 0) || f.domain != nil && !f.domain(x) {
				continue
			}
			got := ir.FloatValue(ir.F16, Eval(f.code, ir.F16, bits))
			if u := ulps(got, f.judge(j)(big.NewFloat(x)), ir.F16); u > 0.5005 {
				t.Errorf("%v(%v) of f16: the error is %.4f ulp", f.code, x, u)
			}
		}
	}
}

// TestEvalRunsEverything calls Eval for every function and kind, on both paths of those that branch.
func TestEvalRunsEverything(t *testing.T) {
	for _, code := range ir.Codes() {
		for _, k := range []ir.Kind{ir.F16, ir.F32, ir.F64} {
			if !Has(code, ir.Scalar(k)) {
				continue
			}
			for _, x := range []float64{0.5, 60000, 1e300} {
				args := []uint64{ir.FloatBits(k, x), ir.FloatBits(k, 2), ir.FloatBits(k, 3)}[:code.Info().Min]
				Eval(code, k, args...)
			}
		}
	}
}

// TestStrictWithoutFMA compares the functions that strict maths has on processors without fused multiply-add with Eval,
// whose are made for one with it: the bits are the same.
func TestStrictWithoutFMA(t *testing.T) {
	n := 5
	if *long {
		n = 3000
	}
	for _, f := range append(functions(), function{code: ir.OpPow, lo: -4, hi: 4}, function{code: ir.OpAtan2, lo: -4, hi: 4}) {
		for _, k := range []ir.Kind{ir.F16, ir.F32, ir.F64} {
			compute := computed(new(Library).StrictFunc(f.code, ir.Scalar(k)))
			rng := rand.New(rand.NewPCG(4, uint64(f.code)))
			for _, x := range samples(f, k, n) {
				args := []uint64{ir.FloatBits(k, x), ir.FloatBits(k, 4*rng.Float64()-2)}[:f.code.Info().Min]
				got, want := ir.FloatValue(k, compute(args...)), ir.FloatValue(k, Eval(f.code, k, args...))
				if !same(got, want) {
					t.Fatalf("%v(%x) of %v: %x without fused multiply-add, %x with it", f.code, args, k, got, want)
				}
			}
		}
	}
}

func BenchmarkEval(b *testing.B) {
	for _, code := range []ir.Code{ir.OpExp, ir.OpSin, ir.OpPow} {
		b.Run(code.String(), func(b *testing.B) {
			args := []uint64{math.Float64bits(1.25), math.Float64bits(3.5)}[:code.Info().Min]
			for b.Loop() {
				Eval(code, ir.F64, args...)
			}
		})
	}
}
