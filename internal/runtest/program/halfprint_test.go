package program

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// TestHalfPrint prints half-precision numbers, and passes them in structs and arrays
// of the host.
func TestHalfPrint(t *testing.T) {
	rts := &runtest.Runtimes{}
	defer rts.Close(t)
	type pair struct {
		A ti.Float16
		B bool
	}
	src := `package p
type Pair struct { A f16; B bool }
func Run(v array[f16, D2], p Pair) Pair {
	for i, j := range ndrange(2, 2) { v[i][j] *= 2 }
	print(p.A, f16(0.1), p.B)
	printf("%.2f %v %g %8G %.8g %f\n", p.A, [2]f16{1, 0.5}, f16(0.1), f16(1e-5), f16(0.1), f16(0.1))
	return Pair{A: p.A / 3, B: !p.B}
}
`
	runtest.RunAll(t, rts, func(r *runtest.Run) {
		var h struct {
			Run func(ti.Array[ti.Float16], pair) (pair, error)
		}
		r.Load(src, &h)
		d := []ti.Float16{runtest.Half(1), runtest.Half(2), runtest.Half(0.1), runtest.Half(4)}
		got, err := h.Run(ti.Array[ti.Float16]{Data: d, Shape: ti.Shape{2, 2}}, pair{runtest.Half(1.5), true})
		runtest.OK(r, err)
		runtest.Eq(r, "pair", got.A, runtest.Half(0.5))
		runtest.Eq(r, "flag", got.B, false)
		runtest.Eq(r, "doubled", d[2], runtest.Half(2*runtest.Float64(runtest.Half(0.1))))
		runtest.Eq(r, "text", r.Out.String(), "1.5 0.1 true\n1.50 [1 0.5] 0.1    1E-05 0.099975586 0.099976\n")
	})
}
