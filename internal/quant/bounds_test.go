package quant_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/scalar"
)

// TestBounds checks by how much a number may be off: of fixed point half a step, where the limit is a power of two;
// of floats 2^-(m+1) of the number, from the smallest one on; of numbers that share an exponent the largest of them
// over 2^m-1, where the lowest exponent is not reached. All of them are within the range. Numbers are codes, what lies
// halfway between two and beside that, and random ones.
func TestBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 14))
	for _, text := range []string{
		"fixed(2,1)", "fixed(7,8)", "fixed(7,0.25).unsigned()", "fixed(16,2)", "fixed(21,64)", "fixed(24,1).unsigned()", "fixed(32,8)",
		"float(1,2)", "float(3,4)", "float(5,11)", "float(5,6).unsigned()", "float(6,19)", "float(8,22)", "float(8,24)",
	} {
		f, err := quant.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []scalar.Kind{scalar.F32, scalar.F64} {
			c := quant.New(f, k)
			checkBounds(t, c, r)
			if f.Class == quant.Float {
				checkSharedBounds(t, c, r)
			}
		}
	}
}

// between returns a number near one of the codes of c, rounded to its kind.
func between(c *quant.Coder, r *rand.Rand) float64 {
	code := r.Uint64() & c.Mask
	v := c.Decode(code)
	switch next := c.Decode(min(code+1, c.Mask)); r.IntN(3) {
	case 1:
		v += (next - v) / 2
	case 2:
		v += (next - v) * r.Float64()
	}
	if r.IntN(2) == 0 {
		v = math.Nextafter(v, math.Inf(1-2*r.IntN(2)))
	}
	if c.Kind == scalar.F32 {
		v = float64(float32(v))
	}
	return v
}

func checkBounds(t *testing.T, c *quant.Coder, r *rand.Rand) {
	lo, hi := c.Ends(false)
	inside := 0
	for range 1 << 14 {
		v := between(c, r)
		if v < lo || v > hi {
			continue
		}
		bound := c.Step / 2
		if c.Class == quant.Float {
			if math.Abs(v) < math.Ldexp(1, 1-c.Bias) {
				continue
			}
			bound = math.Ldexp(math.Abs(v), -c.Digits-1)
		}
		inside++
		if stored := c.Decode(c.Encode(v)); !(math.Abs(stored-v) <= bound) {
			t.Fatalf("%v of %v: %v is stored as %v, off by %v and not %v at most", c.Format, c.Kind, v, stored, math.Abs(stored-v), bound)
		}
	}
	if inside < 1<<11 {
		t.Errorf("%v of %v: %d numbers are tested", c.Format, c.Kind, inside)
	}
}

func checkSharedBounds(t *testing.T, c *quant.Coder, r *rand.Rand) {
	codes, vs := make([]uint64, 3), make([]float64, 3)
	inside := 0
	for range 1 << 14 {
		largest := 0.0
		for i := range vs {
			vs[i] = math.Ldexp(between(c, r), -r.IntN(3))
			largest = max(largest, math.Abs(vs[i]))
		}
		e := c.EncodeGroup(vs, codes)
		if e == 0 || largest > c.Largest() {
			continue
		}
		inside++
		bound := largest / (math.Ldexp(1, c.Digits) - 1)
		for i, v := range vs {
			if stored := c.DecodeGroup(codes[i], e); !(math.Abs(stored-v) <= bound) {
				t.Fatalf("%v of %v, shared: of %v, %v is stored as %v, off by %v and not %v at most", c.Format, c.Kind, vs, v, stored, math.Abs(stored-v), bound)
			}
		}
	}
	if inside < 1<<10 {
		t.Errorf("%v of %v, shared: %d groups are tested", c.Format, c.Kind, inside)
	}
}
