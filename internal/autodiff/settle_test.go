package autodiff_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
)

// TestSettle sees that what an iteration reads of an element that it has stored is added to its adjoint before a gather reads
// that, and only then, and that the loop of the iterations does not write to it again, so that the two can be one.
func TestSettle(t *testing.T) {
	for _, c := range []struct {
		source string
		writes string // the fields whose adjoints each loop writes to
	}{
		{"for i := range 6 { Y[i] = X[i]*X[(i+1)%6]; Z[i] = sin(Y[i]) }", "Y|X|"},
		{"for i := range span(1, 5) { Y[i] = X[i-1]*X[i+1]*V[i].x; Z[i] = sin(Y[i]) + Y[i] }", "Y|X|V"},
		{"for i := range 6 { Y[i] = X[i]*X[(i+1)%6]; Z[i] = sin(Y[i]); V[i].x = Z[i]*Y[i] }", "Y Z|X|"},
		{"for i := range 6 { if X[i] > 0.5 { Y[i] = X[i]*X[(i+1)%6]; Z[i] = sin(Y[i]) } else { Y[i] = 2 } }", "Y|X|"},
		{"for i := range 6 { Y[i] = X[i]*X[(i+1)%6]; V[i].x = 2*X[i]; Z[i] = V[i].x*V[i].x }", "V|X|"},
		{"for i := range 6 { Y[i] = X[i]*X[(i+1)%6]; Z[i] = 2*V[i].x; L += Z[i]*Z[i] }", "X|Z V"}, // the gather does not read it
		{"for i := range 6 { Y[i] = X[i]*V[i].x; Z[i] = sin(Y[i]) }", "X Y V"},                    // there is none
		{"for i := range 6 { Y[i] = X[i]*X[(i+1)%6]; Z[i] = 3 }", "X|"},                           // nothing is read again
		{"for i := range 6 { Y[i] = X[i]*X[(i+1)%6]; Z[i] = floor(Y[i])*X[i] }", "X|"},            // or it counts nothing
	} {
		t.Run(c.source, func(t *testing.T) {
			k := lowered(t, "func K() { "+c.source+" }")
			back, err := adjoint(t, k)
			if err != nil {
				t.Fatal(err)
			}
			if got := writtenByLoops(back); got != c.writes {
				t.Errorf("loops write to %q, want %q\n%s", got, c.writes, back)
			}
			compare(t, k, back, []float64{0.3, 0.7, -0.4, 1.1, 0.9, -0.8}, rand.New(rand.NewPCG(1, 1)))
		})
	}
}

// writtenByLoops has the names of the fields to whose adjoints each parallel loop of a kernel writes.
func writtenByLoops(k *ir.Kernel) string {
	var loops []string
	for _, o := range k.Body.Ops {
		if !o.IsParallel() {
			continue
		}
		written := map[*ir.Field]bool{}
		ir.Visit(o.Regions[0], func(p *ir.Op) bool {
			if p.Code == ir.OpStore || p.Code == ir.OpAtomic {
				written[p.Args[0].Def.Field] = true
			}
			return true
		})
		var names []string
		for _, f := range k.Fields {
			if written[f] {
				names = append(names, strings.TrimSuffix(f.Name, ".grad"))
			}
		}
		loops = append(loops, strings.Join(names, " "))
	}
	return strings.Join(loops, "|")
}
