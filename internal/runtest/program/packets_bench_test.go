package program_test

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// BenchmarkPackets times loops that become packets of iterations, on one thread: rays through a volume, which gather,
// random numbers added up to a limit, sums, arrays indexed by data, small systems solved, numbers sorted, histograms of
// escape times, with one update in an iteration and with several, one in a loop, updates that are atomic, stores at
// places that are data, and checks that are not proven, in a loop and in a body without one.
// TI_WITHOUT=packets runs them one iteration at a time.
func BenchmarkPackets(b *testing.B) {
	rt := titest.New(b, ti.Config{Threads: 1})
	var s struct {
		X, Y, V                           ti.Field[float32]
		N, Bins, Next                     ti.Field[int32]
		Init, Rays, Draw, Sum             func()
		Array, Solve, Sort, Escape, Count func()
		Atomic, Store, Near, Check        func()
		Follow, Twice                     func()
	}
	rt.Place(ti.Shape{1 << 16}, &s.X, &s.Y)
	rt.Place(ti.Shape{1 << 16}, &s.N)
	rt.Place(ti.Shape{128}, &s.Bins)
	rt.Place(ti.Shape{1024}, &s.Next)
	rt.Place(ti.Shape{64, 64, 64}, &s.V)
	if err := rt.Load(`package p

var (
	X, Y field[f32]
	V    field[f32, D3]

	N, Bins, Next field[i32]
)

func Init() {
	for i := range X { X[i] = f32(i) * 0.0001 }
	for i := range Next { Next[i] = (i*7919 + 13) % 1024 }
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

func Array() {
	for i := range X {
		var a [8]f32
		x, n := X[i], 0
		for x < 20 && n < 50 {
			a[n&7] += x
			x = x*1.1 + 0.3 + a[(n*3)&7]*0.01
			n++
		}
		s := f32(0)
		for k := range 8 { s += a[k] * f32(k) }
		Y[i] = s
	}
}

func Solve() {
	for i := range X {
		var a [8][9]f32
		for r := range 8 {
			for c := range 9 { a[r][c] = X[i]*f32((r*3+c*5)&7) + f32((r+c)&3) + f32(20*i32(r == c)) }
		}
		for r := range 8 {
			q := 1 / a[r][r]
			for c := range 9 { a[r][c] *= q }
			for o := range 8 {
				if o != r {
					f := a[o][r]
					for c := range 9 { a[o][c] -= f * a[r][c] }
				}
			}
		}
		Y[i] = a[3][8]
	}
}

func Sort() {
	for i := range X {
		var a [16]f32
		for k := range 16 { a[k] = f32((i*7 + k*k*5) % 23) }
		for k := range 15 {
			j := k + 1
			v := a[j]
			for j > 0 && a[max(j-1, 0)] > v {
				a[j] = a[j-1]
				j--
			}
			a[j] = v
		}
		Y[i] = a[8]
	}
}

func Escape() {
	for i := range X {
		x, y, n := f32(i%1000)*0.0019-1.5, f32(i/1000)*0.01, 0
		cx, cy := x, y
		for x*x+y*y < 4 && n < 64 {
			x, y = x*x-y*y+cx, 2*x*y+cy
			n++
		}
		Bins[n] += 1
	}
}

func Count() {
	for i := range X {
		x, n := f32(i%1000)*0.019, 0
		for x < 20 && n < 50 {
			x = x*1.1 + 0.3
			Bins[i32(x*5)] += 1
			n++
		}
	}
}

func Atomic() {
	for i := range X {
		n, x := i*7%16, X[i]
		for n < 16 {
			x = x*1.01 + 0.1
			n++
		}
		Y[(i*771)&0xffff] += x
	}
}

func Store() {
	for i := range N {
		x, n := f32(i%1000)*0.019, 0
		for x < 20 && n < 50 {
			x = x*1.1 + 0.3
			n++
		}
		N[(i*40503)&0xffff] = n
	}
}

func Near() {
	for i := range X {
		s := f32(0)
		for j := range span(max(i-i%23, 0), min(i+i%17, 65536)) {
			r := X[i] - X[j]
			d := sqrt(r*r + 0.01)
			if d < 0.5 {
				s += (1 - d) * (1 - d) / d * r
			}
		}
		Y[i] = s
	}
}

func Check() {
	for i := range X {
		x, n, s := f32(i%1000)*0.019, i%100, 0
		for x < 20 && s < 5000 {
			x = x*1.1 + 0.3
			s += Next[n]
			n = Next[n]
		}
		N[i] = s
	}
}

func Twice() {
	for i := range X {
		x, y, n := f32(i%1000)*0.0019-1.5, f32(i/1000)*0.01, 0
		cx, cy := x, y
		for x*x+y*y < 4 && n < 64 {
			x, y = x*x-y*y+cx, 2*x*y+cy
			n++
		}
		Bins[n] += 1
		Bins[n] += i
		if n < 9 { Bins[n] += n }
	}
}

func Follow() {
	for i := range X {
		x := X[Next[Next[i&1023]]]
		Y[i] = sin(x)*exp(-x) + sqrt(x*x+1)*cos(3*x)
	}
}
`, &s); err != nil {
		b.Fatal(err)
	}
	s.Init()
	for _, c := range []struct {
		name   string
		launch func()
	}{
		{"rays", s.Rays}, {"draw", s.Draw}, {"sum", s.Sum}, {"array", s.Array}, {"solve", s.Solve}, {"sort", s.Sort},
		{"escape", s.Escape}, {"count", s.Count}, {"atomic", s.Atomic}, {"store", s.Store}, {"near", s.Near}, {"check", s.Check}, {"follow", s.Follow}, {"twice", s.Twice},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.launch()
			}
		})
	}
}
