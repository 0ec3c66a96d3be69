package hostabi_test

import (
	"context"
	"errors"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const fastSource = `
package fast

func Int(a i32) i32 { return a + 1 }
func Float(a f32) f32 { return a + 0.5 }
func Wide(a i64) f64 { return f64(a) + 0.5 }
func Unsigned(a u32) u32 { return a + 1 }
func Add(a, b f32) f32 { return a + b }
func Mixed(a f64, b i32) i64 { return i64(a) + i64(b) }
func Three(a, b, c f64) f64 { return a*b + c }
func Count(a, b f32, n i32) f32 { return (a + b) * f32(n) }
func First(n i32, a, b f64) f64 { return a*f64(n) + b }
func Between(a f32, n i32, b f32) f32 { return a*f32(n) + b }
func Apart(a f32, n i32, b f64) f64 { return f64(a)*f64(n) + b }
func Four(a, b, c, d f32) f32 { return a + b + c + d }
func Sum(x []f32) f32 {
	s := f32(0)
	for i := range serial(len(x)) {
		s += x[i]
	}
	return s
}
func At(x []f64, i i32) f64 { return x[i] }
func Plain(n int) int { return 2 * n }
func Void(a, b i32, c f32) {}
func Choose(a bool, b f32) f32 { return ifelse(a, b, -b) }
func Even(a i32) bool { return a%2 == 0 }
func Small(a u8, b i16, c i8) i16 { return i16(a) + b + i16(c) }
func Context(a i32, b f64) f64 { return f64(a) + b }
func Vector(a vec3) f32 { return a.x + 2*a.y + 4*a.z }
func Matrix(a dmat2) bool { return a[1][0] > a[0][1] }
func Cancel(a bool, b i64, c f32) i32 { return i32(b) + i32(c) + i32(a) }
`

type fastHost struct {
	Int      func(a int32) int32
	Float    func(a float32) (float32, error)
	Wide     func(a int64) float64
	Unsigned func(a uint32) (uint32, error)
	Add      func(a, b float32) float32
	Mixed    func(a float64, b int32) (int64, error)
	Three    func(a, b, c float64) float64
	Count    func(a, b float32, n int32) (float32, error)
	First    func(n int32, a, b float64) float64
	Between  func(a float32, n int32, b float32) float32
	Apart    func(a float32, n int32, b float64) float64
	Four     func(a, b, c, d float32) float32
	Sum      func(x []float32) float32
	At       func(x []float64, i int32) (float64, error)
	Plain    func(n int) int
	Void     func(a, b int32, c float32) error
	Choose   func(a bool, b float32) float32
	Even     func(a int32) bool
	Small    func(a uint8, b int16, c int8) (int16, error)
	Context  func(ctx context.Context, a int32, b float64) float64
	Vector   func(ctx context.Context, a ti.Vec3) (float32, error)
	Matrix   func(a ti.DMat2) bool
	Cancel   func(ctx context.Context, a bool, b int64, c float32) (int32, error)
}

func newFast(tb testing.TB, rt *ti.Runtime) *fastHost {
	tb.Helper()
	h := new(fastHost)
	if err := rt.Load(fastSource, h); err != nil {
		tb.Fatal(err)
	}
	return h
}

// value is the result of a kernel function without its error.
func value[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// calls are calls of kernel functions, and what they return. ctx is one that can end.
func (h *fastHost) calls(ctx context.Context) []struct {
	name      string
	call      func() float64
	want      float64
	reflected bool // there is no closure for the signature
} {
	xs, ys, background := []float32{1, 2, 3.5}, []float64{4, 5}, context.Background()
	return []struct {
		name      string
		call      func() float64
		want      float64
		reflected bool
	}{
		{"Int", func() float64 { return float64(h.Int(-5)) }, -4, false},
		{"Float", func() float64 { return float64(value(h.Float(2))) }, 2.5, false},
		{"Wide", func() float64 { return h.Wide(1 << 40) }, 1<<40 + 0.5, false},
		{"Unsigned", func() float64 { return float64(value(h.Unsigned(1 << 31))) }, 1<<31 + 1, false},
		{"Add", func() float64 { return float64(h.Add(1.5, 2)) }, 3.5, false},
		{"Mixed", func() float64 { return float64(value(h.Mixed(2.75, -7))) }, -5, false},
		{"Three", func() float64 { return h.Three(2, 3, 4) }, 10, false},
		{"Count", func() float64 { return float64(value(h.Count(1, 2, -3))) }, -9, false},
		{"First", func() float64 { return h.First(-2, 3, 4) }, -2, false},
		{"Between", func() float64 { return float64(h.Between(2, -3, 4)) }, -2, false},
		{"Apart", func() float64 { return h.Apart(2, -3, 4) }, -2, false},
		{"Four", func() float64 { return float64(h.Four(1, 2, 3, 4)) }, 10, true},
		{"Sum", func() float64 { return float64(h.Sum(xs)) }, 6.5, false},
		{"At", func() float64 { return value(h.At(ys, 1)) }, 5, false},
		{"Plain", func() float64 { return float64(h.Plain(-21)) }, -42, false},
		{"Void", func() float64 { return float64(len(xs)) + 0*errValue(h.Void(1, 2, 3)) }, 3, false},
		{"Choose", func() float64 { return float64(h.Choose(false, 1.5)) }, -1.5, false},
		{"Even", func() float64 { return asFloat(h.Even(-4)) }, 1, false},
		{"Small", func() float64 { return float64(value(h.Small(255, -1000, -100))) }, -845, false},
		{"Context", func() float64 { return h.Context(background, 2, 0.5) }, 2.5, false},
		{"Vector", func() float64 { return float64(value(h.Vector(ctx, ti.Vec3{1, 2, 3}))) }, 17, false},
		{"Matrix", func() float64 { return asFloat(h.Matrix(ti.DMat2{{1, 2}, {3, 4}})) }, 1, false},
		{"Cancel", func() float64 { return float64(value(h.Cancel(ctx, true, -5, 2))) }, -2, false},
	}
}

func errValue(err error) float64 { return value(0.0, err) }

func TestFastCalls(t *testing.T) {
	titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
		h := newFast(t, rt)
		for _, c := range h.calls(t.Context()) {
			if got := c.call(); got != c.want {
				t.Errorf("%s gives %v, want %v", c.name, got, c.want)
			}
		}
		if _, err := h.At([]float64{1}, 1); !errors.Is(err, ti.ErrRange) {
			t.Errorf("out of range: %v", err)
		}
		if err := mustPanic(func() { h.Plain(1 << 40) }); !errors.Is(err, ti.ErrArgs) {
			t.Errorf("a large int: %v", err)
		}
	})
}

func mustPanic(f func()) (err error) {
	defer func() { err, _ = recover().(error) }()
	f()
	return nil
}

// TestFastCallsAllocateNothing: a launch with numbers needs no memory of its own.
func TestFastCallsAllocateNothing(t *testing.T) {
	h := newFast(t, titest.New(t, ti.Config{Arch: ti.LLVM}))
	for _, c := range h.calls(t.Context()) {
		c.call() // compiles
		if n := titest.Allocations(100, func() { c.call() }); n != 0 && !c.reflected {
			t.Errorf("%s allocates %v times", c.name, n)
		}
	}
}

func BenchmarkFastCalls(b *testing.B) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer rt.Close()
	for _, c := range newFast(b, rt).calls(b.Context()) {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.call()
			}
		})
	}
}
