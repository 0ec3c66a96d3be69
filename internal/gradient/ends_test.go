package gradient_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gradcheck"
	"github.com/gotaichi/ti/internal/titest"
)

// endsSource has kernels that hand numbers on by Y and Z, which have no adjoint as a rule. The line of each kernel is in its name.
const endsSource = `package ends

type particle struct {
	U, V f64
}
var (
	X, Y, Z, D field[f64, D1]
	P          field[particle, D1]
	N          field[i32, D1]
	L, M       field[f64, D0]
)

func Write13() { for i := range X { Y[i] = X[i]*X[i] } }
func Read14() { for i := range Y { L += Y[i] } }
func ReadStopped15() { for i := range Y { L += stopGrad(Y[i]) } }
func Pass16() { for i := range Y { Z[i] += sin(Y[i]) } }
func ReadZ17() { for i := range Z { L += Z[i]*X[i] } }
func Constant18() { for i := range Y { Y[i] = 2 } }
func Both19() {
	for i := range X { Y[i] = 3*X[i] }
	for i := range X { L += Y[i]*Y[i] }
}
func InIteration23() { for i := range X { Y[i] = X[i]; L += Y[i] } }
func Before24() { for i := range X { L += X[i]+D[i]; D[i] = X[i] } }
func Whole25() { for i := range X { N[i] = i32(X[i]*8) } }
func ReadWhole26() { for i := range X { L += f64(N[i])*X[i] } }
func Branch27() { for i := range X { if Y[i] > 0 { L += X[i] } } }
func ToM28() { M = 0; for i := range Y { M += Y[i] } }
func Members29() { for i := range X { P[i].U = X[i]; P[i].V = 2 } }
func ReadV30() { for i := range X { L += P[i].V*X[i] } }
func ReadU31() { for i := range X { L += P[i].U } }
func Step32(t int) { for i := range X { if t > 0 { L += Y[i] }; Y[i] = X[i]*f64(t) } }
func Plain33() { for i := range X { L += X[i] } }
func Loop34() { for t := range serial(3) { L += Y[t]; Y[t+1] = X[t] } }
func Floor35() { for i := range X { Y[i] = floor(X[i]) } }
func Local36() { for i := range X { a := [2]f64{X[i], 1}; s := f64(0); for k := range 2 { s += a[k] }; Y[i] = s } }
func ReadLocal37() { for i := range X { var a [2]f64; a[N[i]%2] = Y[i]; L += a[0] } }
func Choice38() { for i := range X { if X[i] > 0 { Y[i] = X[i] } else { L += Y[i] } } }
func Take39(f field[f64, D1]) { for i := range f { L += f[i] } }
`

// endsTapes are functions under a tape, and what is said of them: "Y Write13 Read14" for Y, which Write13 stores and Read14 reads.
var endsTapes = []struct{ calls, want string }{
	{"Write13 Read14", "Y Write13 Read14"},
	{"Read14 Write13", ""},
	{"Write13 Read14 Write13 Read14", "Y Write13 Read14"},
	{"Write13 ReadStopped15 Plain33", ""},
	{"Write13 Plain33", ""},
	{"Constant18 Read14 Plain33", ""},
	{"Write13 Pass16 ReadZ17", "Y Write13 Pass16, Z Pass16 ReadZ17"},
	{"Pass16 ReadZ17", ""},
	{"Write13 Pass16 Plain33", ""},
	{"Both19", "Y Both19 Both19"},
	{"InIteration23", "Y InIteration23 InIteration23"},
	{"Before24", ""},
	{"Before24 Before24", "D Before24 Before24"},
	{"Whole25 ReadWhole26", ""},
	{"Write13 Branch27", ""},
	{"Write13 ToM28 Plain33", ""}, // M has an adjoint, and nothing goes on from there
	{"Members29 ReadV30", ""},
	{"Members29 ReadU31", "P Members29 ReadU31"},
	{"Step32", ""},
	{"Step32 Step32", "Y Step32 Step32"},
	{"Loop34", "Y Loop34 Loop34"},
	{"Floor35 Read14 Plain33", ""},
	{"Local36 Read14", "Y Local36 Read14"},
	{"Write13 ReadLocal37", "Y Write13 ReadLocal37"},
	{"Choice38", ""},
	{"Choice38 Choice38", "Y Choice38 Choice38"},
	{"Write13 Take39", "Y Write13 Take39"},
	{"Write13 Fill Read14 Plain33", ""},
	{"Write13 Custom Plain33", ""},
	{"Checkpoint Read14", "Y Write13 Read14"},
}

type ends struct {
	X, Y, Z, D, L, M ti.Field[float64]
	P                ti.Field[endsParticle]
	N                ti.Field[int32]
}

type endsParticle struct{ U, V float64 }

// newEnds loads the kernels.
func newEnds(t *testing.T, rt *ti.Runtime, with func(...ti.AnyField) []ti.AnyField) (s *ends, p *ti.Program) {
	t.Helper()
	return newEndsOf(t, rt, with, endsSource)
}

func newEndsOf(t *testing.T, rt *ti.Runtime, with func(...ti.AnyField) []ti.AnyField, source string) (s *ends, p *ti.Program) {
	t.Helper()
	s = new(ends)
	rt.Place(ti.Shape{4}, with(&s.X)...)
	rt.Place(nil, with(&s.L, &s.M)...)
	rt.Place(ti.Shape{4}, &s.Y, &s.Z, &s.D, &s.P, &s.N)
	p, err := rt.Compile(ti.Text("ends.ti", source), s)
	titest.Must(t, err)
	for i := range 4 {
		s.X.Set(float64(i)-1.5, i)
	}
	return s, p
}

// warnings has what is warned of from now on.
func warnings(rt *ti.Runtime) *bytes.Buffer {
	said := new(bytes.Buffer)
	titest.Warnings(rt, said)
	return said
}

func run(rt *ti.Runtime, s *ends, p *ti.Program, calls string) error {
	for n, name := range strings.Fields(calls) {
		var err error
		switch name {
		case "Fill":
			s.Y.Fill(1)
		case "Custom":
			err = rt.CustomGrad(func() error { return run(rt, s, p, "Read14") }, func() error { return nil })
		case "Checkpoint":
			err = rt.Checkpoint(func() error { return run(rt, s, p, "Write13") }, &s.Y)
		case "Take39":
			_, err = p.Kernel(name).Launch(context.Background(), &s.Y)
		case "Step32":
			_, err = p.Kernel(name).Launch(context.Background(), n)
		default:
			_, err = p.Kernel(name).Launch(context.Background())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// saysEnds compares what was said with what is wanted.
func saysEnds(t *testing.T, calls, said, want, companion string) {
	t.Helper()
	var lines []string
	for _, line := range strings.Split(strings.TrimSpace(said), "\n") {
		if line != "" {
			lines = append(lines, line)
		}
	}
	var all []string
	for _, w := range strings.Split(want, ", ") {
		if w != "" {
			all = append(all, w)
		}
	}
	if len(lines) != len(all) {
		t.Errorf("%s says %q, and should say %d lines", calls, said, len(all))
		return
	}
	for i, w := range all {
		f := strings.Fields(w)
		at := func(kernel string) string { return "ends.ti:" + kernel[len(kernel)-2:] }
		for _, part := range []string{f[0] + " has no " + companion, "kernel " + f[1], f[2]} {
			if !strings.Contains(lines[i], part) {
				t.Errorf("%s says %q without %q", calls, lines[i], part)
			}
		}
		if f[1] != "Both19" && (!strings.Contains(lines[i], at(f[1])) || !strings.Contains(lines[i], at(f[2]))) {
			t.Errorf("%s says %q without the places", calls, lines[i])
		}
	}
}

// TestEndedDerivative has fields without an adjoint between kernels: each is reported once, and is an error in debug mode.
func TestEndedDerivative(t *testing.T) {
	for _, arch := range []ti.Arch{ti.LLVM, ti.Oracle} {
		rt := titest.New(t, ti.Config{Arch: arch, Float: 64})
		s, p := newEnds(t, rt, ti.WithGrad)
		for _, c := range endsTapes {
			said := warnings(rt)
			for range 2 {
				titest.Must(t, rt.Tape(&s.L, func() error { return run(rt, s, p, c.calls) }))
			}
			saysEnds(t, c.calls, said.String(), c.want, "adjoint")
		}
		titest.Must(t, rt.Constant(&s.Y, &s.Z, &s.D, &s.P))
		for _, c := range endsTapes {
			said := warnings(rt)
			titest.Must(t, rt.Tape(&s.L, func() error { return run(rt, s, p, c.calls) }))
			saysEnds(t, c.calls+" with constants", said.String(), "", "")
		}
	}
}

// TestEndedTangent has the same for tangents, in whatever field with one they would go on.
func TestEndedTangent(t *testing.T) {
	rt := titest.New(t, ti.Config{Float: 64})
	s, p := newEnds(t, rt, ti.WithDual)
	for _, c := range endsTapes {
		if strings.Contains(c.calls, "Cu") { // which is no gradient then
			continue
		}
		said := warnings(rt)
		titest.Must(t, rt.Tangent(func() error { return run(rt, s, p, c.calls) }))
		want := c.want
		if strings.Contains(c.calls, "ToM28") {
			want = "Y Write13 ToM28"
		}
		saysEnds(t, c.calls, said.String(), want, "tangent")
	}
}

// TestEndedDerivativeDebug has the errors of debug mode.
func TestEndedDerivativeDebug(t *testing.T) {
	rt := titest.New(t, ti.Config{Float: 64, Debug: true})
	s, p := newEnds(t, rt, ti.WithGrad)
	for _, c := range endsTapes[:7] {
		said := warnings(rt)
		err := rt.Tape(&s.L, func() error { return run(rt, s, p, c.calls) })
		if said.Len() > 0 {
			t.Errorf("%s says %s", c.calls, said)
		}
		if c.want == "" {
			titest.Must(t, err)
			continue
		}
		e, ok := errors.AsType[*ti.RuntimeError](err)
		if !ok || !errors.Is(err, ti.ErrGradient) {
			t.Errorf("%s: the error is %v", c.calls, err)
			continue
		}
		f := strings.Fields(c.want)
		if e.Field != f[0] || e.Kernel != strings.TrimSuffix(f[2], ",") || fmt.Sprint(e.Other.Line) != f[1][len(f[1])-2:] || fmt.Sprint(e.Pos.Line) != e.Kernel[len(e.Kernel)-2:] {
			t.Errorf("%s: the error has %s, %s, %v and %v", c.calls, e.Field, e.Kernel, e.Pos, e.Other)
		}
	}
}

// TestEndedByHand looks at Adjoint, at gradcheck, and at what Constant refuses.
func TestEndedByHand(t *testing.T) {
	rt := titest.New(t, ti.Config{Float: 64})
	s, p := newEnds(t, rt, ti.WithGrad)
	said := warnings(rt)
	titest.Must(t, rt.Adjoint(func() error { return run(rt, s, p, "Write13 Read14") }))
	saysEnds(t, "Adjoint", said.String(), "Y Write13 Read14", "adjoint")
	err := gradcheck.Check(rt, &s.L, func() error { return run(rt, s, p, "Write13 Read14") }, &s.X)
	if err == nil || !strings.Contains(err.Error(), "Y has no adjoint") {
		t.Errorf("the check says %v", err)
	}
	var none *ti.Field[float64]
	for _, f := range []ti.AnyField{nil, none, &s.X, new(ti.Field[float64])} {
		if err := rt.Constant(f); err == nil {
			t.Errorf("Constant takes %v", f)
		}
	}
}

// TestEndedDerivativeCached has kernels that come from the cache on disk, where nothing is lowered.
func TestEndedDerivativeCached(t *testing.T) {
	cache := ti.Cache{Dir: t.TempDir(), Policy: ti.CacheFIFO}
	source := endsSource[:strings.Index(endsSource, "func ReadStopped15")]
	for n := range 2 {
		rt, err := ti.New(ti.Config{Float: 64, Cache: cache})
		titest.Must(t, err)
		s, p := newEndsOf(t, rt, ti.WithGrad, source)
		said := warnings(rt)
		titest.Must(t, rt.Tape(&s.L, func() error { return run(rt, s, p, "Write13 Read14") }))
		saysEnds(t, "a kernel from the cache", said.String(), "Y Write13 Read14", "adjoint")
		if _, lowered := titest.Work(rt); n == 1 && lowered > 0 {
			t.Errorf("%d kernels are lowered again", lowered)
		}
		titest.Must(t, rt.Close())
	}
}
