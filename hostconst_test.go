package ti_test

import (
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
