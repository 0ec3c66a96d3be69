package mathlib

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/target"
)

var flooredSeeds = randtest.New("floored", "floored.first", "hundreds of quotients that round down", 10, 2)

// floored returns mod and floorDiv of numbers of kind k by exact arithmetic.
func floored(k ir.Kind, a, b float64) (rest, quotient float64) {
	round := func(v float64) float64 { return ir.FloatValue(k, ir.FloatBits(k, v)) }
	differ := math.Signbit(a) != math.Signbit(b)
	switch {
	case a != a || b != b || math.IsInf(a, 0) || b == 0:
		return nan, math.Floor(a / b)
	case math.IsInf(b, 0) && a != 0 && differ:
		return b, -1
	case math.IsInf(b, 0):
		return math.Copysign(a, b), a / b
	}
	x, y := new(big.Rat).SetFloat64(a), new(big.Rat).SetFloat64(b)
	exact := new(big.Rat).Quo(x, y)
	q := new(big.Int).Div(exact.Num(), exact.Denom())
	r := new(big.Rat).Sub(x, y.Mul(y, new(big.Rat).SetInt(q)))
	rest, _ = r.Float64()
	if k == ir.F32 {
		narrow, _ := r.Float32()
		rest = float64(narrow)
	}
	if rest = round(rest); math.Abs(rest) >= math.Abs(b) {
		rest = ir.FloatValue(k, ir.FloatBits(k, b)-1)
	}
	quotient, _ = new(big.Float).SetInt(q).Float64()
	if limit := map[ir.Kind]float64{ir.F16: inf, ir.F32: 0x1p24, ir.F64: 0x1p53}[k]; math.Abs(round(a/b)) > limit {
		quotient = a / b
	}
	if q.Sign() == 0 && a == 0 && differ {
		quotient = negZero
	}
	return math.Copysign(rest, b), round(quotient)
}

// hardQuotients returns pairs of numbers of kind k with quotients of all sizes, many of them next to a whole number.
func hardQuotients(rng *rand.Rand, k ir.Kind, n int) (as, bs []float64) {
	digits, least, most := map[ir.Kind]int{ir.F16: 11, ir.F32: 24, ir.F64: 53}[k], map[ir.Kind]int{ir.F16: -24, ir.F32: -149, ir.F64: -1074}[k], map[ir.Kind]int{ir.F16: 16, ir.F32: 128, ir.F64: 1024}[k]
	round := func(v float64) float64 { return ir.FloatValue(k, ir.FloatBits(k, v)) }
	step := func(v float64, by int) float64 { return ir.FloatValue(k, ir.FloatBits(k, v)+uint64(by)) }
	special := []float64{0, math.Ldexp(1, least), math.Ldexp(1, least+digits-1), 1, 0.1, 3, round(math.Ldexp(2-math.Ldexp(1, 1-digits), most-1)), inf, nan}
	number := func(exp int) float64 { return round(math.Ldexp(1+rng.Float64(), exp)) }
	for range n {
		b := number(rng.IntN(most-least-2) + least)
		if rng.IntN(2) == 0 {
			b = number(rng.IntN(6) - 3)
		}
		a := number(rng.IntN(most-least-2) + least)
		switch rng.IntN(8) {
		case 0, 1, 2, 3: // close to a multiple
			whole := math.Floor(math.Exp2(rng.Float64() * float64(digits+3)))
			a = step(round(b*whole), rng.IntN(3)-1)
		case 4: // small beside b
			a = round(b * math.Exp2(-rng.Float64()*float64(digits+4)))
		case 5:
			a = special[rng.IntN(len(special))]
		case 6:
			b = special[rng.IntN(len(special))]
		}
		if rng.IntN(2) == 0 {
			a = -a
		}
		if rng.IntN(3) == 0 {
			b = -b
		}
		as, bs = append(as, round(a)), append(bs, round(b))
	}
	return as, bs
}

// TestFloored compares mod and floorDiv with the exact ones, bit for bit: by the test machine, and as compiled, vectorised code
// with the instruction for fused products and without.
func TestFloored(t *testing.T) {
	traits := provided(t, target.Traits{VectorBits: 512, Has: target.FMA}, target.Traits{VectorBits: 256, Has: target.FMA}, target.Traits{VectorBits: 128})
	type compiled struct{ wide, narrow loop }
	loops := map[ir.Code][]compiled{}
	for _, code := range []ir.Code{ir.OpMod, ir.OpFloorDiv} {
		for _, o := range traits {
			loops[code] = append(loops[code], compiled{newLoop(t, code, ir.F64, o), newLoop(t, code, ir.F32, o)})
		}
	}
	flooredSeeds.Each(t, func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(7, seed))
		for _, k := range []ir.Kind{ir.F16, ir.F32, ir.F64} {
			as, bs := hardQuotients(rng, k, 300)
			for code, compiled := range loops {
				check := func(how string, i int, got float64) {
					want, q := floored(k, as[i], bs[i])
					if code == ir.OpFloorDiv {
						want = q
					}
					if !same(got, want) {
						t.Errorf("%s: %s(%x, %x) of %s is %x, want %x", how, code, as[i], bs[i], k, got, want)
					}
				}
				for n, o := range traits {
					lib := Library{Target: o}
					m := newMachine(lib.Func(code, ir.Scalar(k)))
					for i := range as {
						check("machine", i, ir.FloatValue(k, m.call([]uint64{ir.FloatBits(k, as[i])}, []uint64{ir.FloatBits(k, bs[i])})[0]))
					}
					switch k {
					case ir.F64:
						out := make([]float64, len(as))
						compiled[n].wide.run64(as, bs, out)
						for i, v := range out {
							check("code", i, v)
						}
					case ir.F32:
						out := make([]float32, len(as))
						compiled[n].narrow.run32(singles(as), singles(bs), out)
						for i, v := range out {
							check("code", i, float64(v))
						}
					}
				}
			}
		}
	})
}

func singles(vs []float64) []float32 {
	out := make([]float32, len(vs))
	for i, v := range vs {
		out[i] = float32(v)
	}
	return out
}
