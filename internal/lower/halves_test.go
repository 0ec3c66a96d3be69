package lower

import (
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/oracle"
)

// A sum of halves is gathered in f32 unless the source uses old values, whether or not anything comes of them, and however
// many components are taken apart.
func TestUsedHalves(t *testing.T) {
	prog, err := source(`package p
var E field[f16, D1]
var V field[[2]f16, D1]
func F() {
	for range 1000 { atomicAdd(&E[0], 1) }
	for range 1000 {
		old := f16(0)
		_ = old
		old = atomicAdd(&E[1], 1)
	}
	for range 1000 {
		old := atomicAdd(&E[2], 1)
		_ = old
	}
	for range 1000 {
		atomicAdd(&V[0], [2]f16(1))
		V[1] += [2]f16(1)
	}
	for range 1000 {
		old := atomicAdd(&V[2], [2]f16(1))
		_ = old
	}
}`, "E 3\nV 3")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1} {
		k := Kernel(&prog.Program, prog.Kernel("F"), Options{Options: option.Options{Strict: true, MaxUnrolled: n}})
		env := &oracle.Env{}
		for _, f := range k.Fields {
			c := oracle.Cells{}
			for i := range int64(3) {
				for comp := range f.Comps {
					c.Store([]int64{i}, comp, ir.FloatBits(ir.F16, 2048))
				}
			}
			env.Fields = append(env.Fields, c)
		}
		if _, err := oracle.Run(t.Context(), k, env); err != nil {
			t.Fatal(err)
		}
		for i, f := range k.Fields {
			for e, want := range map[string][]float64{"E": {3048, 2048, 2048}, "V": {3048, 3048, 2048}}[f.Name] {
				if got := ir.FloatValue(ir.F16, env.Fields[i].Load([]int64{int64(e)}, len(f.Comps)-1)); got != want {
					t.Errorf("taken apart up to %d components, %s[%d] is %v, want %v", n, f.Name, e, got, want)
				}
			}
		}
	}
}
