package gradcheck_test

import (
	"errors"
	"strings"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gradcheck"
)

const chain = `
package chain

var (
	A, B, C field[f64]
	F, G    field[f32]
	Loss    field[f64, D0]
	LossF   field[f32, D0]
)

func First() {
	for i := range A {
		B[i] = sin(A[i]) * A[i]
	}
}

func Second() {
	for i := range B {
		C[i] = exp(B[i] / 3)
	}
}

// Wrong hides half of its derivative.
func Wrong() {
	for i := range B {
		C[i] = exp(B[i]/6 + stopGrad(B[i]/6))
	}
}

func Sum() {
	Loss = 0
	for i := range C {
		Loss += C[i] * C[i]
	}
}

// Again overwrites what First has read.
func Spoil() {
	for i := range A {
		A[i] = 2 * f64(i)
	}
}

func SinglePrecision() {
	for i := range F {
		LossF += length(vec2(F[i], 1)) * random(f32)
	}
}

// Rough has a kink in every number.
func Rough() {
	Loss = 0
	for i := range A {
		Loss += fract(A[i] * 1e13)
	}
}
`

type chainHost struct {
	A, B, C                                                  ti.Field[float64]
	F, G                                                     ti.Field[float32]
	Loss                                                     ti.Field[float64]
	LossF                                                    ti.Field[float32]
	First, Second, Wrong, Sum, Spoil, SinglePrecision, Rough func()
}

func load(t *testing.T) (*ti.Runtime, *chainHost) {
	t.Helper()
	rt, err := ti.New(ti.Config{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rt.Close() })
	h := new(chainHost)
	rt.Place(ti.Shape{20}, ti.WithGrad(&h.A, &h.B, &h.C, &h.F)...)
	rt.Place(ti.Shape{20}, &h.G)
	rt.Place(nil, ti.WithGrad(&h.Loss, &h.LossF)...)
	if err := rt.Load(chain, h); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		h.A.Set(float64(i)/7-1, i)
		h.F.Set(float32(i)/7-1, i)
	}
	return rt, h
}

func TestCheck(t *testing.T) {
	rt, h := load(t)
	h.B.Fill(3)
	h.A.Grad().Fill(5)
	seq := func(fs ...func()) func() error {
		return func() error {
			for _, f := range fs {
				f()
			}
			return nil
		}
	}
	good := seq(h.First, h.Second, h.Sum)
	if err := gradcheck.Check(rt, &h.Loss, good, &h.A); err != nil {
		t.Error(err)
	}
	if h.B.At(2) != 3 || h.A.Grad().At(2) != 5 || h.Loss.At() != 0 {
		t.Error("fields do not keep their values")
	}
	if err := gradcheck.Check(rt, &h.LossF, seq(h.SinglePrecision), &h.F); err != nil {
		t.Error(err)
	}
	wrongCases := []struct {
		name, kernel string
		f            func() error
	}{
		{"a kernel", "Wrong", seq(h.First, h.Wrong, h.Sum)},
		{"two kernels", "Wrong", seq(h.First, h.Second, h.First, h.Wrong, h.Sum)},
		{"broken rules", "", seq(h.First, h.Spoil, h.Second, h.Sum)},
		{"a custom one", "CustomGrad", func() error {
			h.First()
			err := rt.CustomGrad(func() error { h.Second(); return nil }, func() error {
				return rt.Adjoint(func() error { h.Wrong(); return nil })
			})
			h.Sum()
			return err
		}},
	}
	for _, c := range wrongCases {
		err := gradcheck.Check(rt, &h.Loss, c.f, &h.A)
		m, ok := errors.AsType[*gradcheck.Mismatch](err)
		if !ok || m.Kernel != c.kernel {
			t.Errorf("%s: %v", c.name, err)
		}
		if ok && !strings.Contains(m.Error(), c.kernel) {
			t.Errorf("%s: %v", c.name, m)
		}
	}
	custom := func() error {
		h.First()
		err := rt.CustomGrad(func() error { h.Second(); return nil }, func() error {
			return rt.Adjoint(func() error { h.Second(); return nil })
		})
		h.Sum()
		return err
	}
	if err := gradcheck.Check(rt, &h.Loss, custom, &h.A); err != nil {
		t.Errorf("a right custom gradient: %v", err)
	}
	checkpoint := func() error {
		err := rt.Checkpoint(seq(h.First, h.Second), &h.A)
		h.Sum()
		return err
	}
	if err := gradcheck.Check(rt, &h.Loss, checkpoint, &h.A); err != nil {
		t.Errorf("a checkpoint: %v", err)
	}
	if err := gradcheck.Check(rt, &h.Loss, seq(h.Rough), &h.A); !errors.Is(err, gradcheck.ErrUnclear) {
		t.Errorf("a rough loss: %v", err)
	}
}

func TestBadArguments(t *testing.T) {
	rt, h := load(t)
	f := func() error { h.First(); return nil }
	oops := errors.New("oops")
	for name, err := range map[string]error{
		"no field":           gradcheck.Check(rt, &h.Loss, f),
		"a nil field":        gradcheck.Check(rt, &h.Loss, f, nil),
		"a nil loss":         gradcheck.Check(rt, nil, f, &h.A),
		"a nil function":     gradcheck.Check(rt, &h.Loss, nil, &h.A),
		"no adjoint":         gradcheck.Check(rt, &h.Loss, f, &h.G),
		"a loss of many":     gradcheck.Check(rt, &h.B, f, &h.A),
		"f fails":            gradcheck.Check(rt, &h.Loss, func() error { return oops }, &h.A),
		"a typed nil field":  gradcheck.Check(rt, &h.Loss, f, (*ti.Field[float32])(nil)),
		"an unplaced field":  gradcheck.Check(rt, &h.Loss, f, new(ti.Field[float32])),
		"a nil runtime, too": gradcheck.Check(nil, &h.Loss, f, &h.A),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		} else {
			t.Logf("%s: %v", name, err)
		}
		if name == "f fails" && !errors.Is(err, oops) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMembers checks that members of an element are moved each on its own scale: a step that is small beside Far would
// lead Near out of the domain of the root.
func TestMembers(t *testing.T) {
	rt, err := ti.New(ti.Config{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rt.Close() })
	type pair struct {
		Near ti.DVec2
		Far  float64
	}
	var h struct {
		P    ti.Field[pair]
		Loss ti.Field[float64]
		Sum  func()
	}
	rt.Place(ti.Shape{20}, ti.WithGrad(&h.P)...)
	rt.Place(nil, ti.WithGrad(&h.Loss)...)
	err = rt.Load(`
package members

type Pair struct {
	Near dvec2
	Far  f64
}

var (
	P    field[Pair]
	Loss field[f64, D0]
)

func Sum() {
	Loss = 0
	for i := range P {
		assert(all(abs(P[i].Near) < 2e-3), "left the domain")
		Loss += P[i].Far * sqrt(4e-6-length2(P[i].Near))
	}
}`, &h)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		h.P.Set(pair{ti.DVec2{1e-3, float64(i) * 1e-5}, 1e3 + float64(i)}, i)
	}
	if err := gradcheck.Check(rt, &h.Loss, func() error { h.Sum(); return nil }, &h.P); err != nil {
		t.Error(err)
	}
}
