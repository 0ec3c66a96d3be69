package autodiff_test

import (
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti/internal/autodiff"
	"github.com/gotaichi/ti/internal/ir"
)

// stencils are kernels whose way back has this number of atomics on fields, besides those on the loss.
var stencils = []struct {
	name, source string
	atomics      int
}{
	{"neighbours", "func K() { for i := range span(1, 5) { Y[i] = X[i-1]*X[i] - sin(X[i+1]) } }", 0},
	{"remainder", "func K() { for i := range X { Y[i] = X[i]*X[(i+1)%6] + X[(i+4)%6] } }", 0},
	{"modulo", "func K() { for i := range 6 { Y[i] = X[i]*X[mod(i-2, 6)]*X[(i+13)%6] } }", 0},
	{"inc", "func inc(i int) int { r := i+1; if r >= 6 { r = 0 }; return r }\nfunc K() { for i := range 6 { Y[i] = X[i]*X[inc(i)] } }", 0},
	{"dec", "func dec(i int) int { r := i-1; if r < 0 { r = 5 }; return r }\nfunc K() { for i := range X { Y[i] = X[i]*X[dec(i)] } }", 0},
	{"last", "func K() { for i := range 6 { Y[i] = X[i]*X[ifelse(i == 5, 0, i+1)]*X[ifelse(i != 0, i-1, 5)]*X[ifelse(i < 5, i+1, 0)]*X[ifelse(i >= 1, i-1, 5)] } }", 0},
	{"not the border", "func K() { for i := range 6 { Y[i] = X[i]*X[ifelse(i >= 4, 0, i+1)] } }", 1},
	{"clamped", "func K() { for i := range 6 { Y[i] = X[i]*X[min(i+1, 5)]*X[max(i-1, 0)] } }", 2},
	{"guarded", "func at(i int) f64 { if i < 0 || i >= 6 { return 0 }; return X[i] }\nfunc K() { for i := range 6 { Y[i] = at(i-1)*at(i) + at(i+2)*at(i) } }", 0},
	{"beyond the loop", "func K() { for i := range 4 { Y[i] = X[i+2]*X[i+1] } }", 0},
	{"short loop", "func K() { for i := range N[0] + 2 { if i+1 < 6 { Y[i] = X[i+1]*X[i] } } }", 0},
	{"two axes", "func K() { for i, j := range ndrange(3, 4) { if i > 0 && j > 1 { Y[i] += M[i-1][j-2]*M[i][j]*M[i][(j+1)%4] } } }", 0},
	{"exchanged axes", "func K() { for j, i := range ndrange(4, 3) { L += M[i][j]*M[(i+1)%3][j] } }", 0},
	{"a row", "func K() { r := N[0]+1; for j := range 4 { L += M[1][j]*M[r][(j+1)%4] + M[2][j] } }", 0},
	{"a row whose number is computed in the loop", "func K() { r := N[0]; for j := range 4 { Y[j] = M[r+1][j]*M[r+1][(j+1)%4]*M[2-r][j] } }", 1},
	{"a row whose number is read in the loop", "func K() { for j := range 4 { Y[j] = M[N[2]][j]*M[N[2]][(j+1)%4] } }", 2},
	{"one neighbour", "func K() { for i := range 5 { Y[i] = sin(X[i+1]) } }", 0},
	{"remainder by a power of two", "func K() { for j := range 4 { Y[j] = M[1][j]*M[1][(j+1)&3] } }", 0},
	{"diagonal", "func K() { for i := range 3 { L += M[i][i]*M[i][i+1] } }", 1},
	{"diagonal of two axes", "func K() { for i, j := range ndrange(3, 4) { L += M[i][i+1]*X[j] } }", 1},
	{"transposed", "func K() { for i, j := range ndrange(3, 3) { L += M[i][j+1]*M[j][i+1] } }", 0},
	{"data", "func K() { for i := range 6 { Y[i] = X[i]*X[N[i]] } }", 1},
	{"read again", "func K() { for i := range 6 { Y[i] = X[i]*X[(i+1)%6]; Z[i] = Y[i]*Y[i] } }", 0},
	{"read and written", "func K() { for i := range 6 { if X[i] > 0 { Y[i] = X[i] }; Z[i] = Y[i]*X[(i+1)%6] } }", 1},
	{"values of the kernel", "func K() { a := X[2]; for i := range 6 { Y[i] = a*X[i]*X[(i+1)%6] } }", 0},
	{"with and without the border", "func K() { for i := range 6 { if i+2 < 6 { Y[i] = X[i+2]*X[(i+1)%6] } } }", 0},
	{"stored and added to", "func K() { for i := range 6 { Z[i] = X[i]; Z[i] += X[i]*X[(i+1)%6]; Y[i] = Z[i]*Z[i] } }", 1},
	{"a slice that is not there", "func K() { t := N[0]-1; for i := range 4 { y := X[i]; if t >= 3 { y += M[t][i]*M[t][(i+1)%4] }; Y[i] = y*y } }", 0},
	{"a slice beyond the end", "func K() { t := N[0]+3; for i := range 4 { y := X[i]; if t < 3 { y += M[t][i]*M[t][(i+1)%4] }; Y[i] = y*y } }", 0},
	{"accumulated", "func K() { for i := range span(1, 5) { Y[i-1] += X[i]*X[i+1]; Y[i+1] -= X[i-1] } }", 0},
}

// TestGather sees that the way back through a stencil is right, and that atomics are left where they have to be.
func TestGather(t *testing.T) {
	for _, c := range stencils {
		t.Run(c.name, func(t *testing.T) {
			k := lowered(t, c.source)
			back, err := adjoint(t, k)
			if err != nil {
				t.Fatal(err)
			}
			x := []float64{0.3, 0.7, -0.4, 1.1, 0.9, -0.8}
			compare(t, k, back, x, rand.New(rand.NewPCG(1, 1)))
			autodiff.DropLoads(back)
			atomics := 0
			ir.Visit(back.Body, func(o *ir.Op) bool {
				if o.Code == ir.OpAtomic && o.Args[0].Def.Field != nil && !isOwn(o) {
					atomics++
				}
				return true
			})
			if atomics != c.atomics {
				t.Errorf("the way back has %d atomics and not %d\n%s", atomics, c.atomics, back)
			}
		})
	}
}

// isOwn reports whether an atomic is on the element of the iteration, which later passes find out too.
func isOwn(o *ir.Op) bool {
	for _, a := range o.Args[0].Def.Args {
		if a.Def != nil && a.Def.Code != ir.OpConst {
			return false
		}
	}
	return true
}

// TestChecks sees that the way back leaves out an index check only where nothing from memory decides about the access.
func TestChecks(t *testing.T) {
	for _, c := range []struct {
		source  string
		checked bool
	}{
		{"func K(t int) { for i := range X { Y[i] = X[(i+t)%6]*X[i] } }", false},
		{"func K(t int) { for i := range X { if i+t < 6 { Y[i] = X[i+t]*X[i] } } }", false},
		{"func K(n int) { for i := range n { Y[i] = X[i]*X[i] } }", false},
		{"func K(n int) { for i := range X { for k := range n { Y[i] += X[k]*X[i] } } }", false},
		{"func K(t int) { for i := range X { k := i; if t > 2 { k = 5 - i }; Y[i] = X[k]*X[i] } }", false},
		{"func K() { for i := range X { k := 0; for range 3 { Y[i] += X[k%6]*X[i]; k = N[i] } } }", true},
		{"func K() { for i := range X { k := i; if N[i] > 2 { k = 5 - i }; Y[i] = X[k]*X[i] } }", true},
		{"func K() { for i := range X { Y[i] = X[N[i]]*X[i] } }", true},
		{"func K() { for i := range X { if N[i] > 2 { Y[i] = X[i+2]*X[i] } } }", true},
		{"func K() { for i := range X { if X[i] > 0.1 { Y[i] = X[i+2]*X[i] } } }", true},
		{"func K() { for i := range N[0] { Y[i] = X[i]*X[i] } }", true},
		{"func K() { for i := range X { for k := range N[i] { Y[i] += X[k]*X[i] } } }", true},
		{"func K() { for i := range X { k := 0; for k*k < N[i] { Y[i] += X[i+2]*X[i]; k++ } } }", true},
		{"func K(t f64) { for i := range X { if t > 0.1 { Y[i] = X[i+2]*X[i] } } }", true},
		{"func K() { for i := range X { k := 0; for k*k < N[i] { k++ }; Y[i] = X[k]*X[i] } }", true},
	} {
		k := lowered(t, c.source)
		back, err := adjoint(t, k)
		if err != nil {
			t.Fatal(err)
		}
		checked := false
		ir.Visit(back.Body, func(o *ir.Op) bool {
			checked = checked || o.Code == ir.OpPtr && !o.Flags.Has(ir.InBounds) && (o.Field.Name == "X" || o.Field.Name == "X.grad")
			return true
		})
		if checked != c.checked {
			t.Errorf("%s: checks %v, and not %v\n%s", c.source, checked, c.checked, back)
		}
	}
}
