package program_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const reduceSource = `
package reductions

type affine = [2]i32 // x*v[0] + v[1], of which functions one after another is another

var (
	X       field[f32, D1]
	Y       field[f64, D3]
	I       field[u8, D2]
	J       field[i64]
	F       field[affine, D1]
	Far     field[f32, D2]
	Sparse  field[i32, D2]
	Rows    field[vec4, D1]
	Columns field[i32, D1]
)

func Float() (int, int, f32) { return argMin(X), argMax(X), reduce(X, func(a, b f32) f32 { return a + b }) }

func Cube() (ivec3, ivec3, f64) { return argMin(Y), argMax(Y), reduce(Y, max) }

func Ints() (ivec2, ivec2, int, int) { return argMin(I), argMax(I), argMin(J), argMax(J) }

func Compose() affine {
	return reduce(F, func(a, b affine) affine { return affine{a[0] * b[0], a[1]*b[0] + b[1]} })
}

func Origin() (ivec2, ivec2, f32) { return argMin(Far), argMax(Far), reduce(Far, func(a, b f32) f32 { return 2*b - b + a }) }

func Some() (ivec2, int) {
	return argMin(Sparse), reduce(Sparse, func(a, b int) int { return a + b })
}

func Slice(s []f32) (int, int, f32) { return argMin(s), argMax(s), reduce(s, min) }

func Array(s array[i32, D2]) (ivec2, i32) { return argMax(s), reduce(s, func(a, b i32) i32 { return a + b }) }

func Each() int {
	for i := range Rows {
		Columns[i] = 10*argMax(Rows[i]) + argMin(Rows[i])
	}
	n := 0
	for i := range Columns {
		if argMax(Columns) == i {
			n++
		}
	}
	return n
}
`

type reduceHost struct {
	X       ti.Field[float32]
	Y       ti.Field[float64]
	I       ti.Field[uint8]
	J       ti.Field[int64]
	F       ti.Field[ti.IVec2]
	Far     ti.Field[float32]
	Sparse  ti.Field[int32]
	Rows    ti.Field[ti.Vec4]
	Columns ti.Field[int32]
	Float   func() (int32, int32, float32, error)
	Cube    func() (ti.IVec3, ti.IVec3, float64, error)
	Ints    func() (ti.IVec2, ti.IVec2, int32, int32, error)
	Compose func() (ti.IVec2, error)
	Origin  func() (ti.IVec2, ti.IVec2, float32, error)
	Some    func() (ti.IVec2, int32, error)
	Slice   func(s []float32) (int32, int32, float32, error)
	Array   func(s ti.Array[int32]) (ti.IVec2, int32, error)
	Each    func() (int32, error)
}

// TestReduce compares reductions of whole fields with what Go computes, on several numbers of threads.
func TestReduce(t *testing.T) {
	sums := map[float32]string{}
	for _, cfg := range []ti.Config{{Arch: ti.Oracle}, {Threads: 3}, {Threads: 2, Deterministic: true}, {Threads: 1, Debug: true}} {
		t.Run(fmt.Sprintf("%v/%d/%v", cfg.Arch, cfg.Threads, cfg.Debug), func(t *testing.T) {
			cfg.StrictMath = true
			rt := titest.New(t, cfg)
			var h reduceHost
			rt.Place(ti.Shape{20_011}, &h.X, &h.J)
			rt.Place(ti.Shape{3, 5, 7}, &h.Y)
			rt.Place(ti.Shape{40, 30}, &h.I)
			rt.Place(ti.Shape{5000}, &h.F)
			rt.NewTree().Origin(ti.IJ, -4, 8).Dense(ti.IJ, 8).Place(&h.Far)
			rt.NewTree().Origin(ti.IJ, -8, 4).Pointer(ti.IJ, 4).Dense(ti.IJ, 4).Place(&h.Sparse)
			rt.Place(ti.Shape{9}, &h.Rows, &h.Columns)
			titest.Must(t, rt.Load(reduceSource, &h))
			for i := range 20_011 {
				h.X.Set(float32(math.Sin(float64(i)*0.7)), i)
				h.J.Set(int64((i*7919)%10007)<<33-1<<46, i)
			}
			low, high, sum, err := h.Float()
			titest.Must(t, err)
			for i := range 20_011 {
				if x := h.X.At(i); x < h.X.At(int(low)) || x == h.X.At(int(low)) && i < int(low) || x > h.X.At(int(high)) || x == h.X.At(int(high)) && i < int(high) {
					t.Fatalf("least at %d, greatest at %d, and %d has %v", low, high, i, x)
				}
			}
			sums[sum] = t.Name()
			h.X.Set(float32(math.NaN()), 777)
			h.X.Set(float32(math.NaN()), 888)
			low, high, _, err = h.Float()
			titest.Must(t, err)
			if low != 777 || high != 777 {
				t.Errorf("of NaNs at 777 and 888 there is %d, %d", low, high)
			}
			h.Y.Fill(1)
			h.Y.Set(5, 1, 4, 0)
			h.Y.Set(5, 1, 2, 6)
			h.Y.Set(-math.Inf(1), 2, 0, 0)
			a, b, y, err := h.Cube()
			titest.Must(t, err)
			if a != (ti.IVec3{2, 0, 0}) || b != (ti.IVec3{1, 2, 6}) || y != 5 {
				t.Errorf("cube: %v, %v, %v", a, b, y)
			}
			h.I.Fill(255)
			h.I.Set(0, 31, 29)
			c, d, e, f, err := h.Ints()
			titest.Must(t, err)
			if c != (ti.IVec2{31, 29}) || d != (ti.IVec2{0, 0}) || h.J.At(int(e)) != -1<<46 || e != 0 || h.J.At(int(f)) != 10006<<33-1<<46 {
				t.Errorf("integers: %v, %v, %d, %d", c, d, e, f)
			}
			want := ti.IVec2{1, 0}
			for i := range 5000 {
				v := ti.IVec2{int32(1 - 2*(i/3%2)), int32(i % 7)}
				h.F.Set(v, i)
				want = ti.IVec2{want[0] * v[0], want[1]*v[0] + v[1]}
			}
			if got, err := h.Compose(); err != nil || got != want {
				t.Errorf("composed: %v, %v, want %v", got, err, want)
			}
			h.Far.Fill(0.5)
			h.Far.Set(-1, -4, 15)
			h.Far.Set(2, 3, 8)
			p, q, s, err := h.Origin()
			titest.Must(t, err)
			if p != (ti.IVec2{-4, 15}) || q != (ti.IVec2{3, 8}) || s != 32 {
				t.Errorf("with an origin: %v, %v, %v", p, q, s)
			}
			if at, total, err := h.Some(); err != nil || at != (ti.IVec2{-1, -1}) || total != 0 {
				t.Errorf("of no active element: %v, %d, %v", at, total, err)
			}
			h.Sparse.Set(-3, 2, 9)
			h.Sparse.Set(5, -1, 15)
			if at, total, err := h.Some(); err != nil || at != (ti.IVec2{2, 9}) || total != 2 {
				t.Errorf("of a sparse field: %v, %d, %v", at, total, err)
			}
			m, n, least, err := h.Slice([]float32{3, 1, 4, 1, 5})
			titest.Must(t, err)
			if m != 1 || n != 4 || least != 1 {
				t.Errorf("slice: %d, %d, %v", m, n, least)
			}
			if m, n, least, err = h.Slice(nil); err != nil || m != -1 || n != -1 || least != 0 {
				t.Errorf("empty slice: %d, %d, %v, %v", m, n, least, err)
			}
			at, total, err := h.Array(ti.Strided([]int32{1, 9, 2, 3, 9, 4}, ti.Shape{2, 3}, 3))
			titest.Must(t, err)
			if at != (ti.IVec2{0, 1}) || total != 28 {
				t.Errorf("array: %v, %d", at, total)
			}
			for i := range 9 {
				h.Rows.Set(ti.Vec4{float32(i % 3), 2, float32(i % 2), 2}, i)
			}
			if n, err := h.Each(); err != nil || n != 1 {
				t.Errorf("in a loop: %d, %v", n, err)
			}
			if v := []int32{h.Columns.At(0), h.Columns.At(5), h.Columns.At(1)}; v[0] != 10 || v[1] != 2 || v[2] != 10 {
				t.Errorf("of vectors: %v", v)
			}
		})
	}
	if len(sums) != 1 {
		t.Errorf("sums differ: %v", sums)
	}
}

// TestReduceDerivative: the gradient of what argMax finds is that of the lowest index, and that of a reduction is that of
// the function.
func TestReduceDerivative(t *testing.T) {
	for _, arch := range []ti.Arch{ti.Oracle, ti.LLVM} {
		rt := titest.New(t, ti.Config{Arch: arch, Threads: 2})
		var h struct {
			X, Loss       ti.Field[float64]
			Peak, Product func() error
		}
		rt.Place(ti.Shape{300}, ti.WithDual(ti.WithGrad(&h.X)...)...)
		rt.Place(nil, ti.WithDual(ti.WithGrad(&h.Loss)...)...)
		titest.Must(t, rt.Load(`
package p

var X field[f64, D1]
var Loss field[f64, D0]

func Peak() {
	k := argMax(X)
	Loss += 3 * X[k]
}

func Product() {
	Loss += reduce(X, func(a, b f64) f64 { return a * b })
}`, &h))
		h.X.Fill(1)
		h.X.Set(2, 70)
		h.X.Set(2, 200)
		titest.Must(t, rt.Tape(&h.Loss, h.Peak))
		if a, b := h.X.Grad().At(70), h.X.Grad().At(200); a != 3 || b != 0 {
			t.Errorf("%v: of the greatest: %v, %v", arch, a, b)
		}
		titest.Must(t, rt.Tape(&h.Loss, h.Product))
		if a, b := h.X.Grad().At(70), h.X.Grad().At(1); a != 2 || b != 4 {
			t.Errorf("%v: of the product: %v, %v", arch, a, b)
		}
		h.Loss.Fill(0)
		h.X.Dual().Set(1, 70)
		titest.Must(t, rt.Tangent(h.Product))
		if d := h.Loss.Dual().At(); d != 2 {
			t.Errorf("%v: the tangent of the product is %v", arch, d)
		}
	}
}
