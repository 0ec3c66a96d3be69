package half

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"
)

// value computes what h stands for from the definition.
func value(h uint16) float64 {
	exp, m := int(h>>10)&31, float64(h&1023)
	v := math.Ldexp(m, -24)
	switch {
	case exp == 31 && m != 0:
		return math.NaN()
	case exp == 31:
		v = math.Inf(1)
	case exp > 0:
		v = math.Ldexp(1024+m, exp-25)
	}
	if h>>15 != 0 {
		return -v
	}
	return v
}

func TestValues(t *testing.T) {
	for h := range 1 << 16 {
		h := uint16(h)
		want := value(h)
		got := To64(h)
		if want != want {
			if got == got || From32(To32(h)) != h|0x200 {
				t.Fatalf("%#04x is a NaN, got %v, and back %#04x", h, got, From32(To32(h)))
			}
			continue
		}
		if got != want || math.Signbit(got) != math.Signbit(want) {
			t.Fatalf("%#04x is %v, got %v", h, want, got)
		}
		if From32(To32(h)) != h || From64(got) != h {
			t.Fatalf("%#04x comes back as %#04x and %#04x", h, From32(To32(h)), From64(got))
		}
	}
}

// TestHalfway tries the neighbourhood of all midpoints between two numbers, where
// rounding changes its mind.
func TestHalfway(t *testing.T) {
	for h := range uint16(infinity) {
		lo, hi := value(h), value(h+1)
		if h+1 == infinity {
			hi = 65536
		}
		mid := (lo + hi) / 2 // exact
		even := h
		if h&1 != 0 {
			even = h + 1
		}
		for _, c := range []struct {
			v    float64
			want uint16
		}{
			{mid, even}, {math.Nextafter(mid, 0), h}, {math.Nextafter(mid, hi), h + 1},
			{-mid, even | signBit}, {-math.Nextafter(mid, 0), h | signBit}, {-math.Nextafter(mid, hi), h + 1 | signBit},
		} {
			if got := From64(c.v); got != c.want {
				t.Fatalf("%v rounds to %#04x, want %#04x", c.v, got, c.want)
			}
		}
		below, above := math.Nextafter32(float32(mid), 0), math.Nextafter32(float32(mid), math.MaxFloat32)
		if From32(float32(mid)) != even || From32(below) != h || From32(above) != h+1 {
			t.Fatalf("about %v: %#04x, %#04x, %#04x", mid, From32(below), From32(float32(mid)), From32(above))
		}
	}
	for _, v := range []float64{0x1p16, 0x1p200, math.Inf(1)} {
		if From64(v) != infinity || From64(-v) != infinity|signBit {
			t.Errorf("%v is not infinite", v)
		}
	}
	if From64(0x1p-1074) != 0 || From64(math.Copysign(0, -1)) != signBit || From32(-0x1p-149) != signBit {
		t.Error("a number that is too small keeps its sign only")
	}
}

// TestRandom compares with a rounding by math/big.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		v := math.Ldexp(1+r.Float64(), r.IntN(44)-28)
		got := To64(From64(v))
		ulp := math.Ldexp(1, max(math.Ilogb(v), -14)-10)
		want, _ := new(big.Float).Quo(big.NewFloat(v), big.NewFloat(ulp)).Float64() // exact: a power of two
		want = math.RoundToEven(want) * ulp
		if want >= 65536 {
			want = math.Inf(1)
		}
		if got != want {
			t.Fatalf("%v rounds to %v, want %v", v, got, want)
		}
	}
}

func TestFormat(t *testing.T) {
	for h := range 1 << 16 {
		if v := value(uint16(h)); v == v {
			s := Format(uint16(h))
			back, err := strconv.ParseFloat(s, 64)
			if err != nil || From64(back) != uint16(h) || len(s) > 12 {
				t.Fatalf("%v is written %s", v, s)
			}
		}
	}
	for v, want := range map[float64]string{0.1: "0.1", 65504: "65500", 1: "1", 1.0 / 3: "0.3333", 0x1p-24: "6e-08", math.Inf(-1): "-Inf"} {
		if got := Format(From64(v)); got != want {
			t.Errorf("%v is written %s, want %s", v, got, want)
		}
	}
	if Format(nanBits) != "NaN" {
		t.Error(Format(nanBits))
	}
}
