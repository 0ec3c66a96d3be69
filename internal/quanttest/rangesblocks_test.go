package quanttest

import (
	"fmt"
	"math"
	"testing"

	"github.com/gotaichi/ti"
)

const blocksSource = `
package blocks

var (
	X, Y, Z, W field[f32]
	V          field[vec3]
	A, B, R    field[f32, D2]
	S, M       field[f32]
	T          field[f32, D2]
	N          field[i32]
)

func Under(a f32) {
	for i := range Y {
		x := X[i]
		if x > 0.5 {
			Y[i] = a * x
			if i%64 > 40 {
				continue
			}
			Z[i] -= x
		} else if x < -0.5 {
			Y[i] = x
			Z[i] = x * 1e-4
		}
		if i >= 640 && i < 1400 {
			continue // whole strips of it
		}
		W[i] = x * 3
		if !(x < 0.1) {
			V[i] = vec3(x, -a, x*x)
		}
	}
}

func Inner(a f32) {
	for i := range 1088 * 4 {
		for k := range span(3, 11) {
			if X[i+k] > 1 {
				break
			}
			A[i][k-3] = a * X[i+k]
			if k%2 == 1 {
				B[i][k-3] = X[i] + f32(k-6)*0.1
			}
		}
		for k := range 2 {
			for j := range span(1, 5) {
				if X[i+j] > 0.2 {
					B[i][k*4+j-1] = X[i+k*4] * f32(j)
				}
			}
		}
		N[i%32] += 1
	}
}

func Rows(a f32, m i32) {
	for i := range 8 {
		for k := range 700 {
			R[i][k] = a * X[i*64+k]
		}
		for k := range span(700, 800) {
			R[i][k] = R[i][k-1]*0.5 + X[k]
			if k%3 == 0 {
				R[i+8][k] = X[k+500]
			}
		}
		for k := range span(-3, m) {
			if X[i+k+3] < a {
				R[i][k+800] = X[i*300+k+3]
			}
			M[k+3] += 0.25 * X[k+3]
		}
		N[i%32] += 1
	}
}

func Cells(a f32) {
	for i := range S {
		x := X[i%4000]
		if x > a {
			S[i] = x
		}
	}
	for p := range T {
		T[p] = X[p.x*8+p.y] * 2
		if p.x%3 == 1 {
			T[p] = a
		}
	}
}
`

// TestRangesOfBlocks counts what loops store in blocks that not every iteration comes to, or that an iteration comes to several times.
func TestRangesOfBlocks(t *testing.T) {
	run := func(arch ti.Arch, packed bool) []ti.RangeReport {
		threads := 2
		if packed { // alone a thread takes as many blocks of cells at a time as there is room for
			threads = 1
		}
		rt := newRuntime(t, ti.Config{Arch: arch, Threads: threads, StrictMath: true})
		var s struct {
			X, Y, Z, W, A, B, R, S, M, T ti.Field[float32]
			V                            ti.Field[ti.Vec3]
			N                            ti.Field[int32]
			Under, Inner, Cells          func(a float32) error
			Rows                         func(a float32, m int32) error
		}
		const n = 64*68 + 30
		rt.Place(ti.Shape{n}, &s.X)
		rt.Place(ti.Shape{32}, &s.N)
		cells := rt.NewTree().Pointer(ti.I, 64).Dense(ti.I, 128)
		small := rt.NewTree().Pointer(ti.IJ, 64, 64).Dense(ti.IJ, 4, 4)
		if packed {
			small.BitStruct(16).Place(&s.T, ti.QuantFixed(16, 1))
			rt.NewTree().Dense(ti.I, n).BitStruct(32).Place(&s.Y, ti.QuantFixed(16, 0.9)).Place(&s.Z, ti.QuantFixed(16, 2))
			rt.NewTree().Dense(ti.I, n).BitStruct(16).Place(&s.W, ti.QuantFloat(5, 11))
			rt.NewTree().Dense(ti.I, n).BitStruct(32).PlaceShared(ti.QuantFloat(5, 9), &s.V)
			rt.NewTree().Dense(ti.IJ, 1088*4, 8).BitStruct(16).Place(&s.A, ti.QuantFixed(16, 1))
			rt.NewTree().Dense(ti.IJ, 1088*4, 8).BitStruct(8).Place(&s.B, ti.QuantFixed(8, 1))
			rt.NewTree().Dense(ti.IJ, 16, 1024).BitStruct(16).Place(&s.R, ti.QuantFixed(16, 2))
			rt.NewTree().Dense(ti.I, 256).BitStruct(32).Place(&s.M, ti.QuantFixed(32, 64))
			cells.BitStruct(16).Place(&s.S, ti.QuantFixed(16, 0.5))
		} else {
			rt.Place(ti.Shape{n}, &s.Y, &s.Z, &s.W, &s.V)
			rt.Place(ti.Shape{1088 * 4, 8}, &s.A, &s.B)
			rt.Place(ti.Shape{16, 1024}, &s.R)
			rt.Place(ti.Shape{256}, &s.M)
			cells.Place(&s.S)
			small.Place(&s.T)
		}
		if err := rt.Load(blocksSource, &s); err != nil {
			t.Fatal(err)
		}
		odd := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.Copysign(0, -1)), 0, 1e-44, -1e-40, 3e38}
		for i := range n {
			x := float32(math.Sin(float64(i)) * math.Ldexp(1, i%5-3))
			switch {
			case i >= 2048 && i < 2560:
				x = float32(math.NaN()) // whole strips
			case i > 3000 && i%50 == 0:
				x = odd[i/50%len(odd)]
			}
			s.X.Set(x, i)
		}
		for _, i := range []int{3, 500, 4000, 8191} {
			s.S.Set(0.3, i)
		}
		for k := range 600 {
			s.T.Set(1, k*4%256, k/64*4)
		}
		reports, err := rt.Ranges(func() error {
			for _, run := range []func(float32) error{s.Under, s.Inner, s.Cells} {
				if err := run(0.3); err != nil {
					return err
				}
			}
			for _, m := range []int32{-7, 40, 61, 62, 190} {
				if err := s.Rows(0.3, m); err != nil {
					return err
				}
			}
			return nil
		}, ti.RangeOptions{}, &s.Y, &s.Z, &s.W, &s.V, &s.A, &s.B, &s.R, &s.M, &s.S, &s.T)
		if err != nil {
			t.Fatal(err)
		}
		return reports
	}
	for _, packed := range []bool{false, true} {
		t.Run(fmt.Sprint("packed ", packed), func(t *testing.T) {
			want, got := run(ti.Oracle, packed), run(ti.CPU, packed)
			for i, w := range want {
				sameCounts(t, "blocks", got[i], w, 1e-6)
			}
		})
	}
}
