package main

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demotest"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/quantsearch"
)

var search = randtest.Long("search", "search for the form of smoke")

// TestSearch lets quantsearch find the form of smoke, from what Ranges suggests: with a shared exponent it fits a
// word of 32 bits within the error of the thesis.
func TestSearch(t *testing.T) {
	if !*search {
		t.Skip("without -search")
	}
	const size, frames, tolerance = 64, 300, 0.11
	measure := func(place func(cell *ti.Node, f *smokeField)) (plain, packed float32, reports []ti.RangeReport) {
		rt, err := ti.New(ti.Config{})
		demotest.Check(t, err)
		defer rt.Close()
		flow := &Flow{Size: size, Dt: 0.1, smokes: smokes()[:1]}
		flow.smokes = append(flow.smokes, &smoke{name: "tried", place: place})
		flow.place(rt, 16)
		demotest.Check(t, rt.Load(source, flow))
		steps := func() error {
			for frame := range frames {
				if err := flow.step(float32(frame) * flow.Dt); err != nil {
					return err
				}
			}
			return nil
		}
		reports, err = rt.Ranges(steps, ti.RangeOptions{Tolerance: 1e-4}, &flow.smokes[0].fields[1])
		demotest.Check(t, err)
		demotest.Check(t, flow.totals())
		return flow.smokes[0].total, flow.smokes[1].total, reports
	}
	_, _, reports := measure(func(cell *ti.Node, f *smokeField) { cell.Place(f) })
	t.Log(reports[0])
	best, err := quantsearch.Find(map[string][]ti.Quant{"Smoke": {ti.QuantFloat(6, 12).Unsigned()}}, func(forms map[string][]ti.Quant) (float64, error) {
		plain, packed, _ := measure(func(cell *ti.Node, f *smokeField) { cell.BitStruct(64).PlaceShared(forms["Smoke"][0], f) })
		return math.Abs(float64(packed-plain)) / float64(plain), nil
	}, tolerance, 40)
	demotest.Check(t, err)
	q := best["Smoke"][0]
	t.Logf("found %v", q)
	// One exponent, of a bit at least, and three fractions.
	if fractions := 3 * (q.Bits() - 1); fractions >= 32 {
		t.Errorf("found %v, of which three do not fit 32 bits", q)
	}
}
