package program

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// viewSource uses array parameters in all the ways that a field can be used.
const viewSource = `package p

var F field[f32, D2]

// Blur averages neighbours; each pixel of dst is written by one iteration.
func Blur(dst, src array[f32, D2]) {
	for i, j := range dst {
		s := f32(0)
		n := 0
		for di, dj := range ndrange(span(-1, 2), span(-1, 2)) {
			k := ivec2(i+di, j+dj)
			if k.x >= 0 && k.y >= 0 && k.x < src.shape.x && k.y < src.shape.y {
				s += src[k]
				n++
			}
		}
		dst[i][j] = s / f32(n)
	}
}

func Interior(a array[i32, D2]) {
	for i, j := range ndrange(span(1, a.shape[0]-1), span(1, a.shape[1]-1)) {
		a[i][j] += 10*i + j
	}
}

func Sum(a array[vec3, D1]) (s vec3, n int) {
	for p := range a {
		s += a[p]
		n += 1
	}
	return s, len(a) + n
}

func Histogram(bins array[i32, D1], data array[u8, D3]) {
	for p := range data {
		bins[i32(data[p])] += 1
	}
}

func at(a array[f32, D2], i, j int) f32 { return a[i][j] }

func total(x template) f32 {
	s := f32(0)
	for i := range x.shape[0] {
		for j := range x.shape[1] {
			s += x[i][j]
		}
	}
	return s
}

func Both(a array[f32, D2]) (x, y, z f32) {
	for p := range F {
		F[p] = at(a, p.x, p.y)
	}
	x = total(a)
	y = total(F)
	z = f32(len(a.shape)) + f32(a.dtype(2.5))
	return x, y, z
}

func Alias(a, b array[i32, D1]) {
	for i := range serial(len(a)-1) {
		a[i+1] = b[i] + 1
		b[i] = a[i] * 1
	}
}

func Far(a array[i32, D2], i, j int) int {
	a[i][j] = 5
	return a[i][j] + 1
}
`

type viewHost struct {
	F         ti.Field[float32]
	Blur      func(dst, src ti.Array[float32]) error
	Interior  func(a ti.Array[int32]) error
	Sum       func(a ti.Array[[3]float32]) ([3]float32, int32, error)
	Histogram func(bins ti.Array[int32], data ti.Array[uint8]) error
	Both      func(a ti.Array[float32]) (x, y, z float32, err error)
	Alias     func(a, b ti.Array[int32]) error
	Far       func(a ti.Array[int32], i, j int32) (int32, error)
}

// numbers is 0, 1, 2, … of a shape.
func numbers[T int32 | float32 | uint8](shape ...int) ti.Array[T] {
	n := 1
	for _, e := range shape {
		n *= e
	}
	a := ti.Array[T]{Data: make([]T, n), Shape: shape}
	for i := range a.Data {
		a.Data[i] = T(i)
	}
	return a
}

func TestViews(t *testing.T) {
	var rts runtest.Runtimes
	defer rts.Close(t)
	runtest.RunAll(t, &rts, func(r *runtest.Run) {
		var s viewHost
		r.Place(ti.Shape{4, 6}, &s.F)
		r.Load(viewSource, &s)
		if err := r.RT.Prepare(context.Background()); err != nil {
			r.Fatal(err)
		}
		compiled := r.RT.Stats().Compiled
		for _, shape := range []ti.Shape{{4, 6}, {1, 1}, {7, 40}, {33, 5}, {0, 3}, {3, 0}} {
			blur(r, &s, shape)
			interior(r, &s, shape)
			if now := r.RT.Stats().Compiled; now != compiled {
				r.Errorf("shape %v: compiled anew", shape)
			}
		}
		viewSums(r, &s)
		viewFailures(r, &s)
	})
}

func blur(r *runtest.Run, s *viewHost, shape ti.Shape) {
	src, dst := numbers[float32](shape...), numbers[float32](shape...)
	if err := s.Blur(dst, src); err != nil {
		r.Fatal(err)
	}
	h, w := shape[0], shape[1]
	for i := range h {
		for j := range w {
			sum, n := float32(0), float32(0)
			for y := max(i-1, 0); y < min(i+2, h); y++ {
				for x := max(j-1, 0); x < min(j+2, w); x++ {
					sum += src.Data[y*w+x]
					n++
				}
			}
			if got, want := dst.Data[i*w+j], sum/n; got < want*0.9999 || got > want*1.0001 {
				r.Fatalf("shape %v: blurred [%d %d] is %v, want %v", shape, i, j, got, want)
			}
		}
	}
}

func interior(r *runtest.Run, s *viewHost, shape ti.Shape) {
	a := numbers[int32](shape...)
	if err := s.Interior(a); err != nil {
		r.Fatal(err)
	}
	h, w := shape[0], shape[1]
	for n, got := range a.Data {
		i, j, want := n/w, n%w, int32(n)
		if i > 0 && j > 0 && i < h-1 && j < w-1 {
			want += int32(10*i + j)
		}
		if got != want {
			r.Fatalf("shape %v: [%d %d] is %v, want %v", shape, i, j, got, want)
		}
	}
}

func viewSums(r *runtest.Run, s *viewHost) {
	v := ti.Array[[3]float32]{Data: make([][3]float32, 100), Shape: ti.Shape{100}}
	for i := range v.Data {
		v.Data[i] = [3]float32{float32(i), 1, float32(-i)}
	}
	if sum, n, err := s.Sum(v); err != nil || sum != [3]float32{4950, 100, -4950} || n != 200 {
		r.Errorf("sum %v of %d, %v", sum, n, err)
	}
	bins, data := numbers[int32](256), numbers[uint8](10, 16, 32)
	clear(bins.Data)
	if err := s.Histogram(bins, data); err != nil {
		r.Fatal(err)
	}
	for i, n := range bins.Data {
		if n != 20 {
			r.Fatalf("bin %d has %d, want 20", i, n)
		}
	}
	a := numbers[float32](4, 6)
	if x, y, z, err := s.Both(a); err != nil || x != 276 || y != 276 || z != 4.5 {
		r.Errorf("%v, %v and %v, %v", x, y, z, err)
	}
	// Two parameters may be the same memory.
	c := numbers[int32](50)
	want := numbers[int32](50).Data
	for i := range 49 {
		want[i+1] = want[i] + 1
	}
	if err := s.Alias(c, c); err != nil {
		r.Fatal(err)
	}
	for i := range want {
		if c.Data[i] != want[i] {
			r.Fatalf("aliased: [%d] is %d, want %d", i, c.Data[i], want[i])
		}
	}
}

func viewFailures(r *runtest.Run, s *viewHost) {
	a := numbers[int32](4, 6)
	if !r.Unchecked {
		got, err := s.Far(a, 2, 6)
		var e *ti.RuntimeError
		if !errors.As(err, &e) || !errors.Is(err, ti.ErrRange) || e.Field != "a" || e.Index[1] != 6 || len(e.Shape) != 2 || e.Shape[0] != 4 || e.Shape[1] != 6 {
			r.Errorf("out of range: %d, %v", got, err)
		}
		if a.Data[18] != 18 {
			r.Error("a write out of range has gone to the next row")
		}
	}
	if got, err := s.Far(a, 2, 5); err != nil || got != 6 || a.Data[17] != 5 {
		r.Errorf("%d, %v", got, err)
	}
	for want, bad := range map[string]ti.Array[int32]{
		"2 axes":                     {Data: make([]int32, 4), Shape: ti.Shape{4}},
		"of 6 elements, and 4 in":    {Data: make([]int32, 4), Shape: ti.Shape{2, 3}},
		"extents are not negative":   {Shape: ti.Shape{-1, 0}},
		"3000000000 does not fit an": {Shape: ti.Shape{0, 3000000000}},
	} {
		if err := s.Interior(bad); !errors.Is(err, ti.ErrArgs) || !strings.Contains(err.Error(), want) {
			r.Errorf("%v instead of %s", err, want)
		}
	}
}
