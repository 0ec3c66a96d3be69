package conformance

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// What has no derivative, and what breaks the rules of data access so that the text alone shows it, is an error of the tape, in every mode.
//
//conform:theme derivatives
func TestConformGradientErrors(t *testing.T) {
	rows := []struct {
		name, body string
		kind       error
		text       string
	}{
		{"an element multiplied in place", "for i := range X { Y[i] = X[i]; Y[i] *= X[i] }", ti.ErrGradient, "multiplied or divided in place"},
		{"an element divided in place", "for i := range X { Y[i] = 1; Y[i] /= X[i] }", ti.ErrGradient, "multiplied or divided in place"},
		{"a decomposition without a derivative", "for i := range X { v, _, _ := eig(dmat2(X[i], 1, 1, X[i])); Y[i] = v[0][0] }", ti.ErrGradient, "symEig"},
		{"an adjoint that the derivative depends on", "for i := range X { Y[i] = X[i]*X.grad[i] }", ti.ErrGradient, "the derivative depends on X.grad"},
		{"an element overwritten after it was read", "for i := range X { X[i] = X[i]*2 }", ti.ErrAccess, "overwritten after it was read"},
		{"an element added to after it was read", "for i := range X { Y[i] = X[i]*X[i]; X[i] += 1 }", ti.ErrAccess, "changed after it was read"},
		{"an element added to in a later loop", "for i := range X { Y[i] = sin(X[i]) }; for i := range X { X[i] += 1 }", ti.ErrAccess, "changed after it was read"},
		{"an element overwritten in a later loop", "for i := range X { Y[i] = sin(X[i]) }; for i := range X { X[i] = 1 }", ti.ErrAccess, "overwritten after it was read"},
		{"a number read and added to in each iteration", "for i := range X { s := f64(0); for range 3 { s += Z[i]*Z[i]; Z[i] += X[i] }; Y[i] = s }", ti.ErrAccess, "changed after it was read"},
		{"an element stored twice", "for i := range X { Y[i] = X[i]; if X[i] > 0 { Y[i] = 2*X[i] } }", ti.ErrAccess, "stored to after it was given a value"},
		{"an element stored in each iteration of a serial loop", "for i := range X { for k := range 3 { Y[i] = X[k] } }", ti.ErrAccess, "stored to in each iteration of a serial loop"},
		{"an index changed after its use", "for i := range X { Y[i] = X[N[i]]; N[i] = 0 }", ti.ErrAccess, "overwritten after it was read"},
		{"a condition changed after its use", "for i := range X { if C[i] > 0 { Y[i] = X[i] }; C[i] += 1 }", ti.ErrAccess, "changed after it was read"},
	}
	var src strings.Builder
	src.WriteString("package p\nvar X, Y, Z field[f64]\nvar L field[f64, D0]\nvar N field[i32]\nvar C field[f64]\nfunc Sum() { for i := range Y { L += Y[i] } }\n")
	for i, row := range rows {
		fmt.Fprintf(&src, "func K%d() { %s }\n", i, row.body)
	}
	for _, v := range hostVariants {
		rt, err := ti.New(ti.Config{Arch: v.Arch, Threads: v.Threads, Float: 64})
		if err != nil {
			t.Fatal(err)
		}
		defer rt.Close()
		var h struct {
			X, Y, Z, L, C ti.Field[float64]
			N             ti.Field[int32]
		}
		rt.Place(ti.Shape{4}, ti.WithGrad(&h.X, &h.Y, &h.Z)...)
		rt.Place(ti.Shape{4}, &h.N, &h.C)
		rt.Place(nil, ti.WithGrad(&h.L)...)
		p, err := rt.Compile(ti.Text("gradient.ti", src.String()), &h)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			if !compiledInTurn(v, row.name) {
				continue
			}
			t.Run(row.name+"/"+v.Label, func(t *testing.T) {
				runtest.OK(&runtest.Run{TB: t}, h.X.CopyFrom(gradientX))
				h.N.Fill(0)
				err := rt.Tape(&h.L, func() error {
					_, err := p.Kernel(fmt.Sprint("K", i)).Launch(t.Context())
					_, err2 := p.Kernel("Sum").Launch(t.Context())
					return errors.Join(err, err2)
				})
				e, _ := errors.AsType[*ti.RuntimeError](err)
				if !errors.Is(err, row.kind) || !strings.Contains(err.Error(), row.text) || e == nil || e.Pos.Line != i+7 {
					t.Errorf("the error is %v", err)
				}
			})
		}
	}
}
