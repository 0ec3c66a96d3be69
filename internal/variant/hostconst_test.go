package variant_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gotaichi/ti"
)

// TestOddConstants gives kernels the floats that are not exact numbers as constants: a
// zero has a sign, and a change from one to the other makes another instance.
func TestOddConstants(t *testing.T) {
	const src = `
package p

var (
	A f32
	B f64
	C f16
	V [2]f32
)

func Divide() (a f32, b f64, c f16, v [2]f32) { return 1 / A, 1 / B, 1 / C, 1 / V }

func Negate() (a f32, b f64, c f16, v [2]f32) { return -A, -B, -C, -V }

func Pass(k template) f64 { return 1 / f64(k) }
`
	negative := math.Copysign(0, -1)
	for _, arch := range []ti.Arch{ti.LLVM, ti.Oracle} {
		rt, err := ti.New(ti.Config{Arch: arch, StrictMath: true})
		if err != nil {
			t.Fatal(err)
		}
		defer rt.Close()
		var h struct {
			A              float32
			B              float64
			C              ti.Float16
			V              ti.Vec2
			Divide, Negate func() (float32, float64, ti.Float16, ti.Vec2, error)
			Pass           func(k any) (float64, error)
		}
		if err := rt.Load(src, &h); err != nil {
			t.Fatal(err)
		}
		for _, x := range []float64{0, negative, math.Inf(1), math.Inf(-1), math.NaN(), 0, -2} {
			f := float32(x)
			h.A, h.B, h.C, h.V = f, x, ti.ToFloat16(f), ti.Vec2{f, 1}
			a, b, c, v, err := h.Divide()
			if err != nil {
				t.Fatal(err)
			}
			q := float32(1 / x)
			if got, want := fmt.Sprint(a, b, c, v), fmt.Sprint(q, 1/x, ti.ToFloat16(q), ti.Vec2{q, 1}); got != want {
				t.Errorf("%v: 1 / %v is %s, want %s", arch, x, got, want)
			}
			if a, b, c, v, err = h.Negate(); err != nil {
				t.Fatal(err)
			}
			if got, want := fmt.Sprint(a, b, c, v), fmt.Sprint(-f, -x, ti.ToFloat16(-f), ti.Vec2{-f, -1}); got != want {
				t.Errorf("%v: -(%v) is %s, want %s", arch, x, got, want)
			}
			got, err := h.Pass(x)
			if err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprint(1 / x); fmt.Sprint(got) != want {
				t.Errorf("%v: 1 / a template argument %v is %v, want %s", arch, x, got, want)
			}
		}
	}
}

// TestElementsByConstants binds fields, constants and arrays of fields whose types depend on a constant of the host.
func TestElementsByConstants(t *testing.T) {
	const src = `
package p

var (
	Dim i32
	W   [Dim]f32
	X   field[[Dim]f64]
	Y   field[[Dim][Dim]f32, D1]
	Q   field[Body]
	S   [Dim]field[f32]
)

type Body struct {
	A [Dim]f32
	B i32
}

func Main() (s f64) {
	for i := range X {
		X[i][Dim-1] = f64(i)
		Y[i][0][Dim-1] = 2
		Q[i].A[1] = 3
		S[Dim-1][i] = W[1]
	}
	for i := range X {
		s += sum(X[i]) + f64(sum(Y[i])+Q[i].A[1]+S[Dim-1][i])
	}
	return
}

func Norm(q field[[Dim]f64]) (s f64) {
	for i := range q {
		s += length(q[i])
	}
	return
}

func Total(v [Dim]f32) f32 { return sum(v) }
`
	for _, arch := range []ti.Arch{ti.LLVM, ti.Oracle} {
		rt, err := ti.New(ti.Config{Arch: arch})
		if err != nil {
			t.Fatal(err)
		}
		defer rt.Close()
		type body struct {
			A [3]float32
			B int32
		}
		var h struct {
			Dim   int32
			W     [3]float32
			X     ti.Field[[3]float64]
			Y     ti.Field[[3][3]float32]
			Q     ti.Field[body] `ti:"Q"`
			S     [3]ti.Field[float32]
			Main  func() (float64, error)
			Norm  func(q *ti.Field[[3]float64]) (float64, error)
			Total func(v [3]float32) (float32, error)
		}
		h.Dim, h.W = 3, [3]float32{0, 1.5, 0}
		rt.Place(ti.Shape{4}, &h.X, &h.Y, &h.Q, &h.S[0], &h.S[1], &h.S[2])
		if err := rt.Load(src, &h); err != nil {
			t.Fatal(err)
		}
		if s, err := h.Main(); s != 6+4*(2+3+1.5) || err != nil {
			t.Errorf("%v: Main gives %v, %v", arch, s, err)
		}
		if s, err := h.Norm(&h.X); s != 6 || err != nil {
			t.Errorf("%v: Norm gives %v, %v", arch, s, err)
		}
		if s, err := h.Total([3]float32{1, 2, 3}); s != 6 || err != nil {
			t.Errorf("%v: Total gives %v, %v", arch, s, err)
		}
		h.Dim = 2
		var list ti.SourceErrors
		if _, err := h.Main(); !errors.As(err, &list) {
			t.Errorf("%v: with vectors of another length Main gives %v", arch, err)
		}
	}
}
