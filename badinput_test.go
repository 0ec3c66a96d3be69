package ti_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestFarIndices reads and writes far outside fields, with indices that overflow
// addresses when they are multiplied: reads give zero, writes go nowhere, the error
// says all, and everything works afterwards.
func TestFarIndices(t *testing.T) {
	const source = `package p

var (
	X field[f32]
	G field[vec3, D2]
)

func Read(i i32) f32 { return X[i] + 1 }

func Write(i i32, v f32) { X[i] = v }

func Add(i i32) { X[i] += 1 }

func Grid(i, j i32) vec3 {
	G[i][j] = vec3(7)
	return G[i][j]
}

func Shift(by i32) {
	for i := range X {
		X[i+by] = X[i-by]
	}
}

func Sum() (s f32) {
	for i := range X {
		s += X[i]
	}
	return
}`
	titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X     ti.Field[float32]
			G     ti.Field[ti.Vec3]
			Read  func(i int32) (float32, error)
			Write func(i int32, v float32) error
			Add   func(i int32) error
			Grid  func(i, j int32) (ti.Vec3, error)
			Shift func(by int32) error
			Sum   func() float32
		}
		rt.Place(ti.Shape{10}, &s.X)
		rt.Place(ti.Shape{4, 5}, &s.G)
		if _, err := rt.Compile(ti.Text("far.ti", source), &s); err != nil {
			t.Fatal(err)
		}
		for _, i := range []int32{-1, 10, 1 << 20, 1 << 29, 1 << 30, math.MaxInt32, math.MinInt32, math.MinInt32 + 1} {
			check := func(err error, kernel string, line int, index ...int) {
				t.Helper()
				var e *ti.RuntimeError
				if !errors.As(err, &e) || !errors.Is(err, ti.ErrRange) {
					t.Fatalf("%s(%d): error %v", kernel, i, err)
				}
				if e.Kernel != kernel || e.Pos.Filename != "far.ti" || e.Pos.Line != line || !reflect.DeepEqual(e.Index, index) || e.Count != 1 || len(e.Loop) != 0 {
					t.Errorf("%s(%d): %+v", kernel, i, e)
				}
				if want := fmt.Sprintf("index %v of %s is out of range: its shape is %v", index, e.Field, e.Shape); !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %s", err, want)
				}
			}
			v, err := s.Read(i)
			if check(err, "Read", 8, int(i)); v != 0 { // a launch that fails has no results
				t.Errorf("Read(%d) = %v", i, v)
			}
			check(s.Write(i, 1), "Write", 10, int(i))
			check(s.Add(i), "Add", 12, int(i))
		}
		for _, p := range [][2]int32{{-1, 0}, {0, 5}, {4, 0}, {1 << 30, 4}, {3, math.MinInt32}, {math.MaxInt32, math.MaxInt32}} {
			_, err := s.Grid(p[0], p[1])
			var e *ti.RuntimeError
			if !errors.As(err, &e) || e.Field != "G" || !reflect.DeepEqual(e.Index, []int{int(p[0]), int(p[1])}) || !reflect.DeepEqual(e.Shape, ti.Shape{4, 5}) {
				t.Errorf("Grid(%v): %v", p, err)
			}
		}
		for _, v := range s.X.All() {
			if v != 0 {
				t.Fatalf("a write far outside arrived: %v", v)
			}
		}
		for _, v := range s.G.All() {
			if v != (ti.Vec3{}) {
				t.Fatalf("a write far outside arrived: %v", v)
			}
		}
		var e *ti.RuntimeError
		if err := s.Shift(1 << 30); !errors.As(err, &e) || e.Count < 10 || len(e.Loop) != 1 {
			t.Errorf("Shift: %v", err)
		}
		s.X.Fill(1)
		if err := s.Write(9, 2); err != nil || s.Sum() != 11 {
			t.Errorf("afterwards: %v, sum %v", err, s.Sum())
		}
	})
}

// TestShortSlice runs a loop over more elements than the slice has, whose memory
// goes on behind it.
func TestShortSlice(t *testing.T) {
	titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			Fill func(x []float32, n int32) error
			Sum  func(x, y []float32) (float32, error)
		}
		if err := rt.Load(`package p

func Fill(x []f32, n i32) {
	for i := range n {
		x[i] = 1
	}
}

func Sum(x, y []f32) (s f32) {
	for i := range len(x) {
		s += x[i] * y[i]
	}
	return
}`, &s); err != nil {
			t.Fatal(err)
		}
		data := make([]float32, 2000)
		err := s.Fill(data[500:1500], 1500)
		var e *ti.RuntimeError
		if !errors.As(err, &e) || e.Field != "x" || e.Count != 500 || e.Index[0] != e.Loop[0] || e.Shape[0] != 1000 {
			t.Fatalf("%+v", err)
		}
		for i, v := range data {
			if inside := i >= 500 && i < 1500; (v == 1) != inside {
				t.Fatalf("element %d is %v", i, v)
			}
		}
		if _, err := s.Sum(data, data[:1999]); !errors.As(err, &e) || e.Count != 1 || e.Index[0] != 1999 || e.Field != "y" {
			t.Errorf("%v", err)
		}
		if _, err := s.Sum(data, nil); !errors.As(err, &e) || e.Count != 2000 || e.Shape[0] != 0 {
			t.Errorf("an empty slice: %v", err)
		}
		if v, err := s.Sum(nil, nil); v != 0 || err != nil {
			t.Errorf("nothing at all: %v, %v", v, err)
		}
		if v, err := s.Sum(data, data); v != 1000 || err != nil {
			t.Errorf("afterwards: %v, %v", v, err)
		}
	})
}

// TestNaNAndInfinities keep their meaning in arithmetic, reductions, comparisons,
// conversions and indices.
func TestNaNAndInfinities(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X       ti.Field[float32]
			Sum     func() float32
			Least   func() float32
			Most    func() float32
			Numbers func() int32
			Index   func(i float32) (float32, error)
		}
		rt.Place(ti.Shape{1000}, &s.X)
		if err := rt.Load(`package p

var X field[f32]

func Sum() (s f32) {
	for i := range X {
		s += X[i]
	}
	return
}

func Least() f32 {
	m := inf
	for i := range X {
		m = min(m, X[i])
	}
	return m
}

func Most() f32 {
	m := -inf
	for i := range X {
		m = max(m, X[i])
	}
	return m
}

func Numbers() (n i32) {
	for i := range X {
		if X[i] == X[i] && !isinf(X[i]) && !isnan(X[i]-X[i]) {
			n++
		}
	}
	return
}

func Index(i f32) f32 { return X[i32(i)] }`, &s); err != nil {
			t.Fatal(err)
		}
		same := func(what string, got, want float32) {
			t.Helper()
			if got != want && !(math.IsNaN(float64(got)) && math.IsNaN(float64(want))) {
				t.Errorf("%s is %v, want %v", what, got, want)
			}
		}
		s.X.Fill(1)
		s.X.Set(inf, 500)
		same("sum with inf", s.Sum(), inf)
		same("greatest", s.Most(), inf)
		same("least", s.Least(), 1)
		s.X.Set(-inf, 501)
		same("sum of both infinities", s.Sum(), nan)
		same("least with -inf", s.Least(), -inf)
		s.X.Set(nan, 999)
		same("sum with NaN", s.Sum(), nan)
		same("greatest with NaN", s.Most(), nan)
		same("least with NaN", s.Least(), nan)
		if n := s.Numbers(); n != 997 {
			t.Errorf("%d numbers", n)
		}
		if v, err := s.Index(nan); v != 1 || err != nil { // NaN becomes 0
			t.Errorf("X[i32(NaN)]: %v, %v", v, err)
		}
		var e *ti.RuntimeError
		if _, err := s.Index(inf); !errors.As(err, &e) || e.Index[0] != math.MaxInt32 {
			t.Errorf("X[i32(inf)]: %v", err)
		}
	})
}

// TestSourcesThatCannotBe are errors of Load, not crashes.
func TestSourcesThatCannotBe(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	for _, tt := range []struct{ source, want string }{
		{"package p\nfunc F() f32 { return f(1) }\nfunc f(a f32) f32 { return f(a-1) }", "TI0207"},
		{"package p\nfunc F() f32 { return f(1) }\nfunc f(a f32) f32 { return g(a) }\nfunc g(a f32) f32 { return f(a) }", "f"},
		{"", "TI0101"},
		{" \n\t\n", "TI0101"},
		{"\x00\xff\xfe", "TI0103"},
		{"package p\nfunc F() f32 { return " + strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000) + " }", "TI0102"},
		{"package p\nfunc F() f32 { return " + strings.Repeat("-", 100_000) + "1 }", "TI0"},
		{"package p\nfunc F() {" + strings.Repeat("{", 100_000) + strings.Repeat("}", 100_000) + " }", "TI0102"},
	} {
		var list ti.SourceErrors
		if err := rt.Load(tt.source, nil); !errors.As(err, &list) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.60q: %.200v", tt.source, err)
		}
	}
}

// TestSlowIterations cancels a loop whose iterations each take long, at its first
// launch, when nothing is known of its cost.
func TestSlowIterations(t *testing.T) {
	for _, threads := range []int{1, 2} {
		rt := titest.New(t, ti.Config{Threads: threads})
		var s struct {
			Slow func(ctx context.Context, n, work int32) (int32, error)
		}
		if err := rt.Load(`package p

func Slow(n, work i32) (r i32) {
	for i := range n {
		x := i
		for range work {
			x = x*1664525 + (x ^ r0(x))
		}
		r ^= x
	}
	return
}

func r0(x i32) i32 { return x >> 3 }`, &s); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		start := time.Now()
		_, err := s.Slow(ctx, 1000, 50_000_000) // some 0.1 s each
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if d := time.Since(start); d > 4*time.Second {
			t.Errorf("with %d threads stopped after %v", threads, d)
		}
		if _, err := s.Slow(context.Background(), 10, 1); err != nil {
			t.Error(err)
		}
	}
}

// TestConcurrentLaunches launches one kernel, not compiled yet, from many
// goroutines with arguments of their own: each gets its own results.
func TestConcurrentLaunches(t *testing.T) {
	titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			Square func(i int64) (int64, ti.Vec2, error)
		}
		p, err := rt.Compile(ti.Text("p.ti", "package p\nfunc Square(i i64) (n i64, v vec2) {\n\tfor range 10 {\n\t\tn += i*i\n\t}\n\treturn n / 10, vec2(i32(i))\n}"), &s)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for g := range int64(16) {
			wg.Go(func() {
				for i := g * 100; i < g*100+50; i++ {
					n, v, err := s.Square(i)
					if n != i*i || v != (ti.Vec2{float32(i), float32(i)}) || err != nil {
						t.Errorf("Square(%d) = %d, %v, %v", i, n, v, err)
					}
					out, err := p.Kernel("Square").Launch(context.Background(), i)
					if err != nil || out[0] != i*i {
						t.Errorf("Launch(%d) = %v, %v", i, out, err)
					}
				}
			})
		}
		wg.Wait()
	})
}

// TestCloseDuringLaunches closes a runtime that others still use.
func TestCloseDuringLaunches(t *testing.T) {
	for range 5 {
		rt, err := ti.New(ti.Config{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		var s struct {
			X   ti.Field[float32]
			Add func() error
		}
		rt.Place(ti.Shape{10_000}, &s.X)
		if err := rt.Load("package p\nvar X field[f32]\nfunc Add() {\n\tfor i := range X {\n\t\tX[i] += sqrt(f32(i))\n\t}\n}", &s); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for {
					if err := s.Add(); err != nil {
						if !errors.Is(err, ti.ErrClosed) {
							t.Error(err)
						}
						return
					}
				}
			})
		}
		time.Sleep(2 * time.Millisecond)
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
	}
}
