package ti_test

import (
	"testing"

	"github.com/gotaichi/ti"
)

// BenchmarkPackets times loops that become packets of iterations, on one thread: rays through a volume, which gather,
// random numbers added up to a limit, and sums. TI_WITHOUT=packets runs them one iteration at a time.
func BenchmarkPackets(b *testing.B) {
	rt := newRuntime(b, ti.Config{Threads: 1})
	var s struct {
		X, Y, V               ti.Field[float32]
		Init, Rays, Draw, Sum func()
	}
	rt.Place(ti.Shape{1 << 16}, &s.X, &s.Y)
	rt.Place(ti.Shape{64, 64, 64}, &s.V)
	if err := rt.Load(`package p

var (
	X, Y field[f32]
	V    field[f32, D3]
)

func Init() {
	for i := range X { X[i] = f32(i) * 0.0001 }
	for p := range V { V[p] = f32((31*p.x+17*p.y+7*p.z)%10) * 0.02 }
}

func Rays() {
	for i := range X {
		s, n := f32(0), 0
		x := vec3(X[i], 0.3, 0.2)
		for s < 3 && n < 100 {
			at := clamp(ivec3(x*64), 0, 63)
			s += V[at] * 0.5
			x += vec3(0.003, 0.005, 0.004)
			n++
		}
		Y[i] = s
	}
}

func Draw() {
	for i := range Y {
		x := f32(0)
		for x < 3 { x += random(f32) }
		Y[i] = x
	}
}

func Sum() {
	n, s, low := 0, f32(0), f32(1000)
	for i := range X {
		x, k := X[i], 0
		for x < 9 && k < 60 {
			x += 0.5
			k++
		}
		n += k
		s += x
		low = min(low, x)
	}
	Y[0] = s + low + f32(n)
}
`, &s); err != nil {
		b.Fatal(err)
	}
	s.Init()
	for _, c := range []struct {
		name   string
		launch func()
	}{{"rays", s.Rays}, {"draw", s.Draw}, {"sum", s.Sum}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.launch()
			}
		})
	}
}
