package program

import (
	"testing"

	"github.com/gotaichi/ti/internal/runtest"
)

// TestPackedPrograms runs the programs with each f32 as QuantFloat(8, 24) and each integer as one of all its bits that wraps: in
// these forms fields hold the numbers that they hold otherwise, but for infinities, NaNs, subnormal numbers and -0.
func TestPackedPrograms(t *testing.T) {
	rts := &runtest.Runtimes{}
	defer rts.Close(t)
	for i, p := range programs() {
		if storesOdd[p.name] != "" {
			continue
		}
		variants := runtest.PackedVariants
		if !runtest.AllVariants() { // a tenth of the programs, in one variant each
			if i%10 != 0 {
				continue
			}
			variants = variants[i/10%len(variants):][:1]
		}
		t.Run(p.name, func(t *testing.T) {
			runtest.RunIn(t, rts, variants, func(r *runtest.Run) { p.run(r, "package p\n"+p.src) })
		})
	}
}
