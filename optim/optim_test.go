package optim_test

import (
	"math"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/optim"
)

// derivatives are those of three steps.
var derivatives = []float64{0.5, -2, 0.25}

// Both rules, by hand: rate 0.1, from 1 on.
func TestByHand(t *testing.T) {
	for _, arch := range []ti.Arch{ti.Oracle, ti.LLVM} {
		rt := newRuntime(t, ti.Config{Arch: arch})
		var x, y ti.Field[float64]
		rt.Place(nil, ti.WithGrad(&x)...)
		rt.Place(nil, ti.WithGrad(&y)...)
		x.Set(1)
		y.Set(1)
		sgd, err := optim.NewSGD(rt, 0.1, 0.9, &x)
		check(t, err)
		adam, err := optim.NewAdam(rt, 0.1, &y)
		check(t, err)
		// v is 0.5, -1.55, -1.145.
		wantSGD := []float64{0.95, 1.105, 1.2195}
		// The first step of Adam is the rate, but for Epsilon. Then m is 0.05, -0.155, -0.1145 and s 0.00025, 0.00424975,
		// 0.00430800025; divided by 1-0.9ⁿ and 1-0.999ⁿ they are -0.8157894736842105, 2.125937968984492 and
		// -0.42250922509225086, 1.437436853…
		wantAdam := []float64{0.9, 0.9 + 0.1*0.8157894736842105/math.Sqrt(0.00424975/0.001999)}
		wantAdam = append(wantAdam, wantAdam[1]+0.1*(0.1145/0.271)/math.Sqrt(0.00430800025/0.002997001))
		for n, g := range derivatives {
			x.Grad().Set(g)
			y.Grad().Set(g)
			check(t, sgd.Step())
			check(t, adam.Step())
			if math.Abs(x.At()-wantSGD[n]) > 1e-14 || math.Abs(y.At()-wantAdam[n]) > 1e-8 {
				t.Errorf("arch %v, step %d: SGD is at %v, Adam at %v; want %v, %v", arch, n+1, x.At(), y.At(), wantSGD[n], wantAdam[n])
			}
		}
	}
}

// fields of several elements and domains, all of whose numbers have the same derivatives.
type fields struct {
	a ti.Field[float32]
	b ti.Field[ti.Vec3]
	c ti.Field[[2][3]float64]
	d ti.Field[ti.DVec2]
	e ti.Field[float32] // sparse
}

func (f *fields) all() []ti.AnyField { return []ti.AnyField{&f.a, &f.b, &f.c, &f.d, &f.e} }

func newFields(rt *ti.Runtime) *fields {
	f := new(fields)
	rt.Place(ti.Shape{300, 7}, ti.WithGrad(&f.a)...)
	rt.Place(ti.Shape{2, 3, 4}, ti.WithGrad(&f.b)...)
	rt.NewTree().Origin(ti.I, -3).Dense(ti.I, 5).Place(ti.WithGrad(&f.c)...)
	rt.NewTree().Dense("jk", 4, 2).Place(ti.WithGrad(&f.d)...)
	rt.NewTree().Pointer(ti.I, 4).Dense(ti.I, 4).Place(ti.WithGrad(&f.e)...)
	f.e.Set(0, 5)
	return f
}

func (f *fields) derive(g float64) {
	s := float32(g)
	f.a.Grad().Fill(s)
	f.b.Grad().Fill(ti.Vec3{s, s, s})
	f.c.Grad().Fill([2][3]float64{{g, g, g}, {g, g, g}})
	f.d.Grad().Fill(ti.DVec2{g, g})
	f.e.Grad().Fill(s)
}

// numbers are the last of each field.
func (f *fields) numbers() []float64 {
	return []float64{float64(f.a.At(299, 6)), float64(f.b.At(1, 2, 3)[2]), f.c.At(1)[1][2], f.d.At(3, 1)[1], float64(f.e.At(5))}
}

// Every number of every element moves as one by itself does, and what is inactive stays so.
func TestElements(t *testing.T) {
	rt := newRuntime(t, ti.Config{})
	f, g := newFields(rt), newFields(rt)
	sgd, err := optim.NewSGD(rt, 0.01, 0.5, f.all()...)
	check(t, err)
	adam, err := optim.NewAdam(rt, 0.01, g.all()...)
	check(t, err)
	x, v, y, m, s := 0.0, 0.0, 0.0, 0.0, 0.0
	for n, d := range derivatives {
		if n == 2 { // arguments, and no constants
			sgd.Rate, adam.Rate = 0.5, 0.25
		}
		f.derive(d)
		g.derive(d)
		check(t, sgd.Step())
		check(t, adam.Step())
		v = 0.5*v + d
		x -= sgd.Rate * v
		m, s = 0.9*m+0.1*d, 0.999*s+0.001*d*d
		y -= adam.Rate * m / (1 - math.Pow(0.9, float64(n+1))) / (math.Sqrt(s/(1-math.Pow(0.999, float64(n+1)))) + 1e-8)
	}
	for k, got := range f.numbers() {
		if math.Abs(got-x) > 1e-6 {
			t.Errorf("SGD: field %d is at %v, want %v", k, got, x)
		}
		if got := g.numbers()[k]; math.Abs(got-y) > 2e-6 {
			t.Errorf("Adam: field %d is at %v, want %v", k, got, y)
		}
	}
	if n := f.e.Node().Count(); f.e.At(12) != 0 || n != 4 {
		t.Errorf("%d elements are active", n)
	}
}

// What cannot follow a gradient is an error that says why.
func TestRefused(t *testing.T) {
	rt := newRuntime(t, ti.Config{Arch: ti.Oracle})
	var whole ti.Field[int32]
	var parts ti.Field[struct{ X float32 }]
	var alone, unplaced ti.Field[float32]
	rt.Place(ti.Shape{4}, &whole)
	rt.Place(ti.Shape{4}, &parts)
	rt.Place(ti.Shape{4}, &alone)
	for _, c := range []struct {
		f    ti.AnyField
		says string
	}{
		{&whole, "elements of type int32"}, {&parts, "elements of type struct"}, {&unplaced, "is not placed"}, {nil, "field 1 is nil"}, {(*ti.Field[float32])(nil), "field 1 is nil"},
	} {
		if _, err := optim.NewAdam(rt, 0.1, c.f); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("error %v, which should say %q", err, c.says)
		}
	}
	o, err := optim.NewSGD(rt, 0.1, 0, &alone)
	check(t, err)
	if err := o.Step(); err == nil || !strings.Contains(err.Error(), "grad") {
		t.Errorf("without an adjoint: error %v", err)
	}
}

func newRuntime(t *testing.T, c ti.Config) *ti.Runtime {
	t.Helper()
	rt, err := ti.New(c)
	check(t, err)
	t.Cleanup(func() { rt.Close() })
	return rt
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
