package quanttest

import (
	"fmt"
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
	"github.com/gotaichi/ti/internal/titest"
)

const countSource = `
package p

var (
	X, Y, F, G field[f32]
	H          field[f64]
	V          field[vec3]
	N          field[i32]
	I          field[i16]
	U          field[u8]
	T          field[f32, D2]
)

func Run(a f32) {
	for p := range X {
		X[p] = a*Y[p] + X[p]
		F[p] = a*G[p] - Y[p]
	}
	for p := range H {
		H[p] = f64(G[p]) * 1e30
		V[p] = vec3(G[p], Y[p], a)
	}
	for i := range N {
		N[i] = i*i - 100
		for j := range 3 {
			N[i] += j
		}
	}
	for i := range I {
		I[i] = i16(i*37 - 9000)
		U[i] += u8(i*7)
	}
	for i, j := range T {
		if (i+j)%3 > 0 {
			T[i][j] = Y[i*64+j] * 3
		}
	}
}
`

// TestRangesOfLongLoops counts in long loops, which are distributed into vectors and histograms, on the oracle and by machine code:
// all counts and ends are the same.
func TestRangesOfLongLoops(t *testing.T) {
	run := func(start func(ti.Config) (*ti.Runtime, error), arch ti.Arch, packed bool) []ti.RangeReport {
		n := 64 * 520
		if packed { // the oracle takes a tenth of a millisecond for a store
			n = 64 * 65
		}
		rt := titest.Start(t, start, ti.Config{Arch: arch, Threads: 2, StrictMath: true})
		var s struct {
			X, Y, F, G, T ti.Field[float32]
			H             ti.Field[float64]
			V             ti.Field[ti.Vec3]
			N             ti.Field[int32]
			I             ti.Field[int16]
			U             ti.Field[uint8]
			Run           func(a float32) error
		}
		if packed {
			rt.NewTree().Dense(ti.I, n).BitStruct(16).Place(&s.X, ti.QuantFixed(16, 1))
			rt.NewTree().Dense(ti.I, n).BitStruct(32).Place(&s.F, ti.QuantFloat(5, 11)).Place(&s.N, ti.QuantInt(16))
			rt.NewTree().Dense(ti.I, n).BitStruct(16).Place(&s.I, ti.QuantInt(10)).Place(&s.U, ti.QuantInt(6).Unsigned())
			rt.NewTree().Dense(ti.I, n).BitStruct(64).Place(&s.H, ti.QuantFixed(40, 1e30))
			rt.NewTree().Dense(ti.I, n).BitStruct(32).PlaceShared(ti.QuantFloat(5, 9), &s.V)
			rt.NewTree().Dense(ti.IJ, n/64, 8).BitArray(64, ti.J, 8).Place(&s.T, ti.QuantFixed(8, 2))
		} else {
			rt.Place(ti.Shape{n}, &s.X, &s.F, &s.N, &s.I, &s.U, &s.H, &s.V)
			rt.Place(ti.Shape{n / 64, 64}, &s.T)
		}
		rt.Place(ti.Shape{n}, &s.Y, &s.G)
		if err := rt.Load(countSource, &s); err != nil {
			t.Fatal(err)
		}
		y := make([]float32, n)
		for i := range y {
			y[i] = float32(math.Sin(float64(i)) * math.Ldexp(1, i%9-6))
		}
		if err := s.Y.CopyFrom(y); err != nil {
			t.Fatal(err)
		}
		for i, odd := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.Copysign(0, -1)), 0, 1e-44, -1e-40, 3e38} {
			for k := range 500 {
				y[(k*83+i*7919)%n] = odd
			}
		}
		if err := s.G.CopyFrom(y); err != nil {
			t.Fatal(err)
		}
		reports, err := rt.Ranges(func() error { return s.Run(0.3) }, ti.RangeOptions{}, &s.X, &s.F, &s.H, &s.V, &s.N, &s.I, &s.U, &s.T)
		if err != nil {
			t.Fatal(err)
		}
		return reports
	}
	for _, packed := range []bool{false, true} {
		t.Run(fmt.Sprint("packed ", packed), func(t *testing.T) {
			defer runtest.Setenv("TI_SPREAD", "1")() // loops of tests are short, and one thread alone would run them
			want, got := run(ti.New, ti.Oracle, packed), run(ti.New, ti.LLVM, packed)
			for i, w := range want {
				sameCounts(t, "long loops", got[i], w, 1e-9)
			}
			lone := run(func(cfg ti.Config) (*ti.Runtime, error) { return titest.NewLone(titest.OnProcessors(t, cfg), 512) }, ti.LLVM, packed)
			for i, w := range want {
				sameCounts(t, "long loops without a vectoriser", lone[i], w, 1e-9)
			}
		})
	}
}
