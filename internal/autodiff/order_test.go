package autodiff_test

import (
	"math"
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

// TestTangentsOfProducts sees that the tangents of products and quotients over iterations are right.
func TestTangentsOfProducts(t *testing.T) {
	x := []float64{0.3, 2, 0.4, -1.5, 0.7, 5}
	for body, of := range map[string]func(i int) float64{
		"for i := range X { L *= X[i] }": func(i int) float64 {
			d := 1.5
			for j, v := range x {
				if j != i {
					d *= v
				}
			}
			return d
		},
		"for i := range X { L /= X[i] }": func(i int) float64 {
			d := -1.5
			for _, v := range x {
				d /= v
			}
			return d / x[i]
		},
	} {
		k := lowered(t, "func K() { L = 1.5; "+body+" }")
		for i := range x {
			if got, want := tangentOf(t, k, x, i), of(i); !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
				t.Errorf("%s: the tangent by X[%d] is %v and not %v", body, i, got, want)
			}
		}
	}
}

// TestStrict checks that arithmetic is strict with the option, and where an extremum is compared with its value, and nowhere else.
func TestStrict(t *testing.T) {
	for _, c := range []struct {
		body         string
		asked, found bool
	}{
		{"for i := range 5 { Y[i] = X[i]*X[i+1] + 2*X[i] }", false, false},
		{"for i := range 5 { Y[i] = X[i]*X[i+1] + 2*X[i] }", true, true},
		{"for i := range 5 { L = max(L, X[i]*X[i+1] + 2*X[i]) }", false, true},
	} {
		k := lowered(t, "func K() { "+c.body+" }")
		keys := func(f *ir.Field) *ir.Field {
			return &ir.Field{Name: f.Name + ".key", Comps: []ir.Kind{ir.I64}, Shape: f.Shape, Origin: f.Origin}
		}
		back, err := autodiff.Reverse(k, adjointsOf(k), autodiff.Options{Keys: keys, Strict: c.asked})
		if err != nil {
			t.Fatal(err)
		}
		on, err := autodiff.Forward(k, adjointsOf(k), autodiff.Options{Strict: c.asked})
		if err != nil {
			t.Fatal(err)
		}
		if back.Name != "K.grad" || on.Name != "K.dual" {
			t.Errorf("the kernels are %s and %s", back.Name, on.Name)
		}
		isStrict(t, back, c.found)
		isStrict(t, on, c.asked)
	}
}

// TestStrictOldValues has strict updates of an array of the iteration whose old values are used: plain code takes their place.
func TestStrictOldValues(t *testing.T) {
	for _, update := range []string{"atomicAdd(&a[k], X[i])", "atomicMax(&a[k], X[i])"} {
		k := lowered(t, "func K() { for i := range X { var a [2]f64; k := N[i]%2; v := "+update+"; if v > 0.5 { Y[i] = X[i]*a[1] } } }")
		ir.Visit(k.Body, func(o *ir.Op) bool {
			if o.Code == ir.OpAtomic {
				o.Flags |= ir.Strict
			}
			return true
		})
		back, err := adjoint(t, k)
		if err != nil {
			t.Fatal(err)
		}
		strict := 0
		ir.Visit(back.Body, func(o *ir.Op) bool {
			if o.Code == ir.OpAtomic && allocated(o) {
				t.Errorf("%s: an atomic is left\n%s", update, back)
			}
			if (o.Code == ir.OpAdd || o.Code == ir.OpMax) && o.Flags.Has(ir.Strict) {
				strict++
			}
			return true
		})
		if strict == 0 {
			t.Errorf("%s: nothing is strict\n%s", update, back)
		}
	}
}

// allocated reports whether an access is to an array.
func allocated(o *ir.Op) bool {
	d := o.Args[0].Def
	return d != nil && d.Code == ir.OpCell
}

// isStrict sees whether arithmetic of real numbers is strict, and that nothing else is.
func isStrict(t *testing.T, k *ir.Kernel, want bool) {
	t.Helper()
	found := false
	ir.Visit(k.Body, func(o *ir.Op) bool {
		float := o.Result() != nil && o.Result().Type.Kind.IsFloat()
		found = found || float && o.Flags.Has(ir.Strict)
		if !float && o.Flags.Has(ir.Strict) {
			t.Errorf("%s computes no real number, and is strict\n%s", o.Code, k)
		}
		return true
	})
	if found != want {
		t.Errorf("strict %v, and not %v\n%s", found, want, k)
	}
}

// TestTangentCells sees that an index that is checked is checked in the array of the tangents, too.
func TestTangentCells(t *testing.T) {
	k := lowered(t, "func K() { for i := range X { var a [4]f64; for k := range 3 { a[N[(i+k)%6]] = X[i] }; Y[i] = a[N[i]] * a[1] } }")
	on, err := autodiff.Forward(k, adjointsOf(k), autodiff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ir.Visit(on.Body, func(o *ir.Op) bool {
		if o.Code == ir.OpCell && o.Flags.Has(ir.InBounds) {
			t.Errorf("the index at %v is not checked\n%s", o.Pos, on)
		}
		return true
	})
}

// TestTangentsOfSomeFields adds to fields and variables of which nothing varies or that have no tangents.
func TestTangentsOfSomeFields(t *testing.T) {
	k := lowered(t, "func K() { s := f64(0); for i := range X { L += X[i]; Z[i%2] += 2; s += f64(i); Y[i] = X[i]*X[i] }; Y[0] += s*X[1] }")
	dual := adjointsOf(k)
	for f := range dual {
		if f.Name == "L" {
			delete(dual, f)
		}
	}
	on, err := autodiff.Forward(k, dual, autodiff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := newMemory([]float64{1, 2, 3, 4, 5, 6})
	m["X.grad"].Store([]int64{0}, 0, math.Float64bits(1))
	m["X.grad"].Store([]int64{1}, 0, math.Float64bits(1))
	m.run(t, on)
	for name, want := range map[string]float64{"Y": 1 + 30, "Y.grad": 2 + 15, "Z": 6, "Z.grad": 0} {
		if got := math.Float64frombits(m[name].Load([]int64{0}, 0)); got != want {
			t.Errorf("%s[0] is %v and not %v\n%s", name, got, want, on)
		}
	}
	if got := math.Float64frombits(m["L"].Load(nil, 0)); got != 21 {
		t.Errorf("L is %v and not 21", got)
	}
}
