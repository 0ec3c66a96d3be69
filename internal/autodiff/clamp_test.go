package autodiff_test

import (
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/autodiff"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/quant"
)

// TestOwnElements sees which loops over updates that may clamp know that no other iteration updates the element. Others have another loop behind
// their backward pass, in which adjoints of clamped elements become 0.
func TestOwnElements(t *testing.T) {
	format, err := quant.Parse("fixed(16,8)")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		body string
		own  bool
	}{
		{"for p := range 6 { Y[p] += X[p] }", true},
		{"for p := range 6 { Y[p] -= X[p] }", true},
		{"for p := range 6 { Z[p] += X[p]; Y[p/2] += 1 }", false},
		{"for p := range 6 { Z[p] += X[p]; Y[p/2] = 1 }", true}, // no update
		{"for p := range 5 { Y[p] += X[p]; Y[p] -= 0.5*X[p]; Y[p] += 1 }", true},
		{"for p := range 5 { Y[p] += X[p]; Y[p+1] -= X[p] }", false},
		{"for p := range 5 { Y[p+1] += X[p]; Y[p] -= X[p] }", false},
		{"for p := range 5 { Y[p+1] += X[p]; Y[p+1] -= 0.5*X[p] }", true},
		{"for p := range span(1, 5) { Y[p+1] += X[p]; Y[p-1] -= X[p] }", false},
		{"for p := range span(1, 5) { Y[p-1] += X[p]; Y[p-1] -= 0.5*X[p] }", true},
		{"for p := range 6 { Y[p] += X[p]; Z[5-p] += X[p] }", true},
		{"for p := range 6 { Y[p] += X[p]; Z[p/2] += X[p]; T[0][p/3][p/3] += 1; N[0] += 1 }", true},
		{"for p := range 6 { Y[p] += X[p]; Y[5-p] += X[p] }", false},
		{"for p := range 6 { Y[p] += X[p]; if X[p] > 5 { Y[N[p]] = 0 } }", false},
		{"for p := range 6 { if X[p] < 5 { Y[p] += X[p] } else { Y[p] -= 1 } }", true},
		{"for p := range 6 { Y[N[p]] += X[p] }", false},
		{"for p := range 6 { Y[(p+1)%6] += X[p] }", false},
		{"for p := range 6 { Y[p*2/2] += X[p] }", false},
		{"for p := range 6 { for q := range 3 { Y[p] += X[p]*f64(q) } }", true},
		{"for p := range 3 { for q := range 3 { Y[p+q] += X[p] } }", false},
		{"for p, q := range ndrange(6, 2) { Y[p] += X[p]*f64(q) }", false},
		{"for p, q := range ndrange(3, 3) { M[p][q] += X[p]; M[p][q] -= 1 }", true},
		{"for p, q := range ndrange(3, 3) { M[q][p+1] += X[p] }", true},
		{"for p, q := range ndrange(3, 3) { M[p][q] += X[p]; M[q][p] -= 1 }", false},
		{"for p, q := range ndrange(2, 3) { M[p][q] += X[p]; M[p+1][q] -= 1 }", false},
		{"for p, q := range ndrange(3, 3) { M[p][q] += X[p]; M[p][q+1] -= 1 }", false},
		{"for p := range 3 { M[p][0] += X[p]; M[p][N[p]] -= 1 }", true},
		{"for p := range 3 { M[p][0] += X[p]; M[0][p] -= 1 }", false},
		{"for p := range 3 { M[p][p+1] += X[p]; M[p][1] += X[p] }", true},
		{"for p := range u32(6) { Y[p] += X[p] }", true},
		{"for p := range 6 { Y[loopUnique(p)] += X[p]; Y[p] -= 1 }", true},
		{"for p := range u32(5) { Y[p+1] += X[p] }", true},
		{"Y[1] += X[2]; for p := range 6 { Y[p] += X[p] }", true},
		{"for p := range 6 { Y[p] += X[p] }; for p := range 6 { Y[0] -= f64(p) }", false},
	} {
		k := lowered(t, "func K() { "+c.body+" }")
		for _, f := range k.Fields {
			if f.Name == "Y" || f.Name == "M" {
				f.Stored = []ir.Stored{{Coder: quant.New(format, ir.F64)}}
			}
		}
		loops := func(k *ir.Kernel) int { return strings.Count(k.String(), ": parfor ") }
		back, err := autodiff.Reverse(k, adjointsOf(k), autodiff.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if own := loops(back) == loops(k); own != c.own {
			t.Errorf("%s: elements of an iteration's own %v, and not %v\n%s", c.body, own, c.own, back)
		}
	}
}
