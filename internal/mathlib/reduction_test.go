package mathlib

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/mathlib/judge"
	"github.com/gotaichi/ti/internal/target"
)

// nearMultiples returns numbers of kind k that are nearer to a multiple of π/2
// than any other of about their size. With c = 2^e·2/π they are those m·2^e for
// which m·c is nearest to an integer, and these m are the denominators of the
// convergents of c's continued fraction (Kahan's program).
func nearMultiples(j *judge.Judge, k ir.Kind) []float64 {
	prec, most := 53, 1024
	if k == ir.F32 {
		prec, most = 24, 128
	}
	var xs []float64
	for e := -prec; e <= most-prec; e++ {
		pi := j.Pi()
		v := pi.Quo(new(big.Float).SetMantExp(big.NewFloat(1), e+1), pi)
		p, q := big.NewInt(1), big.NewInt(0) // denominators of the last two convergents
		for v.Sign() > 0 {
			a, _ := v.Int(nil)
			p, q = q, new(big.Int).Add(new(big.Int).Mul(a, q), p)
			v.Sub(v, new(big.Float).SetInt(a))
			if v.Sign() == 0 || q.BitLen() > prec {
				break
			}
			v.Quo(big.NewFloat(1), v)
		}
		x, _ := new(big.Float).SetMantExp(new(big.Float).SetInt(p), e).Float64()
		xs = append(xs, x)
	}
	return xs
}

func TestReduction(t *testing.T) {
	j := judge.New()
	for _, k := range []ir.Kind{ir.F32, ir.F64} {
		xs := nearMultiples(j, k)
		for _, o := range []target.Traits{{Has: target.FMA}, {}} {
			l := &Library{Target: o}
			for _, f := range functions() {
				if !l.staysCall(key{code: f.code, t: ir.Scalar(k)}) {
					continue
				}
				most, at := worst(l.Func(f.code, ir.Scalar(k)), xs, judged(j, f, xs))
				t.Logf("%v, %v, %+v: %.3f ulp at %x", f.code, k, o, most, at)
				if most > maxULP {
					t.Errorf("%v, %v, %+v: the error is %.3f ulp at %x, at most %d are allowed", f.code, k, o, most, at, maxULP)
				}
			}
		}
		// The number that is known to be the nearest of all has to be among them.
		if hard := math.Ldexp(6381956970095103, 797); k == ir.F64 && !slices.Contains(xs, hard) {
			t.Errorf("%x is missing", hard)
		}
	}
}
