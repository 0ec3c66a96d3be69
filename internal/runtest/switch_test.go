package runtest

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/option"
)

// switchStep is how far apart programs are that run without one part: all programs with
// -variants.
const switchStep = 29

// TestSwitches runs programs with each part of the compiler left out in turn, in dense
// and sparse trees.
func TestSwitches(t *testing.T) {
	rts := &runtimes{}
	defer rts.close(t)
	all := programs()
	step := switchStep
	if allVariants() {
		step = 1
	}
	for i, name := range option.SwitchNames() {
		var vs []variant
		for _, l := range []layoutKind{blocked, pointers} {
			v := variant{name: name + "/dense", arch: ti.LLVM, opt: "3", threads: 1 + 2*(i%2), layout: l, without: name}
			if l == pointers {
				v.name = name + "/sparse"
			}
			vs = append(vs, v)
		}
		for n := i % step; n < len(all); n += step {
			p := all[n]
			runIn(t, rts, vs, func(r *run) {
				if dependsOnOrder[p.name] == "" || !r.layout.sparse() {
					p.run(r, "package p\n"+p.src)
				}
				if r.Failed() {
					r.Logf("the program is %q", p.name)
				}
			})
		}
	}
}
