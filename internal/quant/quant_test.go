package quant_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti/internal/half"
	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/quant/exact"
	"github.com/gotaichi/ti/internal/scalar"
)

// formats lists the forms of up to most bits that numbers of a kind can have.
func formats(k scalar.Kind, most int) (all []quant.Format) {
	try := func(f quant.Format) {
		if f.Check(k, false) == nil {
			all = append(all, f)
		}
	}
	for _, unsigned := range []bool{false, true} {
		for n := 1; n <= most; n++ {
			for _, limit := range []float64{1, 8, 0.3, 1000} {
				try(quant.Format{Class: quant.Fixed, Bits: n, Limit: limit, Unsigned: unsigned})
			}
			for e := 1; e < n; e++ {
				try(quant.Format{Class: quant.Float, Exp: e, Frac: n - e, Unsigned: unsigned})
			}
			for _, wrap := range []bool{false, true} {
				try(quant.Format{Class: quant.Int, Bits: n, Unsigned: unsigned, Wrap: wrap})
			}
		}
	}
	return all
}

// bitsOf returns a number as the IR holds it.
func bitsOf(k scalar.Kind, v float64) uint64 {
	switch k {
	case scalar.F16:
		return uint64(half.From64(v))
	case scalar.F32:
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

func valueOf(k scalar.Kind, bits uint64) float64 {
	switch k {
	case scalar.F16:
		return half.To64(uint16(bits))
	case scalar.F32:
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

// next returns the number of a kind behind v.
func next(k scalar.Kind, v, towards float64) float64 {
	if k == scalar.F32 {
		return float64(math.Nextafter32(float32(v), float32(towards)))
	}
	return math.Nextafter(v, towards)
}

// TestCodes decodes codes of every form up to 3 bits and encodes the numbers, those half-way
// between neighbours, and the neighbours of both. The long test has every form up to 16 bits.
func TestCodes(t *testing.T) {
	most := 3
	if *long {
		most = 16
	}
	for _, k := range []scalar.Kind{scalar.F32, scalar.F64, scalar.I16, scalar.U16, scalar.I32} {
		for _, f := range formats(k, most) {
			testFormat(t, f, k)
		}
	}
	// Longer ones, by a sample of their codes.
	for _, text := range []string{"fixed(16,8)", "fixed(16,2).unsigned()", "fixed(21,8)", "fixed(20,8).unsigned()", "fixed(21,8).unsigned()", "fixed(22,3)", "fixed(32,1)",
		"float(5,11)", "float(8,8)", "float(8,24)", "float(8,22)", "float(6,19)", "float(5,9).unsigned()", "float(2,23).unsigned()"} {
		f, err := quant.Parse(text)
		if err != nil || f.String() != text {
			t.Fatalf("%q reads as %v, %v", text, f, err)
		}
		testFormat(t, f, scalar.F32)
		testFormat(t, f, scalar.F64)
	}
	for _, text := range []string{"fixed(53,1)", "float(11,53)", "float(11,20).unsigned()", "fixed(40,0.1).unsigned()"} {
		f, _ := quant.Parse(text)
		testFormat(t, f, scalar.F64)
	}
}

// sample is how many codes of a long form are looked at.
const sample = 1 << 3

func testFormat(t *testing.T, f quant.Format, k scalar.Kind) {
	t.Helper()
	c := quant.New(f, k)
	r := rand.New(rand.NewPCG(1, uint64(f.Width())))
	n := uint64(1) << min(f.Width(), 63)
	all := n <= 1<<16 && (*long || n <= sample)
	count := n
	if !all {
		count = sample
	}
	for i := range count {
		code := i
		if !all {
			code = r.Uint64N(n)
		}
		if !k.IsFloat() {
			testInt(t, c, code)
			continue
		}
		v, w := c.Decode(code), c.Decode((code+1)%n)
		if got, want := bitsOf(k, v), exact.Decode(f, k, code); got != want {
			t.Fatalf("%v %v: code %#x is %v, not %v", f, k, code, v, valueOf(k, want))
		}
		for _, x := range []float64{v, w, v + (w-v)/2, v * 1.5, -v} {
			for _, y := range []float64{x, next(k, x, math.Inf(1)), next(k, x, math.Inf(-1))} {
				bits := bitsOf(k, y)
				if got, want := c.Encode(valueOf(k, bits)), exact.Encode(f, k, bits, exact.Rounding{}); got != want {
					t.Fatalf("%v %v: %v has code %#x, not %#x", f, k, y, got, want)
				}
			}
		}
	}
	if !k.IsFloat() {
		return
	}
	for _, x := range []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, math.MaxFloat32, 0x1p-149, 0x1p-127, 0x1.8p-127, -0x1p-1074, 0x1p-1023} {
		bits := bitsOf(k, x)
		if got, want := c.Encode(valueOf(k, bits)), exact.Encode(f, k, bits, exact.Rounding{}); got != want {
			t.Fatalf("%v %v: %v has code %#x, not %#x", f, k, x, got, want)
		}
	}
}

func testInt(t *testing.T, c *quant.Coder, code uint64) {
	t.Helper()
	v := c.Number(code)
	if got, want := uint64(v), exact.Decode(c.Format, c.Kind, code); got != want {
		t.Fatalf("%v %v: code %#x is %d, not %d", c.Format, c.Kind, code, int64(got), int64(want))
	}
	for _, x := range []int64{v, v + 1, v - 1, 3 * v, math.MaxInt16, math.MinInt16} {
		if c.Kind.IsUnsigned() {
			x &= 0xffff
		}
		if got, want := c.EncodeInt(x), exact.Encode(c.Format, c.Kind, uint64(x), exact.Rounding{}); got != want {
			t.Fatalf("%v %v: %d has code %#x, not %#x", c.Format, c.Kind, x, got, want)
		}
	}
}

// TestGroups encodes numbers that share an exponent.
func TestGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	for _, k := range []scalar.Kind{scalar.F32, scalar.F64} {
		for _, text := range []string{"float(5,9).unsigned()", "float(6,19)", "float(5,11)", "float(8,10)", "float(1,2)", "float(8,24)", "float(3,4)"} {
			f, err := quant.Parse(text)
			if err != nil || f.Check(k, true) != nil {
				t.Fatal(text, err, f.Check(k, true))
			}
			c := quant.New(f, k)
			for range 200 {
				vs, bits := make([]float64, 3), make([]uint64, 3)
				for i := range vs {
					v := math.Ldexp(r.Float64()*2-1, r.IntN(2<<f.Exp)-1<<f.Exp)
					switch r.IntN(12) {
					case 0:
						v = 0
					case 1:
						v = math.Ldexp(1, r.IntN(10)-5)
					case 2:
						v = math.Inf(1)
					case 3:
						v = math.NaN()
					case 4:
						v = math.Ldexp(float64(int(1)<<c.Digits)-0.5, r.IntN(9)-4)
					}
					bits[i] = bitsOf(k, v)
					vs[i] = valueOf(k, bits[i])
				}
				codes := make([]uint64, 3)
				e := c.EncodeGroup(vs, codes)
				want, wantE := exact.EncodeGroup(f, k, bits)
				for i := range codes {
					if codes[i] != want[i] || e != wantE {
						t.Fatalf("%v %v: %v has codes %#x with exponent %d, not %#x with %d", f, k, vs, codes, e, want, wantE)
					}
					if got, want := bitsOf(k, c.DecodeGroup(codes[i], e)), exact.DecodeGroup(f, k, codes[i], e); got != want && valueOf(k, got) != valueOf(k, want) {
						t.Fatalf("%v %v: %#x with exponent %d is %v, not %v", f, k, codes[i], e, valueOf(k, got), valueOf(k, want))
					}
				}
			}
		}
	}
}

// TestKnown compares with forms that others define.
func TestKnown(t *testing.T) {
	h, b := quant.New(quant.Format{Class: quant.Float, Exp: 5, Frac: 11}, scalar.F32), quant.New(quant.Format{Class: quant.Float, Exp: 8, Frac: 8}, scalar.F32)
	for _, v := range []float64{1, -2.5, 1.0 / 3, 65504, 0x1p-14, 0.1} {
		if got := h.Encode(v); got != uint64(half.From64(v)) {
			t.Errorf("%v has code %#x as a half, not %#x", v, got, half.From64(v))
		}
		if got, want := b.Encode(v), uint64(math.Float32bits(float32(v))+0x7fff+math.Float32bits(float32(v))>>16&1)>>16; got != want {
			t.Errorf("%v has code %#x as a bfloat16, not %#x", v, got, want)
		}
	}
	e := quant.New(quant.Format{Class: quant.Float, Exp: 5, Frac: 9, Unsigned: true}, scalar.F32)
	codes := make([]uint64, 3)
	// RGB9E5 of (1, 0.5, 0.25): the fractions of the Vulkan specification have 256 for 1 at exponent 16.
	if x := e.EncodeGroup([]float64{1, 0.5, 0.25}, codes); x != 16 || codes[0] != 256 || codes[1] != 128 || codes[2] != 64 {
		t.Errorf("exponent %d, fractions %v", x, codes)
	}
	f := quant.New(quant.Format{Class: quant.Fixed, Bits: 10, Limit: 8}, scalar.F32)
	if v := f.Decode(f.Encode(8)); v != 8-1.0/64 { // the end of the range, not -8
		t.Errorf("8 is stored as %v", v)
	}
}

// TestForms checks the errors of wrong forms.
func TestFormats(t *testing.T) {
	for text, want := range map[string]string{
		"f32 int(8)":                "QuantInt is for integers, and the elements are f32; use QuantFixed or QuantFloat",
		"i32 fixed(8,1)":            "QuantFixed is for real numbers, and the elements are i32; use QuantInt",
		"i32 float(5,5)":            "QuantFloat is for real numbers, and the elements are i32; use QuantInt",
		"i32 int(0)":                "an integer of 0 bits; give 1 to 64",
		"i64 int(65)":               "an integer of 65 bits; give 1 to 64",
		"i32 int(1)":                "one signed bit holds -1 and 0; use QuantInt(1).Unsigned()",
		"i32 int(33)":               "i32 cannot hold the numbers of int(33); give at most 32 bits",
		"i32 int(32).unsigned()":    "i32 cannot hold the numbers of int(32).unsigned(); give at most 31 bits, or use elements of u32",
		"u8 int(4)":                 "int(4) has negative numbers, which u8 cannot hold; use QuantInt(4).Unsigned()",
		"bool int(2).unsigned()":    "a bool is one bit without a sign",
		"f32 fixed(0,1)":            "a fixed-point number of 0 bits",
		"f32 fixed(33,1)":           "f32 cannot hold fixed-point numbers of 33 bits; give at most 32 bits",
		"f64 fixed(54,1)":           "give at most 53 bits",
		"f32 fixed(8,0)":            "a limit of 0; give a positive number",
		"f32 fixed(8,-1)":           "a limit of -1",
		"f32 fixed(8,NaN)":          "a limit of NaN",
		"f32 fixed(8,+Inf)":         "a limit of +Inf",
		"f32 fixed(8,1e-40)":        "out of reach",
		"f32 float(9,8)":            "an exponent of 9 bits is wider than that of f32, which has 8; give at most 8",
		"f32 float(0,8)":            "an exponent of 0 bits",
		"f32 float(5,25)":           "a fraction of 25 bits is longer than that of f32; give at most 24",
		"f32 float(5,1)":            "a fraction of 1 bits has no room for a number; give at least 2",
		"f32 fixed(8,1).wrap()":     "Wrap is for QuantInt",
		"i32 int(8).stochastic()":   "nothing to round",
		"f32 fixed(1,1)":            "one signed bit holds",
		"f32 plain":                 "",
		"f32 fixed(8,1).unsigned()": "ok",
	} {
		name, format, _ := cut(text)
		k, _ := scalar.ParseKind(name)
		f, err := quant.Parse(format)
		if want == "" {
			if err == nil {
				t.Errorf("%s is read", format)
			}
			continue
		}
		if err == nil {
			err = f.Check(k, false)
		}
		if want == "ok" && err == nil {
			continue
		}
		if err == nil || !contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
