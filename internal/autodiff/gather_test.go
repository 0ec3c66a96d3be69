package autodiff_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/autodiff"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
)

// TestGather sees that the backward pass through a stencil is right, and that atomics are left where they have to be.
func TestGather(t *testing.T) {
	for _, c := range stencils {
		t.Run(c.name, func(t *testing.T) {
			k := lowered(t, fromX(c.source))
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
				t.Errorf("the backward pass has %d atomics and not %d\n%s", atomics, c.atomics, back)
			}
		})
	}
}

// TestNoOrigins sees that fields that say nothing of their lowest indices, and those that say 0, come back alike.
func TestNoOrigins(t *testing.T) {
	zeros := regexp.MustCompile(` origin \[0( 0)*\]`)
	for _, c := range stencils {
		k := lowered(t, c.source)
		var backs [2]string
		for i := range backs {
			back, err := adjoint(t, k)
			if err != nil {
				t.Fatal(err)
			}
			backs[i] = zeros.ReplaceAllString(back.String(), "")
			for _, f := range k.Fields {
				if !slices.ContainsFunc(f.Origin, func(low int64) bool { return low != 0 }) {
					f.Origin = nil
				}
			}
		}
		if backs[0] != backs[1] {
			t.Errorf("%s: with origins\n%s, without\n%s", c.name, backs[0], backs[1])
		}
	}
}

// fromX lets a kernel that reads M compute it from X first, since only derivatives by X are compared.
func fromX(source string) string {
	if !strings.Contains(source, "M[") {
		return source
	}
	return strings.Replace(source, "func K() {", "func K() { for i, j := range M { M[i][j] = X[i]*(X[j]+0.3) };", 1)
}

// TestSlices sees that the number of a slice is brought into the field, unless the launch has loaded from that slice for certain.
func TestSlices(t *testing.T) {
	for _, c := range []struct {
		source string
		limits int // one of the range of each axis, one of the slice
	}{
		{"func K(r int) { for j := range 4 { Y[j] = M[r][j]*M[r][(j+1)%4] } }", 1},
		{"func K(r int) { for j := range 4 { if N[j] > 0 { Y[j] = M[r][j]*M[r][(j+1)%4] } } }", 2},
		{"func K(r int) { for j := range 4 { if j > r + 9 { continue }; Y[j] = M[r][j]*M[r][(j+1)%4] } }", 2},
		{"func K(r int) { for j := range 4 { if r < 3 { Y[j] = M[r][j]*M[r][(j+1)%4] }; Z[j] = M[r][j] } }", 1},
		{"func K(r int) { for j := range 4 { y := M[r][j]; if r > 5 { y = M[r][(j+1)%4] }; Y[j] = y*y } }", 1},
		{"func K(r int) { for j := range N[3] { Y[j] = M[r][j]*M[r][j+1] } }", 2},
		{"func K(r, n int) { for j := range n { Y[j] = M[r-4][j]*M[r-4][j+1] } }", 2},
		{"func K(r, n int) { for j := range span(n, 0) { Y[j] = M[r-4][j]*M[r-4][j+1] } }", 2},
		{"func K(r, n int) { for j := range span(n+9, 5) { Y[j] = M[r-4][j]*M[r-4][j+1] } }", 2},
		{"func K(r, n int) { for j := range span(-5, n-9) { Y[j] = M[r-4][j]*M[r-4][j+1] } }", 2},
		{"func K(r int) { for j := range span(2, 2) { Y[j] = M[r-4][j]*M[r-4][j+1] } }", 2},
		{"func K() { r := N[2]; for j := range 4 { Y[j] = M[r][j]*M[r][(j+1)%4] } }", 2},
		{"func K(r int) { for i, j := range ndrange(3, 3) { L += T[r][i][j]*T[r][(i+1)%3][j] } }", 2},
		{"func K(r, n int) { for i, j := range ndrange(3, n) { L += T[r-4][i][j]*T[r-4][(i+1)%3][j] } }", 3},
	} {
		t.Run(c.source, func(t *testing.T) {
			k := lowered(t, fromX(c.source))
			back, err := adjoint(t, k)
			if err != nil {
				t.Fatal(err)
			}
			if limits := count(back, ir.OpMin); limits != c.limits {
				t.Errorf("%d limits, want %d\n%s", limits, c.limits, back)
			}
			compare(t, k, back, []float64{0.3, 0.7, -0.4, 1.1, 0.9, -0.8}, rand.New(rand.NewPCG(1, 1)))
		})
	}
}

// TestGatherOrder sees that the backward pass through vectors is the same each time.
func TestGatherOrder(t *testing.T) {
	k := lowered(t, "func K() { for i := range 6 { Y[i] = dot(V[i], V[(i+1)%6])*V[(i+5)%6].y } }")
	want := ""
	for range 20 {
		back, err := adjoint(t, k)
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = back.String()
		}
		if back.String() != want {
			t.Fatalf("first\n%s, then\n%s", want, back)
		}
	}
}

// TestGatherSparse sees that loops over active cells gather where the loop and the adjoint are sparse and of one size, and no others.
func TestGatherSparse(t *testing.T) {
	for _, c := range []struct {
		source, sparse  string
		atomics, checks int
	}{
		{"func K() { for i := range Y { Y[i] = X[(i+1)%6] + 2*X[i] } }", "X Y X.grad", 0, 2},
		{"func K() { for i := range Y { Y[i] = X[(i+1)%6] + 2*X[i] } }", "Y X.grad", 0, 2},
		{"func K() { for i := range Y { Y[i] = X[(i+1)%6] + 2*X[i] } }", "X Y", 2, 0},
		{"func K() { for i := range Y { Y[i] = X[(i+1)%6] + 2*X[i] } }", "X X.grad", 2, 2},
		{"func K() { for i := range Y { Y[i] = X[(i+1)%6] + 2*X[i] } }", "Y", 2, 0},
		{"func K() { for i := range 6 { Y[i] = X[(i+1)%6] + 2*X[i] } }", "X Y X.grad", 2, 2},
		{"func K() { for i := range Y { Y[i] = M[1][i%4] } }", "M Y M.grad", 1, 1},
	} {
		k := lowered(t, c.source)
		grad := adjointsOf(k)
		for f, g := range grad {
			for _, x := range []*ir.Field{f, g} {
				x.Sparse = slices.Contains(strings.Fields(c.sparse), x.Name)
			}
		}
		back, err := autodiff.Reverse(k, grad, autodiff.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := ir.Verify(back); err != nil {
			t.Errorf("%s, of which %s are sparse: %v", c.source, c.sparse, err)
		}
		if n, m := count(back, ir.OpAtomic), count(back, ir.OpIsActive); n != c.atomics || m != c.checks {
			t.Errorf("%s, of which %s are sparse: %d atomics and %d questions, want %d and %d\n%s", c.source, c.sparse, n, m, c.atomics, c.checks, back)
		}
		gathers := false // only elements of active cells are stored to
		for _, o := range back.Body.Ops {
			gathers = gathers || o.Code == ir.OpFieldFor && o.Field.Name == "X.grad"
		}
		if want := c.atomics == 0; gathers != want {
			t.Errorf("%s, of which %s are sparse: loops over active elements of the adjoint %v, and not %v\n%s", c.source, c.sparse, gathers, want, back)
		}
	}
}

// TestNoGather sees that a switch leaves all to atomics.
func TestNoGather(t *testing.T) {
	k := lowered(t, stencils[0].source)
	back, err := adjointIn(t, k, manner{without: option.Gather})
	if err != nil {
		t.Fatal(err)
	}
	if n := count(back, ir.OpAtomic); n != 3 {
		t.Errorf("%d atomics, want those of 3 loads\n%s", n, back)
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

// TestChecks sees that the backward pass leaves out an index check only where nothing from memory decides about the access.
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
		{"func K() { for i := range X { y := X[(i+1)%6]; if i+2 < 6 { y *= X[i+2] }; Y[i] = y } }", false},
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

// TestSharedArrays sees that the iterations of a parallel loop add by atomics to the adjoints of arrays of the kernel, and plainly to those of their own.
func TestSharedArrays(t *testing.T) {
	for _, c := range []struct {
		source  string
		atomics int
	}{
		{"func K() { var a [3]f64; for i := range X { a[i%3] += X[i]*X[i] }; for i := range X { Y[i] = a[i%3]*X[i] } }", 1},
		{"func K() { for i := range X { var a [3]f64; a[i%3] += X[i]*X[i]; Y[i] = a[i%3]*X[i] } }", 0},
	} {
		k := lowered(t, c.source)
		back, err := adjoint(t, k)
		if err != nil {
			t.Fatal(err)
		}
		atomics := 0
		ir.Visit(back.Body, func(o *ir.Op) bool {
			if o.Code == ir.OpAtomic && o.Args[0].Def.Code == ir.OpCell && o.Args[0].Def.Args[0].Name == "" { // adjoints have no name
				atomics++
			}
			return true
		})
		if atomics != c.atomics {
			t.Errorf("%s: %d atomics on adjoints, want %d\n%s", c.source, atomics, c.atomics, back)
		}
		compare(t, k, back, []float64{0.3, 0.7, -0.4, 1.1, 0.9, -0.8}, rand.New(rand.NewPCG(1, 1)))
	}
}
