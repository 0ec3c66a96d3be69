package runtest

import (
	"testing"

	"github.com/gotaichi/ti"
)

// TestHalfPrint prints half-precision numbers, and passes them in structs and arrays
// of the host.
func TestHalfPrint(t *testing.T) {
	rts := &runtimes{}
	defer rts.close(t)
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
	runAll(t, rts, func(r *run) {
		var h struct {
			Run func(ti.Array[ti.Float16], pair) (pair, error)
		}
		r.load(src, &h)
		d := []ti.Float16{h16(1), h16(2), h16(0.1), h16(4)}
		got, err := h.Run(ti.Array[ti.Float16]{Data: d, Shape: ti.Shape{2, 2}}, pair{h16(1.5), true})
		ok(r, err)
		eq(r, "pair", got.A, h16(0.5))
		eq(r, "flag", got.B, false)
		eq(r, "doubled", d[2], h16(2*f64(h16(0.1))))
		eq(r, "text", r.out.String(), "1.5 0.1 true\n1.50 [1 0.5] 0.1    1E-05 0.099975586 0.099976\n")
	})
}
