package quanttest

import (
	"testing"

	"github.com/gotaichi/ti"
)

const scaleSource = `
package scale

var (
	X, Y field[vec3, D2]
	S    field[f32]
)

func Vectors(a f32) {
	for p := range Y {
		Y[p] = a * X[p]
	}
}

func Cells(a f32) {
	for i := range S {
		S[i] = a * f32(i%97)
	}
}
`

// BenchmarkRangesOfVectors has launches that are counted beside those that are not, on vectors and on cells of a sparse tree.
func BenchmarkRangesOfVectors(b *testing.B) {
	for _, c := range []struct {
		name    string
		vectors func(cell *ti.Node, f *ti.Field[ti.Vec3])
		numbers func(cell *ti.Node, f *ti.Field[float32])
	}{
		{"f32", func(cell *ti.Node, f *ti.Field[ti.Vec3]) { cell.Place(f) }, func(cell *ti.Node, f *ti.Field[float32]) { cell.Place(f) }},
		{"packed", func(cell *ti.Node, f *ti.Field[ti.Vec3]) { cell.BitStruct(32).Place(f, ti.QuantFixed(10, 1)) },
			func(cell *ti.Node, f *ti.Field[float32]) { cell.BitStruct(16).Place(f, ti.QuantFixed(16, 128)) }},
	} {
		const n, cells = 1024, 1 << 22
		rt := newRuntime(b, ti.Config{})
		var s struct {
			X, Y           ti.Field[ti.Vec3]
			S              ti.Field[float32]
			Vectors, Cells func(a float32)
		}
		c.vectors(rt.NewTree().Dense(ti.IJ, n, n), &s.X)
		c.vectors(rt.NewTree().Dense(ti.IJ, n, n), &s.Y)
		c.numbers(rt.NewTree().Pointer(ti.I, cells/64).Dense(ti.I, 64), &s.S)
		if err := rt.Load(scaleSource, &s); err != nil {
			b.Fatal(err)
		}
		for k := range n * n {
			s.X.Set(ti.Vec3{float32(k%97) / 97, float32(k%89) / 89, float32(k%83) / 830}, k/n, k%n)
		}
		for k := 0; k < cells; k += 64 {
			s.S.Set(1, k)
		}
		for _, k := range []struct {
			name string
			run  func(a float32)
		}{{"vectors", s.Vectors}, {"cells", s.Cells}} {
			launch := func(b *testing.B) {
				for b.Loop() {
					k.run(0.9)
				}
			}
			b.Run(c.name+"/"+k.name, launch)
			if _, err := rt.Ranges(func() error { b.Run(c.name+"/"+k.name+"/counted", launch); return nil }, ti.RangeOptions{}, &s.Y, &s.S); err != nil {
				b.Fatal(err)
			}
		}
	}
}
