package program

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/runtest"
)

// switchStep is how far apart programs are that run without one part: all programs with
// -variants.
const switchStep = 53

// TestSwitches runs programs with each part of the compiler left out in turn, in dense
// and sparse trees: each program in one of both, in turn, and with -variants in both.
func TestSwitches(t *testing.T) {
	rts := &runtest.Runtimes{}
	defer rts.Close(t)
	all := programs()
	step := switchStep
	if runtest.AllVariants() {
		step = 1
	}
	for i, name := range option.SwitchNames() {
		var vs []runtest.Variant
		for _, l := range []runtest.Layout{runtest.Blocked, runtest.Pointers} {
			v := runtest.Variant{Label: name + "/dense", Arch: ti.LLVM, Opt: "3", Threads: 1 + 2*(i%2), Layout: l, Without: name}
			if l == runtest.Pointers {
				v.Label = name + "/sparse"
			}
			vs = append(vs, v)
		}
		for n := i % step; n < len(all); n += step {
			p := all[n]
			some := vs
			if !runtest.AllVariants() { // dense or sparse, in turn
				turn := (i + n/step) % len(vs)
				some = vs[turn : turn+1]
			}
			runtest.RunIn(t, rts, some, func(r *runtest.Run) {
				if dependsOnOrder[p.name] == "" || !r.Layout.Sparse() {
					p.run(r, "package p\n"+p.src)
				}
				if r.Failed() {
					r.Logf("the program is %q", p.name)
				}
			})
		}
	}
}
