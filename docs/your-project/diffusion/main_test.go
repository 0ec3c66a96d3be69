package main

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

// A step spreads the particles by twice the square of the distance.
func TestDiffusion(t *testing.T) {
	for _, arch := range []ti.Arch{ti.Oracle, ti.LLVM} {
		var out strings.Builder
		if err := run(ti.Config{Arch: arch}, 100, &out); err != nil {
			t.Fatal(err)
		}
		var spread float64
		if _, err := fmt.Sscanf(out.String(), "after 100 steps the mean square distance is %f\n", &spread); err != nil || math.Abs(spread-2) > 0.5 {
			t.Errorf("%v: it prints %q, error %v", arch, &out, err)
		}
	}
}
