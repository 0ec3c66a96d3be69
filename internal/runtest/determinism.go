//go:build !ti_ahead

package runtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

// SameObjects compiles every kernel of a twelfth of the cases (with -variants of all) twice, the second time in another order by another runtime, which must
// give the same object.
func SameObjects(t *testing.T, cases []func(r *Run)) {
	t.Helper()
	v := Variant{Label: "llvm", Arch: ti.LLVM, Opt: "3", Threads: 1}
	step := 12
	if AllVariants() {
		step = 1
	}
	var some []func(r *Run)
	for i := 0; i < len(cases); i += step {
		some = append(some, cases[i])
	}
	cases = some
	first := make([]map[string]string, len(cases))
	compile := func(order []int, check func(c int, kernel, object string)) {
		rt, out := v.NewRuntime(t)
		defer rt.Close()
		stage := "object"
		if rt.Device().Arch == ti.Vulkan {
			stage = "spirv" // the driver makes the object
		}
		for _, c := range order {
			out.Reset()
			r := &Run{TB: t, Variant: v, RT: rt, Out: out}
			programs := 0
			var templates []func() // compare the instances that the case launches
			compare := func(name string, k *ti.Kernel) error {
				var sb strings.Builder
				err := k.Dump(&sb, stage)
				if err == nil {
					check(c, name, sb.String())
				}
				return err
			}
			r.loaded = func(p *ti.Program) {
				programs++
				for _, k := range p.Kernels() {
					name := fmt.Sprint(programs, " ", k.Name())
					err := compare(name, k)
					switch {
					case errors.Is(err, ti.ErrArgs): // it has compile-time parameters
						templates = append(templates, func() { _ = compare(name, k) })
					case err != nil:
						t.Fatal(err)
					}
				}
			}
			cases[c](r)
			for _, f := range templates {
				f()
			}
			r.Close()
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
	compared := 0
	compile(order, func(c int, kernel, object string) {
		compared++
		if first[c][kernel] != object {
			t.Errorf("case %d, kernel %s: the second object differs from the first", c, kernel)
		}
	})
	kernels := 0
	for _, m := range first {
		kernels += len(m)
	}
	if compared != kernels || kernels < len(cases) {
		t.Errorf("%d kernels in %d cases, of which %d were compared", kernels, len(cases), compared)
	}
}
