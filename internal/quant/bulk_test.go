package quant_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/scalar"
)

// bulkFormats are forms of a kind: all short ones, and some long ones.
func bulkFormats(k scalar.Kind) []quant.Format {
	all := formats(k, 4)
	for _, text := range []string{"int(64)", "int(64).unsigned()", "int(63)", "int(31).unsigned()", "int(32).wrap()", "fixed(20,8).unsigned()", "fixed(21,8)", "fixed(22,3)", "fixed(32,1)",
		"fixed(51,3)", "fixed(52,3)", "fixed(53,1).unsigned()", "float(5,11)", "float(8,24)", "float(5,9).unsigned()", "float(11,53)", "float(11,52).unsigned()", "float(1,2)"} {
		if f, err := quant.Parse(text); err == nil && f.Check(k, false) == nil {
			all = append(all, f)
		}
	}
	return all
}

// someNumbers are numbers of a kind around all that rounding and clamping know, and random bits.
func someNumbers(k scalar.Kind, r *rand.Rand) []float64 {
	vs := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1, -1, 0.5, -2.5, 7.999, 8, -8, 0x1p-140, 0x1p-1060, -0x1p-1022, math.MaxFloat32, math.MaxFloat64}
	for range 40 {
		vs = append(vs, r.NormFloat64()*math.Ldexp(1, r.IntN(20)-10), valueOf(k, r.Uint64()), math.Ldexp(float64(r.IntN(64)-32), -3))
	}
	for i, v := range vs {
		vs[i] = valueOf(k, bitsOf(k, v))
	}
	return vs
}

// TestBulk compares the loops over many numbers with what single ones give.
func TestBulk(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, k := range []scalar.Kind{scalar.F32, scalar.F64} {
		vs := someNumbers(k, r)
		words, got := make([]uint64, len(vs)), make([]float64, len(vs))
		for _, f := range bulkFormats(k) {
			c := quant.New(f, k)
			bit := r.Int64N(int64(65 - f.Width()))
			clear(words)
			c.Encodes(words, vs, bit)
			for i, v := range vs {
				if want := c.Encode(v) << bit; words[i] != want {
					t.Fatalf("%v of %v: %v encodes to %#x, not %#x", f, k, v, words[i], want)
				}
				words[i] |= r.Uint64() &^ (c.Mask << bit) // what else is in the word
			}
			c.Decodes(got, words, bit)
			for i, w := range words {
				if want := c.Decode(w >> bit); math.Float64bits(got[i]) != math.Float64bits(want) {
					t.Fatalf("%v of %v: %#x decodes to %v, not %v", f, k, w, got[i], want)
				}
			}
		}
	}
	for _, k := range []scalar.Kind{scalar.I8, scalar.I32, scalar.I64, scalar.U8, scalar.U64, scalar.Bool} {
		ns := []int64{0, 1, -1, 7, -8, 8, math.MaxInt64, math.MinInt64, 1 << 40}
		for range 40 {
			ns = append(ns, r.Int64N(64)-32)
		}
		words, got := make([]uint64, len(ns)), make([]int64, len(ns))
		for _, f := range bulkFormats(k) {
			c := quant.New(f, k)
			bit := r.Int64N(int64(65 - f.Width()))
			clear(words)
			c.EncodeInts(words, ns, bit)
			for i, n := range ns {
				if want := c.EncodeInt(n) << bit; words[i] != want {
					t.Fatalf("%v of %v: %v encodes to %#x, not %#x", f, k, n, words[i], want)
				}
				words[i] |= r.Uint64() &^ (c.Mask << bit)
			}
			c.Numbers(got, words, bit)
			for i, w := range words {
				if want := c.Number(w >> bit); got[i] != want {
					t.Fatalf("%v of %v: %#x decodes to %v, not %v", f, k, w, got[i], want)
				}
			}
		}
	}
}

// TestBulkGroups does so for numbers that share an exponent.
func TestBulkGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, text := range []string{"float(5,9).unsigned()", "float(6,19)", "float(8,24)", "float(1,2)", "float(3,5)", "float(11,30)", "float(9,20)"} {
		f, err := quant.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []scalar.Kind{scalar.F32, scalar.F64} {
			if f.Check(k, true) != nil {
				continue
			}
			c := quant.New(f, k)
			const members = 2
			bits := []int64{0, int64(f.Frac)}
			exponent := int64(members * f.Frac)
			if exponent+int64(f.Exp) > 64 {
				bits, exponent = []int64{0, 0}, int64(f.Frac) // of one member alone
				bits = bits[:1]
			}
			vs := make([][]float64, len(bits))
			for i := range vs {
				vs[i] = someNumbers(k, r)
				r.Shuffle(len(vs[i]), func(a, b int) { vs[i][a], vs[i][b] = vs[i][b], vs[i][a] })
			}
			words, got := make([]uint64, len(vs[0])), make([]float64, len(vs[0]))
			c.EncodeGroups(words, vs, bits, exponent)
			one, codes := make([]float64, len(vs)), make([]uint64, len(vs))
			for i := range words {
				for k := range vs {
					one[k] = vs[k][i]
				}
				want := c.EncodeGroup(one, codes) << exponent
				for k, code := range codes {
					want |= code << bits[k]
				}
				if words[i] != want {
					t.Fatalf("%v of %v: %v encode to %#x, not %#x", f, k, one, words[i], want)
				}
			}
			for m, bit := range bits {
				c.DecodeGroups(got, words, bit, exponent)
				for i, w := range words {
					want := c.DecodeGroup(w>>bit, w>>exponent&(1<<f.Exp-1))
					if math.Float64bits(got[i]) != math.Float64bits(want) {
						t.Fatalf("%v of %v, member %d: %#x decodes to %v, not %v", f, k, m, w, got[i], want)
					}
				}
			}
		}
	}
}

// BenchmarkBulk has the loops on forms of each class.
func BenchmarkBulk(b *testing.B) {
	vs, words := make([]float64, 1024), make([]uint64, 1024)
	for i := range vs {
		vs[i] = math.Sin(float64(i))
	}
	for _, text := range []string{"fixed(16,8)", "fixed(32,8)", "float(8,22)"} {
		f, _ := quant.Parse(text)
		c := quant.New(f, scalar.F32)
		b.Run("encode/"+text, func(b *testing.B) {
			for b.Loop() {
				c.Encodes(words, vs, 3)
			}
		})
		b.Run("decode/"+text, func(b *testing.B) {
			for b.Loop() {
				c.Decodes(vs, words, 3)
			}
		})
	}
	c := quant.New(quant.Format{Class: quant.Float, Exp: 6, Frac: 19}, scalar.F32)
	b.Run("encode/group", func(b *testing.B) {
		for b.Loop() {
			c.EncodeGroups(words, [][]float64{vs, vs, vs}, []int64{0, 19, 38}, 57)
		}
	})
	b.Run("decode/group", func(b *testing.B) {
		for b.Loop() {
			c.DecodeGroups(vs, words, 19, 57)
		}
	})
}
