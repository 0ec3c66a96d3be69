package runtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

// Every kernel of the suite is compiled twice, the second time in another order by
// another runtime, and must give the same object.
func TestDeterminism(t *testing.T) {
	v := variant{name: "llvm", arch: ti.LLVM, opt: "3", threads: 1}
	var cases []func(r *run)
	for _, p := range programs() {
		cases = append(cases, func(r *run) { p.run(r, "package p\n"+p.src) })
	}
	for _, g := range groups() {
		args := g.tuples()
		cases = append(cases, func(r *run) { g.run(r, args) })
	}
	first := make([]map[string]string, len(cases))
	compile := func(order []int, check func(c int, kernel, object string)) {
		rt, _ := v.newRuntime(t)
		defer rt.Close()
		for _, c := range order {
			r := &run{TB: t, variant: v, rt: rt}
			programs := 0
			r.loaded = func(p *ti.Program) {
				programs++
				for _, k := range p.Kernels() {
					var sb strings.Builder
					if err := k.Dump(&sb, "object"); err != nil {
						t.Fatal(err)
					}
					check(c, fmt.Sprint(programs, " ", k.Name()), sb.String())
				}
			}
			cases[c](r)
			r.close()
		}
	}
	order := make([]int, len(cases))
	for i := range order {
		order[i] = i
		first[i] = map[string]string{}
	}
	compile(order, func(c int, kernel, object string) { first[c][kernel] = object })
	random := rand.New(rand.NewPCG(5, 6))
	random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	compile(order, func(c int, kernel, object string) {
		if first[c][kernel] != object {
			t.Errorf("case %d, kernel %s: the second object differs from the first", c, kernel)
		}
	})
}
