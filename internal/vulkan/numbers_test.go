package vulkan_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/randtest"
)

// numberSeeds are those of thousands of numbers each.
var numberSeeds = randtest.New("numbers", "firstnumbers", "thousands of numbers for each operation", 1, 1)

// An operation is an expression of the floats a, b and c, and the kind of its result.
type operation struct {
	text   string
	result ir.Kind // 0 for that of a
}

// operations are those that have bits that are defined, but for those of a NaN.
func operations() (all []operation) {
	for _, text := range []string{"a + b", "a - b", "a * b", "a / b", "mod(a, b)", "floorDiv(a, b)", "fma(a, b, c)", "min(a, b)", "max(b, a)", "sqrt(a)",
		"floor(a)", "ceil(a)", "round(a)", "trunc(a)", "sign(a)", "abs(a)", "-a", "ifelse(a < b, c, a)", "rsqrt(a)", "exp(a)", "sin(b)"} {
		all = append(all, operation{text: text})
	}
	for _, text := range []string{"a < b", "a <= b", "a == b", "a != b", "a > b", "a >= c", "isnan(a)", "isinf(b)", "bool(c)"} {
		all = append(all, operation{text, ir.Bool})
	}
	for _, k := range []ir.Kind{ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64, ir.F16, ir.F32, ir.F64} {
		all = append(all, operation{fmt.Sprintf("%s(b)", k), k})
	}
	return all
}

// source is a kernel with the operations on floats of kind k, whose bits are in X, Y and Z.
func source(k ir.Kind, all []operation) string {
	var w strings.Builder
	w.WriteString("package p\n\nvar X, Y, Z field[u64]\nvar R field[u64, D2]\n\nfunc Run() {\n\tfor i := range X {\n")
	for i, v := range []string{"a", "b", "c"} {
		fmt.Fprintf(&w, "\t\t%s := bitcast[%s](%s(%c[i]))\n", v, k, k.Unsigned(), "XYZ"[i])
	}
	for j, o := range all {
		text := o.text
		if kind := o.kind(k); kind.IsFloat() {
			text = fmt.Sprintf("bitcast[%s](%s)", kind.Unsigned(), text)
		}
		fmt.Fprintf(&w, "\t\tR[%d][i] = u64(%s)\n", j, text)
	}
	// Integers become floats, too.
	for j, from := range integers {
		fmt.Fprintf(&w, "\t\tR[%d][i] = u64(bitcast[%s](%s(%s(X[i]))))\n", len(all)+j, k.Unsigned(), k, from)
	}
	return w.String() + "\t}\n}\n"
}

var integers = []ir.Kind{ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64}

func (o operation) kind(k ir.Kind) ir.Kind {
	if o.result == 0 {
		return k
	}
	return o.result
}

// A tableHost has bits of numbers, and of results.
type tableHost struct {
	X, Y, Z ti.Field[uint64]
	R       ti.Field[uint64]
	Run     func() error
}

// loadTable places the fields for n numbers of kind k, and compiles the kernel.
func loadTable(t *testing.T, rt *ti.Runtime, h *tableHost, k ir.Kind, n int) *ti.Program {
	t.Helper()
	all := operations()
	rt.Place(ti.Shape{n}, &h.X, &h.Y, &h.Z)
	rt.Place(ti.Shape{len(all) + len(integers), n}, &h.R)
	p, err := rt.Compile(ti.Text("source", source(k, all)), h)
	must(t, err)
	return p
}

// results are those of all operations, one operation after the other.
func results(t *testing.T, rt *ti.Runtime, k ir.Kind, numbers [3][]uint64) []uint64 {
	t.Helper()
	h, n := new(tableHost), len(numbers[0])
	loadTable(t, rt, h, k, n)
	for i, f := range []*ti.Field[uint64]{&h.X, &h.Y, &h.Z} {
		must(t, f.CopyFrom(numbers[i]))
	}
	must(t, h.Run())
	out := make([]uint64, (len(operations())+len(integers))*n)
	must(t, h.R.CopyTo(out))
	return out
}

// TestNumbers compares each operation with the oracle on thousands of numbers, many of which are hard to round. One NaN is as good as another, but a
// conversion from f32 to f16, which is made of integers, gives the same everywhere.
func TestNumbers(t *testing.T) {
	for _, k := range []ir.Kind{ir.F16, ir.F32, ir.F64} {
		t.Run(k.String(), func(t *testing.T) {
			cfg := ti.Config{StrictMath: true, Cache: ti.Cache{Policy: ti.CacheOff}}
			rt := open(t, cfg)
			cfg.Arch = ti.Oracle
			judge := runtime(t, cfg)
			numberSeeds.Each(t, func(t *testing.T, seed uint64) {
				numbers := drawn(rand.New(rand.NewPCG(seed, 0x5915)), k, 3000)
				compareNumbers(t, rt, judge, k, numbers)
			})
		})
	}
}

// compareNumbers compares all operations on numbers with those of another runtime.
func compareNumbers(t *testing.T, rt, judge *ti.Runtime, k ir.Kind, numbers [3][]uint64) {
	t.Helper()
	all := operations()
	got, want := results(t, rt, k, numbers), results(t, judge, k, numbers)
	wrong := map[int]int{}
	for at, g := range got {
		op, i, to := at/len(numbers[0]), at%len(numbers[0]), k
		text := ""
		if op < len(all) {
			to, text = all[op].kind(k), all[op].text
		} else {
			text = fmt.Sprintf("%s(%s(X))", k, integers[op-len(all)])
		}
		if w := want[at]; g != w && !(to.IsFloat() && !(k == ir.F32 && to == ir.F16) && nan(to, g) && nan(to, w)) {
			if wrong[op]++; wrong[op] <= 3 {
				t.Errorf("%s of %x, %x, %x is %x, want %x", text, numbers[0][i], numbers[1][i], numbers[2][i], g, w)
			}
		}
	}
}

func nan(k ir.Kind, bits uint64) bool { return math.IsNaN(ir.FloatValue(k, bits)) }

// drawn returns the bits of three times n numbers of kind k. Those of a triple depend on each other: quotients are near whole numbers, and sums small.
func drawn(r *rand.Rand, k ir.Kind, n int) (all [3][]uint64) {
	round := func(v float64) uint64 { return ir.FloatBits(k, v) }
	for range n {
		t := [3]uint64{number(r, k), number(r, k), number(r, k)}
		a, b := ir.FloatValue(k, t[0]), ir.FloatValue(k, t[1])
		switch r.IntN(6) {
		case 0: // a is near a multiple of b
			t[0] = near(r, k, round(b*math.Floor(math.Exp2(r.Float64()*float64(k.Bits())))))
		case 1: // the product and c nearly cancel each other
			t[2] = near(r, k, round(-a*b))
		case 2: // c decides how the product is rounded
			t[2] = round(a * b * math.Ldexp(float64(r.IntN(9)-4), -r.IntN(2*k.Bits())))
		case 3: // b is of the size of a
			t[1] = near(r, k, t[0])
		case 4: // the product is subnormal, or the next that are not
			least := map[ir.Kind]int{ir.F16: -24, ir.F32: -149, ir.F64: -1074}[k]
			t[1] = round(math.Ldexp(r.Float64()+1, least+r.IntN(k.Bits())) / a)
		}
		for i := range t {
			all[i] = append(all[i], t[i])
		}
	}
	return all
}

// near is a number at most two steps from v.
func near(r *rand.Rand, k ir.Kind, v uint64) uint64 {
	return (v + uint64(r.IntN(5)-2)) & (1<<k.Bits() - 1)
}

// number is one of any size, a special one, or one near the middle between two half-precision numbers.
func number(r *rand.Rand, k ir.Kind) uint64 {
	random := r.Uint64() >> (64 - k.Bits())
	sign := random & (1 << (k.Bits() - 1))
	switch r.IntN(6) {
	case 0:
		special := []float64{0, 1, 0.5, 1.5, 2.5, math.Inf(1), math.NaN(), math.MaxFloat64, math.MaxFloat32, math.SmallestNonzeroFloat64, math.SmallestNonzeroFloat32,
			0x1p-1022, 0x1p-126, 0x1p-14, 0x1p-24, 0x1p-25, 65504, 65520, 1 << 31, 1 << 32, 1 << 63, 1 << 64, 127.5, 255.5, 1 << 24, 1 << 53}
		return near(r, k, ir.FloatBits(k, special[r.IntN(len(special))])) ^ sign
	case 1:
		h := r.Uint64() & 0x7bff
		middle := (ir.FloatValue(ir.F16, h) + ir.FloatValue(ir.F16, h+1)) / 2
		return near(r, k, ir.FloatBits(k, middle)) ^ sign
	case 2:
		return ir.FloatBits(k, math.Ldexp(1+r.Float64(), r.IntN(12)-6)) ^ sign
	case 4: // fractions of large numbers, many of them halves
		return ir.FloatBits(k, math.Ldexp(math.Floor(math.Ldexp(1+r.Float64(), 1+r.IntN(50))), -r.IntN(3))) ^ sign
	case 3:
		return ir.FloatBits(k, float64(r.IntN(2000)-1000)/2)
	}
	return random
}
