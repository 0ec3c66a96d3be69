package program

import (
	"testing"

	"github.com/gotaichi/ti/internal/runtest"
)

// TestAlone runs programs for a target of which nothing but the passes makes vectors. Each program has some of the variants.
func TestAlone(t *testing.T) {
	rts := &runtest.Runtimes{}
	defer rts.Close(t)
	all := runtest.AloneVariants
	for i, p := range programs() {
		variants := []runtest.Variant{all[i%len(all)], all[(i+1)%len(all)]}
		if runtest.AllVariants() {
			variants = all
		}
		t.Run(p.name, func(t *testing.T) {
			runtest.RunIn(t, rts, variants, func(r *runtest.Run) { p.run(r, "package p\n"+p.src) })
		})
	}
}
