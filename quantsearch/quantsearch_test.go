package quantsearch_test

import (
	"bytes"
	"errors"
	"log"
	"math"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	_ "github.com/gotaichi/ti/internal/randtest" // each error of the compiler ends a launch
	"github.com/gotaichi/ti/quantsearch"
)

// quiet keeps the log of a search, and returns it.
func quiet(t *testing.T) *bytes.Buffer {
	var b bytes.Buffer
	before := log.Writer()
	log.SetOutput(&b)
	log.SetFlags(0)
	t.Cleanup(func() { log.SetOutput(before) })
	return &b
}

// TestFind searches where the error is known: that of the numbers themselves.
func TestFind(t *testing.T) {
	logged := quiet(t)
	tried := 0
	try := func(forms map[string][]ti.Quant) (float64, error) {
		tried++
		worst := 0.0
		for i := range 1000 {
			x := math.Sin(float64(i))
			worst = max(worst, math.Abs(forms["X"][0].Decode(forms["X"][0].Encode(x))-x), 4*math.Abs(forms["Y"][0].Decode(forms["Y"][0].Encode(x))-x))
		}
		return worst, nil
	}
	start := map[string][]ti.Quant{"X": {ti.QuantFixed(20, 2)}, "Y": {ti.QuantFixed(20, 2)}}
	best, err := quantsearch.Find(start, try, 0.01, 40)
	if err != nil {
		t.Fatal(err)
	}
	// Half of a step, with a limit of a bit more than 1, is at most 0.01, or a quarter of that.
	if best["X"][0].Bits() != 7 || best["Y"][0].Bits() != 9 || tried > 40 {
		t.Errorf("%v after %d trials\n%s", best, tried, logged)
	}
	if lines := strings.Count(logged.String(), "\n"); lines != tried+1 || !strings.Contains(logged.String(), "trial 1: 40 bits, error") {
		t.Errorf("%d lines for %d trials:\n%s", lines, tried, logged)
	}
	// From too few bits, and with floats.
	best, err = quantsearch.Find(map[string][]ti.Quant{"X": {ti.QuantFixed(3, 2)}, "Y": {ti.QuantFloat(3, 4)}}, try, 0.01, 40)
	if err != nil || best["X"][0].Bits() != 7 || best["Y"][0] != ti.QuantFloat(5, 8) {
		t.Errorf("%v, %v\n%s", best, err, logged)
	}
	if e, _ := try(best); e > 0.01 {
		t.Errorf("%v has an error of %v", best, e)
	}
	// Forms keep what is not their bits.
	best, err = quantsearch.Find(map[string][]ti.Quant{"N": {ti.QuantInt(9).Unsigned().Wrap(), ti.QuantFixed(5, 0.5).Stochastic()}}, func(map[string][]ti.Quant) (float64, error) { return 0, nil }, 0, 100)
	if err != nil || best["N"][0] != ti.QuantInt(1).Unsigned().Wrap() || best["N"][1] != ti.QuantFixed(2, 0.5).Stochastic() {
		t.Errorf("%v, %v", best, err)
	}
}

// TestFindErrors has what Find refuses, and searches without an end.
func TestFindErrors(t *testing.T) {
	quiet(t)
	start := map[string][]ti.Quant{"X": {ti.QuantFixed(20, 2)}}
	always := func(e float64) func(map[string][]ti.Quant) (float64, error) {
		return func(map[string][]ti.Quant) (float64, error) { return e, nil }
	}
	for _, c := range []struct {
		name      string
		start     map[string][]ti.Quant
		try       func(map[string][]ti.Quant) (float64, error)
		tolerance float64
		trials    int
	}{
		{"nil function", start, nil, 1, 1},
		{"no forms", nil, always(0), 1, 1},
		{"a field without a form", map[string][]ti.Quant{"X": nil}, always(0), 1, 1},
		{"the zero form", map[string][]ti.Quant{"X": {{}}}, always(0), 1, 1},
		{"tolerance", start, always(0), math.NaN(), 1},
		{"no trials", start, always(0), 1, 0},
	} {
		if _, err := quantsearch.Find(c.start, c.try, c.tolerance, c.trials); !errors.Is(err, ti.ErrArgs) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if best, err := quantsearch.Find(start, always(math.NaN()), 1, 40); best != nil || err == nil || !strings.Contains(err.Error(), "no forms within 1 in 6 trials; the least error was NaN, of X fixed(20,2): begin with wider limits") {
		t.Errorf("never good: %v, %v", best, err)
	}
	if best, err := quantsearch.Find(start, always(3), 1, 2); best != nil || err == nil || !strings.Contains(err.Error(), "no forms within 1 in 2 trials; the least error was 3, of X fixed(20,2): begin with more bits, or allow more trials") {
		t.Errorf("not good in two trials: %v, %v", best, err)
	}
	broken := errors.New("broken")
	n := 0
	best, err := quantsearch.Find(start, func(map[string][]ti.Quant) (float64, error) {
		if n++; n > 2 {
			return 0, broken
		}
		return 0, nil
	}, 1, 40)
	if !errors.Is(err, broken) || best["X"][0] != ti.QuantFixed(19, 2) {
		t.Errorf("an error of a trial: %v, %v", best, err)
	}
	if best, err := quantsearch.Find(start, always(0), 1, 2); err != nil || best["X"][0] != ti.QuantFixed(19, 2) {
		t.Errorf("two trials: %v, %v", best, err)
	}
}
