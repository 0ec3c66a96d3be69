package main

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
)

// Heat stays what it is as long as none reaches the rim, whatever runs the kernels.
func TestHeatIsKept(t *testing.T) {
	for _, arch := range []ti.Arch{ti.Oracle, ti.LLVM} {
		rt, err := ti.New(ti.Config{Arch: arch, Debug: true})
		if err != nil {
			t.Fatal(err)
		}
		defer rt.Close()
		p, err := load(rt, 64)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			if err := p.Step(0.2); err != nil {
				t.Fatal(err)
			}
		}
		if total, err := p.Total(); err != nil || math.Abs(total-1000) > 0.01 {
			t.Errorf("arch %v: %v in all, error %v; want 1000", arch, total, err)
		}
	}
}
