package quanttest

import (
	"testing"

	"github.com/gotaichi/ti"
)

const benchSource = `
package b

var (
	X, Y   field[f32]
	A, B   field[i32]
)

func Saxpy(s f32) {
	for p := range X {
		X[p] = s*Y[p] + X[p]
	}
}

func Halves() {
	for p := range A {
		A[p] = p & 32767
		B[p] = p & 32767
	}
}
`

// BenchmarkPacked has kernels on plain and on packed fields, of as many elements.
func BenchmarkPacked(b *testing.B) {
	const n = 1 << 25
	for _, c := range []struct {
		name  string
		place func(t *ti.Runtime, x, y *ti.Field[float32], a, c *ti.Field[int32])
	}{
		{"plain", func(rt *ti.Runtime, x, y *ti.Field[float32], a, c *ti.Field[int32]) {
			rt.Place(ti.Shape{n}, x, y, a, c)
		}},
		{"fixed16", func(rt *ti.Runtime, x, y *ti.Field[float32], a, c *ti.Field[int32]) {
			rt.NewTree().Dense(ti.I, n).BitStruct(16).Place(x, ti.QuantFixed(16, 8))
			rt.NewTree().Dense(ti.I, n).BitStruct(16).Place(y, ti.QuantFixed(16, 8))
			rt.NewTree().Dense(ti.I, n).BitStruct(32).Place(a, ti.QuantInt(16)).Place(c, ti.QuantInt(16))
		}},
		{"float(8,22)", func(rt *ti.Runtime, x, y *ti.Field[float32], a, c *ti.Field[int32]) {
			rt.NewTree().Dense(ti.I, n).BitStruct(32).Place(x, ti.QuantFloat(8, 22))
			rt.NewTree().Dense(ti.I, n).BitStruct(32).Place(y, ti.QuantFloat(8, 22))
			rt.NewTree().Dense(ti.I, n).BitStruct(32).Place(a, ti.QuantInt(16)).Place(c, ti.QuantInt(16))
		}},
	} {
		rt := newRuntime(b, ti.Config{})
		var s struct {
			X, Y   ti.Field[float32]
			A, B   ti.Field[int32]
			Saxpy  func(s float32)
			Halves func()
		}
		c.place(rt, &s.X, &s.Y, &s.A, &s.B)
		if err := rt.Load(benchSource, &s); err != nil {
			b.Fatal(err)
		}
		b.Run("saxpy/"+c.name, func(b *testing.B) {
			for b.Loop() {
				s.Saxpy(0.5)
			}
		})
		b.Run("halves/"+c.name, func(b *testing.B) {
			for b.Loop() {
				s.Halves()
			}
		})
		x := make([]float32, n)
		b.Run("copyto/"+c.name, func(b *testing.B) {
			for b.Loop() {
				_ = s.X.CopyTo(x)
			}
		})
		_ = rt.Close()
	}
}
