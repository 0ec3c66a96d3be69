package quanttest

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/scalar"
	"github.com/gotaichi/ti/internal/titest"
	"github.com/gotaichi/ti/internal/treetext"
)

// long has every float32 stored in each form, about a minute a form:
//
//	go test ./internal/quanttest -run Encode32 -long -timeout 1h
var long = randtest.Long("long", "store every float32 in every form of TestEncode32")

// mistakes reports the first few of many.
type mistakes struct {
	*testing.T
	n int
}

func (m *mistakes) report(format string, args ...any) {
	if m.n++; m.n < 4 {
		m.Errorf(format, args...)
	}
}

func coderOf(t *testing.T, text string, k scalar.Kind) *quant.Coder {
	t.Helper()
	f, err := quant.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return quant.New(f, k)
}

// TestEncode32 stores float32s by compiled code: codes and numbers are those of the host.
func TestEncode32(t *testing.T) {
	const n = 1 << 16
	const source = "package e\n\nvar F, G field[f32]\n\nfunc Store(base, step u32) {\n\tfor p := range F {\n\t\tF[p] = bitcast[f32](base + u32(p)*step)\n\t\tG[p] = F[p]\n\t}\n}\n"
	for _, text := range []string{
		"fixed(10,8)", "fixed(16,2).unsigned()", "fixed(21,8)", "fixed(22,0.3)", "fixed(32,1000).unsigned()", "fixed(1,1).unsigned()",
		"float(5,11)", "float(8,22)", "float(3,9).unsigned()", "float(8,23).unsigned()", "float(2,24)", "float(1,2)",
	} {
		t.Run(text, func(t *testing.T) {
			c := coderOf(t, text, scalar.F32)
			rt := newRuntime(t, ti.Config{})
			var s struct {
				F, G  ti.Field[float32]
				Store func(base, step uint32)
			}
			b := rt.NewTree().Dense(ti.I, n).BitStruct(32).Place(&s.F, treetext.Quant(c.Format))
			rt.Place(ti.Shape{n}, &s.G)
			if err := rt.Load(source, &s); err != nil {
				t.Fatal(err)
			}
			words, numbers := wordsOf[uint32](t, rt, b), make([]float32, n)
			bad := mistakes{T: t}
			check := func(base, step uint32) {
				s.Store(base, step)
				if err := s.G.CopyTo(numbers); err != nil {
					t.Fatal(err)
				}
				for i := range uint32(n) {
					x := math.Float32frombits(base + i*step)
					code := uint32(c.Encode(float64(x)))
					if words != nil && words[i] != code {
						bad.report("%v (%#x) is stored as %#x, not %#x", x, math.Float32bits(x), words[i], code)
					}
					if want := c.Decode(uint64(code)); float64(numbers[i]) != want {
						bad.report("%#x is decoded as %v, not %v", code, numbers[i], want)
					}
				}
			}
			if *long {
				for base := range uint32(1 << 16) {
					check(base<<16, 1)
				}
				return
			}
			for _, middle := range []float64{0, math.Copysign(0, -1), 1, -1, c.Limit, -c.Limit, math.Inf(1), math.Inf(-1)} {
				check(math.Float32bits(float32(middle))-n/2, 1)
			}
			check(math.Float32bits(float32(c.Decode(1)/2))-n/2, 1)
			for k := range uint32(4) {
				check(k*7919, 1<<16+1)
			}
		})
	}
}

// TestEncode64 stores float64s by compiled code: at random, at codes, halfway between codes and beside that.
func TestEncode64(t *testing.T) {
	const n = 1 << 14
	for _, text := range []string{"fixed(53,1)", "fixed(40,0.3).unsigned()", "fixed(10,0.3)", "fixed(20,7)", "float(11,53)", "float(11,20).unsigned()", "float(8,30)", "float(5,11)", "float(10,6)", "float(9,53)"} {
		t.Run(text, func(t *testing.T) {
			c := coderOf(t, text, scalar.F64)
			rt := newRuntime(t, ti.Config{})
			var s struct {
				A, B  ti.Field[float64]
				Store func()
			}
			w := rt.NewTree().Dense(ti.I, n).BitStruct(64).Place(&s.A, treetext.Quant(c.Format))
			rt.Place(ti.Shape{n}, &s.B)
			if err := rt.Load("package e\n\nvar A, B field[f64]\n\nfunc Store() {\n\tfor p := range A {\n\t\tA[p] = B[p]\n\t\tB[p] = A[p]\n\t}\n}\n", &s); err != nil {
				t.Fatal(err)
			}
			words := wordsOf[uint64](t, rt, w)
			r := rand.New(rand.NewPCG(9, 9))
			xs := make([]float64, n)
			for i := range xs {
				switch r.IntN(4) {
				case 0:
					xs[i] = math.Float64frombits(r.Uint64())
				case 1:
					xs[i] = c.Decode(r.Uint64()) + c.Decode(1)*(float64(r.IntN(5))-2)/2
				case 2:
					x, y := c.Decode(uint64(i)), c.Decode(uint64(i+1))
					xs[i] = math.Nextafter(x+(y-x)/2, math.Inf(r.IntN(3)-1))
				default:
					xs[i] = (r.Float64()*2 - 1) * max(c.Limit, 1)
				}
			}
			if err := s.B.CopyFrom(xs); err != nil {
				t.Fatal(err)
			}
			s.Store()
			bad := mistakes{T: t}
			for i, x := range xs {
				code := c.Encode(x)
				if words != nil && words[i] != code {
					bad.report("%v is stored as %#x, not %#x", x, words[i], code)
				}
				if want := c.Decode(code); s.B.At(i) != want {
					bad.report("%#x is decoded as %v, not %v", code, s.B.At(i), want)
				}
			}
		})
	}
}

// aroundShared returns a number that shares an exponent: of any size, at the ends of exponents and halfway between fractions.
func aroundShared(r *rand.Rand, c *quant.Coder) float64 {
	span := 2 << min(c.Exp, 8)
	switch r.IntN(12) {
	case 0:
		return 0
	case 1:
		return math.Ldexp(1, r.IntN(10)-5)
	case 2:
		return math.Inf(1 - 2*r.IntN(2))
	case 3:
		return math.NaN()
	case 4:
		return math.Ldexp(float64(int(1)<<c.Digits)-0.5, r.IntN(9)-4)
	case 5:
		return math.Ldexp(float64(r.IntN(1<<c.Digits))+0.5, r.IntN(9)-4-c.Digits)
	case 6:
		return math.Float64frombits(r.Uint64())
	case 7:
		return float64(math.Float32frombits(r.Uint32()))
	}
	return math.Ldexp(r.Float64()*2-1, r.IntN(span)-span/2)
}

// TestEncodeShared stores vectors whose components share an exponent.
func TestEncodeShared(t *testing.T) {
	const n = 1 << 14
	for _, text := range []string{"float(5,9).unsigned()", "float(6,19)", "float(5,11)", "float(8,10)", "float(1,2)", "float(8,18)", "float(3,4)", "float(2,15).unsigned()", "float(7,18)"} {
		t.Run(text, func(t *testing.T) {
			single, double := coderOf(t, text, scalar.F32), coderOf(t, text, scalar.F64)
			rt := newRuntime(t, ti.Config{})
			var s struct {
				A, B  ti.Field[ti.Vec3]
				C, D  ti.Field[[3]float64]
				Store func()
			}
			inA := rt.NewTree().Dense(ti.I, n).BitStruct(64).PlaceShared(treetext.Quant(single.Format), &s.A)
			inC := rt.NewTree().Dense(ti.I, n).BitStruct(64).PlaceShared(treetext.Quant(single.Format), &s.C)
			rt.Place(ti.Shape{n}, &s.B, &s.D)
			if err := rt.Load("package e\n\nvar A, B field[vec3]\nvar C, D field[dvec3]\n\nfunc Store() {\n\tfor p := range A {\n\t\tA[p] = B[p]\n\t\tB[p] = A[p]\n\t\tC[p] = D[p]\n\t\tD[p] = C[p]\n\t}\n}\n", &s); err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(9, 9))
			xs, ys := make([]ti.Vec3, n), make([][3]float64, n)
			for i := range n {
				for k := range 3 {
					ys[i][k] = aroundShared(r, single)
					xs[i][k] = float32(aroundShared(r, single))
				}
			}
			if err := s.B.CopyFrom(xs); err != nil {
				t.Fatal(err)
			}
			if err := s.D.CopyFrom(ys); err != nil {
				t.Fatal(err)
			}
			s.Store()
			a, c := wordsOf[uint64](t, rt, inA), wordsOf[uint64](t, rt, inC)
			bad := mistakes{T: t}
			for i := range n {
				b := s.B.At(i)
				bad.group(single, [3]float64{float64(xs[i][0]), float64(xs[i][1]), float64(xs[i][2])}, a, i, [3]float64{float64(b[0]), float64(b[1]), float64(b[2])})
				bad.group(double, ys[i], c, i, s.D.At(i))
			}
		})
	}
}

// group checks word i, in which numbers were stored, and the numbers that were loaded from it. There may be no words; see wordsOf.
func (m *mistakes) group(c *quant.Coder, stored [3]float64, words []uint64, i int, loaded [3]float64) {
	codes := make([]uint64, 3)
	e := c.EncodeGroup(stored[:], codes)
	want := e << (3 * c.Frac)
	for k, code := range codes {
		want |= code << (k * c.Frac)
	}
	if words != nil && words[i] != want {
		m.report("%v: %v is stored as %#x, not %#x", c.Kind, stored, words[i], want)
	}
	for k, code := range codes {
		if x := c.DecodeGroup(code, e); x != loaded[k] {
			m.report("%v: %#x is decoded as %v, not %v", c.Kind, want, loaded, x)
		}
	}
}

// wordsOf returns the words of a struct of bits. Those in memory that the device does not share have no addresses on the host: then Words must
// fail, the result is nil, and tests check only numbers.
func wordsOf[T uint32 | uint64](t *testing.T, rt *ti.Runtime, of *ti.BitStruct) []T {
	t.Helper()
	words, err := ti.Words[T](of)
	switch shares := titest.Shares(rt); {
	case shares && err != nil:
		t.Fatal(err)
	case !shares && !errors.Is(err, ti.ErrLayout):
		t.Fatalf("words without addresses: %d words, error %v", len(words), err)
	case !shares:
		return nil
	}
	return words
}
