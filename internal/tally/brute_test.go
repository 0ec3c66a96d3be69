package tally_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/scalar"
	"github.com/gotaichi/ti/internal/tally"
)

// mostBits is up to how many bits forms are tried.
const mostBits = 12

// numbersOf returns the numbers that a form has, in order, as docs/quant.md defines them.
func numbersOf(f quant.Format) (out []float64) {
	switch f.Class {
	case quant.Int, quant.Fixed:
		limit, n := 1.0, 1<<f.Bits
		lo := -n / 2
		if f.Unsigned {
			lo = 0
		}
		if f.Class == quant.Fixed {
			limit = f.Limit / float64(lo+n) // the step
		}
		for c := range n {
			out = append(out, float64(lo+c)*limit)
		}
	case quant.Float:
		m := f.Frac - 1
		if f.Unsigned {
			m = f.Frac
		}
		bias := 1<<(f.Exp-1) - 1
		out = append(out, 0)
		for e := 1; e < 1<<f.Exp; e++ {
			for d := range 1 << m {
				v := math.Pow(2, float64(e-bias)) * (1 + float64(d)/float64(int(1)<<m))
				if out = append(out, v); !f.Unsigned {
					out = append(out, -v)
				}
			}
		}
		slices.Sort(out)
	}
	return out
}

// keeps reports whether a form that has the given numbers, in order, stores each real number of a range with an error
// of at most loss, and clamps none. The magnitudes of the range that are not zero begin at its smallest.
func keeps(numbers []float64, of tally.Range, loss float64) bool {
	if of.Least < numbers[0] || of.Largest > numbers[len(numbers)-1] {
		return false
	}
	for _, part := range [][2]float64{{max(of.Least, of.Smallest), of.Largest}, {of.Least, min(of.Largest, -of.Smallest)}} {
		if !keepsPart(numbers, part[0], part[1], of.Stochastic, loss) {
			return false
		}
	}
	return true
}

// keepsPart is keeps for the real numbers from lo to hi. Random numbers may choose the farther neighbour of a number.
func keepsPart(numbers []float64, lo, hi float64, stochastic bool, loss float64) bool {
	first, _ := slices.BinarySearch(numbers, lo)
	for i := max(first-1, 0); lo <= hi && i+1 < len(numbers) && numbers[i] <= hi; i++ {
		below, above := numbers[i], numbers[i+1]
		x, y := max(lo, below), min(hi, above)
		worst := max(min(x-below, above-x), min(y-below, above-y))
		switch middle := (below + above) / 2; {
		case x > y || x == y && (x == below || x == above):
			worst = 0
		case stochastic:
			worst = above - below
		case x <= middle && middle <= y:
			worst = middle - below
		}
		if worst > loss {
			return false
		}
	}
	return true
}

// limitsFor returns limits to try: all of two digits that may do for a range, and those with which the largest
// magnitude is the first, the second or the last code.
func limitsFor(of tally.Range, codes float64) (out []float64) {
	m := max(math.Abs(of.Least), math.Abs(of.Largest))
	out = []float64{m * codes, m * codes / 2, m * codes / (codes - 1) * (1 + 0x1p-52), m}
	power := int(math.Floor(math.Log10(m))) - 2
	for decimal := 10; ; decimal++ {
		if decimal == 100 {
			decimal, power = 10, power+1
		}
		limit, _ := strconv.ParseFloat(fmt.Sprintf("%de%d", decimal, power), 64)
		switch {
		case limit > 1.1*m*codes:
			return out
		case limit > 0.9*m:
			out = append(out, limit)
		}
	}
}

// candidates calls try with each form of this number of bits for real numbers of a range.
func candidates(of tally.Range, bits int, try func(f quant.Format)) {
	for _, unsigned := range []bool{true, false} {
		codes := math.Pow(2, float64(bits))
		if !unsigned {
			codes /= 2
		}
		if codes > 1 {
			for _, limit := range limitsFor(of, codes) {
				if power, _ := math.Frexp(limit); of.Stochastic && power != 0.5 && of.Smallest == max(of.Largest, -of.Least) {
					continue // the one number is a code, but the step is rounded, and so the number is between two
				}
				try(quant.Format{Class: quant.Fixed, Bits: bits, Limit: limit, Unsigned: unsigned})
			}
		}
		for e := 1; e <= min(bits-1, 11); e++ {
			if unsigned || bits-e > 1 {
				try(quant.Format{Class: quant.Float, Exp: e, Frac: bits - e, Unsigned: unsigned})
			}
		}
	}
}

// bruteRange returns a random range: often one whose ends are powers of two, or close to one another.
func bruteRange(r *rand.Rand) tally.Range {
	some := func() float64 {
		v := math.Ldexp(1, r.IntN(9)-4)
		switch r.IntN(4) {
		case 0:
			v *= 1 + r.Float64()
		case 1:
			v *= 1 - math.Ldexp(1, -2-r.IntN(10))
		}
		return v
	}
	of := tally.Range{Kind: []scalar.Kind{scalar.F32, scalar.F64}[r.IntN(2)], Largest: some(), Stochastic: r.IntN(3) == 0}
	m := of.Largest
	switch r.IntN(5) {
	case 0:
		of.Least = -some()
	case 1:
		of.Least = -m
	case 2:
		of.Least, of.Largest = -m, 0
	}
	m = max(of.Largest, -of.Least)
	of.Smallest = min(m, some()*math.Ldexp(1, -r.IntN(10)))
	switch r.IntN(6) {
	case 0:
		of.Smallest = m
	case 1:
		of.Smallest = m * (1 - r.Float64()/8)
	}
	for _, v := range []*float64{&of.Least, &of.Largest, &of.Smallest} {
		*v = narrow(of.Kind, *v)
	}
	for _, end := range []float64{of.Least, of.Largest} { // the ends are numbers of the range
		if end != 0 {
			of.Smallest = min(of.Smallest, math.Abs(end))
		}
	}
	return of
}

// TestSuggestFewest tries all forms of up to 12 bits, limits of two digits and more: none that has fewer bits than the
// suggested ones keeps the tolerance, and none of as many bits comes before it by the rule that Suggest documents.
func TestSuggestFewest(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	unit := tally.Range{Kind: scalar.F64, Largest: 1, Smallest: 0.001}
	ranges, tolerances := []tally.Range{unit, unit, unit}, []float64{0.001, 0.0011, 0x1p-9}
	for len(ranges) < 250 {
		ranges, tolerances = append(ranges, bruteRange(r)), append(tolerances, math.Pow(2, -1-8*r.Float64()))
		if r.IntN(2) == 0 {
			tolerances[len(tolerances)-1] = math.Ldexp(1, -1-r.IntN(9))
		}
	}
	for i, of := range ranges {
		checkFewest(t, of, tolerances[i])
	}
}

// checkFewest compares what is suggested with all candidates.
func checkFewest(t *testing.T, of tally.Range, tolerance float64) {
	loss := tolerance * max(of.Largest, -of.Least)
	rounded := map[scalar.Kind]float64{scalar.F32: 0x1p-21, scalar.F64: 0x1p-50}[of.Kind] / tolerance // by the arithmetic of forms
	best := map[quant.Class]quant.Format{}
	for _, f := range of.Suggest(tolerance) {
		if best[f.Class] = f; f.Width() <= mostBits && !keeps(numbersOf(f), of, loss*(1+rounded)) {
			t.Errorf("%v is suggested for %+v and %v, and does not keep it", f, of, tolerance)
		}
	}
	for bits := 1; bits <= mostBits; bits++ {
		candidates(of, bits, func(f quant.Format) {
			b, suggested := best[f.Class]
			b.Stochastic = false
			tried := of
			if power, _ := math.Frexp(f.Limit); f.Class == quant.Fixed && power != 0.5 { // the highest code may be rounded down
				tried.Least, tried.Largest = of.Least*(1+rounded*tolerance), of.Largest*(1+rounded*tolerance)
			}
			if suggested && (bits > b.Width() || bits == b.Width() && !comesBefore(f, b)) || !keeps(numbersOf(f), tried, loss*(1-rounded)) {
				return
			}
			t.Errorf("%v is suggested for %+v and %v, and %v keeps it", b, of, tolerance, f)
		})
	}
}

// comesBefore reports whether f is to be suggested in the place of b, which has as many bits, if it keeps the tolerance.
func comesBefore(f, b quant.Format) bool {
	if f.Class == quant.Float {
		return f.Frac > b.Frac && f.Unsigned == b.Unsigned
	}
	return len(decimal(f.Limit)) < len(decimal(b.Limit)) || len(decimal(f.Limit)) == len(decimal(b.Limit)) && f.Limit < b.Limit
}

// decimal returns the digits of a number, two at least.
func decimal(v float64) string {
	digits := ""
	for _, c := range strconv.FormatFloat(v, 'e', -1, 64) {
		if c == 'e' {
			break
		}
		if c != '.' {
			digits += string(c)
		}
	}
	return (digits + "0")[:max(2, len(digits))]
}

// TestSuggestFewestIntegers tries all forms of integers of up to 12 bits.
func TestSuggestFewestIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 500 {
		of := tally.Range{Kind: []scalar.Kind{scalar.I8, scalar.U8, scalar.I16, scalar.U16, scalar.I32, scalar.I64}[r.IntN(6)]}
		of.Largest = math.Ldexp(1, r.IntN(min(of.Kind.Bits()-1, 13))) - float64(r.IntN(2))
		if r.IntN(2) == 0 && of.Kind.IsSigned() {
			of.Least = -math.Ldexp(1, r.IntN(min(of.Kind.Bits()-1, 13))) - float64(r.IntN(2))
		}
		fewest := 0
		for bits := mostBits; bits >= 1; bits-- {
			for _, unsigned := range []bool{false, true} {
				f := quant.Format{Class: quant.Int, Bits: bits, Unsigned: unsigned}
				if numbers := numbersOf(f); (bits > 1 || unsigned) && bits < of.Width() && numbers[0] <= of.Least && of.Largest <= numbers[len(numbers)-1] {
					fewest = bits
				}
			}
		}
		bits := 0
		if formats := of.Suggest(0.5); len(formats) > 0 && formats[0].Bits <= mostBits {
			bits = formats[0].Bits
		}
		if bits != fewest {
			t.Errorf("%v from %v to %v: %d bits, not %d", of.Kind, of.Least, of.Largest, bits, fewest)
		}
	}
}

// sharedKeeps reports whether three numbers of a range that share an exponent, with fractions of m digits, have errors
// of at most loss: at the exponent that the largest one needs neighbours are farthest apart.
func sharedKeeps(f quant.Format, of tally.Range, loss float64) bool {
	m := f.Frac - 1
	if f.Unsigned {
		m = f.Frac
	}
	largest := max(of.Largest, -of.Least)
	for e := range 1 << f.Exp {
		step := math.Pow(2, float64(e-(1<<(f.Exp-1)-1)-m))
		if n := math.RoundToEven(largest / step); n < math.Pow(2, float64(m)) {
			return (of.Least >= 0 || !f.Unsigned) && largest <= n*step+step/2 && step/2 <= loss &&
				largest <= math.Pow(2, float64(1<<f.Exp-(1<<(f.Exp-1))-m))*(math.Pow(2, float64(m))-1)
		}
	}
	return false
}

// TestSharedFewest tries all forms in which three numbers share an exponent in up to 44 bits.
func TestSharedFewest(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for range 500 {
		of := bruteRange(r)
		tolerance := math.Pow(2, -1-10*r.Float64())
		loss := tolerance * max(of.Largest, -of.Least)
		got, ok := of.Shared(tolerance, 3)
		if ok && !sharedKeeps(got, of, loss) {
			t.Errorf("%v is suggested for %+v and %v, and does not keep it", got, of, tolerance)
		}
		for e := 1; e <= 8; e++ {
			for frac := 1; frac <= mostBits; frac++ {
				for _, unsigned := range []bool{true, false} {
					f := quant.Format{Class: quant.Float, Exp: e, Frac: frac, Unsigned: unsigned}
					if !unsigned && frac == 1 || !sharedKeeps(f, of, loss*(1-0x1p-40)) {
						continue
					}
					if width := e + 3*frac; !ok || width < got.Exp+3*got.Frac {
						t.Errorf("%v is suggested for %+v and %v, and %v of %d bits keeps it", got, of, tolerance, f, width)
					}
				}
			}
		}
	}
}
