package quantsearch_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/quantsearch"
)

// mostBits is up to how many bits forms are tried.
const mostBits = 12

// within reports whether fixed point without a sign stores numbers with errors of at most a tolerance.
func within(bits int, limit float64, numbers []float64, tolerance float64) bool {
	codes := math.Pow(2, float64(bits))
	for _, v := range numbers {
		code := min(math.RoundToEven(v*codes/limit), codes-1)
		if math.Abs(code*limit/codes-v) > tolerance {
			return false
		}
	}
	return true
}

// TestFindFewest searches for the fixed-point form of numbers, from a limit that is too wide by far or just wide enough, and
// compares its bits with those of all forms of up to 12 bits with a limit of two digits.
func TestFindFewest(t *testing.T) {
	logged := quiet(t)
	r := rand.New(rand.NewPCG(21, 22))
	trials := 0
	for range 100 {
		logged.Reset()
		largest := []float64{1, 2, 0.75, 1 + r.Float64()}[r.IntN(4)]
		numbers := []float64{0, largest}
		for range 100 {
			numbers = append(numbers, largest*r.Float64())
		}
		limit := largest * []float64{1.1, 2, 4, 1 + 3*r.Float64()}[r.IntN(4)]
		tolerance := largest * math.Pow(2, -2-8*r.Float64())
		fewest := mostBits + 1
		for bits := mostBits; bits >= 1; bits-- {
			for power := -2; power <= 1; power++ {
				for n := 10; n < 100; n++ {
					near, _ := strconv.ParseFloat(strconv.Itoa(n)+"e"+strconv.Itoa(power), 64)
					if near <= limit && within(bits, near, numbers, tolerance) {
						fewest = bits
					}
				}
			}
		}
		best, err := quantsearch.Find(map[string][]ti.Quant{"X": {ti.QuantFixed(14, limit).Unsigned()}}, func(tried map[string][]ti.Quant) (float64, error) {
			trials++
			worst := 0.0
			for _, v := range numbers {
				worst = max(worst, math.Abs(tried["X"][0].Decode(tried["X"][0].Encode(v))-v))
			}
			return worst, nil
		}, tolerance, 100)
		if err != nil || best["X"][0].Bits() > fewest || !strings.Contains(logged.String(), "no fewer bits than") {
			t.Errorf("numbers up to %v within %v, from a limit of %v: %v, %v, and %d bits do\n%s", largest, tolerance, limit, best, err, fewest, logged)
		}
	}
	if trials > 100*20 {
		t.Errorf("%d trials", trials)
	}
}

// TestFindTrades searches where a bit more for one number may save several for others: the errors of all add up.
func TestFindTrades(t *testing.T) {
	logged := quiet(t)
	r := rand.New(rand.NewPCG(23, 24))
	for range 40 {
		logged.Reset()
		weights := []float64{math.Pow(2, 8*r.Float64()), math.Pow(2, 8*r.Float64()), math.Pow(3, 5*r.Float64())}
		bases := []float64{2, 1.3 + r.Float64(), 3}
		tolerance := math.Pow(2, -2-4*r.Float64())
		errorOf := func(bits ...int) (e float64) {
			for i, n := range bits {
				e += weights[i] * math.Pow(bases[i], -float64(n))
			}
			return e
		}
		start := 16
		fewest := 3 * start
		for x := 1; x <= start; x++ {
			for y := 1; y <= start; y++ {
				for z := 1; z <= start; z++ {
					if x+y+z < fewest && errorOf(x, y, z) <= tolerance {
						fewest = x + y + z
					}
				}
			}
		}
		all := ti.QuantInt(start).Unsigned()
		best, err := quantsearch.Find(map[string][]ti.Quant{"A": {all}, "B": {all, all}}, func(tried map[string][]ti.Quant) (float64, error) {
			return errorOf(tried["A"][0].Bits(), tried["B"][0].Bits(), tried["B"][1].Bits()), nil
		}, tolerance, 1000)
		if errorOf(start, start, start) > tolerance {
			continue
		}
		if err != nil || best["A"][0].Bits()+best["B"][0].Bits()+best["B"][1].Bits() != fewest || !strings.Contains(logged.String(), "no fewer bits than") {
			t.Errorf("%v, %v, and %d bits do\n%s", best, err, fewest, logged)
		}
	}
}
