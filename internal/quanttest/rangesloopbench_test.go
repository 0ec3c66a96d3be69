package quanttest

import (
	"testing"

	"github.com/gotaichi/ti"
)

const loopsSource = `
package loops

var (
	X, Y  field[f32]
	K     field[i32]
	B     field[u8]
	C     field[f32, D2]
	A, D  field[f32, D2]
)

func Under(a f32) {
	for i := range Y {
		x := X[i]
		if x > 0.5 {
			Y[i] = a * x
		}
	}
}

func Continues(a f32) {
	for i := range Y {
		x := X[i]
		if x <= 0.5 {
			continue
		}
		Y[i] = a * x
	}
}

func Integers(a f32) {
	for i := range K {
		K[i] = i32(a * X[i] * 100)
	}
}

func Bytes(a f32) {
	for i := range B {
		B[i] = u8(a * X[i] * 100)
	}
}

func Adds(a f32) {
	for i := range Y {
		Y[i] += a * X[i] - 0.5
	}
}

func Inner(a f32) {
	for i := range 1 << 19 {
		for k := range 8 {
			A[i][k] = a * X[i*8+k]
		}
	}
}

func Rows(a f32) {
	for i := range 1 << 12 {
		for k := range 1024 {
			D[i][k] = a * X[i*1024+k]
		}
	}
}

func RowsOf(a f32, m i32) {
	for i := range 1 << 12 {
		for k := range m {
			if X[i*1024+k] > 0.5 {
				D[i][k] = a * X[i*1024+k]
			}
		}
	}
}

func Small(a f32) {
	for p := range C {
		C[p] = a * f32(p.x%97)
	}
}
`

// BenchmarkRangesOfLoops has launches that are counted beside those that are not, of loops of several kinds.
func BenchmarkRangesOfLoops(b *testing.B) {
	const n = 1 << 22
	for _, packed := range []bool{false, true} {
		name := "plain"
		rt := newRuntime(b, ti.Config{})
		var s struct {
			X, Y                                                        ti.Field[float32]
			K                                                           ti.Field[int32]
			B                                                           ti.Field[uint8]
			C, A, D                                                     ti.Field[float32]
			Under, Continues, Integers, Bytes, Adds, Inner, Rows, Small func(a float32)
			RowsOf                                                      func(a float32, m int32)
		}
		real, whole := func(c *ti.Node, f *ti.Field[float32]) { c.Place(f) }, func(c *ti.Node, f *ti.Field[int32]) { c.Place(f) }
		if packed {
			name = "packed"
			real = func(c *ti.Node, f *ti.Field[float32]) { c.BitStruct(16).Place(f, ti.QuantFixed(16, 128)) }
			whole = func(c *ti.Node, f *ti.Field[int32]) { c.BitStruct(8).Place(f, ti.QuantInt(8)) }
		}
		real(rt.NewTree().Dense(ti.I, n), &s.X)
		real(rt.NewTree().Dense(ti.I, n), &s.Y)
		whole(rt.NewTree().Dense(ti.I, n), &s.K)
		if packed {
			rt.NewTree().Dense(ti.I, n).BitStruct(8).Place(&s.B, ti.QuantInt(6).Unsigned())
		} else {
			rt.Place(ti.Shape{n}, &s.B)
		}
		real(rt.NewTree().Pointer(ti.IJ, 512, 512).Dense(ti.IJ, 4, 4), &s.C)
		real(rt.NewTree().Dense(ti.IJ, n/8, 8), &s.A)
		real(rt.NewTree().Dense(ti.IJ, n/1024, 1024), &s.D)
		if err := rt.Load(loopsSource, &s); err != nil {
			b.Fatal(err)
		}
		x := uint32(1)
		for i := range n {
			x = x*1664525 + 1013904223
			s.X.Set(float32(x>>8)/(1<<24), i)
		}
		for i := range 512 {
			for j := range 512 {
				s.C.Set(1, i*4, j*4)
			}
		}
		for _, k := range []struct {
			name string
			run  func(a float32)
		}{{"under", s.Under}, {"continues", s.Continues}, {"integers", s.Integers}, {"bytes", s.Bytes}, {"adds", s.Adds}, {"inner", s.Inner}, {"rows", s.Rows}, {"rows of", func(a float32) { s.RowsOf(a, 1000) }}, {"small", s.Small}} {
			launch := func(b *testing.B) {
				for b.Loop() {
					k.run(0.9)
				}
			}
			b.Run(name+"/"+k.name, launch)
			if _, err := rt.Ranges(func() error { b.Run(name+"/"+k.name+"/counted", launch); return nil }, ti.RangeOptions{}, &s.Y, &s.K, &s.B, &s.C, &s.A, &s.D); err != nil {
				b.Fatal(err)
			}
		}
	}
}
