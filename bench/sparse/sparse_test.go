package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/gotaichi/ti/bench/internal/suite"
	_ "github.com/gotaichi/ti/internal/randtest" // each error of the compiler ends a launch
)

// TestChecks runs every case, on trees and on arrays, in a small domain, and compares its check with plain Go.
func TestChecks(t *testing.T) {
	sparse, arrays := casesIn(64, []int{100, 1000}, suite.Budget{})
	full := regexp.MustCompile("^(stencil|band)_") // those worth their time when all is active, too
	for _, form := range []struct {
		name  string
		cases []suite.Case
	}{{"tree", sparse}, {"array", arrays}} {
		for _, c := range form.cases {
			if strings.HasSuffix(c.Name, "_1000") && (form.name == "array" || !full.MatchString(c.Name)) {
				continue
			}
			t.Run(form.name+"/"+c.Name, func(t *testing.T) {
				got, err := c.Once()
				if err != nil {
					t.Fatal(err)
				}
				want := c.Expect()
				if want == 0 {
					t.Error("nothing is active")
				}
				if err := suite.Disagree(got, want, c.Tol); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestActivities says that the parts of the suite's domain that are active are those that the names say.
func TestActivities(t *testing.T) {
	for _, p := range activities {
		d := domain{256, p}
		low, high := d.band()
		ball, shell, inBall := d.active(), 0.0, 0.0
		const middle = 128 // of a cube with as much in each of its eighths
		for cell := range (middle - leaf) * (middle - leaf) * (middle - leaf) {
			const n = middle - leaf
			i, j, k := leaf+cell/n/n, leaf+cell/n%n, leaf+cell%n
			if ball(i, j, k) {
				inBall++
			}
			if d.inBand(i, j, k, low, high) {
				shell++
			}
		}
		const all = 120 * 120 * 120
		for name, cells := range map[string]float64{"ball": inBall, "band": shell} {
			if part := 1000 * cells / all; part < 0.85*float64(p) || part > 1.25*float64(p) {
				t.Errorf("%s at %d: %.3g thousandths are active", name, p, part)
			}
		}
	}
}
