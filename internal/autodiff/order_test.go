package autodiff_test

import (
	"testing"

	"github.com/gotaichi/ti/internal/autodiff"
	"github.com/gotaichi/ti/internal/ir"
)

// TestTangentsInOrder has accumulations in forward mode: where a number and its tangent change together, no two threads may do so.
func TestTangentsInOrder(t *testing.T) {
	for _, c := range []struct {
		name, body string
		parallel   bool
	}{
		{"a product", "for i := range X { Y[i/2] *= X[i] }", false},
		{"a quotient over a range", "for i := range span(1, 5) { Y[i%2] /= X[i] }", false},
		{"a maximum", "for i, j := range M { Y[i] = max(Y[i], M[i][j]) }", false},
		{"a variable", "m := f64(0)\n\tfor i := range X { m = min(m, X[i]) }\n\tL += m", false},
		{"a sum", "for i := range X { Y[i/2] += X[i] }", true},
	} {
		k := readied(t, checked(t, "func K() {\n\t"+c.body+"\n}\n"))
		on, err := autodiff.Forward(k, adjointsOf(k), autodiff.Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		found := false
		ir.Visit(on.Body, func(o *ir.Op) bool {
			found = found || o.IsParallel()
			return true
		})
		if err := ir.Verify(on); err != nil || found != c.parallel {
			t.Errorf("%s: a parallel loop: %v, %v\n%s", c.name, found, err, on)
		}
	}
}
