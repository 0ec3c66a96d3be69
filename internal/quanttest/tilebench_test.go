package quanttest

import (
	"testing"

	"github.com/gotaichi/ti"
)

const tileSource = `
package tile

var X field[i32, D2]

func Fill(a i32) {
	for p := range X {
		X[p] = (p.x*a + p.y) % 2
	}
}

func Flip() {
	for p := range X {
		X[p] = 1 - X[p]
	}
}

func Inside(a i32) {
	for i, j := range ndrange(span(3, 2045), span(5, 2040)) {
		X[i][j] = (i*a + j) % 2
	}
}
`

// BenchmarkTiles has loops over bit arrays whose words are rows, and such whose words are tiles.
func BenchmarkTiles(b *testing.B) {
	for _, c := range []struct {
		name string
		axes ti.Axes
		size []int
		i, j int
	}{{"rows", ti.J, []int{64}, 2048, 32}, {"tiles", ti.IJ, []int{8, 8}, 256, 256}} {
		rt := newRuntime(b, ti.Config{})
		var s struct {
			X            ti.Field[int32]
			Fill, Inside func(a int32)
			Flip         func()
		}
		rt.NewTree().Dense(ti.IJ, c.i, c.j).BitArray(64, c.axes, c.size...).Place(&s.X, ti.QuantInt(1).Unsigned())
		if err := rt.Load(tileSource, &s); err != nil {
			b.Fatal(err)
		}
		for _, k := range []struct {
			name string
			run  func()
		}{{"fill", func() { s.Fill(3) }}, {"flip", s.Flip}, {"inside", func() { s.Inside(5) }}} {
			b.Run(c.name+"/"+k.name, func(b *testing.B) {
				for b.Loop() {
					k.run()
				}
			})
		}
	}
}
