package gradient_test

import (
	"errors"
	"testing"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// BenchmarkBackwardPass times the backward pass through loops in parallel loops, on one thread: loops as long as each element or a condition says,
// one whose carried values are many, a nest, and stencils whose neighbours serial loops visit, wrapped, guarded, clamped and with weights. It reports the least times
// of a launch there and back. TI_WITHOUT=gather leaves the stencils to atomics.
func BenchmarkBackwardPass(b *testing.B) {
	rt := titest.New(b, ti.Config{Threads: 1})
	var s struct {
		X, Y, P, Q               ti.Field[float32]
		W, Loss                  ti.Field[float32]
		N                        ti.Field[int32]
		Init, Sum                func() error
		Trips, While, Wide, Nest func() error
		Wrapped, Guarded         func() error
		Clamped, Weights         func() error
	}
	rt.Place(ti.Shape{1024}, ti.WithGrad(&s.X, &s.Y)...)
	rt.Place(ti.Shape{1024}, &s.N)
	rt.Place(ti.Shape{256, 256}, ti.WithGrad(&s.P, &s.Q)...)
	rt.Place(ti.Shape{3, 3}, ti.WithGrad(&s.W)...)
	rt.Place(nil, ti.WithGrad(&s.Loss)...)
	titest.Must(b, rt.Load(`package back

var (
	X, Y    field[f32]
	N       field[i32]
	P, Q, W field[f32, D2]
	Loss    field[f32, D0]
)

func Init() {
	for i := range X {
		X[i] = 0.5 + 0.0001*f32(i)
		N[i] = (i*7919 + 13) % 512
	}
	for p := range P { P[p] = 0.01 * f32((p.x*31+p.y*17)%100) }
	for p := range W { W[p] = 0.1 * f32(1+p.x-p.y) }
}

func Trips() {
	for i := range X {
		y := X[i]
		for range N[i] { y = y*0.99 + 0.01*sin(y) }
		Y[i] = y
	}
}

func While() {
	for i := range X {
		y, n := X[i], 0
		for y < 3 && n < 500 {
			y += 0.004 + 0.001*y*y
			n++
		}
		Y[i] = y
	}
}

func Wide() {
	for i := range X {
		x, v := vec4(X[i]), vec4(0)
		for range N[i] {
			v -= x * (0.01 * length(x))
			x += v * 0.01
		}
		Y[i] = x.x + v.w
	}
}

func Nest() {
	for i := range X {
		y := X[i]
		for k := range N[i] / 8 {
			for range k % 8 { y = y*0.99 + 0.01*sin(y) }
		}
		Y[i] = y
	}
}

func Wrapped() {
	for i, j := range Q {
		s := f32(0)
		for a := -1; a <= 1; a++ {
			for b := -1; b <= 1; b++ { s += P[(i+a+256)%256][(j+b+256)%256] }
		}
		Q[i][j] = s * s
	}
}

func Guarded() {
	for i, j := range Q {
		s := f32(0)
		for a, b := range ndrange(span(-1, 2), span(-1, 2)) {
			if i+a >= 0 && i+a < 256 && j+b >= 0 && j+b < 256 { s += P[i+a][j+b] }
		}
		Q[i][j] = s * s
	}
}

func Clamped() {
	for i, j := range Q {
		s := f32(0)
		for d := -1; d <= 1; d += 2 {
			s += P[clamp(i+d, 0, 255)][j] + P[i][clamp(j+d, 0, 255)]
		}
		Q[i][j] = 0.25 * s
	}
}

func Weights() {
	for i, j := range ndrange(span(1, 255), span(1, 255)) {
		s := f32(0)
		for a, b := range ndrange(3, 3) { s += P[i+a-1][j+b-1] * W[a][b] }
		Q[i][j] = s
	}
}

func Sum() {
	for i := range Y { Loss += Y[i] }
	for p := range Q { Loss += Q[p] }
}
`, &s))
	titest.Must(b, s.Init())
	const launches = 10
	for _, c := range []struct {
		name   string
		launch func() error
	}{
		{"trips", s.Trips}, {"while", s.While}, {"wide", s.Wide}, {"nest", s.Nest},
		{"wrapped", s.Wrapped}, {"guarded", s.Guarded}, {"clamped", s.Clamped}, {"weights", s.Weights},
	} {
		b.Run(c.name, func(b *testing.B) {
			there, back := time.Hour, time.Hour
			sweep := func() {
				began, turned := time.Now(), time.Time{}
				titest.Must(b, rt.Tape(&s.Loss, func() (err error) {
					for range launches {
						err = errors.Join(err, c.launch())
					}
					there = min(there, time.Since(began))
					err = errors.Join(err, s.Sum())
					turned = time.Now()
					return err
				}))
				back = min(back, time.Since(turned))
			}
			sweep() // compiles
			for b.Loop() {
				sweep()
			}
			b.ReportMetric(float64(there.Nanoseconds())/launches, "ns-there/launch")
			b.ReportMetric(float64(back.Nanoseconds())/launches, "ns-back/launch")
		})
	}
}
